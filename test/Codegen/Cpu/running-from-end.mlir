// RUN: kumiko-opt %s --kumiko-schedule-kernels="stores-in-order=true wide-core=true" --kumiko-emit-kernels | FileCheck %s
// RUN: kumiko-opt %s --kumiko-schedule-kernels="stores-in-order=true wide-core=true" | FileCheck %s --check-prefix=SCHEDULE
// RUN: kumiko-opt %s --kumiko-schedule-kernels --kumiko-emit-kernels | FileCheck %s --check-prefix=OTHERS

// From the end: two vectors that are left over, then groups of four. A group is summed before it is stored, and stored
// upwards. Lanes of which there are none before take up -0, which is no addition at all.
// CHECK-LABEL: func.func @from_end
// CHECK: func.func private @from_end_inside
// CHECK-DAG: %[[NOTHING:.*]] = arith.constant dense<-0.000000e+00> : vector<8xf32>
// CHECK: vector.shuffle %{{.*}}, %[[NOTHING]] [1, 2, 3, 4, 5, 6, 7, 15]
// CHECK: vector.shuffle %{{.*}}, %[[NOTHING]] [1, 2, 3, 4, 5, 6, 7, 15]
// CHECK-COUNT-2: vector.store
// CHECK: scf.for
// CHECK-COUNT-4: vector.shuffle {{.*}} [4, 5, 6, 7, 12, 13, 14, 15]
// CHECK: %[[FIRST:.*]] = arith.addi %{{.*}}, %c32
// CHECK: vector.store %{{.*}}, %{{.*}}[%[[FIRST]]]
// CHECK: %[[SECOND:.*]] = arith.addi %{{.*}}, %c40
// CHECK: vector.store %{{.*}}, %{{.*}}[%[[SECOND]]]
// CHECK-COUNT-2: vector.store
// CHECK: scf.yield
nn.kernel @from_end(%x: tensor<4x80xf32>) -> tensor<4x80xf32> attributes {schedule = {template = "running", chunks = 1 : i64}} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x80xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x80xf32>) -> tensor<4x80xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<4x80xf32>) outs(%start : tensor<4x80xf32>) {
  ^bb0(%p: f32, %o: f32):
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %counts = arith.cmpi sge, %k, %j : index
    %0 = arith.select %counts, %p, %zero : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x80xf32>
  nn.yield %y : tensor<4x80xf32>
}

// A wide core scans doubles, too, where others add up those of four rows in turn.
// SCHEDULE-LABEL: nn.kernel @doubles
// SCHEDULE-SAME: wide_core
// CHECK-LABEL: func.func @doubles
// CHECK: func.func private @doubles_inside
// CHECK-NOT: arith.addf %{{.*}} : f64
// CHECK: arith.addf %{{.*}} : vector<4xf64>
// CHECK-NOT: arith.addf %{{.*}} : f64
// CHECK: return
nn.kernel @doubles(%x: tensor<64x80xf64>) -> tensor<64x80xf64> {
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<64x80xf64>
  %start = linalg.fill ins(%zero : f64) outs(%empty : tensor<64x80xf64>) -> tensor<64x80xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<64x80xf64>) outs(%start : tensor<64x80xf64>) {
  ^bb0(%p: f64, %o: f64):
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %counts = arith.cmpi sle, %k, %j : index
    %0 = arith.select %counts, %p, %zero : f64
    %1 = arith.addf %o, %0 : f64
    linalg.yield %1 : f64
  } -> tensor<64x80xf64>
  nn.yield %y : tensor<64x80xf64>
}

// Across rows, from the last one on, where results leave the caches: such a machine keeps sums of a strip from a few rows
// on, and goes over each row upwards, past the caches.
// SCHEDULE-LABEL: nn.kernel @across
// SCHEDULE-SAME: past_caches
// SCHEDULE-SAME: stores_in_order
// SCHEDULE-SAME: strip = 512
// CHECK-LABEL: func.func @across
// CHECK: func.func private @across_inside
// CHECK: arith.addf {{.*}} : vector<8xf64>
// CHECK: vector.store {{.*}}nontemporal = true
nn.kernel @across(%x: tensor<8x1048576xf64>) -> tensor<8x1048576xf64> {
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<8x1048576xf64>
  %start = linalg.fill ins(%zero : f64) outs(%empty : tensor<8x1048576xf64>) -> tensor<8x1048576xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<8x1048576xf64>) outs(%start : tensor<8x1048576xf64>) {
  ^bb0(%p: f64, %o: f64):
    %i = linalg.index 0 : index
    %k = linalg.index 2 : index
    %counts = arith.cmpi sge, %k, %i : index
    %0 = arith.select %counts, %p, %zero : f64
    %1 = arith.addf %o, %0 : f64
    linalg.yield %1 : f64
  } -> tensor<8x1048576xf64>
  nn.yield %y : tensor<8x1048576xf64>
}

// Others do so, too, with more rows.
// OTHERS-LABEL: func.func @across_many
// OTHERS: func.func private @across_many_inside
// OTHERS: arith.addf {{.*}} : vector<8xf64>
// OTHERS: vector.store {{.*}}nontemporal = true
nn.kernel @across_many(%x: tensor<64x131072xf64>) -> tensor<64x131072xf64> {
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<64x131072xf64>
  %start = linalg.fill ins(%zero : f64) outs(%empty : tensor<64x131072xf64>) -> tensor<64x131072xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<64x131072xf64>) outs(%start : tensor<64x131072xf64>) {
  ^bb0(%p: f64, %o: f64):
    %i = linalg.index 0 : index
    %k = linalg.index 2 : index
    %counts = arith.cmpi sge, %k, %i : index
    %0 = arith.select %counts, %p, %zero : f64
    %1 = arith.addf %o, %0 : f64
    linalg.yield %1 : f64
  } -> tensor<64x131072xf64>
  nn.yield %y : tensor<64x131072xf64>
}
