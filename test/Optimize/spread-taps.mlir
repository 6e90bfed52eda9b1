// RUN: kumiko-opt %s --nn-spread-taps --mlir-elide-elementsattrs-if-larger=8 | FileCheck %s

// The longer of two dimensions gives the features; what is added to each result comes last.
// CHECK-LABEL: func.func @one_feature
// CHECK: %[[V:.*]] = nn.constant {{.*}} : tensor<5x8x3x1xf32>
// CHECK: %[[Z:.*]] = nn.conv %arg0, %[[V]] {channel = 3 : i64, dilation = array<i64: 1, 1>, hi = array<i64: 1, 2>, lo = array<i64: 1, 2>, stride = array<i64: 2, 1>} : {{.*}} -> tensor<1x4x10x5xf32>
// CHECK: nn.slice %[[Z]] {out = array<i64: 1, 4, 6, 1>, start = array<i64: 0, 0, 0, 0>
// CHECK: nn.slice %[[Z]] {out = array<i64: 1, 4, 6, 1>, start = array<i64: 0, 0, 1, 1>
// CHECK: nn.slice %[[Z]] {out = array<i64: 1, 4, 6, 1>, start = array<i64: 0, 0, 4, 4>
// CHECK: nn.add
// CHECK: %[[Y:.*]] = nn.add %{{.*}}, %arg1
// CHECK: return %[[Y]]
func.func @one_feature(%x: tensor<1x8x6x8xf32>, %b: tensor<1xf32>) -> tensor<1x4x6x1xf32> {
  %w = nn.constant dense<1.0> : tensor<1x8x3x5xf32>
  %y = nn.conv %x, %w, %b {channel = 3 : i64, stride = array<i64: 2, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 1, 2>, hi = array<i64: 1, 2>} : (tensor<1x8x6x8xf32>, tensor<1x8x3x5xf32>, tensor<1xf32>) -> tensor<1x4x6x1xf32>
  return %y : tensor<1x4x6x1xf32>
}

// Two features and taps that lie apart; the length is an expression.
// CHECK-LABEL: func.func @open
// CHECK: nn.conv {{.*}} -> tensor<1x?x6xf32, #nn.extents<1, "s", 6>>
// CHECK: nn.slice {{.*}} start = array<i64: 0, 6, 4>
func.func @open(%x: tensor<1x?x16xf32, #nn.extents<1, "s", 16>>) -> tensor<1x?x2xf32, #nn.extents<1, "s - 6", 2>> {
  %w = nn.constant dense<1.0> : tensor<2x16x3xf32>
  %y = nn.conv %x, %w {channel = 2 : i64, stride = array<i64: 1>, dilation = array<i64: 3>, lo = array<i64: 0>, hi = array<i64: 0>} : (tensor<1x?x16xf32, #nn.extents<1, "s", 16>>, tensor<2x16x3xf32>) -> tensor<1x?x2xf32, #nn.extents<1, "s - 6", 2>>
  return %y : tensor<1x?x2xf32, #nn.extents<1, "s - 6", 2>>
}

// Not where steps are longer than one, where lanes are full as it is, where little would be left of the sums, in
// groups, with computed weights, with channels first.
// CHECK-LABEL: func.func @keep
// CHECK-NOT: nn.slice
func.func @keep(%x: tensor<1x9x16xf32>, %c: tensor<1x16x9xf32>, %v: tensor<1x16x3xf32>) -> (tensor<1x4x1xf32>, tensor<1x7x6xf32>, tensor<1x8x1xf32>, tensor<1x7x2xf32>, tensor<1x7x1xf32>, tensor<1x1x7xf32>) {
  %w = nn.constant dense<1.0> : tensor<1x16x3xf32>
  %many = nn.constant dense<1.0> : tensor<6x16x3xf32>
  %group = nn.constant dense<1.0> : tensor<2x8x3xf32>
  %few = nn.constant dense<1.0> : tensor<1x4x2xf32>
  %part = nn.slice %x {start = array<i64: 0, 0, 0>, step = array<i64: 1, 1, 1>, out = array<i64: 1, 9, 4>} : (tensor<1x9x16xf32>) -> tensor<1x9x4xf32>
  // CHECK: nn.slice
  // CHECK-NOT: nn.slice
  %0 = nn.conv %x, %w {channel = 2 : i64, stride = array<i64: 2>, dilation = array<i64: 1>, lo = array<i64: 0>, hi = array<i64: 0>} : (tensor<1x9x16xf32>, tensor<1x16x3xf32>) -> tensor<1x4x1xf32>
  %1 = nn.conv %x, %many {channel = 2 : i64, stride = array<i64: 1>, dilation = array<i64: 1>, lo = array<i64: 0>, hi = array<i64: 0>} : (tensor<1x9x16xf32>, tensor<6x16x3xf32>) -> tensor<1x7x6xf32>
  %2 = nn.conv %part, %few {channel = 2 : i64, stride = array<i64: 1>, dilation = array<i64: 1>, lo = array<i64: 0>, hi = array<i64: 0>} : (tensor<1x9x4xf32>, tensor<1x4x2xf32>) -> tensor<1x8x1xf32>
  %3 = nn.conv %x, %group {channel = 2 : i64, group = 2 : i64, stride = array<i64: 1>, dilation = array<i64: 1>, lo = array<i64: 0>, hi = array<i64: 0>} : (tensor<1x9x16xf32>, tensor<2x8x3xf32>) -> tensor<1x7x2xf32>
  %4 = nn.conv %x, %v {channel = 2 : i64, stride = array<i64: 1>, dilation = array<i64: 1>, lo = array<i64: 0>, hi = array<i64: 0>} : (tensor<1x9x16xf32>, tensor<1x16x3xf32>) -> tensor<1x7x1xf32>
  %5 = nn.conv %c, %w {channel = 1 : i64, stride = array<i64: 1>, dilation = array<i64: 1>, lo = array<i64: 0>, hi = array<i64: 0>} : (tensor<1x16x9xf32>, tensor<1x16x3xf32>) -> tensor<1x1x7xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<1x4x1xf32>, tensor<1x7x6xf32>, tensor<1x8x1xf32>, tensor<1x7x2xf32>, tensor<1x7x1xf32>, tensor<1x1x7xf32>
}
