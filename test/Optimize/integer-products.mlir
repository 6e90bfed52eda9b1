// RUN: kumiko-opt %s --nn-integer-products | FileCheck %s

// Constant weights lose their zero point; what the other one costs is known.
// CHECK-LABEL: func.func @matmul
func.func @matmul(%a: tensor<2x3xui8>) -> tensor<2x2xi32> {
  // CHECK: %[[W:.*]] = nn.constant dense<{{\[\[}}-1, 3], [0, 7], [127, -128]]> : tensor<3x2xi8>
  // CHECK: %[[P:.*]] = nn.integer_matmul %arg0, %[[W]] : (tensor<2x3xui8>, tensor<3x2xi8>) -> tensor<2x2xi32>
  // CHECK: %[[S:.*]] = nn.constant dense<{{\[\[}}126, -118]]> : tensor<1x2xi32>
  // CHECK: %[[C:.*]] = nn.mul %{{.*}}, %[[S]]
  // CHECK: nn.sub %[[P]], %[[C]]
  %w = nn.constant dense<[[-1, 3], [0, 7], [127, -128]]> : tensor<3x2xi32>
  %z = nn.constant dense<9> : tensor<i32>
  %0 = nn.cast %a {to = i32} : (tensor<2x3xui8>) -> tensor<2x3xi32>
  %1 = nn.sub %0, %z : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
  %2 = nn.matmul %1, %w : (tensor<2x3xi32>, tensor<3x2xi32>) -> tensor<2x2xi32>
  return %2 : tensor<2x2xi32>
}

// Two unknown factors: each zero point costs a sum over the other one, and both together their product.
// CHECK-LABEL: func.func @both
func.func @both(%a: tensor<2x3xui8>, %b: tensor<3x2xi8>, %z: tensor<i32>) -> tensor<2x2xi32> {
  // CHECK: nn.integer_matmul %arg0, %arg1
  // CHECK: nn.reduce %{{.*}} {axes = array<i64: 0>, kind = "+"} : (tensor<3x2xi32>)
  // CHECK: nn.reduce %{{.*}} {axes = array<i64: 1>, kind = "+"} : (tensor<2x3xi32>)
  // CHECK: nn.mul %arg2, %arg2
  %0 = nn.cast %a {to = i32} : (tensor<2x3xui8>) -> tensor<2x3xi32>
  %1 = nn.sub %0, %z : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
  %2 = nn.cast %b {to = i32} : (tensor<3x2xi8>) -> tensor<3x2xi32>
  %3 = nn.sub %2, %z : (tensor<3x2xi32>, tensor<i32>) -> tensor<3x2xi32>
  %4 = nn.matmul %1, %3 : (tensor<2x3xi32>, tensor<3x2xi32>) -> tensor<2x2xi32>
  return %4 : tensor<2x2xi32>
}

// The border of an image means zero, so it holds the zero point.
// CHECK-LABEL: func.func @conv
func.func @conv(%x: tensor<1x1x3x3xui8>) -> tensor<1x2x3x3xi32> {
  // CHECK: %[[V:.*]] = nn.cast {{.*}} -> tensor<ui8>
  // CHECK: %[[P:.*]] = nn.pad %arg0, %[[V]] {hi = array<i64: 0, 0, 1, 1>, lo = array<i64: 0, 0, 1, 1>}
  // CHECK: nn.integer_conv %[[P]], %{{.*}} : (tensor<1x1x5x5xui8>, tensor<2x1x3x3xi16>)
  %u = nn.constant dense<[[[[-1, -1, -1], [0, 0, 0], [0, 0, 0]]], [[[300, 0, 0], [0, 0, 0], [0, 0, 0]]]]> : tensor<2x1x3x3xi32>
  %z = nn.constant dense<9> : tensor<i32>
  %0 = nn.cast %x {to = i32} : (tensor<1x1x3x3xui8>) -> tensor<1x1x3x3xi32>
  %1 = nn.sub %0, %z : (tensor<1x1x3x3xi32>, tensor<i32>) -> tensor<1x1x3x3xi32>
  %2 = nn.conv %1, %u {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 1, 1>, hi = array<i64: 1, 1>} : (tensor<1x1x3x3xi32>, tensor<2x1x3x3xi32>) -> tensor<1x2x3x3xi32>
  return %2 : tensor<1x2x3x3xi32>
}

// Weights that need more than 16 bits, and a product of floats, stay.
// CHECK-LABEL: func.func @keep
// CHECK-NOT: nn.integer_matmul
func.func @keep(%a: tensor<2x3xui8>, %f: tensor<2x3xf32>, %g: tensor<3x2xf32>) -> (tensor<2x2xi32>, tensor<2x2xf32>) {
  %w = nn.constant dense<70000> : tensor<3x2xi32>
  %0 = nn.cast %a {to = i32} : (tensor<2x3xui8>) -> tensor<2x3xi32>
  %1 = nn.matmul %0, %w : (tensor<2x3xi32>, tensor<3x2xi32>) -> tensor<2x2xi32>
  %2 = nn.matmul %f, %g : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return %1, %2 : tensor<2x2xi32>, tensor<2x2xf32>
}
