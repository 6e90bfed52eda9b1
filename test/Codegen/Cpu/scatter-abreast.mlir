// Points that would wait for each other: they go to copies of a few elements in turn, or come from several rows in turn.
// RUN: kumiko-opt %s --split-input-file --stage-fuse --stage-lower --stage-schedule --kumiko-emit-kernels | FileCheck %s

// Four copies of eight elements. Three begin with the zero that changes no other one.
// CHECK-LABEL: func.func private @{{.*}}_inside
// CHECK-DAG: %[[NOTHING:.*]] = arith.constant -0.0{{.*}}
// CHECK: %[[COPIES:.*]] = memref.alloca() : memref<32xf32>
// CHECK: vector.store {{.*}}, %[[COPIES]]
// CHECK-NOT: memref.alloca() : memref<32xf32>
// CHECK: return
func.func @copies(%x: tensor<8xf32>, %i: tensor<1000x1xi64>, %u: tensor<1000xf32>) -> tensor<8xf32> {
  %y = nn.scatter_nd %x, %i, %u {kind = "+"} : (tensor<8xf32>, tensor<1000x1xi64>, tensor<1000xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// A few points are not worth it.
// CHECK-LABEL: func.func private @{{.*}}_inside
// CHECK-NOT: memref<32xf32>
// CHECK: return
func.func @few_points(%x: tensor<8xf32>, %i: tensor<40x1xi64>, %u: tensor<40xf32>) -> tensor<8xf32> {
  %y = nn.scatter_nd %x, %i, %u {kind = "+"} : (tensor<8xf32>, tensor<40x1xi64>, tensor<40xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// What is written last counts, whatever was there: nothing waits.
// CHECK-LABEL: func.func private @{{.*}}_inside
// CHECK-NOT: memref<32xf32>
// CHECK: return
func.func @set(%x: tensor<8xf32>, %i: tensor<1000x1xi64>, %u: tensor<1000xf32>) -> tensor<8xf32> {
  %y = nn.scatter_nd %x, %i, %u {kind = "set"} : (tensor<8xf32>, tensor<1000x1xi64>, tensor<1000xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// Four rows in turn, in the order of the text each: no copies.
// CHECK-LABEL: func.func private @{{.*}}_inside
// CHECK-NOT: memref<32xf32>
// CHECK: scf.for {{.*}} step %c4
// CHECK-COUNT-4: vector.load {{.*}} : memref<800xf32>, vector<8xf32>
// CHECK: return
func.func @rows(%x: tensor<100x8xf32>, %i: tensor<100x64xi64>, %u: tensor<100x64xf32>) -> tensor<100x8xf32> {
  %y = nn.scatter_elements %x, %i, %u {axis = 1 : i64, kind = "+"}
      : (tensor<100x8xf32>, tensor<100x64xi64>, tensor<100x64xf32>) -> tensor<100x8xf32>
  return %y : tensor<100x8xf32>
}
