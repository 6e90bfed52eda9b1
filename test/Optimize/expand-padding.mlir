// RUN: kumiko-opt %s --nn-expand-padding | FileCheck %s

// CHECK-LABEL: func.func @conv
func.func @conv(%x: tensor<1x4x4x2xf32>, %w: tensor<3x2x3x3xf32>) -> tensor<1x4x4x3xf32> {
  // CHECK: %[[P:.*]] = nn.pad %arg0 {hi = array<i64: 0, 1, 1, 0>, lo = array<i64: 0, 1, 1, 0>} : (tensor<1x4x4x2xf32>) -> tensor<1x6x6x2xf32>
  // CHECK: nn.conv %[[P]], %arg1 {{{.*}}hi = array<i64: 0, 0>, lo = array<i64: 0, 0>
  %0 = nn.conv %x, %w {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 1, 1>, hi = array<i64: 1, 1>, channel = 3} : (tensor<1x4x4x2xf32>, tensor<3x2x3x3xf32>) -> tensor<1x4x4x3xf32>
  return %0 : tensor<1x4x4x3xf32>
}

// The border of a maximum is the lowest number.
// CHECK-LABEL: func.func @max_pool
func.func @max_pool(%x: tensor<1x2x5xf32>) -> tensor<1x2x3xf32> {
  // CHECK: %[[V:.*]] = nn.constant dense<0xFF800000> : tensor<f32>
  // CHECK: %[[P:.*]] = nn.pad %arg0, %[[V]] {hi = array<i64: 0, 0, 1>, lo = array<i64: 0, 0, 1>}
  // CHECK: nn.max_pool %[[P]]
  %0, %1 = nn.max_pool %x {kernel = array<i64: 3>, stride = array<i64: 2>, dilation = array<i64: 1>, lo = array<i64: 1>, hi = array<i64: 1>} : (tensor<1x2x5xf32>) -> (tensor<1x2x3xf32>, tensor<1x2x3xi64>)
  return %0 : tensor<1x2x3xf32>
}

// An average that counts its border does not care where the border comes from.
// CHECK-LABEL: func.func @avg_pool_counting
func.func @avg_pool_counting(%x: tensor<1x2x5xf32>) -> tensor<1x2x3xf32> {
  // CHECK: nn.pad
  %0 = nn.avg_pool %x {kernel = array<i64: 3>, stride = array<i64: 2>, dilation = array<i64: 1>, lo = array<i64: 1>, hi = array<i64: 1>, extra = array<i64: 0>, count_pad = true} : (tensor<1x2x5xf32>) -> tensor<1x2x3xf32>
  return %0 : tensor<1x2x3xf32>
}

// One that does not count it does; so does a maximum whose position is read, and what has no padding has none to expand.
// CHECK-LABEL: func.func @keep
// CHECK-NOT: nn.pad
func.func @keep(%x: tensor<1x2x5xf32>) -> (tensor<1x2x3xf32>, tensor<1x2x3xi64>, tensor<1x2x2xf32>) {
  %0 = nn.avg_pool %x {kernel = array<i64: 3>, stride = array<i64: 2>, dilation = array<i64: 1>, lo = array<i64: 1>, hi = array<i64: 1>, extra = array<i64: 0>, count_pad = false} : (tensor<1x2x5xf32>) -> tensor<1x2x3xf32>
  %1, %2 = nn.max_pool %x {kernel = array<i64: 3>, stride = array<i64: 2>, dilation = array<i64: 1>, lo = array<i64: 1>, hi = array<i64: 1>} : (tensor<1x2x5xf32>) -> (tensor<1x2x3xf32>, tensor<1x2x3xi64>)
  %3, %4 = nn.max_pool %x {kernel = array<i64: 3>, stride = array<i64: 2>, dilation = array<i64: 1>, lo = array<i64: 0>, hi = array<i64: 0>} : (tensor<1x2x5xf32>) -> (tensor<1x2x2xf32>, tensor<1x2x2xi64>)
  return %0, %2, %3 : tensor<1x2x3xf32>, tensor<1x2x3xi64>, tensor<1x2x2xf32>
}
