// RUN: python3 %S/../Lower/differential.py %s --passes="--nn-sink-shuffles"

// Units of ShuffleNet; in the second, groups of five read parts of groups of three.

func.func @even(%x: tensor<1x4x5x16xf32>, %w: tensor<16x1x3x3xf32> {test.constant}, %v: tensor<32x4x1x1xf32> {test.constant}, %b: tensor<16xf32> {test.constant}) -> tensor<1x2x3x32xf32> {
  %0 = nn.reshape %x : tensor<1x4x5x16xf32> -> tensor<1x4x5x4x4xf32>
  %1 = nn.transpose %0 {perm = array<i64: 0, 1, 2, 4, 3>} : (tensor<1x4x5x4x4xf32>) -> tensor<1x4x5x4x4xf32>
  %2 = nn.reshape %1 : tensor<1x4x5x4x4xf32> -> tensor<1x4x5x16xf32>
  %3 = nn.pad %2 {lo = array<i64: 0, 1, 1, 0>, hi = array<i64: 0, 1, 1, 0>} : (tensor<1x4x5x16xf32>) -> tensor<1x6x7x16xf32>
  %4 = nn.conv %3, %w, %b {channel = 3 : i64, group = 16 : i64, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x6x7x16xf32>, tensor<16x1x3x3xf32>, tensor<16xf32>) -> tensor<1x2x3x16xf32>
  %5 = nn.conv %4, %v {channel = 3 : i64, group = 4 : i64, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x2x3x16xf32>, tensor<32x4x1x1xf32>) -> tensor<1x2x3x32xf32>
  return %5 : tensor<1x2x3x32xf32>
}
func.func @odd(%x: tensor<2x6x15xf32>, %w: tensor<15x1x3xf32> {test.constant}, %v: tensor<60x3x1xf32> {test.constant}) -> tensor<2x4x60xf32> {
  %0 = nn.reshape %x : tensor<2x6x15xf32> -> tensor<2x6x3x5xf32>
  %1 = nn.transpose %0 {perm = array<i64: 0, 1, 3, 2>} : (tensor<2x6x3x5xf32>) -> tensor<2x6x5x3xf32>
  %2 = nn.reshape %1 : tensor<2x6x5x3xf32> -> tensor<2x6x15xf32>
  %3 = nn.conv %2, %w {channel = 2 : i64, group = 15 : i64, stride = array<i64: 1>, dilation = array<i64: 1>, lo = array<i64: 0>, hi = array<i64: 0>} : (tensor<2x6x15xf32>, tensor<15x1x3xf32>) -> tensor<2x4x15xf32>
  %4 = nn.relu %3 : tensor<2x4x15xf32>
  %5 = nn.conv %4, %v {channel = 2 : i64, group = 5 : i64, stride = array<i64: 1>, dilation = array<i64: 1>, lo = array<i64: 0>, hi = array<i64: 0>} : (tensor<2x4x15xf32>, tensor<60x3x1xf32>) -> tensor<2x4x60xf32>
  return %5 : tensor<2x4x60xf32>
}
func.func @windows(%x: tensor<1x6x12xf32>, %v: tensor<24x4x3xf32> {test.constant}) -> tensor<1x6x24xf32> {
  %0 = nn.reshape %x : tensor<1x6x12xf32> -> tensor<1x6x2x3x2xf32>
  %1 = nn.transpose %0 {perm = array<i64: 0, 1, 4, 2, 3>} : (tensor<1x6x2x3x2xf32>) -> tensor<1x6x2x2x3xf32>
  %2 = nn.reshape %1 : tensor<1x6x2x2x3xf32> -> tensor<1x6x12xf32>
  %3 = nn.abs %2 : tensor<1x6x12xf32>
  %4 = nn.pad %3 {lo = array<i64: 0, 1, 0>, hi = array<i64: 0, 1, 0>} : (tensor<1x6x12xf32>) -> tensor<1x8x12xf32>
  %5 = nn.conv %4, %v {channel = 2 : i64, group = 3 : i64, stride = array<i64: 1>, dilation = array<i64: 1>, lo = array<i64: 0>, hi = array<i64: 0>} : (tensor<1x8x12xf32>, tensor<24x4x3xf32>) -> tensor<1x6x24xf32>
  return %5 : tensor<1x6x24xf32>
}
