// RUN: kumiko-opt %s --nn-to-linalg --split-input-file | FileCheck %s

// Convolutions and pooling.

// One pad, one contraction, one addition of the bias. No dimension for the single group.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 * 2 + d4, d2 + d5 * 2, d6)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d3, d6, d4, d5)>
// CHECK-DAG: #[[Y:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @conv
// CHECK: %[[P:.*]] = tensor.pad %arg0 low[0, 1, 0, 0] high[0, 1, 0, 0]
// CHECK: linalg.generic {indexing_maps = [#[[X]], #[[W]], #[[Y]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%[[P]], %arg1
// CHECK: linalg.generic
// CHECK: arith.addf
func.func @conv(%x: tensor<1x7x8x4xf32>, %w: tensor<6x4x3x3xf32>, %b: tensor<6xf32>) -> tensor<1x4x4x6xf32> {
  %y = nn.conv %x, %w, %b {stride = array<i64: 2, 1>, dilation = array<i64: 1, 2>, lo = array<i64: 1, 0>, hi = array<i64: 1, 0>, channel = 3} : (tensor<1x7x8x4xf32>, tensor<6x4x3x3xf32>, tensor<6xf32>) -> tensor<1x4x4x6xf32>
  return %y : tensor<1x4x4x6xf32>
}

// -----

// 1x1: the maps of a matrix product; the stride is a slice. Without a bias there is no second generic.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d6)>
// CHECK-LABEL: func.func @pointwise
// CHECK: %[[S:.*]] = tensor.extract_slice %arg0[0, 0, 0, 0] [1, 4, 4, 3] [1, 2, 2, 1]
// CHECK: linalg.generic {indexing_maps = [#[[X]], {{.*}} ins(%[[S]], %arg1
// CHECK-NOT: linalg.generic
func.func @pointwise(%x: tensor<1x8x8x3xf32>, %w: tensor<5x3x1x1xf32>) -> tensor<1x4x4x5xf32> {
  %y = nn.conv %x, %w {stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>, channel = 3} : (tensor<1x8x8x3xf32>, tensor<5x3x1x1xf32>) -> tensor<1x4x4x5xf32>
  return %y : tensor<1x4x4x5xf32>
}

// -----

// Groups split the channel dimensions of all three tensors; no map multiplies.
// CHECK-LABEL: func.func @groups
// CHECK: tensor.expand_shape %arg0 {{\[\[}}0], [1], [2], [3, 4]]
// CHECK: tensor.expand_shape %arg1 {{\[\[}}0, 1], [2], [3], [4]]
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0], [1], [2], [3, 4]]
func.func @groups(%x: tensor<1x5x5x4xf32>, %w: tensor<6x2x3x3xf32>) -> tensor<1x3x3x6xf32> {
  %y = nn.conv %x, %w {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>, group = 2, channel = 3} : (tensor<1x5x5x4xf32>, tensor<6x2x3x3xf32>) -> tensor<1x3x3x6xf32>
  return %y : tensor<1x3x3x6xf32>
}

// -----

// The window of a pooling stands alone in no operand: an operand that nobody reads says its range.
// CHECK-DAG: #[[K:.*]] = affine_map<(d0, d1, d2, d3) -> (d3)>
// CHECK-LABEL: func.func @pool
// CHECK: %[[W:.*]] = tensor.empty() : tensor<3xf32>
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[K]], #{{.*}}], {{.*}} ins(%arg0, %[[W]]
func.func @pool(%x: tensor<1x2x7xf32>) -> tensor<1x2x3xf32> {
  %y, %i = nn.max_pool %x {kernel = array<i64: 3>, stride = array<i64: 2>, dilation = array<i64: 1>, lo = array<i64: 0>, hi = array<i64: 0>} : (tensor<1x2x7xf32>) -> (tensor<1x2x3xf32>, tensor<1x2x3xi64>)
  return %y : tensor<1x2x3xf32>
}
