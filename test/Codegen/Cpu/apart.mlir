// RUN: kumiko-opt %s --kumiko-emit-kernels --split-input-file --verify-diagnostics | FileCheck %s

// A product reads rows that are 40 apart, and writes rows that are 48 apart.
// CHECK-LABEL: func.func private @product_inside
// CHECK-DAG: arith.constant 40 : index
// CHECK-DAG: arith.constant 48 : index
// CHECK: memref<?xf32>
nn.kernel @product(%a: tensor<12x16xf32>, %b: tensor<16x8xf32>) -> tensor<12x8xf32>
    attributes {schedule = {template = "contraction", chunks = 1 : i64, lanes = 8 : i64, tile_rows = 6 : i64,
                            panel_columns = 8 : i64, tile_panels = 1 : i64, depth_unroll = 4 : i64,
                            chunk_row_blocks = 2 : i64, chunk_panels = 1 : i64},
                layouts = {apart = [array<i64: 0, 40, 1>, array<i64: 2, 48, 1>]}} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<12x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<12x8xf32>) -> tensor<12x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<12x16xf32>, tensor<16x8xf32>) outs(%f : tensor<12x8xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<12x8xf32>
  nn.yield %y : tensor<12x8xf32>
}

// -----

// The first part is there: one vector a row is moved, not two.
// CHECK-LABEL: func.func private @rest_inside
// CHECK-COUNT-1: vector.load
// CHECK-NOT: vector.load
nn.kernel @rest(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x16xf32>
    attributes {schedule = {template = "points", lanes = 8 : i64, chunks = 1 : i64}, layouts = {placed = array<i64: 0, 0>}} {
  %e = tensor.empty() : tensor<4x16xf32>
  %0 = tensor.insert_slice %a into %e[0, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<4x16xf32>
  %1 = tensor.insert_slice %b into %0[0, 8] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<4x16xf32>
  nn.yield %1 : tensor<4x16xf32>
}

// -----

// Nothing is left to be written, so there is no function.
// CHECK-NOT: @nothing
nn.kernel @nothing(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<8x8xf32>
    attributes {schedule = {template = "points", lanes = 8 : i64, chunks = 1 : i64}, layouts = {placed = array<i64: 0, 0, 1, 0>}} {
  %e = tensor.empty() : tensor<8x8xf32>
  %0 = tensor.insert_slice %a into %e[0, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<8x8xf32>
  %1 = tensor.insert_slice %b into %0[4, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<8x8xf32>
  nn.yield %1 : tensor<8x8xf32>
}

// -----

// expected-error@+1 {{its layouts' apart names a buffer that is not there, or of another rank}}
nn.kernel @rank(%a: tensor<4x8xf32>) -> tensor<4x8xf32>
    attributes {schedule = {template = "points", lanes = 8 : i64, chunks = 1 : i64}, layouts = {apart = [array<i64: 0, 8>]}} {
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<4x8xf32>) outs(%a : tensor<4x8xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.negf %p : f32
    linalg.yield %0 : f32
  } -> tensor<4x8xf32>
  nn.yield %y : tensor<4x8xf32>
}

// -----

// What nobody knows is no layout.
// expected-error@+1 {{has no usable layouts}}
nn.kernel @misspelt(%a: tensor<4x8xf32>) -> tensor<4x8xf32>
    attributes {schedule = {template = "points", lanes = 8 : i64, chunks = 1 : i64}, layouts = {inplace = array<i64: 0, 0>}} {
  nn.yield %a : tensor<4x8xf32>
}
