// RUN: kumiko-opt %s --kumiko-schedule-kernels | FileCheck %s
// Which operands a result may be written over: pairs (operand, result).

#row = affine_map<(m, n, k) -> (m, k)>
#column = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>
#all = affine_map<(m, n) -> (m, n)>
#across = affine_map<(m, n) -> (n, m)>
#last = affine_map<(m, n) -> (n)>
#first = affine_map<(m, n) -> (m)>

// What the epilogue reads where it writes; not the factors, though one of them has the result's shape.
// CHECK-LABEL: nn.kernel @product_and_residual
// CHECK-SAME: layouts = {may_overwrite = array<i64: 2, 0>
nn.kernel @product_and_residual(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %r: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %y = linalg.generic {indexing_maps = [#row, #column, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x64xf32>
  %z = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%y, %r : tensor<64x64xf32>, tensor<64x64xf32>) outs(%empty : tensor<64x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.addf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  nn.yield %z : tensor<64x64xf32>
}

// A residual that the factor is, too, is read by every tile.
// CHECK-LABEL: nn.kernel @residual_is_a_factor
// CHECK-NOT: may_overwrite
nn.kernel @residual_is_a_factor(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %y = linalg.generic {indexing_maps = [#row, #column, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x64xf32>
  %z = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%y, %a : tensor<64x64xf32>, tensor<64x64xf32>) outs(%empty : tensor<64x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.addf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  nn.yield %z : tensor<64x64xf32>
}

// Read at the same element, in one type of the same size and in a wider one; across; along rows only.
// CHECK-LABEL: nn.kernel @points
// CHECK-SAME: layouts = {may_overwrite = array<i64: 0, 0, 1, 0>
nn.kernel @points(%x: tensor<8x8xf32>, %i: tensor<8x8xi32>, %wide: tensor<8x8xf64>, %t: tensor<8x8xf32>, %b: tensor<8xf32>)
    -> tensor<8x8xf32> {
  %empty = tensor.empty() : tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#all, #all, #all, #across, #last, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %i, %wide, %t, %b : tensor<8x8xf32>, tensor<8x8xi32>, tensor<8x8xf64>, tensor<8x8xf32>, tensor<8xf32>)
      outs(%empty : tensor<8x8xf32>) {
  ^bb0(%p: f32, %q: i32, %w: f64, %r: f32, %s: f32, %o: f32):
    %0 = arith.sitofp %q : i32 to f32
    %1 = arith.truncf %w : f64 to f32
    %2 = arith.addf %p, %0 : f32
    %3 = arith.addf %2, %1 : f32
    %4 = arith.addf %3, %r : f32
    %5 = arith.addf %4, %s : f32
    linalg.yield %5 : f32
  } -> tensor<8x8xf32>
  nn.yield %y : tensor<8x8xf32>
}

// Rows of places that data choose are written in vectors that may overlap.
// CHECK-LABEL: nn.kernel @chosen_rows
// CHECK-NOT: may_overwrite
nn.kernel @chosen_rows(%t: tensor<9x8xf32>, %i: tensor<8xi64>, %r: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %empty = tensor.empty() : tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#first, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%i, %r : tensor<8xi64>, tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) {
  ^bb0(%p: i64, %q: f32, %o: f32):
    %row = arith.index_cast %p : i64 to index
    %column = linalg.index 1 : index
    %0 = tensor.extract %t[%row, %column] : tensor<9x8xf32>
    %1 = arith.addf %0, %q : f32
    linalg.yield %1 : f32
  } -> tensor<8x8xf32>
  nn.yield %y : tensor<8x8xf32>
}

// Two results that read the same tensor may be written by different chunks.
// CHECK-LABEL: nn.kernel @read_for_both
// CHECK-NOT: may_overwrite
nn.kernel @read_for_both(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %empty = tensor.empty() : tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %p, %p : f32
    linalg.yield %0 : f32
  } -> tensor<8x8xf32>
  %z = linalg.generic {indexing_maps = [#across, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<8x8xf32>
  nn.yield %y, %z : tensor<8x8xf32>, tensor<8x8xf32>
}

// A row is reduced before it is written. The sum of both goes first, so it must leave the operands as they are; what is
// written last may take their place.
// CHECK-LABEL: nn.kernel @rows
// CHECK-SAME: layouts = {may_overwrite = array<i64: 0, 1, 1, 1>
nn.kernel @rows(%a: tensor<8x64xf32>, %b: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x64xf32>
  %short = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%short : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<8x64xf32>, tensor<8x64xf32>) outs(%empty : tensor<8x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.addf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<8x64xf32>
  %m = linalg.generic {indexing_maps = [#all, #first], iterator_types = ["parallel", "reduction"]}
      ins(%s : tensor<8x64xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %p, %o : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#all, #first, #all], iterator_types = ["parallel", "parallel"]}
      ins(%s, %m : tensor<8x64xf32>, tensor<8xf32>) outs(%empty : tensor<8x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.subf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<8x64xf32>
  nn.yield %s, %y : tensor<8x64xf32>, tensor<8x64xf32>
}
