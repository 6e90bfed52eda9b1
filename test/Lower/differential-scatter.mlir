// RUN: python3 %S/differential.py %s

// Computed left sides: overlapping windows, writes outside, repeated and missing positions.

func.func @conv_transpose_all(%x: tensor<2x4x5x3xf32>, %w: tensor<4x3x3x2xf32>, %b: tensor<6xf32>) -> tensor<2x6x9x4xf32> {
  %y = nn.conv_transpose %x, %w, %b {stride = array<i64: 2, 1>, dilation = array<i64: 1, 2>, lo = array<i64: 1, 1>, out = array<i64: 9, 4>, group = 2} : (tensor<2x4x5x3xf32>, tensor<4x3x3x2xf32>, tensor<6xf32>) -> tensor<2x6x9x4xf32>
  return %y : tensor<2x6x9x4xf32>
}
func.func @conv_transpose_last(%x: tensor<1x4x3x2xf32>, %w: tensor<2x3x3x3xf32>) -> tensor<1x9x7x3xf32> {
  %y = nn.conv_transpose %x, %w {stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, out = array<i64: 9, 7>, channel = 3} : (tensor<1x4x3x2xf32>, tensor<2x3x3x3xf32>) -> tensor<1x9x7x3xf32>
  return %y : tensor<1x9x7x3xf32>
}
// A kernel of one element and a stride: nothing is written between.
func.func @conv_transpose_gaps(%x: tensor<1x2x4x3xf32>, %w: tensor<2x3x1x2xf32>, %b: tensor<3xf32>) -> tensor<1x3x8x7xf32> {
  %y = nn.conv_transpose %x, %w, %b {stride = array<i64: 2, 3>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, out = array<i64: 8, 7>} : (tensor<1x2x4x3xf32>, tensor<2x3x1x2xf32>, tensor<3xf32>) -> tensor<1x3x8x7xf32>
  return %y : tensor<1x3x8x7xf32>
}
// Nothing is summed, and the kernel is longer than the result.
func.func @conv_transpose_no_channels(%x: tensor<1x0x1xf32>, %w: tensor<0x1x2xf32>) -> tensor<1x1x1xf32> {
  %y = nn.conv_transpose %x, %w {stride = array<i64: 1>, dilation = array<i64: 1>, lo = array<i64: 0>, out = array<i64: 1>} : (tensor<1x0x1xf32>, tensor<0x1x2xf32>) -> tensor<1x1x1xf32>
  return %y : tensor<1x1x1xf32>
}
func.func @col2im_overlap(%x: tensor<1x8x9xf32>) -> tensor<1x2x4x4xf32> {
  %y = nn.col2im %x {image = array<i64: 4, 4>, kernel = array<i64: 2, 2>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, out = array<i64: 3, 3>} : (tensor<1x8x9xf32>) -> tensor<1x2x4x4xf32>
  return %y : tensor<1x2x4x4xf32>
}
func.func @col2im_border(%x: tensor<1x4x16xf32>) -> tensor<1x1x3x3xf32> {
  %y = nn.col2im %x {image = array<i64: 3, 3>, kernel = array<i64: 2, 2>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 1, 1>, out = array<i64: 4, 4>} : (tensor<1x4x16xf32>) -> tensor<1x1x3x3xf32>
  return %y : tensor<1x1x3x3xf32>
}
func.func @scatter_add(%x: tensor<5x4xf32>, %i: tensor<3x2xi64> {test.below = 5}, %u: tensor<3x2xf32>) -> tensor<5x4xf32> {
  %y = nn.scatter_elements %x, %i, %u {axis = 0, kind = "+"} : (tensor<5x4xf32>, tensor<3x2xi64>, tensor<3x2xf32>) -> tensor<5x4xf32>
  return %y : tensor<5x4xf32>
}
func.func @scatter_max_f16(%x: tensor<6xf16>, %i: tensor<8xi32> {test.below = 6}, %u: tensor<8xf16>) -> tensor<6xf16> {
  %y = nn.scatter_elements %x, %i, %u {axis = 0, kind = "max"} : (tensor<6xf16>, tensor<8xi32>, tensor<8xf16>) -> tensor<6xf16>
  return %y : tensor<6xf16>
}
func.func @scatter_sum_f16(%x: tensor<6xf16>, %i: tensor<8xi32> {test.below = 6}, %u: tensor<8xf16>) -> tensor<6xf16> {
  %y = nn.scatter_elements %x, %i, %u {axis = 0, kind = "+"} : (tensor<6xf16>, tensor<8xi32>, tensor<8xf16>) -> tensor<6xf16>
  return %y : tensor<6xf16>
}
func.func @scatter_nd_rows(%x: tensor<4x3xf32>, %i: tensor<2x1xi64> {test.below = 4}, %u: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %y = nn.scatter_nd %x, %i, %u {kind = "*"} : (tensor<4x3xf32>, tensor<2x1xi64>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}
func.func @scatter_nothing(%x: tensor<4xf32>, %i: tensor<0xi64>, %u: tensor<0xf32>) -> tensor<4xf32> {
  %y = nn.scatter_elements %x, %i, %u {axis = 0, kind = "set"} : (tensor<4xf32>, tensor<0xi64>, tensor<0xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @cache(%x: tensor<2x6x3xf32>, %u: tensor<2x2x3xf32>, %s: tensor<2xi64> {test.below = 5}) -> tensor<2x6x3xf32> {
  %y = nn.tensor_scatter %x, %u, %s {axis = 1, circular = false} : (tensor<2x6x3xf32>, tensor<2x2x3xf32>, tensor<2xi64>) -> tensor<2x6x3xf32>
  return %y : tensor<2x6x3xf32>
}
func.func @cache_circular(%x: tensor<2x4x3xf32>, %u: tensor<2x3x3xf32>, %s: tensor<2xi64> {test.below = 9}) -> tensor<2x4x3xf32> {
  %y = nn.tensor_scatter %x, %u, %s {axis = 1, circular = true} : (tensor<2x4x3xf32>, tensor<2x3x3xf32>, tensor<2xi64>) -> tensor<2x4x3xf32>
  return %y : tensor<2x4x3xf32>
}
