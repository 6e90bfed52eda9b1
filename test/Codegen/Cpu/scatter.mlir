// RUN: kumiko-opt %s --stage-fuse --stage-lower --stage-schedule --kumiko-emit-kernels --split-input-file | FileCheck %s

// The remainders of places always exist: nothing is compared with the extent.
// CHECK: func.func private @{{.*}}_inside
// CHECK: arith.remsi
// CHECK-NOT: arith.cmpi ult
// CHECK-NOT: scf.if
// CHECK: return
func.func @circular(%x: tensor<10000x2x3x1xf32>, %u: tensor<10000x2x2x1xf32>, %start: tensor<10000xi64>)
    -> tensor<10000x2x3x1xf32> {
  %y = nn.tensor_scatter %x, %u, %start {axis = 2, circular = true}
      : (tensor<10000x2x3x1xf32>, tensor<10000x2x2x1xf32>, tensor<10000xi64>) -> tensor<10000x2x3x1xf32>
  return %y : tensor<10000x2x3x1xf32>
}

// -----

// Places that do not come from a remainder may lie beyond the end.
// CHECK: func.func private @{{.*}}_inside
// CHECK: scf.for
// CHECK: arith.cmpi ult
// CHECK: scf.if
// CHECK: return
func.func @straight(%x: tensor<10000x2x3x1xf32>, %u: tensor<10000x2x2x1xf32>, %start: tensor<10000xi64>)
    -> tensor<10000x2x3x1xf32> {
  %y = nn.tensor_scatter %x, %u, %start {axis = 2, circular = false}
      : (tensor<10000x2x3x1xf32>, tensor<10000x2x2x1xf32>, tensor<10000xi64>) -> tensor<10000x2x3x1xf32>
  return %y : tensor<10000x2x3x1xf32>
}

// -----

// A truth value takes a byte in memory, and is one bit where it is changed.
// CHECK: func.func private @{{.*}}_inside
// CHECK: scf.for
// CHECK-NOT: arith.extf
// CHECK: memref.load {{.*}} : memref<200xi8>
// CHECK: memref.store {{.*}} : memref<50xi8>
func.func @truth(%x: tensor<50xi1>, %i: tensor<200xi64>, %u: tensor<200xi1>) -> tensor<50xi1> {
  %y = nn.scatter_elements %x, %i, %u {axis = 0, kind = "set"}
      : (tensor<50xi1>, tensor<200xi64>, tensor<200xi1>) -> tensor<50xi1>
  return %y : tensor<50xi1>
}
