// Running sums of long elements along many rows go by strips of columns where stores leave in order.
// RUN: kumiko-opt %s --kumiko-schedule-kernels="stores-in-order=true" | FileCheck %s
// RUN: kumiko-opt %s --kumiko-schedule-kernels | FileCheck %s --check-prefix=OTHERS

#in = affine_map<(i, c, j) -> (j, c)>
#out = affine_map<(i, c, j) -> (i, c)>

// CHECK-LABEL: nn.kernel @tall
// CHECK-SAME: strip = 512
// OTHERS-LABEL: nn.kernel @tall
// OTHERS-NOT: strip
nn.kernel @tall(%x: tensor<64x8000xf64>) -> tensor<64x8000xf64> {
  %zero = arith.constant 0.0 : f64
  %0 = tensor.empty() : tensor<64x8000xf64>
  %1 = linalg.fill ins(%zero : f64) outs(%0 : tensor<64x8000xf64>) -> tensor<64x8000xf64>
  %y = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<64x8000xf64>) outs(%1 : tensor<64x8000xf64>) {
  ^bb0(%p: f64, %sum: f64):
    %j = linalg.index 2 : index
    %i = linalg.index 0 : index
    %before = arith.cmpi sle, %j, %i : index
    %term = arith.select %before, %p, %zero : f64
    %next = arith.addf %sum, %term : f64
    linalg.yield %next : f64
  } -> tensor<64x8000xf64>
  nn.yield %y : tensor<64x8000xf64>
}

// Few rows do not.
// CHECK-LABEL: nn.kernel @flat
// CHECK-NOT: strip
// CHECK: nn.yield
nn.kernel @flat(%x: tensor<32x16000xf64>) -> tensor<32x16000xf64> {
  %zero = arith.constant 0.0 : f64
  %0 = tensor.empty() : tensor<32x16000xf64>
  %1 = linalg.fill ins(%zero : f64) outs(%0 : tensor<32x16000xf64>) -> tensor<32x16000xf64>
  %y = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<32x16000xf64>) outs(%1 : tensor<32x16000xf64>) {
  ^bb0(%p: f64, %sum: f64):
    %j = linalg.index 2 : index
    %i = linalg.index 0 : index
    %before = arith.cmpi sle, %j, %i : index
    %term = arith.select %before, %p, %zero : f64
    %next = arith.addf %sum, %term : f64
    linalg.yield %next : f64
  } -> tensor<32x16000xf64>
  nn.yield %y : tensor<32x16000xf64>
}
