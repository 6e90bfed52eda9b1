// RUN: kumiko-opt %s --nn-to-linalg --split-input-file | FileCheck %s

// Places and weights follow from attributes alone: they are constants that every call gives, and the kernel is told
// their few values.
// CHECK-LABEL: func.func @main
// CHECK-DAG: %[[B:.*]] = nn.constant dense<[0, 2]> : tensor<2xi64>
// CHECK-DAG: %[[Q:.*]] = nn.constant dense<{{.*}}> : tensor<2x2xf64>
// CHECK: nn.call @k(%arg0, %[[B]], %[[Q]])
// CHECK-LABEL: nn.kernel @k
// CHECK-SAME: tensor<2xi64> {nn.constant, nn.values = dense<[0, 2]> : tensor<2xi64>}
// CHECK-SAME: tensor<2x2xf64> {nn.constant, nn.values =
// CHECK-NOT: math.ceil
// CHECK: nn.yield
func.func @main(%x: tensor<3x4xf32>) -> tensor<3x2xf32> {
  %y = nn.call @k(%x) : (tensor<3x4xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}
nn.kernel @k(%x: tensor<3x4xf32>) -> tensor<3x2xf32> {
  %y = nn.resize_axis %x {axis = 1, out = 2, gain = 2.0, shift = 0.75, kernel = "linear", a = -0.75, shrink = 1.0,
                          taps = 2, exclude = false, crop = false, value = 0.0}
      : (tensor<3x4xf32>) -> tensor<3x2xf32>
  nn.yield %y : tensor<3x2xf32>
}

// -----

// Elements that are all equal are a number.
// CHECK-LABEL: nn.kernel @k(%arg0: tensor<1x1x8xf32>) -> tensor<1x1x4xf32>
// CHECK: arith.constant 2.000000e+00 : f32
// CHECK-NEXT: arith.divf
nn.kernel @k(%x: tensor<1x1x8xf32>) -> tensor<1x1x4xf32> {
  %y = nn.avg_pool %x {kernel = array<i64: 2>, stride = array<i64: 2>, dilation = array<i64: 1>, lo = array<i64: 0>,
                       hi = array<i64: 0>, extra = array<i64: 0>, count_pad = false}
      : (tensor<1x1x8xf32>) -> tensor<1x1x4xf32>
  nn.yield %y : tensor<1x1x4xf32>
}

// -----

// A table of many elements is computed at run time.
// CHECK-LABEL: nn.kernel @many
// CHECK-SAME: (%arg0: tensor<1x4xf32>) -> tensor<1x100000xf32>
// CHECK: math.ceil
nn.kernel @many(%x: tensor<1x4xf32>) -> tensor<1x100000xf32> {
  %y = nn.resize_axis %x {axis = 1, out = 100000, gain = 0.00004, shift = 0.0, kernel = "linear", a = -0.75,
                          shrink = 1.0, taps = 2, exclude = false, crop = false, value = 0.0}
      : (tensor<1x4xf32>) -> tensor<1x100000xf32>
  nn.yield %y : tensor<1x100000xf32>
}
