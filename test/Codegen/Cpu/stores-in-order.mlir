// RUN: kumiko-opt %s --kumiko-set-target=target=x86-64-v4,+inOrderStores --kumiko-schedule-kernels | FileCheck %s --check-prefix=SCHEDULE
// RUN: kumiko-opt %s --kumiko-set-target=target=x86-64-v4,+inOrderStores --kumiko-schedule-kernels --kumiko-emit-kernels | FileCheck %s
// RUN: kumiko-opt %s --kumiko-set-target=target=x86-64-v4 --kumiko-schedule-kernels --kumiko-emit-kernels | FileCheck %s --check-prefix=OTHERS

// Where stores wait for each other, what lies behind the lanes at hand is asked for with each line of a block.
// SCHEDULE-LABEL: nn.kernel @turned
// SCHEDULE-SAME: ask_ahead
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
