// RUN: kumiko-opt %s --kumiko-emit-kernels | FileCheck %s

// Two channels become the innermost dimension, and rows become columns: lanes along two channels would leave a block
// empty. They run along the columns; the blocks of both channels are turned, and woven when a line is stored.
// CHECK-LABEL: func.func private @channels_last_inside
// CHECK: vector.store {{.*}} : memref<512xf32>, vector<8xf32>
// CHECK-NOT: vector.maskedstore
// CHECK-NOT: memref.store
// CHECK: return
nn.kernel @channels_last(%x: tensor<2x16x16xf32>) -> tensor<16x16x2xf32> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<16x16x2xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(w, h, c) -> (c, h, w)>, affine_map<(w, h, c) -> (w, h, c)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<2x16x16xf32>) outs(%empty : tensor<16x16x2xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<16x16x2xf32>
  nn.yield %y : tensor<16x16x2xf32>
}

// Rows of five in a long sum: eight lanes, and four sums that do not wait for each other; the first takes the two steps
// that are left over.
// CHECK-LABEL: func.func @short_rows_of_long_sums
// CHECK: scf.for %{{.*}} = %c0 to %c100 step %c4 iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-COUNT-4: arith.addf
// CHECK: scf.for %{{.*}} = %c100 to %c102 step %c1 iter_args({{.*}}) -> (vector<8xf32>)
// CHECK: arith.addf
// CHECK: }
// CHECK-COUNT-3: arith.addf
// CHECK: vector.maskedstore
nn.kernel @short_rows_of_long_sums(%x: tensor<102x5xf32>) -> tensor<5xf32>
    attributes {schedule = {template = "points", chunks = 1 : i64, lanes = 16 : i64}} {
  %empty = tensor.empty() : tensor<5xf32>
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<5xf32>) -> tensor<5xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(c, n) -> (n, c)>, affine_map<(c, n) -> (c)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<102x5xf32>) outs(%start : tensor<5xf32>) {
  ^bb0(%p: f32, %sum: f32):
    %next = arith.addf %sum, %p : f32
    linalg.yield %next : f32
  } -> tensor<5xf32>
  nn.yield %y : tensor<5xf32>
}

// Four vectors are woven by pairs, and pairs into each other: two shuffles for each that is stored, not three.
// CHECK-LABEL: func.func private @woven_inside
// CHECK-COUNT-8: vector.shuffle
// CHECK-NOT: vector.shuffle
// CHECK: vector.store
nn.kernel @woven(%x: tensor<4x80xf32>) -> tensor<80x4xf32> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<80x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x80xf32>) outs(%empty : tensor<80x4xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<80x4xf32>
  nn.yield %y : tensor<80x4xf32>
}
