// RUN: kumiko-opt %s --nn-expand-conv-transpose --mlir-elide-elementsattrs-if-larger=8 | FileCheck %s

// A window as long as the stride: each phase has one tap, the features of all of them are one product, and nothing is cropped.
// CHECK-LABEL: func.func @upsample
// CHECK-DAG: %[[V:.*]] = nn.constant {{.*}} : tensor<12x2x1x1xf32>
// CHECK-DAG: %[[X:.*]] = nn.transpose %arg0 {perm = array<i64: 0, 2, 3, 1>}
// CHECK: nn.conv %[[X]], %[[V]] {{.*}} : (tensor<1x4x4x2xf32>, tensor<12x2x1x1xf32>) -> tensor<1x4x4x12xf32>
// CHECK: nn.transpose {{.*}} : (tensor<1x4x4x1x2x2x3xf32>) -> tensor<1x4x2x4x2x1x3xf32>
// CHECK-NOT: nn.pad
// CHECK: return
func.func @upsample(%x: tensor<1x2x4x4xf32>) -> tensor<1x3x8x8xf32> {
  %w = nn.constant dense<1.0> : tensor<2x3x2x2xf32>
  %y = nn.conv_transpose %x, %w {stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, out = array<i64: 8, 8>} : (tensor<1x2x4x4xf32>, tensor<2x3x2x2xf32>) -> tensor<1x3x8x8xf32>
  return %y : tensor<1x3x8x8xf32>
}

// Sizes may be expressions.
// CHECK-LABEL: func.func @open
// CHECK: nn.conv {{.*}} -> tensor<1x?x12xf32, #nn.extents<1, "s + 1", 12>>
func.func @open(%x: tensor<1x2x?xf32, #nn.extents<1, 2, "s">>) -> tensor<1x6x?xf32, #nn.extents<1, 6, "2*s">> {
  %w = nn.constant dense<1.0> : tensor<2x6x4xf32>
  %y = nn.conv_transpose %x, %w {stride = array<i64: 2>, dilation = array<i64: 1>, lo = array<i64: 1>, out = [#nn.extent<"2*s">]} : (tensor<1x2x?xf32, #nn.extents<1, 2, "s">>, tensor<2x6x4xf32>) -> tensor<1x6x?xf32, #nn.extents<1, 6, "2*s">>
  return %y : tensor<1x6x?xf32, #nn.extents<1, 6, "2*s">>
}

// Not with dilation, not with weights that are computed, not where nearly all taps would be zeros.
// CHECK-LABEL: func.func @keep
// CHECK-COUNT-3: nn.conv_transpose
func.func @keep(%x: tensor<1x2x4xf32>, %v: tensor<2x3x2xf32>) -> (tensor<1x3x9xf32>, tensor<1x3x8xf32>, tensor<1x3x28xf32>) {
  %w = nn.constant dense<1.0> : tensor<2x3x2xf32>
  %u = nn.constant dense<1.0> : tensor<2x3x1xf32>
  %0 = nn.conv_transpose %x, %w {stride = array<i64: 2>, dilation = array<i64: 2>, lo = array<i64: 0>, out = array<i64: 9>} : (tensor<1x2x4xf32>, tensor<2x3x2xf32>) -> tensor<1x3x9xf32>
  %1 = nn.conv_transpose %x, %v {stride = array<i64: 2>, dilation = array<i64: 1>, lo = array<i64: 0>, out = array<i64: 8>} : (tensor<1x2x4xf32>, tensor<2x3x2xf32>) -> tensor<1x3x8xf32>
  %2 = nn.conv_transpose %x, %u {stride = array<i64: 9>, dilation = array<i64: 1>, lo = array<i64: 0>, out = array<i64: 28>} : (tensor<1x2x4xf32>, tensor<2x3x1xf32>) -> tensor<1x3x28xf32>
  return %0, %1, %2 : tensor<1x3x9xf32>, tensor<1x3x8xf32>, tensor<1x3x28xf32>
}
