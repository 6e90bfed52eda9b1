// RUN: kumiko-opt %s --kumiko-form-kernels | FileCheck %s

// Scores, scale, mask, softmax and the product with the values: statements fuse, whatever stands in between.
// CHECK-LABEL: func @attention
// CHECK-NEXT: nn.constant
// CHECK-NEXT: nn.call @{{.*}}(%arg0, %arg1, %arg3, %arg2)
// CHECK-NEXT: return
func.func @attention(%q: tensor<2x4x10x20xf32>, %k: tensor<2x4x20x17xf32>, %v: tensor<2x4x17x12xf32>, %mask: tensor<2x1x1x17xf32>) -> tensor<2x4x10x12xf32> {
  %scale = nn.constant dense<0.5> : tensor<f32>
  %0 = nn.matmul %q, %k : (tensor<2x4x10x20xf32>, tensor<2x4x20x17xf32>) -> tensor<2x4x10x17xf32>
  %1 = nn.mul %0, %scale : (tensor<2x4x10x17xf32>, tensor<f32>) -> tensor<2x4x10x17xf32>
  %2 = nn.add %1, %mask : (tensor<2x4x10x17xf32>, tensor<2x1x1x17xf32>) -> tensor<2x4x10x17xf32>
  %3 = nn.softmax %2 {axis = 3 : i64} : tensor<2x4x10x17xf32>
  %4 = nn.matmul %3, %v : (tensor<2x4x10x17xf32>, tensor<2x4x17x12xf32>) -> tensor<2x4x10x12xf32>
  return %4 : tensor<2x4x10x12xf32>
}

// Transposes and factors in front of the products, a transpose behind, sizes that are symbols; no softmax at all.
// CHECK-LABEL: func @moved
// CHECK-NEXT: nn.constant
// CHECK-NEXT: nn.call @{{.*}}(%arg0, %arg1, %arg2)
// CHECK-NEXT: return
func.func @moved(%q: tensor<?x4x20xf32, #nn.extents<"S", 4, 20>>, %k: tensor<?x4x20xf32, #nn.extents<"T", 4, 20>>, %v: tensor<?x4x12xf32, #nn.extents<"T", 4, 12>>)
    -> tensor<?x4x12xf32, #nn.extents<"S", 4, 12>> attributes {nn.symbols = [{name = "S"}, {name = "T"}]} {
  %half = nn.constant dense<0.5> : tensor<f32>
  %0 = nn.transpose %q {perm = array<i64: 1, 0, 2>} : (tensor<?x4x20xf32, #nn.extents<"S", 4, 20>>) -> tensor<4x?x20xf32, #nn.extents<4, "S", 20>>
  %1 = nn.mul %0, %half : (tensor<4x?x20xf32, #nn.extents<4, "S", 20>>, tensor<f32>) -> tensor<4x?x20xf32, #nn.extents<4, "S", 20>>
  %2 = nn.transpose %k {perm = array<i64: 1, 2, 0>} : (tensor<?x4x20xf32, #nn.extents<"T", 4, 20>>) -> tensor<4x20x?xf32, #nn.extents<4, 20, "T">>
  %3 = nn.transpose %v {perm = array<i64: 1, 0, 2>} : (tensor<?x4x12xf32, #nn.extents<"T", 4, 12>>) -> tensor<4x?x12xf32, #nn.extents<4, "T", 12>>
  %4 = nn.matmul %1, %2 : (tensor<4x?x20xf32, #nn.extents<4, "S", 20>>, tensor<4x20x?xf32, #nn.extents<4, 20, "T">>) -> tensor<4x?x?xf32, #nn.extents<4, "S", "T">>
  %5 = nn.abs %4 : tensor<4x?x?xf32, #nn.extents<4, "S", "T">>
  %6 = nn.reduce %5 {axes = array<i64: 2>, kind = "+"} : (tensor<4x?x?xf32, #nn.extents<4, "S", "T">>) -> tensor<4x?xf32, #nn.extents<4, "S">>
  %7 = nn.reshape %6 : tensor<4x?xf32, #nn.extents<4, "S">> -> tensor<4x?x1xf32, #nn.extents<4, "S", 1>>
  %8 = nn.div %4, %7 : (tensor<4x?x?xf32, #nn.extents<4, "S", "T">>, tensor<4x?x1xf32, #nn.extents<4, "S", 1>>) -> tensor<4x?x?xf32, #nn.extents<4, "S", "T">>
  %9 = nn.matmul %8, %3 : (tensor<4x?x?xf32, #nn.extents<4, "S", "T">>, tensor<4x?x12xf32, #nn.extents<4, "T", 12>>) -> tensor<4x?x12xf32, #nn.extents<4, "S", 12>>
  %10 = nn.transpose %9 {perm = array<i64: 1, 0, 2>} : (tensor<4x?x12xf32, #nn.extents<4, "S", 12>>) -> tensor<?x4x12xf32, #nn.extents<"S", 4, 12>>
  return %10 : tensor<?x4x12xf32, #nn.extents<"S", 4, 12>>
}

// The weights are a result, too: somebody wants them in memory.
// CHECK-LABEL: func @weights_read
// CHECK-COUNT-3: nn.call
// CHECK: return
func.func @weights_read(%q: tensor<64x20xf32>, %k: tensor<20x64xf32>, %v: tensor<64x12xf32>) -> (tensor<64x12xf32>, tensor<64x64xf32>) {
  %0 = nn.matmul %q, %k : (tensor<64x20xf32>, tensor<20x64xf32>) -> tensor<64x64xf32>
  %1 = nn.softmax %0 {axis = 1 : i64} : tensor<64x64xf32>
  %2 = nn.matmul %1, %v : (tensor<64x64xf32>, tensor<64x12xf32>) -> tensor<64x12xf32>
  return %2, %1 : tensor<64x12xf32>, tensor<64x64xf32>
}

// So are the scores.
// CHECK-LABEL: func @scores_read
// CHECK-COUNT-3: nn.call
// CHECK: return
func.func @scores_read(%q: tensor<64x20xf32>, %k: tensor<20x64xf32>, %v: tensor<64x12xf32>) -> (tensor<64x12xf32>, tensor<64x64xf32>) {
  %0 = nn.matmul %q, %k : (tensor<64x20xf32>, tensor<20x64xf32>) -> tensor<64x64xf32>
  %1 = nn.softmax %0 {axis = 1 : i64} : tensor<64x64xf32>
  %2 = nn.matmul %1, %v : (tensor<64x64xf32>, tensor<64x12xf32>) -> tensor<64x12xf32>
  return %2, %0 : tensor<64x12xf32>, tensor<64x64xf32>
}

// The softmax runs down the columns, for which all rows must be there.
// CHECK-LABEL: func @columns
// CHECK-COUNT-3: nn.call
// CHECK: return
func.func @columns(%q: tensor<64x20xf32>, %k: tensor<20x64xf32>, %v: tensor<64x12xf32>) -> tensor<64x12xf32> {
  %0 = nn.matmul %q, %k : (tensor<64x20xf32>, tensor<20x64xf32>) -> tensor<64x64xf32>
  %1 = nn.softmax %0 {axis = 0 : i64} : tensor<64x64xf32>
  %2 = nn.matmul %1, %v : (tensor<64x64xf32>, tensor<64x12xf32>) -> tensor<64x12xf32>
  return %2 : tensor<64x12xf32>
}

// The second product sums over the rows, not along them.
// CHECK-LABEL: func @other_side
// CHECK-COUNT-3: nn.call
// CHECK: return
func.func @other_side(%q: tensor<64x20xf32>, %k: tensor<20x64xf32>, %v: tensor<12x64xf32>) -> tensor<12x64xf32> {
  %0 = nn.matmul %q, %k : (tensor<64x20xf32>, tensor<20x64xf32>) -> tensor<64x64xf32>
  %1 = nn.softmax %0 {axis = 1 : i64} : tensor<64x64xf32>
  %2 = nn.matmul %v, %1 : (tensor<12x64xf32>, tensor<64x64xf32>) -> tensor<12x64xf32>
  return %2 : tensor<12x64xf32>
}

// Lanes along rows of five would be empty, so they run across rows, and products do not.
// CHECK-LABEL: func @short_rows
// CHECK-COUNT-3: nn.call
// CHECK: return
func.func @short_rows(%q: tensor<64x20xf32>, %k: tensor<20x5xf32>, %v: tensor<5x12xf32>) -> tensor<64x12xf32> {
  %0 = nn.matmul %q, %k : (tensor<64x20xf32>, tensor<20x5xf32>) -> tensor<64x5xf32>
  %1 = nn.softmax %0 {axis = 1 : i64} : tensor<64x5xf32>
  %2 = nn.matmul %1, %v : (tensor<64x5xf32>, tensor<5x12xf32>) -> tensor<64x12xf32>
  return %2 : tensor<64x12xf32>
}

// A layer norm between two layers is no attention: each product has weights, which are packed for it alone.
// CHECK-LABEL: func @layers
// CHECK-COUNT-3: nn.call
// CHECK: return
func.func @layers(%x: tensor<64x20xf32>) -> tensor<64x12xf32> {
  %w = nn.constant dense<0.25> : tensor<20x64xf32>
  %u = nn.constant dense<0.5> : tensor<12x64xf32>
  %v = nn.transpose %u {perm = array<i64: 1, 0>} : (tensor<12x64xf32>) -> tensor<64x12xf32>
  %0 = nn.matmul %x, %w : (tensor<64x20xf32>, tensor<20x64xf32>) -> tensor<64x64xf32>
  %1 = nn.softmax %0 {axis = 1 : i64} : tensor<64x64xf32>
  %2 = nn.matmul %1, %v : (tensor<64x64xf32>, tensor<64x12xf32>) -> tensor<64x12xf32>
  return %2 : tensor<64x12xf32>
}

// Heads of keys and values that several heads of queries share, repeated by an expansion and a view, behind transposes:
// all of it is read where it lies.
// CHECK-LABEL: func @repeated_heads
// CHECK-NEXT: %[[K:.*]] = nn.reshape %arg1
// CHECK-NEXT: nn.call @{{.*}}(%[[K]], %arg2, %arg0)
// CHECK-NEXT: return
func.func @repeated_heads(%q: tensor<2x6x10x20xf32>, %k: tensor<2x17x2x20xf32>, %v: tensor<2x2x1x17x12xf32>) -> tensor<2x6x10x12xf32> {
  %0 = nn.reshape %k : tensor<2x17x2x20xf32> -> tensor<2x17x2x1x20xf32>
  %1 = nn.transpose %0 {perm = array<i64: 0, 2, 3, 4, 1>} : (tensor<2x17x2x1x20xf32>) -> tensor<2x2x1x20x17xf32>
  %2 = nn.expand %1 {shape = array<i64: 2, 2, 3, 20, 17>} : (tensor<2x2x1x20x17xf32>) -> tensor<2x2x3x20x17xf32>
  %3 = nn.reshape %2 : tensor<2x2x3x20x17xf32> -> tensor<2x6x20x17xf32>
  %4 = nn.expand %v {shape = array<i64: 2, 2, 3, 17, 12>} : (tensor<2x2x1x17x12xf32>) -> tensor<2x2x3x17x12xf32>
  %5 = nn.reshape %4 : tensor<2x2x3x17x12xf32> -> tensor<2x6x17x12xf32>
  %6 = nn.matmul %q, %3 : (tensor<2x6x10x20xf32>, tensor<2x6x20x17xf32>) -> tensor<2x6x10x17xf32>
  %7 = nn.softmax %6 {axis = 3 : i64} : tensor<2x6x10x17xf32>
  %8 = nn.matmul %7, %5 : (tensor<2x6x10x17xf32>, tensor<2x6x17x12xf32>) -> tensor<2x6x10x12xf32>
  return %8 : tensor<2x6x10x12xf32>
}

// Somebody else reads the repeated values, so they are in memory anyway.
// CHECK-LABEL: func @repeated_read
// CHECK: nn.call @{{.*}}(%arg2)
// CHECK: nn.call @{{.*}}(%arg0, %arg1,
func.func @repeated_read(%q: tensor<6x10x20xf32>, %k: tensor<6x20x17xf32>, %v: tensor<2x1x17x12xf32>) -> (tensor<6x10x12xf32>, tensor<6x17x12xf32>) {
  %0 = nn.expand %v {shape = array<i64: 2, 3, 17, 12>} : (tensor<2x1x17x12xf32>) -> tensor<2x3x17x12xf32>
  %1 = nn.reshape %0 : tensor<2x3x17x12xf32> -> tensor<6x17x12xf32>
  %2 = nn.matmul %q, %k : (tensor<6x10x20xf32>, tensor<6x20x17xf32>) -> tensor<6x10x17xf32>
  %3 = nn.softmax %2 {axis = 2 : i64} : tensor<6x10x17xf32>
  %4 = nn.matmul %3, %1 : (tensor<6x10x17xf32>, tensor<6x17x12xf32>) -> tensor<6x10x12xf32>
  return %4, %1 : tensor<6x10x12xf32>, tensor<6x17x12xf32>
}

// A mask of truths is smaller than the scores, and made of them while they are read: a choice and a comparison of
// positions cost less than a kernel of their own.
// CHECK-LABEL: func @mask_of_truths
// CHECK: nn.call @{{.*}}(%arg3, %arg0, %arg1, %arg2)
// CHECK-NEXT: return
func.func @mask_of_truths(%q: tensor<2x4x10x20xf32>, %k: tensor<2x4x20x17xf32>, %v: tensor<2x4x17x12xf32>, %mask: tensor<2x1x1x17xi1>) -> tensor<2x4x10x12xf32> {
  %zero = nn.constant dense<0> : tensor<i64>
  %one = nn.constant dense<1> : tensor<i64>
  %none = nn.constant dense<0.0> : tensor<f32>
  %low = nn.constant dense<0xFF800000> : tensor<f32>
  %0 = nn.range %zero, %one {n = 17} : (tensor<i64>, tensor<i64>) -> tensor<17xi64>
  %1 = nn.range %zero, %one {n = 10} : (tensor<i64>, tensor<i64>) -> tensor<10xi64>
  %2 = nn.reshape %1 : tensor<10xi64> -> tensor<10x1xi64>
  %3 = nn.le %0, %2 : (tensor<17xi64>, tensor<10x1xi64>) -> tensor<10x17xi1>
  %4 = nn.and %3, %mask : (tensor<10x17xi1>, tensor<2x1x1x17xi1>) -> tensor<2x1x10x17xi1>
  %5 = nn.select %4, %none, %low : (tensor<2x1x10x17xi1>, tensor<f32>, tensor<f32>) -> tensor<2x1x10x17xf32>
  %6 = nn.matmul %q, %k : (tensor<2x4x10x20xf32>, tensor<2x4x20x17xf32>) -> tensor<2x4x10x17xf32>
  %7 = nn.add %6, %5 : (tensor<2x4x10x17xf32>, tensor<2x1x10x17xf32>) -> tensor<2x4x10x17xf32>
  %8 = nn.softmax %7 {axis = 3 : i64} : tensor<2x4x10x17xf32>
  %9 = nn.matmul %8, %v : (tensor<2x4x10x17xf32>, tensor<2x4x17x12xf32>) -> tensor<2x4x10x12xf32>
  return %9 : tensor<2x4x10x12xf32>
}

// An exponential would be computed for each head again.
// CHECK-LABEL: func @dear_mask
// CHECK: nn.call @{{.*}}(%arg3)
// CHECK: nn.call @{{.*}}(%arg0, %arg1,
func.func @dear_mask(%q: tensor<2x4x10x20xf32>, %k: tensor<2x4x20x17xf32>, %v: tensor<2x4x17x12xf32>, %mask: tensor<2x1x1x17xf32>) -> tensor<2x4x10x12xf32> {
  %0 = nn.exp %mask : tensor<2x1x1x17xf32>
  %1 = nn.matmul %q, %k : (tensor<2x4x10x20xf32>, tensor<2x4x20x17xf32>) -> tensor<2x4x10x17xf32>
  %2 = nn.add %1, %0 : (tensor<2x4x10x17xf32>, tensor<2x1x1x17xf32>) -> tensor<2x4x10x17xf32>
  %3 = nn.softmax %2 {axis = 3 : i64} : tensor<2x4x10x17xf32>
  %4 = nn.matmul %3, %v : (tensor<2x4x10x17xf32>, tensor<2x4x17x12xf32>) -> tensor<2x4x10x12xf32>
  return %4 : tensor<2x4x10x12xf32>
}

// Somebody else reads the mask, so it is in memory anyway.
// CHECK-LABEL: func @mask_read
// CHECK: %[[M:.*]] = nn.call @{{.*}}(%arg3)
// CHECK: nn.call @{{.*}}(%arg0, %arg1, %[[M]], %arg2)
func.func @mask_read(%q: tensor<2x4x10x20xf32>, %k: tensor<2x4x20x17xf32>, %v: tensor<2x4x17x12xf32>, %mask: tensor<2x1x1x17xf32>) -> (tensor<2x4x10x12xf32>, tensor<2x1x1x17xf32>) {
  %0 = nn.neg %mask : tensor<2x1x1x17xf32>
  %1 = nn.matmul %q, %k : (tensor<2x4x10x20xf32>, tensor<2x4x20x17xf32>) -> tensor<2x4x10x17xf32>
  %2 = nn.add %1, %0 : (tensor<2x4x10x17xf32>, tensor<2x1x1x17xf32>) -> tensor<2x4x10x17xf32>
  %3 = nn.softmax %2 {axis = 3 : i64} : tensor<2x4x10x17xf32>
  %4 = nn.matmul %3, %v : (tensor<2x4x10x17xf32>, tensor<2x4x17x12xf32>) -> tensor<2x4x10x12xf32>
  return %4, %0 : tensor<2x4x10x12xf32>, tensor<2x1x1x17xf32>
}

// Rows without products take a mask in, too.
// CHECK-LABEL: func @mask_of_rows
// CHECK: nn.call @{{.*}}(%arg1, %arg0)
// CHECK-NEXT: return
func.func @mask_of_rows(%x: tensor<2x4x10x17xf32>, %mask: tensor<2x1x1x17xi1>) -> tensor<2x4x10x17xf32> {
  %low = nn.constant dense<-100.0> : tensor<f32>
  %0 = nn.cast %mask {to = f32} : (tensor<2x1x1x17xi1>) -> tensor<2x1x1x17xf32>
  %1 = nn.mul %0, %low : (tensor<2x1x1x17xf32>, tensor<f32>) -> tensor<2x1x1x17xf32>
  %2 = nn.add %x, %1 : (tensor<2x4x10x17xf32>, tensor<2x1x1x17xf32>) -> tensor<2x4x10x17xf32>
  %3 = nn.softmax %2 {axis = 3 : i64} : tensor<2x4x10x17xf32>
  return %3 : tensor<2x4x10x17xf32>
}
