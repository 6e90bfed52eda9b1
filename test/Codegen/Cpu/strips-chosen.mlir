// Columns of which each is read from a row of its own: two vectors of all rows, then the next two, and the rest of one.
// RUN: kumiko-opt %s --kumiko-emit-kernels | FileCheck %s

// CHECK-LABEL: func.func @chosen
// CHECK: arith.muli %[[STRIP:.*]], %c2{{.*}} : index
// CHECK: scf.for
// CHECK: scf.for
// CHECK: vector.load {{.*}} vector<8xi64>
// CHECK: scf.if
// CHECK: vector.maskedload {{.*}} vector<8xi64>
nn.kernel @chosen(%x: tensor<9x43xf32>, %i: tensor<5x43xi64>) -> tensor<5x43xf32>
    attributes {schedule = {template = "points", chunks = 3 : i64, strip = 16 : i64}} {
  %empty = tensor.empty() : tensor<5x43xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, c) -> (n, c)>, affine_map<(n, c) -> (n, c)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<5x43xi64>) outs(%empty : tensor<5x43xf32>) {
  ^bb0(%p: i64, %o: f32):
    %row = arith.index_cast %p : i64 to index
    %c = linalg.index 1 : index
    %v = tensor.extract %x[%row, %c] {checked = array<i64: 0>} : tensor<9x43xf32>
    linalg.yield %v : f32
  } -> tensor<5x43xf32>
  nn.yield %y : tensor<5x43xf32>
}
