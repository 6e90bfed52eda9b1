// RUN: kumiko-opt %s --kumiko-schedule-kernels="lanes=16 wide-core=true" | FileCheck %s --check-prefix=SCHEDULE
// RUN: kumiko-opt %s --kumiko-schedule-kernels="lanes=16 wide-core=true" --kumiko-emit-kernels | FileCheck %s
// RUN: kumiko-opt %s --kumiko-schedule-kernels="lanes=16 wide-core=true stores-in-order=true" --kumiko-emit-kernels | FileCheck %s --check-prefix=ORDER
// RUN: kumiko-opt %s --kumiko-schedule-kernels="lanes=16" --kumiko-emit-kernels | FileCheck %s --check-prefix=OTHERS

// Long elements are woven two by two, so many lines at a time as a cache line has.
// SCHEDULE-LABEL: nn.kernel @woven
// SCHEDULE-SAME: wide_core
// CHECK-LABEL: func.func private @woven_inside
// CHECK: vector.load {{.*}} vector<2xf64>
// CHECK-NOT: vector<8xf64>
// CHECK: return
nn.kernel @woven(%x: tensor<2x100x100xf64>) -> tensor<100x100x2xf64> {
  %empty = tensor.empty() : tensor<100x100x2xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, c) -> (c, j, i)>, affine_map<(i, j, c) -> (i, j, c)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<2x100x100xf64>) outs(%empty : tensor<100x100x2xf64>) {
  ^bb0(%e: f64, %o: f64):
    linalg.yield %e : f64
  } -> tensor<100x100x2xf64>
  nn.yield %y : tensor<100x100x2xf64>
}

// What lies side by side, as three colours do, is taken apart all at once: three vectors are read, and each plane gets
// one. Lines of all planes are asked for before, where stores wait for them.
// CHECK-LABEL: func.func private @planes_inside
// CHECK-NOT: memref.prefetch
// CHECK-NOT: vector.store
// CHECK: vector.load
// CHECK-COUNT-3: vector.store {{.*}} vector<16xf32>
// CHECK: return
// ORDER-LABEL: func.func private @planes_inside
// ORDER-COUNT-3: memref.prefetch {{.*}}, write, locality<3>, data
// ORDER-NOT: vector.store
// ORDER: vector.load
// ORDER-COUNT-3: vector.store {{.*}} vector<16xf32>
// ORDER: return
nn.kernel @planes(%x: tensor<20000x3xf32>) -> tensor<3x20000xf32> {
  %empty = tensor.empty() : tensor<3x20000xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(c, i) -> (i, c)>, affine_map<(c, i) -> (c, i)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<20000x3xf32>) outs(%empty : tensor<3x20000xf32>) {
  ^bb0(%e: f32, %o: f32):
    linalg.yield %e : f32
  } -> tensor<3x20000xf32>
  nn.yield %y : tensor<3x20000xf32>
}

// Short rows from different places are copied as they are, as long as they are no words of a few bytes: three elements
// by two pairs that overlap, or by a pair and one where stores that overlap wait for each other.
// CHECK-LABEL: func.func private @runs_inside
// CHECK-COUNT-2: vector.load {{.*}} vector<2xf32>
// CHECK-COUNT-2: vector.store {{.*}} vector<2xf32>
// CHECK-NOT: vector<16xf32>
// CHECK: return
// ORDER-LABEL: func.func private @runs_inside
// ORDER: vector.load {{.*}} vector<2xf32>
// ORDER: vector.load {{.*}} vector<1xf32>
// ORDER: vector.store {{.*}} vector<2xf32>
// ORDER: vector.store {{.*}} vector<1xf32>
// ORDER: return
// OTHERS-LABEL: func.func private @runs_inside
// OTHERS-NOT: vector<2xf32>
// OTHERS: return
nn.kernel @runs(%x: tensor<8x100x3xf32>) -> tensor<100x8x3xf32> {
  %empty = tensor.empty() : tensor<100x8x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, c) -> (j, i, c)>, affine_map<(i, j, c) -> (i, j, c)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<8x100x3xf32>) outs(%empty : tensor<100x8x3xf32>) {
  ^bb0(%e: f32, %o: f32):
    linalg.yield %e : f32
  } -> tensor<100x8x3xf32>
  nn.yield %y : tensor<100x8x3xf32>
}

// Rows that fill no vector are written as several, not under a mask.
// CHECK-LABEL: func.func private @split_inside
// CHECK: vector.store {{.*}} vector<8xf64>
// CHECK: vector.store {{.*}} vector<4xf64>
// CHECK-NOT: vector.maskedstore
// CHECK: return
// OTHERS-LABEL: func.func private @split_inside
// OTHERS: vector.maskedstore
// OTHERS: return
nn.kernel @split(%x: tensor<100x12xf64>, %y: tensor<100xf64>) -> tensor<100x12xf64> {
  %empty = tensor.empty() : tensor<100x12xf64>
  %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<100x12xf64>, tensor<100xf64>) outs(%empty : tensor<100x12xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %v = arith.mulf %a, %b : f64
    linalg.yield %v : f64
  } -> tensor<100x12xf64>
  nn.yield %z : tensor<100x12xf64>
}
