// Transpositions are squares that are turned in registers.
// RUN: kumiko-opt %s --split-input-file --stage-fuse --stage-lower --stage-schedule --kumiko-emit-kernels | FileCheck %s

// Eight rows, eight lines.
// CHECK-LABEL: func.func private @{{.*}}_inside
// CHECK-COUNT-8: vector.load {{.*}} vector<8xf32>
// CHECK-COUNT-8: vector.store {{.*}} vector<8xf32>
// CHECK-NOT: vector.store
// CHECK: return
func.func @one_register(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = nn.transpose %x {perm = array<i64: 1, 0>} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

// Vectors of two registers each: eight rows, of which four lines are all that registers hold.
// CHECK-LABEL: func.func private @{{.*}}_inside
// CHECK-COUNT-8: vector.load {{.*}} vector<4xf64>
// CHECK: vector.shuffle {{.*}} [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xf64>, vector<4xf64>
// CHECK-COUNT-4: vector.store {{.*}} vector<8xf64>
// CHECK-NOT: vector.store
// CHECK: return
func.func @two_registers(%x: tensor<64x64xf64>) -> tensor<64x64xf64> {
  %y = nn.transpose %x {perm = array<i64: 1, 0>} : (tensor<64x64xf64>) -> tensor<64x64xf64>
  return %y : tensor<64x64xf64>
}

// -----

// Of pairs that lie side by side the lines of a block are four and four: eight rows of eight elements are read once.
// CHECK-LABEL: func.func private @{{.*}}_inside
// CHECK-COUNT-8: vector.load {{.*}} vector<8xf32>
// CHECK-COUNT-8: vector.store {{.*}} vector<8xf32>
// CHECK-NOT: vector.store
// CHECK: return
func.func @pairs(%x: tensor<64x64x2xf32>) -> tensor<2x64x64xf32> {
  %y = nn.transpose %x {perm = array<i64: 2, 1, 0>} : (tensor<64x64x2xf32>) -> tensor<2x64x64xf32>
  return %y : tensor<2x64x64xf32>
}
