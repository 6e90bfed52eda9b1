// RUN: kumiko-opt %s --nn-open-weights --mlir-elide-elementsattrs-if-larger=8 --split-input-file | FileCheck %s

// Lanes along features read the weights side by side.
// CHECK-LABEL: func.func @open
func.func @open(%x: tensor<1x6x6x8xf32>, %w: tensor<4x8x3x3xf32>, %b: tensor<4xf32>) -> tensor<1x4x4x4xf32> {
  // CHECK: %[[W:.*]] = nn.transpose %arg1 {perm = array<i64: 2, 3, 1, 0>} : (tensor<4x8x3x3xf32>) -> tensor<3x3x8x4xf32>
  // CHECK: nn.custom %arg0, %[[W]], %arg2 {channel = 3 : i64, {{.*}}op conv_open
  %y = nn.conv %x, %w, %b {channel = 3 : i64, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x6x6x8xf32>, tensor<4x8x3x3xf32>, tensor<4xf32>) -> tensor<1x4x4x4xf32>
  return %y : tensor<1x4x4x4xf32>
}

// -----

// Constants are packed from any order, and channels first have their lanes along a row.
// CHECK-LABEL: func.func @stays
func.func @stays(%x: tensor<1x6x6x8xf32>, %z: tensor<1x8x6x6xf32>, %v: tensor<4x8x3x3xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>) {
  // CHECK-NOT: nn.transpose
  // CHECK-COUNT-2: nn.conv
  %w = nn.constant dense<0.5> : tensor<4x8x3x3xf32>
  %0 = nn.conv %x, %w {channel = 3 : i64, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x6x6x8xf32>, tensor<4x8x3x3xf32>) -> tensor<1x4x4x4xf32>
  %1 = nn.conv %z, %v {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x8x6x6xf32>, tensor<4x8x3x3xf32>) -> tensor<1x4x4x4xf32>
  return %0, %1 : tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>
}

// -----

// Nothing is gained for one feature of each channel, nor where a weight is used once.
// CHECK-LABEL: func.func @not_worth
func.func @not_worth(%x: tensor<1x6x6x4xf32>, %w: tensor<4x1x3x3xf32>, %z: tensor<1x1x1x8xf32>, %v: tensor<4x8x1x1xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x1x1x4xf32>) {
  // CHECK-NOT: nn.transpose
  // CHECK-COUNT-2: nn.conv
  %0 = nn.conv %x, %w {channel = 3 : i64, group = 4 : i64, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x6x6x4xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x4x4xf32>
  %1 = nn.conv %z, %v {channel = 3 : i64, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x1x1x8xf32>, tensor<4x8x1x1xf32>) -> tensor<1x1x1x4xf32>
  return %0, %1 : tensor<1x4x4x4xf32>, tensor<1x1x1x4xf32>
}

// -----

// As many groups as a symbol says are no number that features could be compared with.
// CHECK-LABEL: func.func @symbolic_groups
func.func @symbolic_groups(%x: tensor<1x6x6x?xf32, #nn.extents<1, 6, 6, "G">>, %w: tensor<?x1x3x3xf32, #nn.extents<"G", 1, 3, 3>>) -> tensor<1x4x4x?xf32, #nn.extents<1, 4, 4, "G">> {
  // CHECK-NEXT: nn.conv
  %0 = nn.conv %x, %w {channel = 3 : i64, group = #nn.extent<"G">, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x6x6x?xf32, #nn.extents<1, 6, 6, "G">>, tensor<?x1x3x3xf32, #nn.extents<"G", 1, 3, 3>>) -> tensor<1x4x4x?xf32, #nn.extents<1, 4, 4, "G">>
  return %0 : tensor<1x4x4x?xf32, #nn.extents<1, 4, 4, "G">>
}
