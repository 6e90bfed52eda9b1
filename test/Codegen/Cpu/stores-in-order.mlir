// RUN: kumiko-opt %s --kumiko-schedule-kernels="lanes=16 stores-in-order=true" | FileCheck %s --check-prefix=SCHEDULE
// RUN: kumiko-opt %s --kumiko-schedule-kernels="lanes=16 stores-in-order=true" --kumiko-emit-kernels | FileCheck %s
// RUN: kumiko-opt %s --kumiko-schedule-kernels="lanes=16" --kumiko-emit-kernels | FileCheck %s --check-prefix=OTHERS

// Where stores wait for each other, what lies behind the lanes at hand is asked for with each line of a block.
// SCHEDULE-LABEL: nn.kernel @turned
// SCHEDULE-SAME: stores_in_order
// CHECK-LABEL: func.func private @turned_inside
// CHECK-COUNT-16: memref.prefetch {{.*}}, write, locality<3>, data
// CHECK: return
// OTHERS-NOT: memref.prefetch
nn.kernel @turned(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %empty = tensor.empty() : tensor<128x128xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<128x128xf32>) outs(%empty : tensor<128x128xf32>) {
  ^bb0(%e: f32, %o: f32):
    linalg.yield %e : f32
  } -> tensor<128x128xf32>
  nn.yield %y : tensor<128x128xf32>
}

// What the first cache holds anyway is not.
// CHECK-LABEL: func.func private @small_inside
// CHECK-NOT: memref.prefetch
// CHECK: return
nn.kernel @small(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %empty = tensor.empty() : tensor<32x32xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<32x32xf32>) outs(%empty : tensor<32x32xf32>) {
  ^bb0(%e: f32, %o: f32):
    linalg.yield %e : f32
  } -> tensor<32x32xf32>
  nn.yield %y : tensor<32x32xf32>
}

// Vectors along memory ask for what they come to write, once for each line.
// CHECK-LABEL: func.func private @along_inside
// CHECK: memref.prefetch {{.*}}, write, locality<3>, data
// CHECK: vector.store {{.*}} vector<16xf32>
// CHECK: return
nn.kernel @along(%x: tensor<16384xf32>) -> tensor<16384xf32> {
  %empty = tensor.empty() : tensor<16384xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<16384xf32>) outs(%empty : tensor<16384xf32>) {
  ^bb0(%e: f32, %o: f32):
    %s = arith.mulf %e, %e : f32
    linalg.yield %s : f32
  } -> tensor<16384xf32>
  nn.yield %y : tensor<16384xf32>
}

// Functions of a long stretch: the first vector begins where the stretch does, the next ones where lines of the cache do,
// and the last one ends where it does. Not in place, as what two of them have in common is computed twice.
// CHECK-LABEL: func.func private @lines_inside
// CHECK: memref.extract_aligned_pointer_as_index
// CHECK: scf.for
// CHECK-NEXT: arith.maxsi
// CHECK-NEXT: arith.minsi
// CHECK: vector.store {{.*}} vector<16xf32>
// CHECK-NOT: vector.maskedstore
// CHECK: return
nn.kernel @lines(%x: tensor<200005xf16>) -> tensor<200005xf32> {
  %empty = tensor.empty() : tensor<200005xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<200005xf16>) outs(%empty : tensor<200005xf32>) {
  ^bb0(%e: f16, %o: f32):
    %w = arith.extf %e : f16 to f32
    %s = math.exp %w : f32
    linalg.yield %s : f32
  } -> tensor<200005xf32>
  nn.yield %y : tensor<200005xf32>
}

// Running sums of rows in pages of their own: vectors of 16 bytes never lie across two lines.
// CHECK-LABEL: func.func private @far_rows_inside
// CHECK: arith.addf {{.*}} : vector<2xf64>
// CHECK-NOT: vector<16xf64>
// CHECK: return
// OTHERS-LABEL: func.func private @far_rows_inside
// OTHERS: arith.addf {{.*}} : vector<16xf64>
nn.kernel @far_rows(%x: tensor<8x5000xf64>) -> tensor<8x5000xf64> {
  %zero = arith.constant 0.0 : f64
  %0 = tensor.empty() : tensor<8x5000xf64>
  %1 = linalg.fill ins(%zero : f64) outs(%0 : tensor<8x5000xf64>) -> tensor<8x5000xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(i, c, j) -> (j, c)>, affine_map<(i, c, j) -> (i, c)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<8x5000xf64>) outs(%1 : tensor<8x5000xf64>) {
  ^bb0(%p: f64, %sum: f64):
    %j = linalg.index 2 : index
    %i = linalg.index 0 : index
    %before = arith.cmpi sle, %j, %i : index
    %term = arith.select %before, %p, %zero : f64
    %next = arith.addf %sum, %term : f64
    linalg.yield %next : f64
  } -> tensor<8x5000xf64>
  nn.yield %y : tensor<8x5000xf64>
}
