// RUN: kumiko-opt %s --stage-fuse --stage-lower --stage-schedule --kumiko-emit-kernels --split-input-file | FileCheck %s

// Of three sequences side by side each is a vector, reversed or not, where none ends; they are stored together. Vectors
// are read in the order of their lanes. Groups of rows begin at multiples of a vector.
// CHECK: func.func private @{{.*}}_inside
// CHECK: arith.ceildivui
// CHECK: scf.for
// CHECK: } else {
// CHECK-COUNT-3: vector.shuffle
// CHECK: scf.yield %{{.*}} : vector<8xf32>
// CHECK-COUNT-3: vector.shuffle
// CHECK: scf.yield %{{.*}} : vector<8xf32>
// CHECK-COUNT-3: vector.store %{{.*}} : memref<12288xf32>, vector<8xf32>
func.func @three(%x: tensor<4096x3xf32>, %len: tensor<3xi64>) -> tensor<4096x3xf32> {
  %y = nn.reverse_sequence %x, %len {time = 0, batch = 1} : (tensor<4096x3xf32>, tensor<3xi64>) -> tensor<4096x3xf32>
  return %y : tensor<4096x3xf32>
}

// -----

// Of many each is moved by itself, twenty rows at a time, all of which lie on one side of its end but for once: they
// are reversed, stay as they are, or else are cut.
// CHECK: func.func private @{{.*}}_inside
// CHECK-NOT: vector.shuffle
// CHECK: %[[TWENTY:.*]] = arith.constant 20 : index
// CHECK: scf.for %[[FIRST:.*]] = %{{.*}} to %{{.*}} step %[[TWENTY]]
// CHECK: %[[PAST:.*]] = arith.addi %[[FIRST]], %[[TWENTY]]
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NEXT: scf.for %{{.*}} = %[[FIRST]] to %[[PAST]]
// CHECK: } else {
// CHECK-NEXT: scf.if
// CHECK-NEXT: scf.for %{{.*}} = %[[FIRST]] to %[[PAST]]
// CHECK: } else {
// CHECK: arith.minsi
// CHECK-NOT: vector.shuffle
// CHECK: return
func.func @many(%x: tensor<4096x12xf32>, %len: tensor<12xi64>) -> tensor<4096x12xf32> {
  %y = nn.reverse_sequence %x, %len {time = 0, batch = 1} : (tensor<4096x12xf32>, tensor<12xi64>) -> tensor<4096x12xf32>
  return %y : tensor<4096x12xf32>
}

// -----

// What leaves the caches goes past them.
// CHECK: func.func private @{{.*}}_inside
// CHECK-COUNT-3: vector.store %{{.*}} {alignment = 16 : i64, nontemporal = true} : memref<6000000xf64>, vector<8xf64>
func.func @large(%x: tensor<2000000x3xf64>, %len: tensor<3xi64>) -> tensor<2000000x3xf64> {
  %y = nn.reverse_sequence %x, %len {time = 0, batch = 1}
      : (tensor<2000000x3xf64>, tensor<3xi64>) -> tensor<2000000x3xf64>
  return %y : tensor<2000000x3xf64>
}

// -----

// Pairs of rows too long to exchange loops for: eight of them, each at a place of its own, are straight-line code, and
// so are the two that are left over.
// CHECK: func.func private @{{.*}}_inside
// CHECK: %[[EIGHT:.*]] = arith.constant 8 : index
// CHECK: scf.for %{{.*}} step %[[EIGHT]]
// CHECK-COUNT-8: memref.load {{.*}} : memref<34xi64>
func.func @pairs(%x: tensor<30000x34x2xf32>, %len: tensor<34xi64>) -> tensor<30000x34x2xf32> {
  %y = nn.reverse_sequence %x, %len {time = 0, batch = 1}
      : (tensor<30000x34x2xf32>, tensor<34xi64>) -> tensor<30000x34x2xf32>
  return %y : tensor<30000x34x2xf32>
}
