// RUN: kumiko-opt %s --kumiko-schedule-kernels | FileCheck %s

// Vectors times matrices of bytes that change from run to run: these are not packed for one row each, unless they are
// small and their columns fill vectors.
// CHECK-LABEL: nn.kernel @parts_times_bytes
// CHECK-SAME: template = "points"
nn.kernel @parts_times_bytes(%a: tensor<16x1x6250xi8>, %b: tensor<16x6250x5xi8>) -> tensor<16x1x5xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<16x1x5xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<16x1x5xi32>) -> tensor<16x1x5xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<16x1x6250xi8>, tensor<16x6250x5xi8>) outs(%init : tensor<16x1x5xi32>) {
  ^bb0(%p: i8, %q: i8, %o: i32):
    %0 = arith.extui %p : i8 to i32
    %1 = arith.extui %q : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %o, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<16x1x5xi32>
  nn.yield %y : tensor<16x1x5xi32>
}

// CHECK-LABEL: nn.kernel @small_times_bytes
// CHECK-SAME: template = "contraction"
nn.kernel @small_times_bytes(%a: tensor<1000x1x32xi8>, %b: tensor<1000x32x16xi8>) -> tensor<1000x1x16xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<1000x1x16xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<1000x1x16xi32>) -> tensor<1000x1x16xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<1000x1x32xi8>, tensor<1000x32x16xi8>) outs(%init : tensor<1000x1x16xi32>) {
  ^bb0(%p: i8, %q: i8, %o: i32):
    %0 = arith.extui %p : i8 to i32
    %1 = arith.extui %q : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %o, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<1000x1x16xi32>
  nn.yield %y : tensor<1000x1x16xi32>
}
