// A scatter in strips: rows are asked for ahead, changed in scratch, and written past the caches.
// RUN: kumiko-opt %s --stage-fuse --stage-lower --stage-schedule --kumiko-emit-kernels | FileCheck %s

// CHECK-LABEL: func.func private @{{.*}}_inside
// CHECK: memref.view
// CHECK: memref.prefetch
// CHECK: vector.store {{.*}} : memref<262144xf32>
// CHECK: memref.prefetch
// CHECK: memref.store {{.*}} : memref<262144xf32>
// CHECK: vector.store {{.*}}nontemporal = true{{.*}} : memref<4194304xf32>
func.func @main(%x: tensor<2048x2048xf32>, %i: tensor<1024x2048xi64>, %u: tensor<1024x2048xf32>) -> tensor<2048x2048xf32> {
  %y = nn.scatter_elements %x, %i, %u {axis = 0, kind = "set"}
      : (tensor<2048x2048xf32>, tensor<1024x2048xi64>, tensor<1024x2048xf32>) -> tensor<2048x2048xf32>
  return %y : tensor<2048x2048xf32>
}
