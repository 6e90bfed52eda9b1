// RUN: kumiko-opt %s --nn-share-borders --split-input-file | FileCheck %s

// Read with a border by one convolution and without by another: the other one reads the inside.
// CHECK-LABEL: func.func @convolutions
// CHECK-NEXT: %[[X:.*]] = nn.conv
// CHECK-NEXT: %[[P:.*]] = nn.pad %[[X]]
// CHECK-NEXT: %[[S:.*]] = nn.slice %[[P]] {out = array<i64: 1, 4, 4, 2>, start = array<i64: 0, 1, 1, 0>
// CHECK-NEXT: nn.conv %[[S]]
// CHECK-NEXT: nn.conv %[[P]]
func.func @convolutions(%x: tensor<1x4x4x2xf32>, %w: tensor<2x2x1x1xf32>, %v: tensor<2x2x3x3xf32>) -> (tensor<1x4x4x2xf32>, tensor<1x4x4x2xf32>) {
  %0 = nn.conv %x, %w {channel = 3 : i64, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x4x4x2xf32>, tensor<2x2x1x1xf32>) -> tensor<1x4x4x2xf32>
  %1 = nn.conv %0, %w {channel = 3 : i64, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x4x4x2xf32>, tensor<2x2x1x1xf32>) -> tensor<1x4x4x2xf32>
  %2 = nn.pad %0 {hi = array<i64: 0, 1, 1, 0>, lo = array<i64: 0, 1, 1, 0>} : (tensor<1x4x4x2xf32>) -> tensor<1x6x6x2xf32>
  %3 = nn.conv %2, %v {channel = 3 : i64, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x6x6x2xf32>, tensor<2x2x3x3xf32>) -> tensor<1x4x4x2xf32>
  return %1, %3 : tensor<1x4x4x2xf32>, tensor<1x4x4x2xf32>
}

// -----

// A result of the network is wanted as it is; an input has nobody who could write its border; what is cut off on one
// side is not inside; an elementwise reader shares the kernel of an elementwise op already.
// CHECK-LABEL: func.func @refused
// CHECK-NOT: nn.slice
func.func @refused(%x: tensor<4x2xf32>, %w: tensor<2x2xf32>) -> (tensor<4x2xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x4xf32>, tensor<4x2xf32>) {
  %0 = nn.matmul %x, %w : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  %1 = nn.pad %0 {hi = array<i64: 0, 1>, lo = array<i64: 0, 1>} : (tensor<4x2xf32>) -> tensor<4x4xf32>
  %2 = nn.pad %x {hi = array<i64: 0, 1>, lo = array<i64: 0, 1>} : (tensor<4x2xf32>) -> tensor<4x4xf32>
  %3 = nn.matmul %0, %w : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  %4 = nn.pad %3 {hi = array<i64: 0, 1>, lo = array<i64: 0, -1>} : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %5 = nn.matmul %3, %w : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  %6 = nn.exp %x : tensor<4x2xf32>
  %7 = nn.pad %6 {hi = array<i64: 0, 1>, lo = array<i64: 0, 1>} : (tensor<4x2xf32>) -> tensor<4x4xf32>
  %8 = nn.neg %6 : tensor<4x2xf32>
  return %0, %1, %2, %3, %4, %5, %7, %8 : tensor<4x2xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x4xf32>, tensor<4x2xf32>
}
