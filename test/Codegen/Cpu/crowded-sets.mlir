// What shares a set of the first cache: see docs/decisions/0020-wide-cores.md. NARROW is a core like Zen 4.
// RUN: kumiko-opt %s --kumiko-schedule-kernels="lanes=16 crowds-sets=true" --kumiko-emit-kernels | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: kumiko-opt %s --kumiko-schedule-kernels="lanes=16" --kumiko-emit-kernels | FileCheck %s --check-prefixes=CHECK,OTHERS

// A column of such rows, and short pieces of them, have pauses in between; longer ones are copied by long words instead.
// NARROW-LABEL: func.func private @column_inside
// NARROW: "nop
// NARROW-NOT: vector<16xf32>
// NARROW: return
// OTHERS-LABEL: func.func private @column_inside
// OTHERS-NOT: "nop
// OTHERS: return
nn.kernel @column(%x: tensor<4096x1024xf32>) -> tensor<4096x1xf32> {
  %y = tensor.extract_slice %x[0, 3] [4096, 1] [1, 1] : tensor<4096x1024xf32> to tensor<4096x1xf32>
  nn.yield %y : tensor<4096x1xf32>
}

// NARROW-LABEL: func.func private @piece_inside
// NARROW: "nop
// NARROW: vector.load {{.*}} : memref<6144000xi8>, vector<2xi8>
// OTHERS-LABEL: func.func private @piece_inside
// OTHERS-NOT: "nop
// OTHERS: return
nn.kernel @piece(%x: tensor<3000x2048xi8>) -> tensor<3000x2xi8> {
  %y = tensor.extract_slice %x[0, 8] [3000, 2] [1, 1] : tensor<3000x2048xi8> to tensor<3000x2xi8>
  nn.yield %y : tensor<3000x2xi8>
}

// CHECK-LABEL: func.func private @long_inside
// CHECK-NOT: "nop
// CHECK: vector.load {{.*}} : memref<3072000xf32>, vector<2xf32>
nn.kernel @long(%x: tensor<3000x1024xf32>) -> tensor<3000x8xf32> {
  %y = tensor.extract_slice %x[0, 8] [3000, 8] [1, 1] : tensor<3000x1024xf32> to tensor<3000x8xf32>
  nn.yield %y : tensor<3000x8xf32>
}

// Columns that data choose are moved one row after the other, where others look at the places of eight rows first.
// NARROW-LABEL: func.func private @chosen_inside
// NARROW-NOT: scf.for {{.*}} step %c8
// NARROW: return
// OTHERS-LABEL: func.func private @chosen_inside
// OTHERS: scf.for {{.*}} step %c8
nn.kernel @chosen(%x: tensor<4096x1024xf32>, %i: tensor<6xi64>) -> tensor<4096x6xf32> {
  %empty = tensor.empty() : tensor<4096x6xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, c) -> (c)>, affine_map<(n, c) -> (n, c)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<6xi64>) outs(%empty : tensor<4096x6xf32>) {
  ^bb0(%p: i64, %o: f32):
    %n = linalg.index 0 : index
    %place = arith.index_cast %p : i64 to index
    %v = tensor.extract %x[%n, %place] {checked = array<i64: 1>} : tensor<4096x1024xf32>
    linalg.yield %v : f32
  } -> tensor<4096x6xf32>
  nn.yield %y : tensor<4096x6xf32>
}

// Of rows that go on in the same lines, four of one set stay in the cache for the next row of each plane; without such
// a set, as many as fill vectors, and rows of all planes one after the other.
// CHECK-LABEL: func.func private @planes_inside
// CHECK: scf.for
// CHECK: arith.minsi {{.*}}, %c33
// CHECK: scf.for {{.*}} step %c1
// CHECK: scf.for {{.*}} step %c4
nn.kernel @planes(%x: tensor<33x1024x13xf32>) -> tensor<1024x33x13xf32> {
  %empty = tensor.empty() : tensor<1024x33x13xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j, i, k)>, affine_map<(i, j, k) -> (i, j, k)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<33x1024x13xf32>) outs(%empty : tensor<1024x33x13xf32>) {
  ^bb0(%e: f32, %o: f32):
    linalg.yield %e : f32
  } -> tensor<1024x33x13xf32>
  nn.yield %y : tensor<1024x33x13xf32>
}

// CHECK-LABEL: func.func private @other_planes_inside
// CHECK: scf.for
// CHECK: scf.for {{.*}} step %c11
nn.kernel @other_planes(%x: tensor<33x1025x13xf32>) -> tensor<1025x33x13xf32> {
  %empty = tensor.empty() : tensor<1025x33x13xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j, i, k)>, affine_map<(i, j, k) -> (i, j, k)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<33x1025x13xf32>) outs(%empty : tensor<1025x33x13xf32>) {
  ^bb0(%e: f32, %o: f32):
    linalg.yield %e : f32
  } -> tensor<1025x33x13xf32>
  nn.yield %y : tensor<1025x33x13xf32>
}

// Lines of the result of one set are written one block of lines after the other; elsewhere many of them stay open.
// NARROW-LABEL: func.func private @lines_inside
// NARROW: scf.for {{.*}} to %c800
// OTHERS-LABEL: func.func private @lines_inside
// OTHERS: scf.for {{.*}} to %c32
nn.kernel @lines(%x: tensor<256x400xf64>) -> tensor<400x256xf64> {
  %empty = tensor.empty() : tensor<400x256xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<256x400xf64>) outs(%empty : tensor<400x256xf64>) {
  ^bb0(%e: f64, %o: f64):
    linalg.yield %e : f64
  } -> tensor<400x256xf64>
  nn.yield %y : tensor<400x256xf64>
}

// There is no pause where the next row of each plane goes on in the same line.
// CHECK-LABEL: func.func private @pairs_inside
// CHECK-NOT: "nop
// CHECK: scf.for {{.*}} step %c4
// CHECK-NOT: "nop
// CHECK: return
nn.kernel @pairs(%x: tensor<33x1024x2xf32>) -> tensor<1024x33x2xf32> {
  %empty = tensor.empty() : tensor<1024x33x2xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j, i, k)>, affine_map<(i, j, k) -> (i, j, k)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<33x1024x2xf32>) outs(%empty : tensor<1024x33x2xf32>) {
  ^bb0(%e: f32, %o: f32):
    linalg.yield %e : f32
  } -> tensor<1024x33x2xf32>
  nn.yield %y : tensor<1024x33x2xf32>
}

// CHECK-LABEL: func.func private @triples_inside
// CHECK-NOT: "nop
// CHECK: return
nn.kernel @triples(%x: tensor<8x1024x3xi16>) -> tensor<1024x8x3xi16> {
  %empty = tensor.empty() : tensor<1024x8x3xi16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j, i, k)>, affine_map<(i, j, k) -> (i, j, k)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<8x1024x3xi16>) outs(%empty : tensor<1024x8x3xi16>) {
  ^bb0(%e: i16, %o: i16):
    linalg.yield %e : i16
  } -> tensor<1024x8x3xi16>
  nn.yield %y : tensor<1024x8x3xi16>
}
