// RUN: kumiko-opt %s --kumiko-form-kernels | FileCheck %s

// A layer norm in primitive ops: both means run over the same rows, and what stands between them stays in its row.
// CHECK-LABEL: func @layer_norm
// CHECK-NEXT: nn.call @{{.*}}(%arg0, %arg1)
// CHECK-NEXT: return
func.func @layer_norm(%x: tensor<4x8x64xf32>, %g: tensor<64xf32>) -> tensor<4x8x64xf32> {
  %0 = nn.mean %x {axes = array<i64: 2>} : (tensor<4x8x64xf32>) -> tensor<4x8xf32>
  %1 = nn.reshape %0 : tensor<4x8xf32> -> tensor<4x8x1xf32>
  %2 = nn.sub %x, %1 : (tensor<4x8x64xf32>, tensor<4x8x1xf32>) -> tensor<4x8x64xf32>
  %3 = nn.mul %2, %2 : tensor<4x8x64xf32>
  %4 = nn.mean %3 {axes = array<i64: 2>} : (tensor<4x8x64xf32>) -> tensor<4x8xf32>
  %5 = nn.reshape %4 : tensor<4x8xf32> -> tensor<4x8x1xf32>
  %6 = nn.sqrt %5 : tensor<4x8x1xf32>
  %7 = nn.div %2, %6 : (tensor<4x8x64xf32>, tensor<4x8x1xf32>) -> tensor<4x8x64xf32>
  %8 = nn.mul %7, %g : (tensor<4x8x64xf32>, tensor<64xf32>) -> tensor<4x8x64xf32>
  return %8 : tensor<4x8x64xf32>
}

// The same with sizes that are symbols.
// CHECK-LABEL: func @open
// CHECK-NEXT: nn.call @{{.*}}(%arg0)
// CHECK-NEXT: return
func.func @open(%x: tensor<?x64xf32, #nn.extents<"N", 64>>) -> tensor<?x64xf32, #nn.extents<"N", 64>>
    attributes {nn.symbols = [{name = "N"}]} {
  %0 = nn.exp %x : tensor<?x64xf32, #nn.extents<"N", 64>>
  %1 = nn.reduce %0 {axes = array<i64: 1>, kind = "+"} : (tensor<?x64xf32, #nn.extents<"N", 64>>) -> tensor<?xf32, #nn.extents<"N">>
  %2 = nn.reshape %1 : tensor<?xf32, #nn.extents<"N">> -> tensor<?x1xf32, #nn.extents<"N", 1>>
  %3 = nn.div %0, %2 : (tensor<?x64xf32, #nn.extents<"N", 64>>, tensor<?x1xf32, #nn.extents<"N", 1>>) -> tensor<?x64xf32, #nn.extents<"N", 64>>
  return %3 : tensor<?x64xf32, #nn.extents<"N", 64>>
}

// A sum that is normalised and also read by others is written by the way.
// CHECK-LABEL: func @residual
// CHECK-NEXT: %[[BOTH:.*]]:2 = nn.call @{{.*}}(%arg0, %arg1, %arg2)
// CHECK-NEXT: return %[[BOTH]]#1, %[[BOTH]]#0
func.func @residual(%x: tensor<8x64xf32>, %r: tensor<8x64xf32>, %g: tensor<64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %0 = nn.add %x, %r : tensor<8x64xf32>
  %y, %mean, %rstd = nn.layer_norm %0, %g {axis = 1 : i64, eps = 1.0e-5 : f64} : (tensor<8x64xf32>, tensor<64xf32>) -> (tensor<8x64xf32>, tensor<8xf32>, tensor<8xf32>)
  return %y, %0 : tensor<8x64xf32>, tensor<8x64xf32>
}

// Rows of one reduction are not rows of the other.
// CHECK-LABEL: func @other_rows
// CHECK-COUNT-2: nn.call
// CHECK: return
func.func @other_rows(%x: tensor<64x64xf32>) -> tensor<64xf32> {
  %0 = nn.softmax %x {axis = 1 : i64} : tensor<64x64xf32>
  %1 = nn.reduce %0 {axes = array<i64: 0>, kind = "+"} : (tensor<64x64xf32>) -> tensor<64xf32>
  return %1 : tensor<64xf32>
}

// One long row: a kernel over rows would keep one core busy with all that follows.
// CHECK-LABEL: func @few_rows
// CHECK-COUNT-2: nn.call
// CHECK: return
func.func @few_rows(%x: tensor<1x131072xf32>) -> tensor<1x131072xf32> {
  %0 = nn.reduce %x {axes = array<i64: 1>, kind = "max"} : (tensor<1x131072xf32>) -> tensor<1xf32>
  %1 = nn.reshape %0 : tensor<1xf32> -> tensor<1x1xf32>
  %2 = nn.sub %x, %1 : (tensor<1x131072xf32>, tensor<1x1xf32>) -> tensor<1x131072xf32>
  return %2 : tensor<1x131072xf32>
}

// A reshape that only adds a dimension of one element does not end a kernel; one at its end is a view outside.
// CHECK-LABEL: func @units
// CHECK-NEXT: %[[Y:.*]] = nn.call @{{.*}}(%arg0, %arg1) : {{.*}} -> tensor<4x1x2xf32>
// CHECK-NEXT: %[[VIEW:.*]] = nn.reshape %[[Y]]
// CHECK-NEXT: nn.call @{{.*}}(%[[VIEW]])
func.func @units(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<2x4xf32> {
  %0 = nn.matmul %x, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %1 = nn.reshape %0 : tensor<4x2xf32> -> tensor<4x1x2xf32>
  %2 = nn.relu %1 : tensor<4x1x2xf32>
  %3 = nn.reshape %2 : tensor<4x1x2xf32> -> tensor<4x2xf32>
  %4 = nn.transpose %3 {perm = array<i64: 1, 0>} : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return %4 : tensor<2x4xf32>
}

// -----

// What an average and others read is written by the product, not by the kernel of the average.
// CHECK-LABEL: func @gate_before_average
// CHECK-NEXT: %[[GATED:.*]] = nn.call @{{.*}}(%arg0, %arg1)
// CHECK-NEXT: %[[MEAN:.*]] = nn.call @{{.*}}(%[[GATED]])
// CHECK-NEXT: return %[[GATED]], %[[MEAN]]
func.func @gate_before_average(%x: tensor<64x8xf32>, %w: tensor<8x16xf32>) -> (tensor<64x16xf32>, tensor<64xf32>) {
  %0 = nn.matmul %x, %w : (tensor<64x8xf32>, tensor<8x16xf32>) -> tensor<64x16xf32>
  %1 = nn.sigmoid %0 : tensor<64x16xf32>
  %2 = nn.mul %0, %1 : tensor<64x16xf32>
  %3 = nn.mean %2 {axes = array<i64: 1>} : (tensor<64x16xf32>) -> tensor<64xf32>
  return %2, %3 : tensor<64x16xf32>, tensor<64xf32>
}
