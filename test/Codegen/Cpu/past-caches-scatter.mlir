// What a large scatter starts from is copied past the caches; the points that change it are stored as ever.
// RUN: kumiko-opt %s --stage-fuse --stage-lower --stage-schedule --kumiko-emit-kernels | FileCheck %s

// CHECK-LABEL: func.func private @{{.*}}_inside
// CHECK: memref.extract_aligned_pointer_as_index
// CHECK: scf.if
// CHECK: vector.store {{.*}}alignment = 16 : i64, nontemporal = true
// CHECK: llvm.fence seq_cst
// CHECK: else
// CHECK-NOT: nontemporal
// CHECK: return
func.func @main(%x: tensor<2048x2048xf32>, %i: tensor<1x2xi64>, %u: tensor<1xf32>) -> tensor<2048x2048xf32> {
  %y = nn.scatter_nd %x, %i, %u {kind = "set"}
      : (tensor<2048x2048xf32>, tensor<1x2xi64>, tensor<1xf32>) -> tensor<2048x2048xf32>
  return %y : tensor<2048x2048xf32>
}
