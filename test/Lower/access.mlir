// RUN: kumiko-opt %s --nn-to-linalg --split-input-file | FileCheck %s

// Each way in which an operand is reached, one function each. What maps can say is said with maps.

// Elementwise: all loops parallel, identity maps; a dimension of 1 is read at 0, a missing one not at all.
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-DAG: #[[COL:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @broadcast
// CHECK: %[[E:.*]] = tensor.empty() : tensor<2x3xf32>
// CHECK: linalg.generic {indexing_maps = [#[[ROW]], #[[COL]], #[[ID]]], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 : tensor<2x1xf32>, tensor<3xf32>) outs(%[[E]] : tensor<2x3xf32>)
// CHECK: arith.addf
// CHECK-NOT: tensor.extract
func.func @broadcast(%a: tensor<2x1xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %y = nn.add %a, %b : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// The result is in the order of its own dimensions, so the operand's map is the permuted one.
// CHECK-DAG: #[[P:.*]] = affine_map<(d0, d1, d2) -> (d1, d2, d0)>
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-LABEL: func.func @transpose
// CHECK: linalg.generic {indexing_maps = [#[[P]], #[[ID]]], iterator_types = ["parallel", "parallel", "parallel"]}
func.func @transpose(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %y = nn.transpose %x {perm = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  return %y : tensor<4x2x3xf32>
}

// -----

// A slice is a view and no loop; neither is a pad, and a pad of nothing is not even that.
// CHECK-LABEL: func.func @blocks
// CHECK-NOT: linalg.generic
// CHECK: tensor.extract_slice %arg0[1, 0] [2, 3] [2, 1] : tensor<4x3xf32> to tensor<2x3xf32>
// CHECK: tensor.pad %arg0 low[0, 1] high[2, 0]
// CHECK: return %{{.*}}, %{{.*}}, %arg0
func.func @blocks(%x: tensor<4x3xf32>) -> (tensor<2x3xf32>, tensor<6x4xf32>, tensor<4x3xf32>) {
  %0 = nn.slice %x {start = array<i64: 1, 0>, step = array<i64: 2, 1>, out = array<i64: 2, 3>} : (tensor<4x3xf32>) -> tensor<2x3xf32>
  %1 = nn.pad %x {lo = array<i64: 0, 1>, hi = array<i64: 2, 0>} : (tensor<4x3xf32>) -> tensor<6x4xf32>
  %2 = nn.pad %x {lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : tensor<4x3xf32>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<6x4xf32>, tensor<4x3xf32>
}

// -----

// Negative amounts cut; the value of the border is read from its tensor once.
// CHECK-LABEL: func.func @pad_and_crop
// CHECK: %[[S:.*]] = tensor.extract_slice %arg0[1, 0] [3, 4] [1, 1]
// CHECK: %[[V:.*]] = tensor.extract %arg1[] : tensor<f32>
// CHECK: tensor.pad %[[S]] low[0, 2] high[0, 0]
// CHECK: tensor.yield %[[V]]
func.func @pad_and_crop(%x: tensor<5x4xf32>, %v: tensor<f32>) -> tensor<3x6xf32> {
  %y = nn.pad %x, %v {lo = array<i64: -1, 2>, hi = array<i64: -1, 0>} : (tensor<5x4xf32>, tensor<f32>) -> tensor<3x6xf32>
  return %y : tensor<3x6xf32>
}

// -----

// Operands of a concat are inserted one after the other into a tensor that needs no initial value.
// CHECK-LABEL: func.func @concat
// CHECK: %[[E:.*]] = tensor.empty() : tensor<2x5xf32>
// CHECK-NOT: linalg.fill
// CHECK: %[[A:.*]] = tensor.insert_slice %arg0 into %[[E]][0, 0] [2, 3] [1, 1]
// CHECK: tensor.insert_slice %arg1 into %[[A]][0, 3] [2, 2] [1, 1]
func.func @concat(%a: tensor<2x3xf32>, %b: tensor<2x2xf32>) -> tensor<2x5xf32> {
  %y = nn.concat %a, %b {axis = 1} : (tensor<2x3xf32>, tensor<2x2xf32>) -> tensor<2x5xf32>
  return %y : tensor<2x5xf32>
}

// -----

// Backwards: the map could say it, but nothing later could use it.
// CHECK-LABEL: func.func @backwards
// CHECK: linalg.index 0
// CHECK: tensor.extract %arg0
func.func @backwards(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = nn.slice %x {start = array<i64: 3>, step = array<i64: -1>, out = array<i64: 4>} : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// An index from data is marked: the kernel looks at it. The index tensor itself has a map.
// CHECK-LABEL: func.func @gather
// CHECK: linalg.generic {{.*}} ins(%arg1 : tensor<2xi64>)
// CHECK: tensor.extract %arg0[{{.*}}] {checked = array<i64: 0>} : tensor<6x5xf32>
func.func @gather(%x: tensor<6x5xf32>, %i: tensor<2xi64>) -> tensor<2x5xf32> {
  %y = nn.gather %x, %i {axis = 0} : (tensor<6x5xf32>, tensor<2xi64>) -> tensor<2x5xf32>
  return %y : tensor<2x5xf32>
}

// -----

// An `else` beside other things: a pad of the operand, then a window; read twice, padded once.
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2) -> (d0, d1 + d2)>
// CHECK-LABEL: func.func @neighbours
// CHECK: %[[P:.*]] = tensor.pad %arg0 low[0, 1] high[0, 1]
// CHECK-NOT: tensor.pad
// CHECK: linalg.generic {indexing_maps = [#[[W]], {{.*}}} ins(%[[P]], %{{.*}} : tensor<2x6xf32>, tensor<3xf32>)
// CHECK: arith.mulf %[[IN:.*]], %[[IN]] : f32
func.func @neighbours(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %y = nn.lrn %x {size = 3} : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
