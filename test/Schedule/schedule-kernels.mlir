// RUN: kumiko-opt %s --kumiko-schedule-kernels | FileCheck %s

#row = affine_map<(m, n, k) -> (m, k)>
#column = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>

// A product with constant columns gets the 6 x 16 tile and packed weights.
// CHECK-LABEL: nn.kernel @product
// CHECK-SAME: packed
// CHECK-SAME: panel_columns = 16
// CHECK-SAME: template = "contraction"
// CHECK-SAME: tile_rows = 6
nn.kernel @product(%a: tensor<128x96xf32>, %b: tensor<96x200xf32> {nn.constant}) -> tensor<128x200xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<128x200xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<128x200xf32>) -> tensor<128x200xf32>
  %y = linalg.generic {indexing_maps = [#row, #column, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<128x96xf32>, tensor<96x200xf32>) outs(%init : tensor<128x200xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<128x200xf32>
  nn.yield %y : tensor<128x200xf32>
}

// Doubles have the same tile, of half as many lanes.
// CHECK-LABEL: nn.kernel @doubles
// CHECK-SAME: lanes = 4
// CHECK-SAME: packed
// CHECK-SAME: panel_columns = 8
// CHECK-SAME: template = "contraction"
// CHECK-SAME: tile_rows = 6
nn.kernel @doubles(%a: tensor<128x96xf64>, %b: tensor<96x200xf64> {nn.constant}) -> tensor<128x200xf64> {
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<128x200xf64>
  %init = linalg.fill ins(%zero : f64) outs(%empty : tensor<128x200xf64>) -> tensor<128x200xf64>
  %y = linalg.generic {indexing_maps = [#row, #column, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<128x96xf64>, tensor<96x200xf64>) outs(%init : tensor<128x200xf64>) {
  ^bb0(%p: f64, %q: f64, %o: f64):
    %0 = arith.mulf %p, %q : f64
    %1 = arith.addf %o, %0 : f64
    linalg.yield %1 : f64
  } -> tensor<128x200xf64>
  nn.yield %y : tensor<128x200xf64>
}

// One row only: several panels side by side keep the registers busy. The columns are no constant, so nothing is packed.
// CHECK-LABEL: nn.kernel @one_row
// CHECK-NOT: packed
// CHECK-SAME: tile_panels = 4
// CHECK-SAME: tile_rows = 1
nn.kernel @one_row(%a: tensor<1x96xf32>, %b: tensor<96x256xf32>) -> tensor<1x256xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x256xf32>) -> tensor<1x256xf32>
  %y = linalg.generic {indexing_maps = [#row, #column, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<1x96xf32>, tensor<96x256xf32>) outs(%init : tensor<1x256xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x256xf32>
  nn.yield %y : tensor<1x256xf32>
}

// A sum along memory is a row kernel.
// CHECK-LABEL: nn.kernel @row_sum
// CHECK-SAME: template = "rows"
nn.kernel @row_sum(%x: tensor<7x33xf32>) -> tensor<7xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<7xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<7xf32>) -> tensor<7xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(r, k) -> (r, k)>, affine_map<(r, k) -> (r)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<7x33xf32>) outs(%init : tensor<7xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  } -> tensor<7xf32>
  nn.yield %y : tensor<7xf32>
}

// A sum across memory keeps its lanes on the kept dimension: no row kernel.
// CHECK-LABEL: nn.kernel @column_sum
// CHECK-SAME: template = "points"
nn.kernel @column_sum(%x: tensor<7x33xf32>) -> tensor<33xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<33xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<33xf32>) -> tensor<33xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, k) -> (k, n)>, affine_map<(n, k) -> (n)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<7x33xf32>) outs(%init : tensor<33xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  } -> tensor<33xf32>
  nn.yield %y : tensor<33xf32>
}

// A schedule that is already there stays.
// CHECK-LABEL: nn.kernel @given
// CHECK-SAME: chunks = 3
nn.kernel @given(%x: tensor<64xf32>) -> tensor<64xf32> attributes {schedule = {template = "points", chunks = 3 : i64}} {
  %empty = tensor.empty() : tensor<64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf32>) outs(%empty : tensor<64xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.negf %p : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  nn.yield %y : tensor<64xf32>
}

// A sum that starts from data is no row: each lane would start from it.
// CHECK-LABEL: nn.kernel @from_data
// CHECK-SAME: template = "points"
nn.kernel @from_data(%x: tensor<8x33xf32>, %start: tensor<8xf32>) -> tensor<8xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(n, k) -> (n, k)>, affine_map<(n, k) -> (n)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x33xf32>) outs(%start : tensor<8xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  nn.yield %y : tensor<8xf32>
}

// Exact sums keep their order: lanes never share one.
// CHECK-LABEL: nn.kernel @ordered
// CHECK-SAME: template = "points"
nn.kernel @ordered(%a: tensor<8x33xf32>, %b: tensor<33x16xf32>) -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x16xf32>) -> tensor<8x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<8x33xf32>, tensor<33x16xf32>) outs(%init : tensor<8x16xf32>) attrs = {exact} {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x16xf32>
  nn.yield %y : tensor<8x16xf32>
}

// A transposed result asks for sums of other rows than the one at hand, though all extents are equal.
// CHECK-LABEL: nn.kernel @turned
// CHECK-SAME: template = "points"
nn.kernel @turned(%x: tensor<4x4x8xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<4x4x8xf32>) outs(%init : tensor<4x4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  } -> tensor<4x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<4x4xf32>
  nn.yield %y : tensor<4x4xf32>
}

// A product that is not in f32 has its lanes along the columns, not inside the sums.
// CHECK-LABEL: nn.kernel @integers
// CHECK-SAME: template = "points"
nn.kernel @integers(%a: tensor<16x16xi32>, %b: tensor<16x16xi32>) -> tensor<16x16xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<16x16xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<16x16xi32>) -> tensor<16x16xi32>
  %y = linalg.generic {indexing_maps = [#row, #column, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<16x16xi32>, tensor<16x16xi32>) outs(%init : tensor<16x16xi32>) {
  ^bb0(%p: i32, %q: i32, %o: i32):
    %0 = arith.muli %p, %q : i32
    %1 = arith.addi %o, %0 : i32
    linalg.yield %1 : i32
  } -> tensor<16x16xi32>
  nn.yield %y : tensor<16x16xi32>
}

// A matrix that changes from run to run times a vector: nothing is used twice, so lanes run along the matrix's rows.
// CHECK-LABEL: nn.kernel @matrix_times_vector
// CHECK-SAME: template = "rows"
nn.kernel @matrix_times_vector(%a: tensor<64x96xf32>, %b: tensor<96x1xf32>) -> tensor<64x1xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x1xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x1xf32>) -> tensor<64x1xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x96xf32>, tensor<96x1xf32>) outs(%f : tensor<64x1xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x1xf32>
  nn.yield %y : tensor<64x1xf32>
}

// What the rows read is a result, too, without their dimension of one element: it is not a value per row.
// CHECK-LABEL: nn.kernel @flat_result
// CHECK-SAME: template = "points"
nn.kernel @flat_result(%x: tensor<4xf32>) -> (tensor<16xf32>, tensor<1xf32>) {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[7] high[5] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<16xf32>
  %row = tensor.expand_shape %padded [[0, 1]] output_shape [1, 16] : tensor<16xf32> into tensor<1x16xf32>
  %e = tensor.empty() : tensor<1xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1xf32>) -> tensor<1xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>],
                       iterator_types = ["parallel", "reduction"]} ins(%row : tensor<1x16xf32>) outs(%f : tensor<1xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %b, %a : f32
    linalg.yield %c : f32
  } -> tensor<1xf32>
  nn.yield %padded, %s : tensor<16xf32>, tensor<1xf32>
}

// Columns that a window runs over are no panels, though they are constant: the image of a convolution whose weights are
// not. Each element belongs to several columns.
// CHECK-LABEL: nn.kernel @window_of_columns
// CHECK-NOT: packed
// CHECK-SAME: template = "contraction"
nn.kernel @window_of_columns(%w: tensor<6x5x3xi8>, %x: tensor<5x11xi8> {nn.constant}) -> tensor<6x9xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<6x9xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<6x9xi32>) -> tensor<6x9xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, c, k) -> (m, c, k)>, affine_map<(m, n, c, k) -> (c, n + k)>,
                                        affine_map<(m, n, c, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%w, %x : tensor<6x5x3xi8>, tensor<5x11xi8>) outs(%init : tensor<6x9xi32>) {
  ^bb0(%p: i8, %q: i8, %o: i32):
    %0 = arith.extsi %p : i8 to i32
    %1 = arith.extui %q : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %o, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<6x9xi32>
  nn.yield %y : tensor<6x9xi32>
}

// Sums of elements that data choose: lanes are the points, although each of them reads its places along memory.
// CHECK-LABEL: nn.kernel @sampled
// CHECK-SAME: template = "points"
nn.kernel @sampled(%x: tensor<4x100xf32>, %at: tensor<64x2xi64>, %w: tensor<64x2xf32>) -> tensor<4x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x64xf32>) -> tensor<4x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(c, p, a) -> (p, a)>, affine_map<(c, p, a) -> (p, a)>, affine_map<(c, p, a) -> (c, p)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%at, %w : tensor<64x2xi64>, tensor<64x2xf32>) outs(%f : tensor<4x64xf32>) {
  ^bb0(%i: i64, %q: f32, %o: f32):
    %c = linalg.index 0 : index
    %place = arith.index_cast %i : i64 to index
    %v = tensor.extract %x[%c, %place] {checked = array<i64: 1>} : tensor<4x100xf32>
    %0 = arith.mulf %v, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x64xf32>
  nn.yield %y : tensor<4x64xf32>
}

// So do they where both are bytes: packing columns for one row would take longer than the row.
// CHECK-LABEL: nn.kernel @bytes_times_vector
// CHECK-NOT: template = "contraction"
// CHECK: nn.yield
nn.kernel @bytes_times_vector(%a: tensor<64x96xi8>, %b: tensor<96x1xi8>) -> tensor<64x1xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<64x1xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<64x1xi32>) -> tensor<64x1xi32>
  %y = linalg.generic {indexing_maps = [#row, #column, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x96xi8>, tensor<96x1xi8>) outs(%init : tensor<64x1xi32>) {
  ^bb0(%p: i8, %q: i8, %o: i32):
    %0 = arith.extui %p : i8 to i32
    %1 = arith.extui %q : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %o, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<64x1xi32>
  nn.yield %y : tensor<64x1xi32>
}

// What is summed lies across memory, though it is seen the other way round: lanes run along the sums.
// CHECK-LABEL: nn.kernel @across
// CHECK-SAME: template = "points"
nn.kernel @across(%x: tensor<64x96xf32>, %m: tensor<96xf32>) -> tensor<96xf32> {
  %zero = arith.constant 0.0 : f32
  %turned = tensor.empty() : tensor<96x64xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>,
                                        affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<64x96xf32>, tensor<96xf32>) outs(%turned : tensor<96x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.subf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<96x64xf32>
  %empty = tensor.empty() : tensor<96xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<96xf32>) -> tensor<96xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%d : tensor<96x64xf32>) outs(%init : tensor<96xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  } -> tensor<96xf32>
  nn.yield %y : tensor<96xf32>
}

// A vector times bytes that change from run to run: they are not packed for one row. Weights, which are packed once, are.
// CHECK-LABEL: nn.kernel @vector_times_bytes
// CHECK-SAME: template = "points"
nn.kernel @vector_times_bytes(%a: tensor<1x96xi8>, %b: tensor<96x64xi8>) -> tensor<1x64xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<1x64xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<1x64xi32>) -> tensor<1x64xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<1x96xi8>, tensor<96x64xi8>) outs(%init : tensor<1x64xi32>) {
  ^bb0(%p: i8, %q: i8, %o: i32):
    %0 = arith.extui %p : i8 to i32
    %1 = arith.extui %q : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %o, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<1x64xi32>
  nn.yield %y : tensor<1x64xi32>
}

// CHECK-LABEL: nn.kernel @vector_times_weights
// CHECK-SAME: template = "contraction"
nn.kernel @vector_times_weights(%a: tensor<1x96xi8>, %b: tensor<96x64xi8> {nn.constant}) -> tensor<1x64xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<1x64xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<1x64xi32>) -> tensor<1x64xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<1x96xi8>, tensor<96x64xi8>) outs(%init : tensor<1x64xi32>) {
  ^bb0(%p: i8, %q: i8, %o: i32):
    %0 = arith.extui %p : i8 to i32
    %1 = arith.extui %q : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %o, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<1x64xi32>
  nn.yield %y : tensor<1x64xi32>
}

// Four thousand small products are a few chunks, not one each.
// CHECK-LABEL: nn.kernel @small_products
// CHECK-SAME: chunk_batch = 1024
// CHECK-SAME: chunks = 4
// CHECK-SAME: template = "contraction"
nn.kernel @small_products(%a: tensor<4096x4x16xf32>, %b: tensor<4096x16x4xf32>) -> tensor<4096x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4096x4x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4096x4x4xf32>) -> tensor<4096x4x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(g, m, n, k) -> (g, m, k)>, affine_map<(g, m, n, k) -> (g, k, n)>,
                                        affine_map<(g, m, n, k) -> (g, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4096x4x16xf32>, tensor<4096x16x4xf32>) outs(%init : tensor<4096x4x4xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4096x4x4xf32>
  nn.yield %y : tensor<4096x4x4xf32>
}
