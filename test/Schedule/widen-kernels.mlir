// RUN: kumiko-opt %s --kumiko-widen-kernels | FileCheck %s

#matrix = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#vector = affine_map<(i) -> (i)>

// A sum runs in f64 from load to store, and what leads to it does so too; the result is rounded once.
// CHECK-LABEL: nn.kernel @squares
// CHECK: linalg.fill {{.*}} tensor<4xf64>
// CHECK: ^bb0(%[[P:.*]]: f32, %[[O:.*]]: f64):
// CHECK: %[[W:.*]] = arith.extf %[[P]]
// CHECK: %[[Q:.*]] = arith.mulf %[[W]], %[[W]] : f64
// CHECK: arith.addf %[[O]], %[[Q]] : f64
// CHECK: arith.truncf
// CHECK: nn.yield %{{.*}} : tensor<4xf32>
nn.kernel @squares(%x: tensor<4x6xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.generic {indexing_maps = [#matrix, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x6xf32>) outs(%i : tensor<4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.mulf %p, %p : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  nn.yield %s : tensor<4xf32>
}

// One product and one sum are one rounding already.
// CHECK-LABEL: nn.kernel @affine
// CHECK-NOT: f64
// CHECK: nn.yield
nn.kernel @affine(%x: tensor<8xf32>, %a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#vector, #vector, #vector, #vector], iterator_types = ["parallel"]}
      ins(%x, %a, %b : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %0, %r : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  nn.yield %y : tensor<8xf32>
}

// The difference of two products loses the digits in which they agree.
// CHECK-LABEL: nn.kernel @rotate
// CHECK: arith.subf {{.*}} : f64
// CHECK: arith.truncf
nn.kernel @rotate(%x: tensor<8xf32>, %a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#vector, #vector, #vector, #vector], iterator_types = ["parallel"]}
      ins(%x, %a, %b : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.mulf %p, %r : f32
    %2 = arith.subf %0, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  nn.yield %y : tensor<8xf32>
}

// A function in f32 does not pass digits on, so what it is given stays as it is.
// CHECK-LABEL: nn.kernel @bent
// CHECK-NOT: f64
// CHECK: nn.yield
nn.kernel @bent(%x: tensor<8xf32>, %a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#vector, #vector, #vector, #vector], iterator_types = ["parallel"]}
      ins(%x, %a, %b : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.mulf %p, %r : f32
    %2 = arith.subf %0, %1 : f32
    %3 = math.exp %2 : f32
    linalg.yield %3 : f32
  } -> tensor<8xf32>
  nn.yield %y : tensor<8xf32>
}

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// Products of large matrices stay in f32.
// CHECK-LABEL: nn.kernel @product
// CHECK-NOT: f64
// CHECK: nn.yield
nn.kernel @product(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%i : tensor<64x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x64xf32>
  nn.yield %s : tensor<64x64xf32>
}

// So it does where the difference is looked up afterwards, as in a rotation that puts its halves side by side.
// CHECK-LABEL: nn.kernel @rotate_and_look_up
// CHECK: arith.subf {{.*}} : f64
// CHECK: arith.truncf
// CHECK: tensor.extract
nn.kernel @rotate_and_look_up(%x: tensor<8xf32>, %a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#vector, #vector, #vector, #vector], iterator_types = ["parallel"]}
      ins(%x, %a, %b : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.mulf %p, %r : f32
    %2 = arith.subf %0, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  %z = linalg.generic {indexing_maps = [#vector], iterator_types = ["parallel"]} outs(%e : tensor<8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %two = arith.constant 2 : index
    %j = arith.remui %i, %two : index
    %v = tensor.extract %y[%j] : tensor<8xf32>
    linalg.yield %v : f32
  } -> tensor<8xf32>
  nn.yield %z : tensor<8xf32>
}

// What is added to a wide sum is added before the sum is rounded, even where a function follows.
// CHECK-LABEL: nn.kernel @gate
// CHECK: arith.addf %{{.*}}, %{{.*}} : f64
// CHECK: arith.addf %{{.*}}, %{{.*}} : f64
// CHECK: math.tanh %{{.*}} : f32
nn.kernel @gate(%x: tensor<4x6xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.generic {indexing_maps = [#matrix, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x6xf32>) outs(%i : tensor<4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#vector, #vector, #vector], iterator_types = ["parallel"]}
      ins(%s, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.addf %p, %q : f32
    %1 = math.tanh %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  nn.yield %y : tensor<4xf32>
}

#wide_a = affine_map<(m, n, k) -> (m, k)>
#wide_b = affine_map<(m, n, k) -> (k, n)>
#wide_c = affine_map<(m, n, k) -> (m, n)>

// Rows that small inputs leave none of may be many: the product stays in f32.
// CHECK-LABEL: nn.kernel @open_rows
// CHECK-NOT: f64
// CHECK: nn.yield
nn.kernel @open_rows(%x: tensor<?x64xf32> {nn.extents = #nn.extents<"max(0, s - 100)", 64>}, %w: tensor<64x32xf32>)
    -> (tensor<?x32xf32> {nn.extents = #nn.extents<"max(0, s - 100)", 32>}) {
  %zero = arith.constant 0.0 : f32
  %s = nn.extent #nn.extent<"max(0, s - 100)">
  %e = tensor.empty(%s) : tensor<?x32xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  %y = linalg.generic {indexing_maps = [#wide_a, #wide_b, #wide_c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x64xf32>, tensor<64x32xf32>) outs(%i : tensor<?x32xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x32xf32>
  nn.yield %y : tensor<?x32xf32>
}

// Many sums of few terms stay as they are: converting each term would cost more than the bit that is lost.
// CHECK-LABEL: nn.kernel @threes
// CHECK-NOT: f64
nn.kernel @threes(%x: tensor<100000x3xf32>) -> tensor<100000xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<100000xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<100000xf32>) -> tensor<100000xf32>
  %s = linalg.generic {indexing_maps = [#matrix, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<100000x3xf32>) outs(%i : tensor<100000xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  } -> tensor<100000xf32>
  nn.yield %s : tensor<100000xf32>
}

// Running sums are rounded with every term, so they are widened.
// CHECK-LABEL: nn.kernel @long_running
// CHECK: arith.addf {{.*}} : f64
nn.kernel @long_running(%x: tensor<40x65xf32>) -> tensor<40x65xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x65xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<40x65xf32>) -> tensor<40x65xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<40x65xf32>) outs(%i : tensor<40x65xf32>) {
  ^bb0(%p: f32, %o: f32):
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %counts = arith.cmpi sle, %k, %j : index
    %0 = arith.select %counts, %p, %zero : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<40x65xf32>
  nn.yield %s : tensor<40x65xf32>
}

// Nor is a sum of rounded products widened for itself: it would be rounded again with every term.
// CHECK-LABEL: nn.kernel @weighted_threes
// CHECK-NOT: f64
nn.kernel @weighted_threes(%x: tensor<100000x3xf32>, %w: tensor<100000x3xf32>) -> tensor<100000xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<100000xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<100000xf32>) -> tensor<100000xf32>
  %s = linalg.generic {indexing_maps = [#matrix, #matrix, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : tensor<100000x3xf32>, tensor<100000x3xf32>) outs(%i : tensor<100000xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.mulf %0, %q : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<100000xf32>
  nn.yield %s : tensor<100000xf32>
}

// A product that its kernel will be cut around stays in f32 as one that has a kernel already, however few columns it has.
// CHECK-LABEL: nn.kernel @behind_a_sum
// CHECK: tensor<64x2xf64>
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<4096x2xf32>)
nn.kernel @behind_a_sum(%x: tensor<64x2x16xf32>, %w: tensor<4096x64xf32>) -> tensor<4096x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x2xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x2xf32>) -> tensor<64x2xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<64x2x16xf32>) outs(%i : tensor<64x2xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  } -> tensor<64x2xf32>
  %f = tensor.empty() : tensor<4096x2xf32>
  %j = linalg.fill ins(%zero : f32) outs(%f : tensor<4096x2xf32>) -> tensor<4096x2xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
                                        affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%w, %s : tensor<4096x64xf32>, tensor<64x2xf32>) outs(%j : tensor<4096x2xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4096x2xf32>
  nn.yield %y : tensor<4096x2xf32>
}

// A tensor that stands in a body goes with it: a scatter that starts from nothing asks there whether a place exists.
// CHECK-LABEL: nn.kernel @tensor_in_body
// CHECK: %[[C:.*]] = arith.constant dense<true> : tensor<8xi1>
// CHECK: tensor.extract %[[C]]
// CHECK: arith.addf {{.*}} : f64
nn.kernel @tensor_in_body(%i: tensor<5xindex>, %u: tensor<5xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%u, %i : tensor<5xf32>, tensor<5xindex>) outs(%s : tensor<8xf32>) {
  ^bb0(%p: f32, %q: index, %o: f32):
    %exists = arith.constant dense<true> : tensor<8xi1>
    %0 = tensor.extract %exists[%q] : tensor<8xi1>
    %1 = linalg.index 0 : index
    %2 = arith.cmpi eq, %q, %1 : index
    %3 = arith.andi %0, %2 : i1
    %4 = arith.select %3, %p, %zero : f32
    %5 = arith.addf %o, %4 : f32
    linalg.yield %5 : f32
  } -> tensor<8xf32>
  nn.yield %y : tensor<8xf32>
}
