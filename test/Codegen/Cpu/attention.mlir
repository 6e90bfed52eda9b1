// RUN: kumiko-opt %s --stage-fuse --stage-lower --stage-schedule --kumiko-emit-kernels | FileCheck %s

// Keys lie across memory: squares of them are turned in registers and put side by side in scratch, from where a tile of
// twelve sums reads them. Scores go to scratch, the softmax runs over them there, and a tile of the second product reads
// what it has left, and alone writes the result.
// CHECK: func.func @k_
// CHECK: %[[PANEL:.*]] = memref.view
// CHECK: %[[SCORES:.*]] = memref.view
// CHECK: vector.shuffle
// CHECK: vector.store {{.*}}, %[[PANEL]]
// CHECK: scf.for {{.*}} iter_args
// CHECK: vector.load %[[PANEL]]
// CHECK: vector.fma
// CHECK: vector.store {{.*}}, %[[SCORES]]
// CHECK: vector.load %[[SCORES]]
// CHECK-NEXT: arith.maximumf
// CHECK: math.exp
// CHECK: vector.store {{.*}}, %[[SCORES]]
// CHECK: memref.load %[[SCORES]]
// CHECK: vector.fma
// CHECK-NOT: vector.store {{.*}}, %[[SCORES]]
// CHECK: vector.store {{.*}} memref<4096xf32>
func.func @main(%q: tensor<2x64x32xf32>, %k: tensor<2x64x32xf32>, %v: tensor<2x64x32xf32>) -> tensor<2x64x32xf32> {
  %t = nn.transpose %k {perm = array<i64: 0, 2, 1>} : (tensor<2x64x32xf32>) -> tensor<2x32x64xf32>
  %0 = nn.matmul %q, %t : (tensor<2x64x32xf32>, tensor<2x32x64xf32>) -> tensor<2x64x64xf32>
  %1 = nn.softmax %0 {axis = 2 : i64} : tensor<2x64x64xf32>
  %2 = nn.matmul %1, %v : (tensor<2x64x64xf32>, tensor<2x64x32xf32>) -> tensor<2x64x32xf32>
  return %2 : tensor<2x64x32xf32>
}
