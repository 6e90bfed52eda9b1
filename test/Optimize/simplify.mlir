// RUN: kumiko-opt %s --nn-simplify | FileCheck %s

// Ops whose equation copies an operand go, whatever their name.
// CHECK-LABEL: func.func @copies
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>)
// CHECK-NEXT: return %[[X]]
func.func @copies(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = nn.cast %x {to = f32} : tensor<2x3xf32>
  %1 = nn.transpose %0 {perm = array<i64: 0, 1>} : tensor<2x3xf32>
  %2 = nn.slice %1 {start = array<i64: 0, 0>, step = array<i64: 1, 1>, out = array<i64: 2, 3>} : tensor<2x3xf32>
  %3 = nn.pad %2 {lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : tensor<2x3xf32>
  %4 = nn.expand %3 {shape = array<i64: 2, 3>} : tensor<2x3xf32>
  %5 = nn.concat %4 {axis = 0} : tensor<2x3xf32>
  return %5 : tensor<2x3xf32>
}

// A transpose of a square is no copy although its type does not change; nor is a slice that walks backwards.
// CHECK-LABEL: func.func @keep_moves
func.func @keep_moves(%x: tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3x3xf32>) {
  // CHECK: nn.transpose
  // CHECK: nn.slice
  %0 = nn.transpose %x {perm = array<i64: 1, 0>} : tensor<3x3xf32>
  %1 = nn.slice %x {start = array<i64: 2, 0>, step = array<i64: -1, 1>, out = array<i64: 3, 3>} : tensor<3x3xf32>
  return %0, %1 : tensor<3x3xf32>, tensor<3x3xf32>
}

// CHECK-LABEL: func.func @neutral
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi32>)
// CHECK-NEXT: return %[[X]], %[[I]]
func.func @neutral(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %minus = nn.constant dense<-0.0> : tensor<4xf32>
  %zero = nn.constant dense<0.0> : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<1xf32>
  %none = nn.constant dense<0> : tensor<4xi32>
  %0 = nn.add %x, %minus : tensor<4xf32>
  %1 = nn.sub %0, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = nn.mul %one, %1 : (tensor<1xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.div %2, %one : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  %4 = nn.add %none, %i : tensor<4xi32>
  return %3, %4 : tensor<4xf32>, tensor<4xi32>
}

// x + 0.0 turns -0.0 into 0.0, 1 / x is not x, and a constant that makes the result larger is no neutral one.
// CHECK-LABEL: func.func @keep_not_neutral
func.func @keep_not_neutral(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>) {
  %zero = nn.constant dense<0.0> : tensor<4xf32>
  %one = nn.constant dense<1.0> : tensor<4xf32>
  %ones = nn.constant dense<1.0> : tensor<2x4xf32>
  // CHECK: nn.add
  // CHECK: nn.div
  // CHECK: nn.mul
  %0 = nn.add %x, %zero : tensor<4xf32>
  %1 = nn.div %one, %x : tensor<4xf32>
  %2 = nn.mul %x, %ones : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: func.func @transposes
func.func @transposes(%x: tensor<2x3x4xf32>, %z: tensor<1x5x1xf32>) -> (tensor<2x3x4xf32>, tensor<4x3x2xf32>, tensor<5x1x1xf32>) {
  %0 = nn.transpose %x {perm = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  // Back to where it was: nothing is left.
  %1 = nn.transpose %0 {perm = array<i64: 1, 2, 0>} : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
  // CHECK: %[[T:.*]] = nn.transpose %{{.*}} {perm = array<i64: 2, 1, 0>} : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
  %2 = nn.transpose %0 {perm = array<i64: 0, 2, 1>} : (tensor<4x2x3xf32>) -> tensor<4x3x2xf32>
  // Only dimensions of one element change places.
  // CHECK: %[[R:.*]] = nn.reshape %{{.*}} : tensor<1x5x1xf32> -> tensor<5x1x1xf32>
  %3 = nn.transpose %z {perm = array<i64: 1, 0, 2>} : (tensor<1x5x1xf32>) -> tensor<5x1x1xf32>
  // CHECK: return %arg0, %[[T]], %[[R]]
  return %1, %2, %3 : tensor<2x3x4xf32>, tensor<4x3x2xf32>, tensor<5x1x1xf32>
}

// Equal ops are computed once, unread ones not at all.
// CHECK-LABEL: func.func @merge
func.func @merge(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[E:.*]] = nn.exp
  // CHECK-NEXT: nn.add %[[E]], %[[E]]
  // CHECK-NEXT: return
  %0 = nn.exp %x : tensor<4xf32>
  %1 = nn.exp %x : tensor<4xf32>
  %2 = nn.sin %x : tensor<4xf32>
  %3 = nn.add %0, %1 : tensor<4xf32>
  return %3 : tensor<4xf32>
}
