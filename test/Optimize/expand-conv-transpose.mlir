// RUN: kumiko-opt %s --nn-expand-conv-transpose --mlir-elide-elementsattrs-if-larger=8 | FileCheck %s

// A window as long as the stride: each phase has one tap, the features of all of them are one product, and nothing is
// cropped. Those of a row lie where they belong, so that rows only follow each other.
// CHECK-LABEL: func.func @upsample
// CHECK-DAG: %[[V:.*]] = nn.constant {{.*}} : tensor<12x2x1x1xf32>
// CHECK-DAG: %[[X:.*]] = nn.transpose %arg0 {perm = array<i64: 0, 2, 3, 1>}
// CHECK: %[[Z:.*]] = nn.conv %[[X]], %[[V]] {{.*}} : (tensor<1x4x4x2xf32>, tensor<12x2x1x1xf32>) -> tensor<1x4x4x12xf32>
// CHECK: nn.slice %[[Z]] {{.*}} start = array<i64: 0, 0, 0, 0>
// CHECK: nn.slice %[[Z]] {{.*}} start = array<i64: 0, 0, 0, 6>
// CHECK: nn.concat {{.*}} {axis = 2 : i64} : (tensor<1x4x1x4x6xf32>, tensor<1x4x1x4x6xf32>) -> tensor<1x4x2x4x6xf32>
// CHECK-NEXT: nn.reshape {{.*}} -> tensor<1x8x8x3xf32>
// CHECK-NOT: nn.pad
// CHECK: return
func.func @upsample(%x: tensor<1x2x4x4xf32>) -> tensor<1x3x8x8xf32> {
  %w = nn.constant dense<1.0> : tensor<2x3x2x2xf32>
  %y = nn.conv_transpose %x, %w {stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, out = array<i64: 8, 8>} : (tensor<1x2x4x4xf32>, tensor<2x3x2x2xf32>) -> tensor<1x3x8x8xf32>
  return %y : tensor<1x3x8x8xf32>
}

// Phases with features enough are products of their own. What is added to each feature, and what follows element by
// element, is part of them; the last op needs more than the element.
// CHECK-LABEL: func.func @followed
// CHECK: %[[B:.*]] = nn.concat %arg1, %arg1 {axis = 0 : i64}
// CHECK: %[[A:.*]] = nn.conv {{.*}}, %[[B]] {{.*}} -> tensor<1x4x4x16xf32>
// CHECK: nn.mul %[[A]]
// CHECK: nn.relu
// CHECK: nn.conv {{.*}}, %[[B]] {{.*}} -> tensor<1x4x4x16xf32>
// CHECK: nn.relu
// CHECK: nn.concat {{.*}} {axis = 2 : i64}
// CHECK: %[[Y:.*]] = nn.transpose {{.*}} {perm = array<i64: 0, 3, 1, 2>}
// CHECK: nn.add %[[Y]], %arg2
func.func @followed(%x: tensor<1x2x4x4xf32>, %b: tensor<8xf32>, %u: tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32> {
  %w = nn.constant dense<1.0> : tensor<2x8x2x2xf32>
  %a = nn.constant dense<2.0> : tensor<8x1x1xf32>
  %y = nn.conv_transpose %x, %w, %b {stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, out = array<i64: 8, 8>} : (tensor<1x2x4x4xf32>, tensor<2x8x2x2xf32>, tensor<8xf32>) -> tensor<1x8x8x8xf32>
  %0 = nn.mul %y, %a : (tensor<1x8x8x8xf32>, tensor<8x1x1xf32>) -> tensor<1x8x8x8xf32>
  %1 = nn.relu %0 : tensor<1x8x8x8xf32>
  %2 = nn.add %1, %u : tensor<1x8x8x8xf32>
  return %2 : tensor<1x8x8x8xf32>
}

// A constant that such an op reads may stand behind the convolution: it moves in front of it.
// CHECK-LABEL: func.func @constant_behind
// CHECK: nn.constant dense<2.0
// CHECK: nn.conv
// CHECK: nn.mul
func.func @constant_behind(%x: tensor<1x2x4x4xf32>, %b: tensor<8xf32>) -> tensor<1x8x8x8xf32> {
  %w = nn.constant dense<1.0> : tensor<2x8x2x2xf32>
  %y = nn.conv_transpose %x, %w, %b {stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, out = array<i64: 8, 8>} : (tensor<1x2x4x4xf32>, tensor<2x8x2x2xf32>, tensor<8xf32>) -> tensor<1x8x8x8xf32>
  %two = nn.constant dense<2.0> : tensor<8x1x1xf32>
  %z = nn.mul %y, %two : (tensor<1x8x8x8xf32>, tensor<8x1x1xf32>) -> tensor<1x8x8x8xf32>
  return %z : tensor<1x8x8x8xf32>
}

// Zeros beyond the last tap get the bias, too, so it comes behind them, and so does what follows.
// CHECK-LABEL: func.func @beyond
// CHECK: nn.conv %{{[^,]*}}, %{{[^,]*}} {
// CHECK-NOT: nn.relu
// CHECK: nn.pad
// CHECK-NEXT: nn.add {{.*}}, %arg1
// CHECK: nn.relu
func.func @beyond(%x: tensor<1x2x4x4xf32>, %b: tensor<8xf32>) -> tensor<1x8x9x8xf32> {
  %w = nn.constant dense<1.0> : tensor<2x8x2x2xf32>
  %y = nn.conv_transpose %x, %w, %b {stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, out = array<i64: 9, 8>} : (tensor<1x2x4x4xf32>, tensor<2x8x2x2xf32>, tensor<8xf32>) -> tensor<1x8x9x8xf32>
  %0 = nn.relu %y : tensor<1x8x9x8xf32>
  return %0 : tensor<1x8x9x8xf32>
}

// Sizes may be expressions.
// CHECK-LABEL: func.func @open
// CHECK: nn.conv {{.*}} -> tensor<1x?x12xf32, #nn.extents<1, "s + 1", 12>>
func.func @open(%x: tensor<1x2x?xf32, #nn.extents<1, 2, "s">>) -> tensor<1x6x?xf32, #nn.extents<1, 6, "2*s">> {
  %w = nn.constant dense<1.0> : tensor<2x6x4xf32>
  %y = nn.conv_transpose %x, %w {stride = array<i64: 2>, dilation = array<i64: 1>, lo = array<i64: 1>, out = [#nn.extent<"2*s">]} : (tensor<1x2x?xf32, #nn.extents<1, 2, "s">>, tensor<2x6x4xf32>) -> tensor<1x6x?xf32, #nn.extents<1, 6, "2*s">>
  return %y : tensor<1x6x?xf32, #nn.extents<1, 6, "2*s">>
}

// With dilation, with weights that are computed and where nearly all taps would be zeros: a product for all taps, whose
// columns are added where they belong.
// CHECK-LABEL: func.func @columns
// CHECK-NOT: nn.conv_transpose
// CHECK: %[[A:.*]] = nn.matmul {{.*}} : (tensor<1x6x2xf32>, tensor<1x1x2x4xf32>) -> tensor<1x1x6x4xf32>
// CHECK: %[[B:.*]] = nn.reshape %[[A]] : tensor<1x1x6x4xf32> -> tensor<1x6x4xf32>
// CHECK: nn.col2im %[[B]] {dilation = array<i64: 2>, image = array<i64: 9>, kernel = array<i64: 2>, lo = array<i64: 0>, out = array<i64: 4>, stride = array<i64: 2>} : (tensor<1x6x4xf32>) -> tensor<1x3x9xf32>
// CHECK: nn.col2im {{.*}} -> tensor<1x3x8xf32>
// CHECK: nn.col2im {{.*}} -> tensor<1x3x28xf32>
func.func @columns(%x: tensor<1x2x4xf32>, %v: tensor<2x3x2xf32>) -> (tensor<1x3x9xf32>, tensor<1x3x8xf32>, tensor<1x3x28xf32>) {
  %w = nn.constant dense<1.0> : tensor<2x3x2xf32>
  %u = nn.constant dense<1.0> : tensor<2x3x1xf32>
  %0 = nn.conv_transpose %x, %w {stride = array<i64: 2>, dilation = array<i64: 2>, lo = array<i64: 0>, out = array<i64: 9>} : (tensor<1x2x4xf32>, tensor<2x3x2xf32>) -> tensor<1x3x9xf32>
  %1 = nn.conv_transpose %x, %v {stride = array<i64: 2>, dilation = array<i64: 1>, lo = array<i64: 0>, out = array<i64: 8>} : (tensor<1x2x4xf32>, tensor<2x3x2xf32>) -> tensor<1x3x8xf32>
  %2 = nn.conv_transpose %x, %u {stride = array<i64: 9>, dilation = array<i64: 1>, lo = array<i64: 0>, out = array<i64: 28>} : (tensor<1x2x4xf32>, tensor<2x3x1xf32>) -> tensor<1x3x28xf32>
  return %0, %1, %2 : tensor<1x3x9xf32>, tensor<1x3x8xf32>, tensor<1x3x28xf32>
}

// Sums of 16 bits are rounded at the end, after the bias; channels may be last, and in groups.
// CHECK-LABEL: func.func @narrow
// CHECK: nn.matmul {{.*}} : (tensor<2x6x1xf32>, tensor<1x2x1x4xf32>) -> tensor<1x2x6x4xf32>
// CHECK: nn.col2im {{.*}} : (tensor<1x12x4xf32>) -> tensor<1x6x9xf32>
// CHECK: nn.add {{.*}} : (tensor<1x6x9xf32>, tensor<6x1xf32>) -> tensor<1x6x9xf32>
// CHECK: nn.transpose {{.*}} {perm = array<i64: 0, 2, 1>} : (tensor<1x6x9xf32>) -> tensor<1x9x6xf32>
// CHECK: nn.cast {{.*}} -> tensor<1x9x6xbf16>
func.func @narrow(%x: tensor<1x4x2xbf16>, %w: tensor<2x3x2xbf16>, %b: tensor<6xbf16>) -> tensor<1x9x6xbf16> {
  %y = nn.conv_transpose %x, %w, %b {stride = array<i64: 2>, dilation = array<i64: 2>, lo = array<i64: 0>, out = array<i64: 9>, group = 2 : i64, channel = 2 : i64} : (tensor<1x4x2xbf16>, tensor<2x3x2xbf16>, tensor<6xbf16>) -> tensor<1x9x6xbf16>
  return %y : tensor<1x9x6xbf16>
}

// A stride of 0 stays: every input goes to the same place.
// CHECK-LABEL: func.func @keep
// CHECK: nn.conv_transpose
func.func @keep(%x: tensor<1x2x4xf32>, %v: tensor<2x3x2xf32>) -> tensor<1x3x2xf32> {
  %y = nn.conv_transpose %x, %v {stride = array<i64: 0>, dilation = array<i64: 1>, lo = array<i64: 0>, out = array<i64: 2>} : (tensor<1x2x4xf32>, tensor<2x3x2xf32>) -> tensor<1x3x2xf32>
  return %y : tensor<1x3x2xf32>
}

// Products of f64 have tiles for phases, too.
// CHECK-LABEL: func.func @wide
// CHECK-NOT: nn.col2im
// CHECK: nn.conv
func.func @wide(%x: tensor<1x2x3xf64>) -> tensor<1x1x6xf64> {
  %w = nn.constant dense<1.0> : tensor<2x1x4xf64>
  %y = nn.conv_transpose %x, %w {stride = array<i64: 2>, dilation = array<i64: 1>, lo = array<i64: 1>, out = array<i64: 6>} : (tensor<1x2x3xf64>, tensor<2x1x4xf64>) -> tensor<1x1x6xf64>
  return %y : tensor<1x1x6xf64>
}
