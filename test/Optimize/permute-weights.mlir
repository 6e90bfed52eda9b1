// RUN: kumiko-opt %s --nn-simplify=allow=rounding | FileCheck %s
// RUN: kumiko-opt %s --nn-simplify | FileCheck %s --check-prefix=EXACT

// From channels last to the Flatten of the file and its product: rows (c, h) become rows (h, c).
// CHECK-LABEL: func.func @flatten
// CHECK: nn.constant dense<{{\[\[}}0.000000e+00], [3.000000e+00], [1.000000e+00], [4.000000e+00], [2.000000e+00], [5.000000e+00]]>
// CHECK-NEXT: %[[X:.*]] = nn.reshape %arg0 : tensor<5x3x2xf32> -> tensor<5x6xf32>
// CHECK-NEXT: nn.matmul %[[X]]
// EXACT-LABEL: func.func @flatten
// EXACT: nn.transpose
func.func @flatten(%x: tensor<5x3x2xf32>) -> tensor<5x1xf32> {
  %w = nn.constant dense<[[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]> : tensor<6x1xf32>
  %0 = nn.transpose %x {perm = array<i64: 0, 2, 1>} : (tensor<5x3x2xf32>) -> tensor<5x2x3xf32>
  %1 = nn.reshape %0 : tensor<5x2x3xf32> -> tensor<5x6xf32>
  %2 = nn.matmul %1, %w : (tensor<5x6xf32>, tensor<6x1xf32>) -> tensor<5x1xf32>
  return %2 : tensor<5x1xf32>
}

// A transpose that moves what the product keeps stays, and so does one that somebody else reads.
// CHECK-LABEL: func.func @rows
// CHECK: nn.transpose
func.func @rows(%x: tensor<2x5x3xf32>) -> tensor<5x1xf32> {
  %w = nn.constant dense<[[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]> : tensor<6x1xf32>
  %0 = nn.transpose %x {perm = array<i64: 1, 0, 2>} : (tensor<2x5x3xf32>) -> tensor<5x2x3xf32>
  %1 = nn.reshape %0 : tensor<5x2x3xf32> -> tensor<5x6xf32>
  %2 = nn.matmul %1, %w : (tensor<5x6xf32>, tensor<6x1xf32>) -> tensor<5x1xf32>
  return %2 : tensor<5x1xf32>
}

// CHECK-LABEL: func.func @shared
// CHECK: nn.transpose
func.func @shared(%x: tensor<5x3x2xf32>) -> (tensor<5x1xf32>, tensor<5x2x3xf32>) {
  %w = nn.constant dense<[[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]> : tensor<6x1xf32>
  %0 = nn.transpose %x {perm = array<i64: 0, 2, 1>} : (tensor<5x3x2xf32>) -> tensor<5x2x3xf32>
  %1 = nn.reshape %0 : tensor<5x2x3xf32> -> tensor<5x6xf32>
  %2 = nn.matmul %1, %w : (tensor<5x6xf32>, tensor<6x1xf32>) -> tensor<5x1xf32>
  return %2, %0 : tensor<5x1xf32>, tensor<5x2x3xf32>
}
