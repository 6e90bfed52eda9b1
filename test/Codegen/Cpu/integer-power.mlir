// RUN: kumiko-opt %s --stage-fuse --stage-lower --stage-schedule --kumiko-emit-kernels --kumiko-skip-sides | FileCheck %s

// Four bits of an exponent are looked at in any case; more of them in branches, each where some lane has so many.
// CHECK-LABEL: func.func private @{{.*}}_inside
// CHECK-COUNT-8: arith.muli {{.*}} : vector<8xi64>
// CHECK: scf.if
// CHECK-COUNT-8: arith.muli {{.*}} : vector<8xi64>
// CHECK: scf.if
// CHECK: return
func.func @power(%x: tensor<64xi64>, %n: tensor<64xi64>) -> tensor<64xi64> {
  %y = nn.pow %x, %n : (tensor<64xi64>, tensor<64xi64>) -> tensor<64xi64>
  return %y : tensor<64xi64>
}
