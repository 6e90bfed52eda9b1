// RUN: kumiko-opt %s --kumiko-schedule-kernels | FileCheck %s

// A choice between two values is no guard: behind j, 5 counts.
#in = affine_map<(d0, d1, d2) -> (d0, d2)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: nn.kernel @choice
// CHECK-NOT: template = "running"
// CHECK-SAME: template = "rows"
nn.kernel @choice(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %five = arith.constant 5.0 : f32
  %empty = tensor.empty() : tensor<64x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x32xf32>) -> tensor<64x32xf32>
  %y = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<64x32xf32>) outs(%init : tensor<64x32xf32>) {
  ^bb0(%v: f32, %o: f32):
    %k = linalg.index 2 : index
    %j = linalg.index 1 : index
    %before = arith.cmpi sle, %k, %j : index
    %term = arith.select %before, %v, %five : f32
    %sum = arith.addf %o, %term : f32
    linalg.yield %sum : f32
  } -> tensor<64x32xf32>
  nn.yield %y : tensor<64x32xf32>
}
