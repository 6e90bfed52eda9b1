// RUN: kumiko-opt %s --nn-simplify | FileCheck %s

// Rows that were flattened before a softmax, and unfolded afterwards: the views meet below it.
// CHECK-LABEL: func.func @flattened
// CHECK-NEXT: %[[Y:.*]] = nn.softmax %arg0 {axis = 3 : i64} : tensor<2x4x6x5xf32>
// CHECK-NEXT: return %[[Y]]
func.func @flattened(%x: tensor<2x4x6x5xf32>) -> tensor<2x4x6x5xf32> {
  %0 = nn.reshape %x : tensor<2x4x6x5xf32> -> tensor<48x5xf32>
  %1 = nn.softmax %0 {axis = 1 : i64} : tensor<48x5xf32>
  %2 = nn.reshape %1 : tensor<48x5xf32> -> tensor<2x4x6x5xf32>
  return %2 : tensor<2x4x6x5xf32>
}

// Running sums along a dimension in the middle, of open sizes.
// CHECK-LABEL: func.func @middle
// CHECK-NEXT: nn.cumulate %arg0 {axis = 2 : i64
// CHECK-NEXT: nn.reshape
func.func @middle(%x: tensor<?x3x?x2xf32, #nn.extents<"B", 3, "S", 2>>) -> tensor<?x?x2xf32, #nn.extents<"3*B", "S", 2>> attributes {nn.symbols = [{name = "B"}, {name = "S"}]} {
  %0 = nn.reshape %x : tensor<?x3x?x2xf32, #nn.extents<"B", 3, "S", 2>> -> tensor<?x?x2xf32, #nn.extents<"3*B", "S", 2>>
  %1 = nn.cumulate %0 {axis = 1 : i64, kind = "+", exclusive = false, reverse = false} : tensor<?x?x2xf32, #nn.extents<"3*B", "S", 2>>
  return %1 : tensor<?x?x2xf32, #nn.extents<"3*B", "S", 2>>
}

// The view changes the rows themselves.
// CHECK-LABEL: func.func @other_rows
// CHECK-NEXT: nn.reshape
// CHECK-NEXT: nn.softmax
func.func @other_rows(%x: tensor<4x6x5xf32>) -> tensor<4x30xf32> {
  %0 = nn.reshape %x : tensor<4x6x5xf32> -> tensor<4x30xf32>
  %1 = nn.softmax %0 {axis = 1 : i64} : tensor<4x30xf32>
  return %1 : tensor<4x30xf32>
}

// Somebody else reads the flattened rows.
// CHECK-LABEL: func.func @shared
// CHECK-NEXT: nn.reshape
// CHECK-NEXT: nn.softmax
func.func @shared(%x: tensor<4x6x5xf32>) -> (tensor<24x5xf32>, tensor<24x5xf32>) {
  %0 = nn.reshape %x : tensor<4x6x5xf32> -> tensor<24x5xf32>
  %1 = nn.softmax %0 {axis = 1 : i64} : tensor<24x5xf32>
  return %1, %0 : tensor<24x5xf32>, tensor<24x5xf32>
}

// Heads that are split off, and split again into groups: the transpose moves the groups.
// CHECK-LABEL: func.func @groups
// CHECK-NEXT: %[[X:.*]] = nn.reshape %arg0 : tensor<2x5x24xf32> -> tensor<2x5x2x3x4xf32>
// CHECK-NEXT: nn.transpose %[[X]] {perm = array<i64: 0, 2, 3, 1, 4>}
// CHECK-NEXT: return
func.func @groups(%x: tensor<2x5x24xf32>) -> tensor<2x2x3x5x4xf32> {
  %0 = nn.reshape %x : tensor<2x5x24xf32> -> tensor<2x5x6x4xf32>
  %1 = nn.transpose %0 {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x5x6x4xf32>) -> tensor<2x6x5x4xf32>
  %2 = nn.reshape %1 : tensor<2x6x5x4xf32> -> tensor<2x2x3x5x4xf32>
  return %2 : tensor<2x2x3x5x4xf32>
}

// The way back.
// CHECK-LABEL: func.func @joined
// CHECK-NEXT: %[[X:.*]] = nn.transpose %arg0 {perm = array<i64: 0, 3, 1, 2, 4>}
// CHECK-NEXT: nn.reshape %[[X]] : {{.*}} -> tensor<?x?x24xf32
// CHECK-NEXT: return
func.func @joined(%x: tensor<?x2x3x?x4xf32, #nn.extents<"B", 2, 3, "S", 4>>) -> tensor<?x?x24xf32, #nn.extents<"B", "S", 24>> attributes {nn.symbols = [{name = "B"}, {name = "S"}]} {
  %0 = nn.reshape %x : tensor<?x2x3x?x4xf32, #nn.extents<"B", 2, 3, "S", 4>> -> tensor<?x6x?x4xf32, #nn.extents<"B", 6, "S", 4>>
  %1 = nn.transpose %0 {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x6x?x4xf32, #nn.extents<"B", 6, "S", 4>>) -> tensor<?x?x6x4xf32, #nn.extents<"B", "S", 6, 4>>
  %2 = nn.reshape %1 : tensor<?x?x6x4xf32, #nn.extents<"B", "S", 6, 4>> -> tensor<?x?x24xf32, #nn.extents<"B", "S", 24>>
  return %2 : tensor<?x?x24xf32, #nn.extents<"B", "S", 24>>
}

// A shuffle of channels: split before, joined behind.
// CHECK-LABEL: func.func @shuffle
// CHECK-NEXT: nn.reshape
// CHECK-NEXT: nn.transpose
// CHECK-NEXT: nn.reshape
func.func @shuffle(%x: tensor<5x6xf32>) -> tensor<5x6xf32> {
  %0 = nn.reshape %x : tensor<5x6xf32> -> tensor<5x2x3xf32>
  %1 = nn.transpose %0 {perm = array<i64: 0, 2, 1>} : (tensor<5x2x3xf32>) -> tensor<5x3x2xf32>
  %2 = nn.reshape %1 : tensor<5x3x2xf32> -> tensor<5x6xf32>
  return %2 : tensor<5x6xf32>
}
