// RUN: kumiko-opt %s --kumiko-split-kernels | FileCheck %s
// RUN: kumiko-opt %s --kumiko-split-kernels | FileCheck %s --check-prefix=SHARES

#matrix = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j, i)>
#first = affine_map<(i, j) -> (i)>
#second = affine_map<(i, j) -> (j)>

// A product feeds a product: the first is written down, or it would run once for each reader.
// CHECK-COUNT-2: nn.kernel @k_
// CHECK-LABEL: func @chain
// CHECK: %[[S:.*]] = nn.call @[[A:k_[0-9a-f]+]](%{{.*}}) : (tensor<4x6xf32>) -> tensor<4xf32>
// CHECK: nn.call @[[B:k_[0-9a-f]+]]({{.*}}%[[S]]{{.*}})
func.func @chain(%x: tensor<4x6xf32>) -> tensor<6xf32> {
  %0 = nn.call @twice(%x) : (tensor<4x6xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
nn.kernel @twice(%x: tensor<4x6xf32>) -> tensor<6xf32> {
  %zero = arith.constant 0.0 : f32
  %e4 = tensor.empty() : tensor<4xf32>
  %i4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.generic {indexing_maps = [#matrix, #first], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x6xf32>) outs(%i4 : tensor<4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %e6 = tensor.empty() : tensor<6xf32>
  %i6 = linalg.fill ins(%zero : f32) outs(%e6 : tensor<6xf32>) -> tensor<6xf32>
  %y = linalg.generic {indexing_maps = [#column, #second, #first], iterator_types = ["parallel", "reduction"]}
      ins(%x, %s : tensor<4x6xf32>, tensor<4xf32>) outs(%i6 : tensor<6xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<6xf32>
  nn.yield %y : tensor<6xf32>
}

// A row kernel shares its reductions itself and stays whole.
// CHECK-LABEL: func @rows
// CHECK: nn.call @whole
// CHECK-NEXT: return
func.func @rows(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = nn.call @whole(%x) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
nn.kernel @whole(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %zero = arith.constant 0.0 : f32
  %e4 = tensor.empty() : tensor<4xf32>
  %i4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.generic {indexing_maps = [#matrix, #first], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x6xf32>) outs(%i4 : tensor<4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %e = tensor.empty() : tensor<4x6xf32>
  %y = linalg.generic {indexing_maps = [#matrix, #first, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<4x6xf32>, tensor<4xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.divf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<4x6xf32>
  nn.yield %y : tensor<4x6xf32>
}

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#product = affine_map<(m, n, k) -> (m, n)>

// A slice of a product: the product is a contraction only by itself.
// CHECK-LABEL: func @slice
// CHECK: %[[P:.*]] = nn.call @{{k_[0-9a-f]+}}(%{{.*}}) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
// CHECK: nn.call @{{k_[0-9a-f]+}}(%[[P]]) : (tensor<64x64xf32>) -> tensor<8x64xf32>
func.func @slice(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
  %0 = nn.call @sliced(%x, %w) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}
nn.kernel @sliced(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.generic {indexing_maps = [#left, #right, #product], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%i : tensor<64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x64xf32>
  %y = tensor.extract_slice %p[0, 0] [8, 64] [1, 1] : tensor<64x64xf32> to tensor<8x64xf32>
  nn.yield %y : tensor<8x64xf32>
}

// An operand of a product that costs more than a read is written down: exp would run once for each column.
// CHECK-LABEL: func @costly
// CHECK: %[[E:.*]] = nn.call @{{k_[0-9a-f]+}}(%arg0) : (tensor<64x64xf32>) -> tensor<64x64xf32>
// CHECK: nn.call @{{k_[0-9a-f]+}}({{.*}}%[[E]]{{.*}})
func.func @costly(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
  %0 = nn.call @exponents(%x, %w) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}
nn.kernel @exponents(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.generic {indexing_maps = [#matrix, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  %r = linalg.generic {indexing_maps = [#left, #right, #product], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%i : tensor<64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x64xf32>
  %y = tensor.extract_slice %r[0, 0] [8, 64] [1, 1] : tensor<64x64xf32> to tensor<8x64xf32>
  nn.yield %y : tensor<8x64xf32>
}

// Functions of f64 are written down for two columns already.
// CHECK-LABEL: func @two_columns
// CHECK: %[[E:.*]] = nn.call @{{k_[0-9a-f]+}}(%arg0) : (tensor<64x64xf64>) -> tensor<64x64xf64>
// CHECK: nn.call @{{k_[0-9a-f]+}}({{.*}}%[[E]]{{.*}})
func.func @two_columns(%x: tensor<64x64xf64>, %w: tensor<64x2xf64>) -> tensor<64x2xf64> {
  %0 = nn.call @wide_exponents(%x, %w) : (tensor<64x64xf64>, tensor<64x2xf64>) -> tensor<64x2xf64>
  return %0 : tensor<64x2xf64>
}
nn.kernel @wide_exponents(%x: tensor<64x64xf64>, %w: tensor<64x2xf64>) -> tensor<64x2xf64> {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<64x64xf64>
  %s = tensor.empty() : tensor<64x2xf64>
  %i = linalg.fill ins(%zero : f64) outs(%s : tensor<64x2xf64>) -> tensor<64x2xf64>
  %p = linalg.generic {indexing_maps = [#matrix, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x64xf64>) outs(%e : tensor<64x64xf64>) {
  ^bb0(%a: f64, %o: f64):
    %0 = math.exp %a : f64
    linalg.yield %0 : f64
  } -> tensor<64x64xf64>
  %r = linalg.generic {indexing_maps = [#left, #right, #product], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %w : tensor<64x64xf64>, tensor<64x2xf64>) outs(%i : tensor<64x2xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %0 = arith.mulf %a, %b : f64
    %1 = arith.addf %o, %0 : f64
    linalg.yield %1 : f64
  } -> tensor<64x2xf64>
  nn.yield %r : tensor<64x2xf64>
}

// A sum of everything has no rows; what is padded for it is looked at once.
// CHECK-LABEL: func @total
// CHECK: nn.call @padded_total(%arg0) : (tensor<6xf32>) -> tensor<f32>
func.func @total(%x: tensor<6xf32>) -> tensor<f32> {
  %0 = nn.call @padded_total(%x) : (tensor<6xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
nn.kernel @padded_total(%x: tensor<6xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[1] high[1] {
  ^bb0(%j: index):
    tensor.yield %zero : f32
  } : tensor<6xf32> to tensor<8xf32>
  %e = tensor.empty() : tensor<f32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %y = linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]}
      ins(%padded : tensor<8xf32>) outs(%i : tensor<f32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  nn.yield %y : tensor<f32>
}

// Weights that each of many rows would find anew are written down first.
// CHECK-LABEL: func @weights
// CHECK: %[[W:.*]] = nn.call @{{k_[0-9a-f]+}}() : () -> tensor<16xf32>
// CHECK: nn.call @{{k_[0-9a-f]+}}({{.*}}%[[W]])
func.func @weights(%x: tensor<16x4096xf32>) -> tensor<4096xf32> {
  %0 = nn.call @weighted(%x) : (tensor<16x4096xf32>) -> tensor<4096xf32>
  return %0 : tensor<4096xf32>
}
nn.kernel @weighted(%x: tensor<16x4096xf32>) -> tensor<4096xf32> {
  %zero = arith.constant 0.0 : f32
  %e16 = tensor.empty() : tensor<16xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%e16 : tensor<16xf32>) {
  ^bb0(%o: f32):
    %0 = linalg.index 0 : index
    %1 = arith.index_cast %0 : index to i64
    %2 = arith.sitofp %1 : i64 to f32
    %3 = math.ceil %2 : f32
    %4 = arith.divf %2, %3 : f32
    %5 = arith.divf %4, %3 : f32
    linalg.yield %5 : f32
  } -> tensor<16xf32>
  %e = tensor.empty() : tensor<4096xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4096xf32>) -> tensor<4096xf32>
  %y = linalg.generic {indexing_maps = [#column, #second, #first], iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : tensor<16x4096xf32>, tensor<16xf32>) outs(%i : tensor<4096xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.mulf %0, %q : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4096xf32>
  nn.yield %y : tensor<4096xf32>
}

// A sum that each element reads again is divided where it is made.
// SHARES: nn.kernel @[[MEAN:k_[0-9a-f]+]](%{{.*}}: tensor<16x4096xf32>) -> tensor<4096xf32> {
// SHARES: linalg.generic
// SHARES: arith.divf %{{.*}}, %cst{{.*}} : f32
// SHARES: func @shares
// SHARES: %[[M:.*]] = nn.call @[[MEAN]](
// SHARES: nn.call @{{k_[0-9a-f]+}}({{.*}}%[[M]])
func.func @shares(%x: tensor<16x4096xf32>) -> tensor<16x64x64xf32> {
  %0 = nn.call @share(%x) : (tensor<16x4096xf32>) -> tensor<16x64x64xf32>
  return %0 : tensor<16x64x64xf32>
}
nn.kernel @share(%x: tensor<16x4096xf32>) -> tensor<16x64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4096xf32>) -> tensor<4096xf32>
  %s = linalg.generic {indexing_maps = [#column, #first], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<16x4096xf32>) outs(%i : tensor<4096xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  } -> tensor<4096xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%s : tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%p: f32, %o: f32):
    %count = arith.constant 16.0 : f32
    %0 = arith.divf %p, %count : f32
    linalg.yield %0 : f32
  } -> tensor<4096xf32>
  %f = tensor.empty() : tensor<16x4096xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                                        affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<16x4096xf32>, tensor<4096xf32>) outs(%f : tensor<16x4096xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.subf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<16x4096xf32>
  %z = tensor.expand_shape %y [[0], [1, 2]] output_shape [16, 64, 64] : tensor<16x4096xf32> into tensor<16x64x64xf32>
  nn.yield %z : tensor<16x64x64xf32>
}
