// RUN: kumiko-opt %s --nn-to-linalg --split-input-file | FileCheck %s

// Computed left sides are turned around: every result element is visited, and a condition finds what was written there.

// The result starts as %arg0; a write that meets the element replaces it. A place that comes from data must exist.
// CHECK-LABEL: func.func @set
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%arg2, %arg1 : {{.*}}) outs(%arg0 : tensor<9xf32>)
// CHECK: ^bb0(%[[U:.*]]: f32, %[[I:.*]]: i64, %[[OLD:.*]]: f32):
// CHECK: %[[EXISTS:.*]] = tensor.extract %{{.*}} {checked = array<i64: 0>} : tensor<9xi1>
// CHECK: %[[MEETS:.*]] = arith.cmpi eq
// CHECK: %[[HIT:.*]] = arith.andi %[[EXISTS]], %[[MEETS]]
// CHECK: %[[Y:.*]] = arith.select %[[HIT]], %[[U]], %[[OLD]]
// CHECK: linalg.yield %[[Y]]
func.func @set(%x: tensor<9xf32>, %i: tensor<4xi64>, %u: tensor<4xf32>) -> tensor<9xf32> {
  %y = nn.scatter_elements %x, %i, %u {axis = 0, kind = "set"} : (tensor<9xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<9xf32>
  return %y : tensor<9xf32>
}

// -----

// A linear index is solved for its longest loop: no loop over the input's positions is left.
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d4, d1, d3)>
// CHECK-LABEL: func.func @transposed_convolution
// CHECK: linalg.generic {indexing_maps = [#[[W]], {{.*}}iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
// CHECK: %[[I:.*]] = arith.floordivsi
// CHECK: %[[OK:.*]] = arith.cmpi ult, %[[I]]
// CHECK: %[[IN:.*]] = arith.select %[[OK]], %[[I]]
// CHECK: tensor.extract %arg0[%{{.*}}, %{{.*}}, %[[IN]]]
func.func @transposed_convolution(%x: tensor<1x2x6xf32>, %w: tensor<2x3x4xf32>) -> tensor<1x3x14xf32> {
  %y = nn.conv_transpose %x, %w {stride = array<i64: 2>, dilation = array<i64: 1>, lo = array<i64: 0>, out = array<i64: 14>} : (tensor<1x2x6xf32>, tensor<2x3x4xf32>) -> tensor<1x3x14xf32>
  return %y : tensor<1x3x14xf32>
}

// -----

// Into a size that is an expression: what is read to see whether the place exists is as long as the result.
// CHECK-LABEL: func.func @symbolic
// CHECK: %[[N:.*]] = nn.extent #nn.extent<"n">
// CHECK: %[[PLACES:.*]] = tensor.splat %true[%[[N]]] : tensor<?xi1>
// CHECK: tensor.extract %[[PLACES]][%{{.*}}] {checked = array<i64: 0>} : tensor<?xi1>
func.func @symbolic(%x: tensor<?xf32, #nn.extents<"n">>, %i: tensor<4xi64>, %u: tensor<4xf32>) -> tensor<?xf32, #nn.extents<"n">>
    attributes {nn.symbols = [{name = "n"}]} {
  %y = nn.scatter_elements %x, %i, %u {axis = 0, kind = "set"} : (tensor<?xf32, #nn.extents<"n">>, tensor<4xi64>, tensor<4xf32>) -> tensor<?xf32, #nn.extents<"n">>
  return %y : tensor<?xf32, #nn.extents<"n">>
}
