// RUN: kumiko-opt %s --nn-sink-shuffles | FileCheck %s

// Two halves of four channels are interleaved. What pads, what works on each element, and the convolution of each
// channel come before that, the weights of the latter in the order that their channels have there.
// CHECK-LABEL: func.func @unit
// CHECK: %[[P:.*]] = nn.pad %arg0
// CHECK-NEXT: %[[R:.*]] = nn.relu %[[P]]
// CHECK-NEXT: %[[W:.*]] = nn.constant dense<{{\[\[\[}}1.000000e+00]], {{\[\[}}3.000000e+00]], {{\[\[}}2.000000e+00]], {{\[\[}}4.000000e+00]]]> : tensor<4x1x1xf32>
// CHECK-NEXT: %[[B:.*]] = nn.constant dense<[5.000000e+00, 7.000000e+00, 6.000000e+00, 8.000000e+00]> : tensor<4xf32>
// CHECK: %[[D:.*]] = nn.conv %[[R]], %[[W]], %[[B]]
// CHECK: %[[S:.*]] = nn.reshape %[[D]] : tensor<1x5x4xf32> -> tensor<1x5x2x2xf32>
// CHECK: %[[T:.*]] = nn.transpose %[[S]] {perm = array<i64: 0, 1, 3, 2>}
// CHECK: %[[J:.*]] = nn.reshape %[[T]]
// CHECK: nn.conv %[[J]]
func.func @unit(%x: tensor<1x3x4xf32>) -> tensor<1x5x16xf32> {
  %w = nn.constant dense<[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]> : tensor<4x1x1xf32>
  %b = nn.constant dense<[5.0, 6.0, 7.0, 8.0]> : tensor<4xf32>
  %v = nn.constant dense<0.5> : tensor<16x2x1xf32>
  %0 = nn.reshape %x : tensor<1x3x4xf32> -> tensor<1x3x2x2xf32>
  %1 = nn.transpose %0 {perm = array<i64: 0, 1, 3, 2>} : (tensor<1x3x2x2xf32>) -> tensor<1x3x2x2xf32>
  %2 = nn.reshape %1 : tensor<1x3x2x2xf32> -> tensor<1x3x4xf32>
  %3 = nn.pad %2 {lo = array<i64: 0, 1, 0>, hi = array<i64: 0, 1, 0>} : (tensor<1x3x4xf32>) -> tensor<1x5x4xf32>
  %4 = nn.relu %3 : tensor<1x5x4xf32>
  %5 = nn.conv %4, %w, %b {channel = 2 : i64, group = 4 : i64, stride = array<i64: 1>, dilation = array<i64: 1>, lo = array<i64: 0>, hi = array<i64: 0>} : (tensor<1x5x4xf32>, tensor<4x1x1xf32>, tensor<4xf32>) -> tensor<1x5x4xf32>
  %6 = nn.conv %5, %v {channel = 2 : i64, group = 2 : i64, stride = array<i64: 1>, dilation = array<i64: 1>, lo = array<i64: 0>, hi = array<i64: 0>} : (tensor<1x5x4xf32>, tensor<16x2x1xf32>) -> tensor<1x5x16xf32>
  return %6 : tensor<1x5x16xf32>
}

// Not where no product follows, nor across what ties channels together.
// CHECK-LABEL: func.func @keep
// CHECK-NEXT: nn.constant
// CHECK-NEXT: nn.reshape
// CHECK-NEXT: nn.transpose
// CHECK-NEXT: nn.reshape
// CHECK: nn.relu
// CHECK: nn.pad
// CHECK: nn.softmax
// CHECK: nn.conv
func.func @keep(%x: tensor<1x3x4xf32>) -> (tensor<1x3x4xf32>, tensor<1x3x16xf32>) {
  %v = nn.constant dense<0.5> : tensor<16x4x1xf32>
  %0 = nn.reshape %x : tensor<1x3x4xf32> -> tensor<1x3x2x2xf32>
  %1 = nn.transpose %0 {perm = array<i64: 0, 1, 3, 2>} : (tensor<1x3x2x2xf32>) -> tensor<1x3x2x2xf32>
  %2 = nn.reshape %1 : tensor<1x3x2x2xf32> -> tensor<1x3x4xf32>
  %3 = nn.relu %2 : tensor<1x3x4xf32>
  %4 = nn.pad %3 {lo = array<i64: 0, 0, 1>, hi = array<i64: 0, 0, -1>} : (tensor<1x3x4xf32>) -> tensor<1x3x4xf32>
  %5 = nn.reshape %x : tensor<1x3x4xf32> -> tensor<1x3x2x2xf32>
  %6 = nn.transpose %5 {perm = array<i64: 0, 1, 3, 2>} : (tensor<1x3x2x2xf32>) -> tensor<1x3x2x2xf32>
  %7 = nn.reshape %6 : tensor<1x3x2x2xf32> -> tensor<1x3x4xf32>
  %8 = nn.softmax %7 {axis = 2 : i64} : tensor<1x3x4xf32>
  %9 = nn.conv %8, %v {channel = 2 : i64, stride = array<i64: 1>, dilation = array<i64: 1>, lo = array<i64: 0>, hi = array<i64: 0>} : (tensor<1x3x4xf32>, tensor<16x4x1xf32>) -> tensor<1x3x16xf32>
  return %4, %9 : tensor<1x3x4xf32>, tensor<1x3x16xf32>
}
