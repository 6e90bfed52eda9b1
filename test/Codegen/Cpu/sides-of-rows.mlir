// RUN: kumiko-opt %s --kumiko-emit-kernels | FileCheck %s

// One truth value for each row: it is looked at once. What is loaded of the row that is not chosen is never used, so that
// LLVM drops it.
// CHECK-LABEL: func.func private @rows_inside
// CHECK: scf.for
// CHECK: scf.if
// CHECK: %[[X:.*]] = vector.load %[[FIRST:.*]][
// CHECK: vector.store %[[X]],
// CHECK: } else {
// CHECK: vector.load %[[FIRST]][
// CHECK: %[[Y:.*]] = vector.load
// CHECK: vector.store %[[Y]],
// CHECK-NOT: arith.select
// CHECK: return
nn.kernel @rows(%c: tensor<20x1xi1>, %x: tensor<20x256xf32>, %y: tensor<20x256xf32>) -> tensor<20x256xf32>
    attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<20x256xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, c) -> (n, 0)>, affine_map<(n, c) -> (n, c)>,
                                        affine_map<(n, c) -> (n, c)>, affine_map<(n, c) -> (n, c)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%c, %x, %y : tensor<20x1xi1>, tensor<20x256xf32>, tensor<20x256xf32>) outs(%empty : tensor<20x256xf32>) {
  ^bb0(%holds: i1, %a: f32, %b: f32, %o: f32):
    %v = arith.select %holds, %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<20x256xf32>
  nn.yield %r : tensor<20x256xf32>
}

// Both sides read the same: there is nothing to leave alone.
// CHECK-LABEL: func.func private @same_inside
// CHECK-NOT: scf.if
// CHECK: arith.select {{.*}} vector<8xf32>
// CHECK: return
nn.kernel @same(%c: tensor<20x1xi1>, %x: tensor<20x256xf32>) -> tensor<20x256xf32>
    attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<20x256xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, c) -> (n, 0)>, affine_map<(n, c) -> (n, c)>,
                                        affine_map<(n, c) -> (n, c)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%c, %x : tensor<20x1xi1>, tensor<20x256xf32>) outs(%empty : tensor<20x256xf32>) {
  ^bb0(%holds: i1, %a: f32, %o: f32):
    %negative = arith.negf %a : f32
    %v = arith.select %holds, %a, %negative : f32
    linalg.yield %v : f32
  } -> tensor<20x256xf32>
  nn.yield %r : tensor<20x256xf32>
}
