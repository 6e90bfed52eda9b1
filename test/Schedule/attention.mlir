// RUN: kumiko-opt %s --stage-fuse --stage-lower --stage-schedule | FileCheck %s

// Both products and the softmax in one kernel. Scores of some rows and the columns of a tile are in scratch, and all that
// a reduction and something behind it need is kept.
// CHECK: nn.kernel
// CHECK-SAME: chunk_row_blocks = 11
// CHECK-SAME: chunks = 8
// CHECK-SAME: copy_runs
// CHECK-SAME: kept_ops
// CHECK-SAME: panel_columns = 16
// CHECK-SAME: template = "attention"
// CHECK-SAME: tile_rows = 6
// CHECK-SAME: value_panel_columns = 16
// CHECK-SAME: value_tile_panels = 1
// CHECK-NOT: nn.kernel
func.func @main(%q: tensor<2x4x64x32xf32>, %k: tensor<2x4x32x64xf32>, %v: tensor<2x4x64x32xf32>) -> tensor<2x4x64x32xf32> {
  %0 = nn.matmul %q, %k : (tensor<2x4x64x32xf32>, tensor<2x4x32x64xf32>) -> tensor<2x4x64x64xf32>
  %1 = nn.softmax %0 {axis = 3 : i64} : tensor<2x4x64x64xf32>
  %2 = nn.matmul %1, %v : (tensor<2x4x64x64xf32>, tensor<2x4x64x32xf32>) -> tensor<2x4x64x32xf32>
  return %2 : tensor<2x4x64x32xf32>
}

// A mask that is made of positions on the way does not work on whole rows, but is only read by what does.
// CHECK: nn.kernel
// CHECK-SAME: template = "attention"
// CHECK-NOT: nn.kernel
func.func @mask(%q: tensor<2x4x64x32xf32>, %k: tensor<2x4x32x64xf32>, %v: tensor<2x4x64x32xf32>, %mask: tensor<2x1x1x64xi1>) -> tensor<2x4x64x32xf32> {
  %low = nn.constant dense<-100.0> : tensor<f32>
  %none = nn.constant dense<0.0> : tensor<f32>
  %0 = nn.select %mask, %none, %low : (tensor<2x1x1x64xi1>, tensor<f32>, tensor<f32>) -> tensor<2x1x1x64xf32>
  %1 = nn.matmul %q, %k : (tensor<2x4x64x32xf32>, tensor<2x4x32x64xf32>) -> tensor<2x4x64x64xf32>
  %2 = nn.add %1, %0 : (tensor<2x4x64x64xf32>, tensor<2x1x1x64xf32>) -> tensor<2x4x64x64xf32>
  %3 = nn.softmax %2 {axis = 3 : i64} : tensor<2x4x64x64xf32>
  %4 = nn.matmul %3, %v : (tensor<2x4x64x64xf32>, tensor<2x4x64x32xf32>) -> tensor<2x4x64x32xf32>
  return %4 : tensor<2x4x64x32xf32>
}
