// Scatters and running sums go over their points once, in order, instead of testing each point for each element.
// RUN: kumiko-opt %s --split-input-file --stage-fuse --stage-lower --stage-schedule | FileCheck %s

// CHECK-LABEL: nn.kernel
// CHECK-SAME: template = "scatter"
func.func @main(%x: tensor<64x32xf32>, %i: tensor<16x1xi64>, %u: tensor<16x32xf32>) -> tensor<64x32xf32> {
  %y = nn.scatter_nd %x, %i, %u {kind = "set"}
      : (tensor<64x32xf32>, tensor<16x1xi64>, tensor<16x32xf32>) -> tensor<64x32xf32>
  return %y : tensor<64x32xf32>
}

// -----

// A million writes into as many elements are one pass over the writes, not a comparison for each pair.
// CHECK-LABEL: nn.kernel
// CHECK-SAME: template = "scatter"
func.func @main(%x: tensor<1000000xf32>, %i: tensor<1000000xi64>, %u: tensor<1000000xf32>) -> tensor<1000000xf32> {
  %y = nn.scatter_elements %x, %i, %u {axis = 0, kind = "+"}
      : (tensor<1000000xf32>, tensor<1000000xi64>, tensor<1000000xf32>) -> tensor<1000000xf32>
  return %y : tensor<1000000xf32>
}

// -----

// CHECK-LABEL: nn.kernel
// CHECK-SAME: template = "scatter"
func.func @main(%x: tensor<64x32xf32>, %i: tensor<64x16xi64>, %u: tensor<64x16xf32>) -> tensor<64x32xf32> {
  %y = nn.scatter_elements %x, %i, %u {axis = 1, kind = "+"}
      : (tensor<64x32xf32>, tensor<64x16xi64>, tensor<64x16xf32>) -> tensor<64x32xf32>
  return %y : tensor<64x32xf32>
}

// -----

// What follows a running sum at the same place is computed along with it.
// CHECK-LABEL: nn.kernel
// CHECK-SAME: template = "running"
func.func @main(%x: tensor<64x32xf16>) -> tensor<64x32xf16> {
  %y = nn.cumulate %x {kind = "*", axis = 0, reverse = true, exclusive = true} : (tensor<64x32xf16>) -> tensor<64x32xf16>
  return %y : tensor<64x32xf16>
}

// -----

// Chunks share the columns of a row where there are several lines for each.
// CHECK-LABEL: nn.kernel
// CHECK-SAME: chunks = 2
// CHECK-SAME: template = "scatter"
func.func @main(%x: tensor<8192x512xf32>, %i: tensor<4096x1xi64>, %u: tensor<4096x512xf32>) -> tensor<8192x512xf32> {
  %y = nn.scatter_nd %x, %i, %u {kind = "set"}
      : (tensor<8192x512xf32>, tensor<4096x1xi64>, tensor<4096x512xf32>) -> tensor<8192x512xf32>
  return %y : tensor<8192x512xf32>
}

// -----

// Rows of four elements are not shared.
// CHECK-LABEL: nn.kernel
// CHECK-SAME: chunks = 1
// CHECK-SAME: template = "scatter"
func.func @main(%x: tensor<8192x4xf32>, %i: tensor<1000000x1xi64>, %u: tensor<1000000x4xf32>) -> tensor<8192x4xf32> {
  %y = nn.scatter_nd %x, %i, %u {kind = "set"}
      : (tensor<8192x4xf32>, tensor<1000000x1xi64>, tensor<1000000x4xf32>) -> tensor<8192x4xf32>
  return %y : tensor<8192x4xf32>
}

// -----

// Sums of a narrow type are rounded by a kernel of its own: behind a scatter in the same kernel each element would look at
// all points.
// CHECK-DAG: nn.kernel {{.*}} -> tensor<64x32xf32> {{.*}} template = "scatter"
// CHECK-DAG: nn.kernel {{.*}} -> tensor<64x32xf16> {{.*}} template = "points"
func.func @main(%x: tensor<64x32xf16>, %i: tensor<64x16xi64>, %u: tensor<64x16xf16>) -> tensor<64x32xf16> {
  %y = nn.scatter_elements %x, %i, %u {axis = 1, kind = "+"}
      : (tensor<64x32xf16>, tensor<64x16xi64>, tensor<64x16xf16>) -> tensor<64x32xf16>
  return %y : tensor<64x32xf16>
}
