// RUN: kumiko-opt %s --kumiko-schedule-kernels="lanes=16 wide-core=true" --kumiko-emit-kernels | FileCheck %s
// RUN: kumiko-opt %s --kumiko-schedule-kernels="lanes=16" --kumiko-emit-kernels | FileCheck %s --check-prefix=OTHERS

// Vectors of four cells lie side by side in memory: they are read so and turned, not put together from elements.
// CHECK-LABEL: func.func private @next_cells_inside
// CHECK-COUNT-4: vector.load {{.*}} vector<4xi32>
// CHECK: vector.shuffle {{.*}} vector<4xi32>, vector<4xi32>
// CHECK: vector.store {{.*}} vector<4xi32>
// CHECK-NOT: vector.from_elements
// CHECK: return
// OTHERS-LABEL: func.func private @next_cells_inside
// OTHERS: vector.from_elements {{.*}} : vector<16xi32>
// OTHERS: return
nn.kernel @next_cells(%x: tensor<3x4x1000xi32>) -> tensor<1000x4x3xi32> {
  %empty = tensor.empty() : tensor<1000x4x3xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(k, c, a) -> (a, c, k)>, affine_map<(k, c, a) -> (k, c, a)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<3x4x1000xi32>) outs(%empty : tensor<1000x4x3xi32>) {
  ^bb0(%e: i32, %o: i32):
    linalg.yield %e : i32
  } -> tensor<1000x4x3xi32>
  nn.yield %y : tensor<1000x4x3xi32>
}

// So do three vectors of the same cell. Nothing is read behind the last.
// CHECK-LABEL: func.func private @same_cell_inside
// CHECK: arith.constant dense<[true, true, true, false]> : vector<4xi1>
// CHECK-COUNT-4: vector.maskedload {{.*}} into vector<4xi8>
// CHECK: vector.store {{.*}} vector<4xi8>
// CHECK: return
nn.kernel @same_cell(%x: tensor<6x4x300x3xi8>) -> tensor<300x6x3x4xi8> {
  %empty = tensor.empty() : tensor<300x6x3x4xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(k, a, c, b) -> (a, b, k, c)>,
                                        affine_map<(k, a, c, b) -> (k, a, c, b)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<6x4x300x3xi8>) outs(%empty : tensor<300x6x3x4xi8>) {
  ^bb0(%e: i8, %o: i8):
    linalg.yield %e : i8
  } -> tensor<300x6x3x4xi8>
  nn.yield %y : tensor<300x6x3x4xi8>
}
