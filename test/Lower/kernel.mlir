// RUN: kumiko-opt %s --nn-to-linalg | FileCheck %s

// Bodies of kernels are lowered; the function that calls them keeps its calls, constants and views. Integers lose their
// sign everywhere at once. A constant of one number is no operand.

// CHECK-LABEL: func.func @main(%arg0: tensor<2x2xi8>) -> tensor<4xi8>
func.func @main(%x: tensor<2x2xui8>) -> tensor<4xui8> {
  // CHECK: %[[C:.*]] = nn.constant dense<-56> : tensor<4xi8>
  // CHECK: %[[V:.*]] = nn.reshape %arg0 : tensor<2x2xi8> -> tensor<4xi8>
  // CHECK: nn.call @k(%[[V]], %[[C]]) : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  %c = nn.constant dense<200> : tensor<4xui8>
  %v = nn.reshape %x : tensor<2x2xui8> -> tensor<4xui8>
  %y = nn.call @k(%v, %c) : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  return %y : tensor<4xui8>
}

// CHECK-LABEL: nn.kernel @k(%arg0: tensor<4xi8>, %arg1: tensor<4xi8>) -> tensor<4xi8>
// CHECK: arith.minui
// CHECK-NOT: tensor.collapse_shape
// CHECK: %[[D:.*]] = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi8>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[D]]
// CHECK: arith.addi
// CHECK: %[[S:.*]] = arith.constant 3 : i8
// CHECK: arith.muli %{{.*}}, %[[S]]
// CHECK: nn.yield
nn.kernel @k(%x: tensor<4xui8>, %c: tensor<4xui8>) -> tensor<4xui8> {
  %0 = nn.min %x, %c : tensor<4xui8>
  %1 = nn.reshape %0 : tensor<4xui8> -> tensor<2x2xui8>
  %2 = nn.reshape %1 : tensor<2x2xui8> -> tensor<4xui8>
  %d = nn.constant dense<[1, 2, 3, 4]> : tensor<4xui8>
  %three = nn.constant dense<3> : tensor<4xui8>
  %3 = nn.add %2, %d : tensor<4xui8>
  %4 = nn.mul %3, %three : tensor<4xui8>
  nn.yield %4 : tensor<4xui8>
}
