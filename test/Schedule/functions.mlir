// RUN: kumiko-opt %s --kumiko-schedule-kernels | FileCheck %s --check-prefixes=CHECK,VECTOR,FMA
// RUN: kumiko-opt %s --kumiko-set-target=target=x86-64-v3,-fma --kumiko-schedule-kernels | FileCheck %s --check-prefixes=CHECK,VECTOR,APART
// RUN: kumiko-opt %s --kumiko-schedule-kernels=vector-functions=false | FileCheck %s --check-prefixes=CHECK,CALLS,APART

// The C library takes one number at a time, so that a vector would only be taken apart for it. It computes
// remainders and powers, where there is no fused multiply-add; and everything, where approximations are not allowed.
// CHECK-LABEL: nn.kernel @remainder
// FMA-SAME: lanes = 8 : i64
// APART-SAME: lanes = 1 : i64
nn.kernel @remainder(%x: tensor<64xf64>) -> tensor<64xf64> {
  %e = tensor.empty() : tensor<64xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf64>) outs(%e : tensor<64xf64>) {
  ^bb0(%p: f64, %o: f64):
    %0 = arith.remf %p, %p : f64
    linalg.yield %0 : f64
  } -> tensor<64xf64>
  nn.yield %y : tensor<64xf64>
}

// CHECK-LABEL: nn.kernel @power
// FMA-SAME: lanes = 8 : i64
// APART-SAME: lanes = 1 : i64
nn.kernel @power(%x: tensor<64xf64>) -> tensor<64xf64> {
  %e = tensor.empty() : tensor<64xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf64>) outs(%e : tensor<64xf64>) {
  ^bb0(%p: f64, %o: f64):
    %0 = math.powf %p, %p : f64
    linalg.yield %0 : f64
  } -> tensor<64xf64>
  nn.yield %y : tensor<64xf64>
}

// CHECK-LABEL: nn.kernel @exponential
// VECTOR-SAME: lanes = 8 : i64
// CALLS-SAME: lanes = 1 : i64
nn.kernel @exponential(%x: tensor<64xf64>) -> tensor<64xf64> {
  %e = tensor.empty() : tensor<64xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf64>) outs(%e : tensor<64xf64>) {
  ^bb0(%p: f64, %o: f64):
    %0 = math.exp %p : f64
    linalg.yield %0 : f64
  } -> tensor<64xf64>
  nn.yield %y : tensor<64xf64>
}

// A square root is an instruction.
// CHECK-LABEL: nn.kernel @instruction
// CHECK-SAME: lanes = 8 : i64
nn.kernel @instruction(%x: tensor<64xf64>) -> tensor<64xf64> {
  %e = tensor.empty() : tensor<64xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf64>) outs(%e : tensor<64xf64>) {
  ^bb0(%p: f64, %o: f64):
    %0 = math.sqrt %p : f64
    linalg.yield %0 : f64
  } -> tensor<64xf64>
  nn.yield %y : tensor<64xf64>
}
