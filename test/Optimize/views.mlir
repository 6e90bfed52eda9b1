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

// A softmax in several steps, over rows that were flattened: all of it moves.
// CHECK-LABEL: func.func @flattened_steps
// CHECK-NOT: 48
// CHECK: return
func.func @flattened_steps(%x: tensor<2x4x6x5xf32>, %c: tensor<5xf32>) -> tensor<2x4x6x5xf32> {
  %0 = nn.reshape %x : tensor<2x4x6x5xf32> -> tensor<48x5xf32>
  %1 = nn.reduce %0 {axes = array<i64: 1>, kind = "max"} : (tensor<48x5xf32>) -> tensor<48xf32>
  %2 = nn.reshape %1 : tensor<48xf32> -> tensor<48x1xf32>
  %3 = nn.sub %0, %2 : (tensor<48x5xf32>, tensor<48x1xf32>) -> tensor<48x5xf32>
  %4 = nn.exp %3 : tensor<48x5xf32>
  %5 = nn.mul %4, %c : (tensor<48x5xf32>, tensor<5xf32>) -> tensor<48x5xf32>
  %6 = nn.reduce %5 {axes = array<i64: 1>, kind = "+"} : (tensor<48x5xf32>) -> tensor<48xf32>
  %7 = nn.reshape %6 : tensor<48xf32> -> tensor<48x1xf32>
  %8 = nn.div %5, %7 : (tensor<48x5xf32>, tensor<48x1xf32>) -> tensor<48x5xf32>
  %9 = nn.reshape %8 : tensor<48x5xf32> -> tensor<2x4x6x5xf32>
  return %9 : tensor<2x4x6x5xf32>
}

// Open sizes.
// CHECK-LABEL: func.func @open_steps
// CHECK-NEXT: nn.mean %arg0 {axes = array<i64: 2>}
// CHECK-NEXT: nn.reshape
// CHECK-NEXT: nn.sub %arg0
// CHECK-NEXT: return
func.func @open_steps(%x: tensor<?x3x?xf32, #nn.extents<"B", 3, "S">>) -> tensor<?x3x?xf32, #nn.extents<"B", 3, "S">> attributes {nn.symbols = [{name = "B"}, {name = "S"}]} {
  %0 = nn.reshape %x : tensor<?x3x?xf32, #nn.extents<"B", 3, "S">> -> tensor<?x?xf32, #nn.extents<"3*B", "S">>
  %1 = nn.mean %0 {axes = array<i64: 1>} : (tensor<?x?xf32, #nn.extents<"3*B", "S">>) -> tensor<?xf32, #nn.extents<"3*B">>
  %2 = nn.reshape %1 : tensor<?xf32, #nn.extents<"3*B">> -> tensor<?x1xf32, #nn.extents<"3*B", 1>>
  %3 = nn.sub %0, %2 : (tensor<?x?xf32, #nn.extents<"3*B", "S">>, tensor<?x1xf32, #nn.extents<"3*B", 1>>) -> tensor<?x?xf32, #nn.extents<"3*B", "S">>
  %4 = nn.reshape %3 : tensor<?x?xf32, #nn.extents<"3*B", "S">> -> tensor<?x3x?xf32, #nn.extents<"B", 3, "S">>
  return %4 : tensor<?x3x?xf32, #nn.extents<"B", 3, "S">>
}

// A sum over the numbers of the rows, steps that others read, and numbers of rows that are told apart.
// CHECK-LABEL: func.func @steps_across
// CHECK: nn.sub {{.*}} : (tensor<8x5xf32>, tensor<1x5xf32>)
// CHECK: nn.sub {{.*}} : (tensor<8x5xf32>, tensor<8x1xf32>)
// CHECK: nn.div {{.*}} : (tensor<8x5xf32>, tensor<8x1xf32>)
func.func @steps_across(%x: tensor<2x4x5xf32>, %n: tensor<8x1xf32>) -> (tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<8xf32>, tensor<2x4x5xf32>) {
  %0 = nn.reshape %x : tensor<2x4x5xf32> -> tensor<8x5xf32>
  %1 = nn.reduce %0 {axes = array<i64: 0>, kind = "max"} : (tensor<8x5xf32>) -> tensor<5xf32>
  %2 = nn.reshape %1 : tensor<5xf32> -> tensor<1x5xf32>
  %3 = nn.sub %0, %2 : (tensor<8x5xf32>, tensor<1x5xf32>) -> tensor<8x5xf32>
  %4 = nn.reshape %3 : tensor<8x5xf32> -> tensor<2x4x5xf32>
  %5 = nn.reduce %0 {axes = array<i64: 1>, kind = "min"} : (tensor<8x5xf32>) -> tensor<8xf32>
  %6 = nn.reshape %5 : tensor<8xf32> -> tensor<8x1xf32>
  %7 = nn.sub %0, %6 : (tensor<8x5xf32>, tensor<8x1xf32>) -> tensor<8x5xf32>
  %8 = nn.reshape %7 : tensor<8x5xf32> -> tensor<2x4x5xf32>
  %9 = nn.softmax %0 {axis = 1} : tensor<8x5xf32>
  %10 = nn.div %9, %n : (tensor<8x5xf32>, tensor<8x1xf32>) -> tensor<8x5xf32>
  %11 = nn.reshape %10 : tensor<8x5xf32> -> tensor<2x4x5xf32>
  return %4, %8, %5, %11 : tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<8xf32>, tensor<2x4x5xf32>
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
