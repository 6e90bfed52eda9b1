// RUN: kumiko-opt %s --nn-assign-layout --canonicalize | FileCheck %s

// One transpose at the input, one at the result; between them everything has its channels last.
// CHECK-LABEL: func.func @chain
func.func @chain(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %v: tensor<4x4x1x1xf32>, %s: tensor<4xf32>) -> tensor<1x4x4x4xf32> {
  // CHECK-NEXT: %[[T:.*]] = nn.transpose %arg0 {perm = array<i64: 0, 2, 3, 1>}
  // CHECK-NEXT: %[[C:.*]] = nn.conv %[[T]], %arg1 {channel = 3 : i64{{.*}} -> tensor<1x8x8x4xf32>
  // CHECK-NEXT: %[[N:.*]] = nn.batch_norm %[[C]], {{.*}}channel = 3
  // CHECK-NEXT: %[[R:.*]] = nn.relu %[[N]] : tensor<1x8x8x4xf32>
  // CHECK-NEXT: %[[D:.*]] = nn.conv %[[R]], %arg2 {channel = 3
  // CHECK-NEXT: %[[A:.*]] = nn.add %[[D]], %[[R]] : tensor<1x8x8x4xf32>
  // CHECK-NEXT: %[[P:.*]], %{{.*}} = nn.max_pool %[[A]] {channel = 3
  // CHECK-NEXT: nn.transpose %[[P]] {perm = array<i64: 0, 3, 1, 2>}
  // CHECK-NEXT: return
  %0 = nn.conv %x, %w {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 1, 1>, hi = array<i64: 1, 1>} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  %1 = nn.batch_norm %0, %s, %s, %s, %s {eps = 1.0e-5} : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>
  %2 = nn.relu %1 : tensor<1x4x8x8xf32>
  %3 = nn.conv %2, %v {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %4 = nn.add %3, %2 : tensor<1x4x8x8xf32>
  %5, %6 = nn.max_pool %4 {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x4x8x8xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xi64>)
  return %5 : tensor<1x4x4x4xf32>
}

// Attributes that name dimensions follow, lists per dimension too; constants move along; a mean over the image leaves
// nothing to transpose.
// CHECK-LABEL: func.func @axes
func.func @axes(%x: tensor<2x9x4x5xf32>, %w: tensor<4x9x1x1xf32>) -> (tensor<2x8xf32>, tensor<2x8x4x5xf32>) {
  // CHECK: %[[B:.*]] = nn.constant dense<5.000000e-01> : tensor<1x1x1x4xf32>
  // CHECK: %[[C:.*]] = nn.conv
  // CHECK: %[[P:.*]] = nn.prelu %[[C]], %[[B]]
  // CHECK: %[[K:.*]] = nn.concat %[[C]], %[[P]] {axis = 3
  // CHECK: %[[D:.*]] = nn.pad %[[K]] {hi = array<i64: 0, 0, 1, 0>, lo = array<i64: 0, 1, 0, 0>}
  // CHECK: %[[S:.*]] = nn.slice %[[D]] {out = array<i64: 2, 4, 5, 8>, start = array<i64: 0, 1, 0, 0>
  // CHECK: %[[F:.*]] = nn.softmax %[[S]] {axis = 3
  // CHECK: %[[T:.*]] = nn.transpose %[[F]] {perm = array<i64: 0, 3, 1, 2>}
  // CHECK: %[[M:.*]] = nn.mean %[[F]] {axes = array<i64: 1, 2>} : (tensor<2x4x5x8xf32>) -> tensor<2x8xf32>
  // CHECK-NEXT: return %[[M]], %[[T]]
  %slope = nn.constant dense<0.5> : tensor<4x1x1xf32>
  %0 = nn.conv %x, %w {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<2x9x4x5xf32>, tensor<4x9x1x1xf32>) -> tensor<2x4x4x5xf32>
  %1 = nn.prelu %0, %slope : (tensor<2x4x4x5xf32>, tensor<4x1x1xf32>) -> tensor<2x4x4x5xf32>
  %2 = nn.concat %0, %1 {axis = 1} : (tensor<2x4x4x5xf32>, tensor<2x4x4x5xf32>) -> tensor<2x8x4x5xf32>
  %3 = nn.pad %2 {lo = array<i64: 0, 0, 1, 0>, hi = array<i64: 0, 0, 0, 1>} : (tensor<2x8x4x5xf32>) -> tensor<2x8x5x6xf32>
  %4 = nn.slice %3 {start = array<i64: 0, 0, 1, 0>, step = array<i64: 1, 1, 1, 1>, out = array<i64: 2, 8, 4, 5>} : (tensor<2x8x5x6xf32>) -> tensor<2x8x4x5xf32>
  %5 = nn.softmax %4 {axis = 1} : tensor<2x8x4x5xf32>
  %6 = nn.mean %5 {axes = array<i64: 2, 3>} : (tensor<2x8x4x5xf32>) -> tensor<2x8xf32>
  return %6, %5 : tensor<2x8xf32>, tensor<2x8x4x5xf32>
}

// Global pooling and flattening: with one pixel left, a transpose is a reshape, and reshapes become one.
// CHECK-LABEL: func.func @classifier
func.func @classifier(%x: tensor<2x3x4x4xf32>, %w: tensor<8x3x4x4xf32>) -> tensor<2x8xf32> {
  // CHECK: %[[C:.*]] = nn.conv
  // CHECK-NEXT: %[[R:.*]] = nn.reshape %[[C]] : tensor<2x1x1x8xf32> -> tensor<2x8xf32>
  // CHECK-NEXT: return %[[R]]
  %0 = nn.conv %x, %w {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<2x3x4x4xf32>, tensor<8x3x4x4xf32>) -> tensor<2x8x1x1xf32>
  %1 = nn.reshape %0 : tensor<2x8x1x1xf32> -> tensor<2x8xf32>
  return %1 : tensor<2x8xf32>
}

// A gate of one pixel per channel (squeeze and excitation) turns for free.
// CHECK-LABEL: func.func @gate
func.func @gate(%x: tensor<1x9x3x3xf32>, %w: tensor<4x9x1x1xf32>, %g: tensor<1x4x1x1xf32>) -> tensor<1x4x3x3xf32> {
  // CHECK: %[[C:.*]] = nn.conv
  // CHECK: %[[G:.*]] = nn.reshape %arg2 : tensor<1x4x1x1xf32> -> tensor<1x1x1x4xf32>
  // CHECK: nn.mul %[[C]], %[[G]]
  %0 = nn.conv %x, %w {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x9x3x3xf32>, tensor<4x9x1x1xf32>) -> tensor<1x4x3x3xf32>
  %1 = nn.mul %0, %g : (tensor<1x4x3x3xf32>, tensor<1x4x1x1xf32>) -> tensor<1x4x3x3xf32>
  return %1 : tensor<1x4x3x3xf32>
}

// The shuffle of channels between two convolutions becomes a shuffle of the last dimension.
// CHECK-LABEL: func.func @shuffle
func.func @shuffle(%x: tensor<1x6x4x4xf32>, %w: tensor<6x6x1x1xf32>) -> tensor<1x6x4x4xf32> {
  // CHECK: %[[C:.*]] = nn.conv
  // CHECK-NEXT: %[[A:.*]] = nn.reshape %[[C]] : tensor<1x4x4x6xf32> -> tensor<1x4x4x2x3xf32>
  // CHECK-NEXT: %[[T:.*]] = nn.transpose %[[A]] {perm = array<i64: 0, 1, 2, 4, 3>}
  // CHECK-NEXT: %[[B:.*]] = nn.reshape %[[T]] : tensor<1x4x4x3x2xf32> -> tensor<1x4x4x6xf32>
  // CHECK-NEXT: nn.conv %[[B]]
  %0 = nn.conv %x, %w {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x6x4x4xf32>, tensor<6x6x1x1xf32>) -> tensor<1x6x4x4xf32>
  %1 = nn.reshape %0 : tensor<1x6x4x4xf32> -> tensor<1x2x3x4x4xf32>
  %2 = nn.transpose %1 {perm = array<i64: 0, 2, 1, 3, 4>} : (tensor<1x2x3x4x4xf32>) -> tensor<1x3x2x4x4xf32>
  %3 = nn.reshape %2 : tensor<1x3x2x4x4xf32> -> tensor<1x6x4x4xf32>
  %4 = nn.conv %3, %w {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x6x4x4xf32>, tensor<6x6x1x1xf32>) -> tensor<1x6x4x4xf32>
  return %4 : tensor<1x6x4x4xf32>
}

// A maximum whose position is read counts in the layout of its operand, and a normalisation over the last dimensions
// knows no other order: the transpose stays above them.
// CHECK-LABEL: func.func @keep_above
func.func @keep_above(%x: tensor<1x9x4x4xf32>, %w: tensor<4x9x1x1xf32>, %s: tensor<4x4xf32>) -> (tensor<1x4x2x2xi64>, tensor<1x4x4x4xf32>) {
  // CHECK: %[[T:.*]] = nn.transpose %{{.*}} {perm = array<i64: 0, 3, 1, 2>}
  // CHECK: nn.max_pool %[[T]]
  // CHECK: nn.layer_norm %[[T]]
  %0 = nn.conv %x, %w {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x9x4x4xf32>, tensor<4x9x1x1xf32>) -> tensor<1x4x4x4xf32>
  %1, %2 = nn.max_pool %0 {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x4x4x4xf32>) -> (tensor<1x4x2x2xf32>, tensor<1x4x2x2xi64>)
  %3, %4, %5 = nn.layer_norm %0, %s {axis = 2, eps = 1.0e-5} : (tensor<1x4x4x4xf32>, tensor<4x4xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>)
  return %2, %3 : tensor<1x4x2x2xi64>, tensor<1x4x4x4xf32>
}

// A single convolution takes less time than to move what it makes, which is six times as much as it reads.
// CHECK-LABEL: func.func @keep_short_sums
// CHECK-NEXT: nn.conv %arg0, %arg1 {
// CHECK-NEXT: return
func.func @keep_short_sums(%x: tensor<1x2x30xf32>, %w: tensor<12x1x2xf32>) -> tensor<1x12x29xf32> {
  %0 = nn.conv %x, %w {stride = array<i64: 1>, dilation = array<i64: 1>, lo = array<i64: 0>, hi = array<i64: 0>, group = 2 : i64} : (tensor<1x2x30xf32>, tensor<12x1x2xf32>) -> tensor<1x12x29xf32>
  return %0 : tensor<1x12x29xf32>
}

// Without a convolution nothing changes.
// CHECK-LABEL: func.func @keep_without_convolution
// CHECK-NEXT: nn.transpose
// CHECK-NEXT: nn.relu
func.func @keep_without_convolution(%x: tensor<1x3x4x4xf32>) -> tensor<1x4x4x3xf32> {
  %0 = nn.transpose %x {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x3x4x4xf32>) -> tensor<1x4x4x3xf32>
  %1 = nn.relu %0 : tensor<1x4x4x3xf32>
  return %1 : tensor<1x4x4x3xf32>
}

// What a branch computes has the same layout as what stands around it.
// CHECK-LABEL: func.func @branch
func.func @branch(%c: tensor<i1>, %x: tensor<1x9x8xf32>, %w: tensor<4x9x1xf32>) -> tensor<1x4x8xf32> {
  // CHECK: nn.if
  // CHECK: %[[X:.*]] = nn.transpose %{{.*}} {perm = array<i64: 0, 2, 1>}
  // CHECK: nn.conv %[[X]], %{{.*}} {channel = 2 : i64
  // CHECK: else
  %0 = nn.if %c shared(%x, %w) : (tensor<i1>, tensor<1x9x8xf32>, tensor<4x9x1xf32>) -> tensor<1x4x8xf32> {
  ^bb0(%a: tensor<1x9x8xf32>, %b: tensor<4x9x1xf32>):
    %1 = nn.conv %a, %b {stride = array<i64: 1>, dilation = array<i64: 1>, lo = array<i64: 0>, hi = array<i64: 0>} : (tensor<1x9x8xf32>, tensor<4x9x1xf32>) -> tensor<1x4x8xf32>
    nn.yield %1 : tensor<1x4x8xf32>
  } else {
  ^bb0(%a: tensor<1x9x8xf32>, %b: tensor<4x9x1xf32>):
    %2 = nn.concat %a, %a {axis = 1} : (tensor<1x9x8xf32>, tensor<1x9x8xf32>) -> tensor<1x18x8xf32>
    %3 = nn.slice %2 {start = array<i64: 0, 0, 0>, step = array<i64: 1, 1, 1>, out = array<i64: 1, 4, 8>} : (tensor<1x18x8xf32>) -> tensor<1x4x8xf32>
    nn.yield %3 : tensor<1x4x8xf32>
  }
  return %0 : tensor<1x4x8xf32>
}

// An image that is enlarged on its way to a convolution: the transpose moves eight times as much below, where it
// vanishes.
// CHECK-LABEL: func.func @enlarged
func.func @enlarged(%x: tensor<1x3x2x4xf32>, %w: tensor<4x3x1x1xf32>, %v: tensor<5x4x1x1xf32>, %rows: tensor<16xi64>) -> tensor<1x5x16x4xf32> {
  // CHECK: %[[C:.*]] = nn.conv
  // CHECK-NEXT: %[[G:.*]] = nn.gather %[[C]], %arg3 {axis = 1
  // CHECK-NEXT: %[[D:.*]] = nn.conv %[[G]], %arg2
  // CHECK-NEXT: nn.transpose %[[D]]
  // CHECK-NEXT: return
  %0 = nn.conv %x, %w {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x3x2x4xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x2x4xf32>
  %1 = nn.gather %0, %rows {axis = 2 : i64} : (tensor<1x4x2x4xf32>, tensor<16xi64>) -> tensor<1x4x16x4xf32>
  %2 = nn.conv %1, %v {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x4x16x4xf32>, tensor<5x4x1x1xf32>) -> tensor<1x5x16x4xf32>
  return %2 : tensor<1x5x16x4xf32>
}

// Towards a result nothing waits for it, and the smaller tensor is moved.
// CHECK-LABEL: func.func @enlarged_at_the_end
func.func @enlarged_at_the_end(%x: tensor<1x9x2x4xf32>, %w: tensor<4x9x1x1xf32>, %rows: tensor<16xi64>) -> tensor<1x4x16x4xf32> {
  // CHECK: %[[C:.*]] = nn.conv
  // CHECK-NEXT: %[[T:.*]] = nn.transpose %[[C]]
  // CHECK-NEXT: nn.gather %[[T]], %arg2 {axis = 2
  // CHECK-NEXT: return
  %0 = nn.conv %x, %w {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x9x2x4xf32>, tensor<4x9x1x1xf32>) -> tensor<1x4x2x4xf32>
  %1 = nn.gather %0, %rows {axis = 2 : i64} : (tensor<1x4x2x4xf32>, tensor<16xi64>) -> tensor<1x4x16x4xf32>
  return %1 : tensor<1x4x16x4xf32>
}
