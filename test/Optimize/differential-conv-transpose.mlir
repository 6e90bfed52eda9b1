// RUN: python3 %S/../Lower/differential.py %s --passes="--nn-expand-conv-transpose --nn-simplify"
// RUN: python3 %S/../Lower/differential.py %s --passes="--nn-expand-conv-transpose --nn-assign-layout --nn-expand-padding --nn-fold-constants --nn-simplify"

// Transposed convolutions before and after they become convolutions.

func.func @phases_of_one_tap(%x: tensor<1x5x4x3xf32>, %w: tensor<5x6x2x2xf32> {test.constant}, %b: tensor<6xf32>) -> tensor<1x6x8x6xf32> {
  %y = nn.conv_transpose %x, %w, %b {stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, out = array<i64: 8, 6>, group = 1 : i64} : (tensor<1x5x4x3xf32>, tensor<5x6x2x2xf32>, tensor<6xf32>) -> tensor<1x6x8x6xf32>
  return %y : tensor<1x6x8x6xf32>
}
func.func @some_phases_lack_a_tap(%x: tensor<2x3x5x4xf32>, %w: tensor<3x4x3x3xf32> {test.constant}) -> tensor<2x4x9x7xf32> {
  %y = nn.conv_transpose %x, %w {stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, lo = array<i64: 1, 1>, out = array<i64: 9, 7>, group = 1 : i64} : (tensor<2x3x5x4xf32>, tensor<3x4x3x3xf32>) -> tensor<2x4x9x7xf32>
  return %y : tensor<2x4x9x7xf32>
}
func.func @cropped(%x: tensor<1x4x6x5xf32>, %w: tensor<4x2x4x4xf32> {test.constant}, %b: tensor<2xf32>) -> tensor<1x2x12x10xf32> {
  %y = nn.conv_transpose %x, %w, %b {stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, lo = array<i64: 1, 1>, out = array<i64: 12, 10>, group = 1 : i64} : (tensor<1x4x6x5xf32>, tensor<4x2x4x4xf32>, tensor<2xf32>) -> tensor<1x2x12x10xf32>
  return %y : tensor<1x2x12x10xf32>
}
func.func @beyond_the_last_tap(%x: tensor<1x2x3x3xf32>, %w: tensor<2x2x2x2xf32> {test.constant}, %b: tensor<2xf32>) -> tensor<1x2x7x8xf32> {
  %y = nn.conv_transpose %x, %w, %b {stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, out = array<i64: 7, 8>, group = 1 : i64} : (tensor<1x2x3x3xf32>, tensor<2x2x2x2xf32>, tensor<2xf32>) -> tensor<1x2x7x8xf32>
  return %y : tensor<1x2x7x8xf32>
}
func.func @different_along_dimensions(%x: tensor<1x2x4x3xf32>, %w: tensor<2x3x5x2xf32> {test.constant}) -> tensor<1x3x12x4xf32> {
  %y = nn.conv_transpose %x, %w {stride = array<i64: 3, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 1, 0>, out = array<i64: 12, 4>, group = 1 : i64} : (tensor<1x2x4x3xf32>, tensor<2x3x5x2xf32>) -> tensor<1x3x12x4xf32>
  return %y : tensor<1x3x12x4xf32>
}
func.func @groups(%x: tensor<1x6x4x4xf32>, %w: tensor<6x2x3x3xf32> {test.constant}, %b: tensor<6xf32>) -> tensor<1x6x8x8xf32> {
  %y = nn.conv_transpose %x, %w, %b {stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, lo = array<i64: 1, 1>, out = array<i64: 8, 8>, group = 3 : i64} : (tensor<1x6x4x4xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>) -> tensor<1x6x8x8xf32>
  return %y : tensor<1x6x8x8xf32>
}
func.func @depthwise(%x: tensor<1x4x5xf32>, %w: tensor<4x1x4xf32> {test.constant}) -> tensor<1x4x10xf32> {
  %y = nn.conv_transpose %x, %w {stride = array<i64: 2>, dilation = array<i64: 1>, lo = array<i64: 1>, out = array<i64: 10>, group = 4 : i64} : (tensor<1x4x5xf32>, tensor<4x1x4xf32>) -> tensor<1x4x10xf32>
  return %y : tensor<1x4x10xf32>
}
func.func @volume(%x: tensor<1x2x2x3x2xf64>, %w: tensor<2x3x2x2x2xf64> {test.constant}) -> tensor<1x3x4x6x4xf64> {
  %y = nn.conv_transpose %x, %w {stride = array<i64: 2, 2, 2>, dilation = array<i64: 1, 1, 1>, lo = array<i64: 0, 0, 0>, out = array<i64: 4, 6, 4>, group = 1 : i64} : (tensor<1x2x2x3x2xf64>, tensor<2x3x2x2x2xf64>) -> tensor<1x3x4x6x4xf64>
  return %y : tensor<1x3x4x6x4xf64>
}
func.func @stride_one(%x: tensor<1x3x6xf32>, %w: tensor<3x4x3xf32> {test.constant}) -> tensor<1x4x6xf32> {
  %y = nn.conv_transpose %x, %w {stride = array<i64: 1>, dilation = array<i64: 1>, lo = array<i64: 1>, out = array<i64: 6>, group = 1 : i64} : (tensor<1x3x6xf32>, tensor<3x4x3xf32>) -> tensor<1x4x6xf32>
  return %y : tensor<1x4x6xf32>
}
func.func @followed(%x: tensor<2x3x4x3xf32>, %w: tensor<3x9x4x2xf32> {test.constant}, %b: tensor<9xf32>) -> tensor<2x9x8x6xf32> {
  %a = nn.constant dense<[[[1.0]], [[2.0]], [[-1.0]], [[0.5]], [[3.0]], [[1.5]], [[-2.0]], [[0.25]], [[4.0]]]> : tensor<9x1x1xf32>
  %two = nn.constant dense<2.0> : tensor<f32>
  %y = nn.conv_transpose %x, %w, %b {stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, lo = array<i64: 1, 0>, out = array<i64: 8, 6>, group = 1 : i64} : (tensor<2x3x4x3xf32>, tensor<3x9x4x2xf32>, tensor<9xf32>) -> tensor<2x9x8x6xf32>
  %0 = nn.sub %a, %y : (tensor<9x1x1xf32>, tensor<2x9x8x6xf32>) -> tensor<2x9x8x6xf32>
  %1 = nn.mul %0, %two : (tensor<2x9x8x6xf32>, tensor<f32>) -> tensor<2x9x8x6xf32>
  %2 = nn.relu %1 : tensor<2x9x8x6xf32>
  return %2 : tensor<2x9x8x6xf32>
}
func.func @wide_volume(%x: tensor<1x2x2x3x2xf32>, %w: tensor<2x5x3x2x4xf32> {test.constant}) -> tensor<1x5x6x6x8xf32> {
  %y = nn.conv_transpose %x, %w {stride = array<i64: 3, 2, 4>, dilation = array<i64: 1, 1, 1>, lo = array<i64: 0, 0, 0>, out = array<i64: 6, 6, 8>, group = 1 : i64} : (tensor<1x2x2x3x2xf32>, tensor<2x5x3x2x4xf32>) -> tensor<1x5x6x6x8xf32>
  return %y : tensor<1x5x6x6x8xf32>
}
func.func @dilated_columns(%x: tensor<2x4x5x3xf32>, %w: tensor<4x2x2x3xf32> {test.constant}, %b: tensor<4xf32>) -> tensor<2x4x12x9xf32> {
  %y = nn.conv_transpose %x, %w, %b {stride = array<i64: 3, 2>, dilation = array<i64: 2, 2>, lo = array<i64: 1, 0>, out = array<i64: 12, 9>, group = 2 : i64} : (tensor<2x4x5x3xf32>, tensor<4x2x2x3xf32>, tensor<4xf32>) -> tensor<2x4x12x9xf32>
  return %y : tensor<2x4x12x9xf32>
}
func.func @columns_of_computed_weights(%x: tensor<1x5x3x4xf32>, %w: tensor<4x3x3x2xf32>) -> tensor<1x11x6x3xf32> {
  %y = nn.conv_transpose %x, %w {stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, out = array<i64: 11, 6>, group = 1 : i64, channel = 3 : i64} : (tensor<1x5x3x4xf32>, tensor<4x3x3x2xf32>) -> tensor<1x11x6x3xf32>
  return %y : tensor<1x11x6x3xf32>
}
