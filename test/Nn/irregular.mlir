// RUN: kumiko-opt %s | kumiko-opt | FileCheck %s

// Every op without an equation, printed and read again.

// CHECK-LABEL: func @sorting
func.func @sorting(%x: tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xi64>) {
  // CHECK: nn.topk %{{.*}} {axis = 1 : i64, k = 2 : i64, largest = true} : (tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xi64>)
  %v, %i = nn.topk %x {axis = 1, k = 2, largest = true} : (tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xi64>)
  return %v, %i : tensor<3x2xf32>, tensor<3x2xi64>
}

// An extent that values decide is open; a result may know it.
// CHECK-LABEL: func @sizes_from_values
func.func @sizes_from_values(%x: tensor<3x4xf32>, %b: tensor<1x6x4xf32>, %s: tensor<1x1x6xf32>) {
  // CHECK: nn.nonzero %{{.*}} : (tensor<3x4xf32>) -> tensor<2x?xi64>
  %0 = nn.nonzero %x : (tensor<3x4xf32>) -> tensor<2x?xi64>
  // CHECK: nn.nonzero %{{.*}} : (tensor<3x4xf32>) -> tensor<2x5xi64>
  %1 = nn.nonzero %x : (tensor<3x4xf32>) -> tensor<2x5xi64>
  // CHECK: nn.unique
  %y, %f, %w, %c = nn.unique %x {axis = 0, sorted = true} : (tensor<3x4xf32>) -> (tensor<?x4xf32>, tensor<?xi64>, tensor<3xi64>, tensor<?xi64>)
  // CHECK: nn.nms
  %2 = nn.nms %b, %s {limit = 3, iou = 0.5, threshold = 0.0, centered = false} : (tensor<1x6x4xf32>, tensor<1x1x6xf32>) -> tensor<?x3xi64>
  return
}

// CHECK-LABEL: func @others
func.func @others(%m: tensor<5x3x3xf32>, %x: tensor<1x3x8x8xf32>, %r: tensor<5x4xf32>, %b: tensor<5xi64>, %p: tensor<5x5xf32>, %t: tensor<1x7xi64>) {
  // CHECK: nn.det
  %0 = nn.det %m : (tensor<5x3x3xf32>) -> tensor<5xf32>
  // CHECK: nn.roi_align
  %1 = nn.roi_align %x, %r, %b {height = 2, width = 2, sampling = 0, scale = 1.0, half_pixel = true, mode = "avg"} : (tensor<1x3x8x8xf32>, tensor<5x4xf32>, tensor<5xi64>) -> tensor<5x3x2x2xf32>
  // CHECK: nn.max_roi_pool
  %2 = nn.max_roi_pool %x, %p {height = 2, width = 2, scale = 1.0} : (tensor<1x3x8x8xf32>, tensor<5x5xf32>) -> tensor<5x3x2x2xf32>
  // CHECK: nn.ngram_count
  %3 = nn.ngram_count %t {pool = array<i64: 2, 3, 5, 4>, starts = array<i64: 0, 0>, columns = array<i64: 0, 1>, shortest = 2, longest = 2, skips = 0} : (tensor<1x7xi64>) -> tensor<1x2xf32>
  // CHECK: nn.random_bits
  %4 = nn.random_bits {shape = array<i64: 2, 3>, key = 7} : () -> tensor<2x3xui32>
  return
}
