// Wide elements that the second cache does not hold go by half a line each, where stores leave in order.
// RUN: kumiko-opt %s --kumiko-schedule-kernels="lanes=16 stores-in-order=true" --kumiko-emit-kernels | FileCheck %s
// RUN: kumiko-opt %s --kumiko-schedule-kernels="lanes=16" --kumiko-emit-kernels | FileCheck %s --check-prefix=OTHERS

#map = affine_map<(n) -> (n)>

// CHECK-LABEL: func.func private @large_inside
// CHECK-NOT: memref.prefetch
// CHECK: arith.negf {{.*}} : vector<4xf64>
// CHECK-NOT: memref.prefetch
// CHECK: return
// OTHERS-LABEL: func.func private @large_inside
// OTHERS: arith.negf {{.*}} : vector<16xf64>
nn.kernel @large(%x: tensor<400000xf64>) -> tensor<400000xf64> {
  %empty = tensor.empty() : tensor<400000xf64>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<400000xf64>) outs(%empty : tensor<400000xf64>) {
  ^bb0(%p: f64, %o: f64):
    %v = arith.negf %p : f64
    linalg.yield %v : f64
  } -> tensor<400000xf64>
  nn.yield %y : tensor<400000xf64>
}

// What the cache holds, and sums of two of them, do not.
// CHECK-LABEL: func.func private @small_inside
// CHECK: memref.prefetch
// CHECK: arith.negf {{.*}} : vector<16xf64>
// CHECK-LABEL: func.func private @two_inside
// CHECK: arith.addf {{.*}} : vector<16xf64>
nn.kernel @small(%x: tensor<100000xf64>) -> tensor<100000xf64> {
  %empty = tensor.empty() : tensor<100000xf64>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<100000xf64>) outs(%empty : tensor<100000xf64>) {
  ^bb0(%p: f64, %o: f64):
    %v = arith.negf %p : f64
    linalg.yield %v : f64
  } -> tensor<100000xf64>
  nn.yield %y : tensor<100000xf64>
}

nn.kernel @two(%a: tensor<400000xf64>, %b: tensor<400000xf64>) -> tensor<400000xf64> {
  %empty = tensor.empty() : tensor<400000xf64>
  %y = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<400000xf64>, tensor<400000xf64>) outs(%empty : tensor<400000xf64>) {
  ^bb0(%p: f64, %q: f64, %o: f64):
    %v = arith.addf %p, %q : f64
    linalg.yield %v : f64
  } -> tensor<400000xf64>
  nn.yield %y : tensor<400000xf64>
}

// What a border has at the ends of rows is written with these, however narrow the vectors.
// CHECK-LABEL: func.func private @ends_inside
// CHECK: scf.for
// CHECK: vector.store {{.*}} : memref<1000000xf64>, vector<4xf64>
// CHECK-COUNT-4: memref.store {{.*}} : memref<1000000xf64>
// CHECK-NOT: memref.store {{.*}} : memref<1000000xf64>
// CHECK: return
nn.kernel @ends(%x: tensor<10000x96xf64>) -> tensor<10000x100xf64> {
  %zero = arith.constant 0.0 : f64
  %y = tensor.pad %x low[0, 0] high[0, 4] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f64
  } : tensor<10000x96xf64> to tensor<10000x100xf64>
  nn.yield %y : tensor<10000x100xf64>
}
