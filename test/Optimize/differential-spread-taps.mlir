// RUN: python3 %S/../Lower/differential.py %s --passes="--nn-spread-taps --nn-expand-padding --nn-simplify"

// Convolutions with few features before and after their taps become features.

func.func @along_width(%x: tensor<1x6x7x8xf32>, %w: tensor<1x8x3x5xf32> {test.constant}, %b: tensor<1xf32>) -> tensor<1x6x7x1xf32> {
  %y = nn.conv %x, %w, %b {channel = 3 : i64, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 1, 2>, hi = array<i64: 1, 2>} : (tensor<1x6x7x8xf32>, tensor<1x8x3x5xf32>, tensor<1xf32>) -> tensor<1x6x7x1xf32>
  return %y : tensor<1x6x7x1xf32>
}
func.func @along_height(%x: tensor<2x9x5x8xf32>, %w: tensor<1x8x7x3xf32> {test.constant}) -> tensor<2x9x2x1xf32> {
  %y = nn.conv %x, %w {channel = 3 : i64, stride = array<i64: 1, 2>, dilation = array<i64: 1, 1>, lo = array<i64: 3, 0>, hi = array<i64: 3, 0>} : (tensor<2x9x5x8xf32>, tensor<1x8x7x3xf32>) -> tensor<2x9x2x1xf32>
  return %y : tensor<2x9x2x1xf32>
}
func.func @apart(%x: tensor<1x20x6xf32>, %w: tensor<2x6x3xf32> {test.constant}, %b: tensor<2xf32>) -> tensor<1x16x2xf32> {
  %y = nn.conv %x, %w, %b {channel = 2 : i64, stride = array<i64: 1>, dilation = array<i64: 3>, lo = array<i64: 2>, hi = array<i64: 0>} : (tensor<1x20x6xf32>, tensor<2x6x3xf32>, tensor<2xf32>) -> tensor<1x16x2xf32>
  return %y : tensor<1x16x2xf32>
}
func.func @three_features(%x: tensor<1x9x5x5x4xf32>, %w: tensor<3x4x2x3x3xf32> {test.constant}) -> tensor<1x8x3x3x3xf32> {
  %y = nn.conv %x, %w {channel = 4 : i64, stride = array<i64: 1, 1, 1>, dilation = array<i64: 1, 1, 1>, lo = array<i64: 0, 0, 0>, hi = array<i64: 0, 0, 0>} : (tensor<1x9x5x5x4xf32>, tensor<3x4x2x3x3xf32>) -> tensor<1x8x3x3x3xf32>
  return %y : tensor<1x8x3x3x3xf32>
}
