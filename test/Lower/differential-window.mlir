// RUN: python3 %S/differential.py %s

// Windows and contractions: strides, dilation, groups, padding, both layouts, loops of one point.

func.func @conv_all(%x: tensor<2x4x7x6xf32>, %w: tensor<6x2x3x3xf32>, %b: tensor<6xf32>) -> tensor<2x6x4x4xf32> {
  %y = nn.conv %x, %w, %b {stride = array<i64: 2, 1>, dilation = array<i64: 1, 2>, lo = array<i64: 1, 2>, hi = array<i64: 1, 0>, group = 2} : (tensor<2x4x7x6xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>) -> tensor<2x6x4x4xf32>
  return %y : tensor<2x6x4x4xf32>
}
func.func @conv_last(%x: tensor<1x6x5x4xf32>, %w: tensor<3x4x3x2xf32>) -> tensor<1x6x2x3xf32> {
  %y = nn.conv %x, %w {stride = array<i64: 1, 2>, dilation = array<i64: 1, 1>, lo = array<i64: 1, 0>, hi = array<i64: 1, 0>, channel = 3} : (tensor<1x6x5x4xf32>, tensor<3x4x3x2xf32>) -> tensor<1x6x2x3xf32>
  return %y : tensor<1x6x2x3xf32>
}
func.func @conv_depthwise(%x: tensor<1x5x5x3xf32>, %w: tensor<3x1x3x3xf32>) -> tensor<1x3x3x3xf32> {
  %y = nn.conv %x, %w {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>, group = 3, channel = 3} : (tensor<1x5x5x3xf32>, tensor<3x1x3x3xf32>) -> tensor<1x3x3x3xf32>
  return %y : tensor<1x3x3x3xf32>
}
func.func @conv_pointwise_stride(%x: tensor<1x5x5x3xf32>, %w: tensor<4x3x1x1xf32>) -> tensor<1x3x3x4xf32> {
  %y = nn.conv %x, %w {stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>, channel = 3} : (tensor<1x5x5x3xf32>, tensor<4x3x1x1xf32>) -> tensor<1x3x3x4xf32>
  return %y : tensor<1x3x3x4xf32>
}
func.func @conv_patches(%x: tensor<1x6x4x3xf32>, %w: tensor<4x3x2x2xf32>) -> tensor<1x3x2x4xf32> {
  %y = nn.conv %x, %w {stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>, channel = 3} : (tensor<1x6x4x3xf32>, tensor<4x3x2x2xf32>) -> tensor<1x3x2x4xf32>
  return %y : tensor<1x3x2x4xf32>
}
func.func @conv_whole(%x: tensor<2x3x3x4xf32>, %w: tensor<5x4x3x3xf32>) -> tensor<2x1x1x5xf32> {
  %y = nn.conv %x, %w {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>, channel = 3} : (tensor<2x3x3x4xf32>, tensor<5x4x3x3xf32>) -> tensor<2x1x1x5xf32>
  return %y : tensor<2x1x1x5xf32>
}
func.func @max_pool_both(%x: tensor<1x2x6x7xf32>) -> (tensor<1x2x3x6xf32>, tensor<1x2x3x6xi64>) {
  %y, %i = nn.max_pool %x {kernel = array<i64: 3, 2>, stride = array<i64: 2, 1>, dilation = array<i64: 1, 2>, lo = array<i64: 1, 0>, hi = array<i64: 1, 1>} : (tensor<1x2x6x7xf32>) -> (tensor<1x2x3x6xf32>, tensor<1x2x3x6xi64>)
  return %y, %i : tensor<1x2x3x6xf32>, tensor<1x2x3x6xi64>
}
func.func @max_pool_value(%x: tensor<1x6x7x2xf32> {test.nan}) -> tensor<1x3x4x2xf32> {
  %y, %i = nn.max_pool %x {kernel = array<i64: 3, 3>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, lo = array<i64: 1, 1>, hi = array<i64: 0, 1>, channel = 3} : (tensor<1x6x7x2xf32>) -> (tensor<1x3x4x2xf32>, tensor<1x3x4x2xi64>)
  return %y : tensor<1x3x4x2xf32>
}
func.func @max_pool_index(%x: tensor<1x1x4x4xf32>) -> tensor<1x1x2x2xi64> {
  %y, %i = nn.max_pool %x {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x1x4x4xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>)
  return %i : tensor<1x1x2x2xi64>
}
func.func @avg_pool_border(%x: tensor<1x2x6x7xf32>) -> tensor<1x2x3x6xf32> {
  %y = nn.avg_pool %x {kernel = array<i64: 3, 2>, stride = array<i64: 2, 1>, dilation = array<i64: 1, 2>, lo = array<i64: 1, 0>, hi = array<i64: 1, 1>, extra = array<i64: 0, 0>, count_pad = false} : (tensor<1x2x6x7xf32>) -> tensor<1x2x3x6xf32>
  return %y : tensor<1x2x3x6xf32>
}
func.func @avg_pool_count(%x: tensor<1x6x7x2xf32>) -> tensor<1x3x4x2xf32> {
  %y = nn.avg_pool %x {kernel = array<i64: 3, 3>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, lo = array<i64: 1, 1>, hi = array<i64: 0, 1>, extra = array<i64: 0, 0>, count_pad = true, channel = 3} : (tensor<1x6x7x2xf32>) -> tensor<1x3x4x2xf32>
  return %y : tensor<1x3x4x2xf32>
}
func.func @lrn_last(%x: tensor<1x2x2x7xf32>) -> tensor<1x2x2x7xf32> {
  %y = nn.lrn %x {size = 5, alpha = 0.1, beta = 0.75, bias = 1.0, channel = 3} : (tensor<1x2x2x7xf32>) -> tensor<1x2x2x7xf32>
  return %y : tensor<1x2x2x7xf32>
}
func.func @matmul_batches(%a: tensor<2x1x3x4xf32>, %b: tensor<5x4x6xf32>) -> tensor<2x5x3x6xf32> {
  %y = nn.matmul %a, %b : (tensor<2x1x3x4xf32>, tensor<5x4x6xf32>) -> tensor<2x5x3x6xf32>
  return %y : tensor<2x5x3x6xf32>
}
func.func @matmul_empty_depth(%a: tensor<3x0xf32>, %b: tensor<0x2xf32>) -> tensor<3x2xf32> {
  %y = nn.matmul %a, %b : (tensor<3x0xf32>, tensor<0x2xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}
func.func @attention_grouped(%q: tensor<2x4x3x5xf32>, %k: tensor<2x2x6x5xf32>, %v: tensor<2x2x6x4xf32>, %b: tensor<3x6xf32>) -> tensor<2x4x3x4xf32> {
  %r:5 = nn.attention %q, %k, %v, %b {scale = 0.4, softcap = 2.0, acc = f32, soft = f32} : (tensor<2x4x3x5xf32>, tensor<2x2x6x5xf32>, tensor<2x2x6x4xf32>, tensor<3x6xf32>) -> (tensor<2x4x3x4xf32>, tensor<2x4x3x6xf32>, tensor<2x4x3x6xf32>, tensor<2x4x3x6xf32>, tensor<2x4x3x6xf32>)
  return %r#0 : tensor<2x4x3x4xf32>
}
func.func @frames_window(%x: tensor<2x10x1xf32>, %w: tensor<4xf32>) -> tensor<2x3x4x1xf32> {
  %y = nn.frames %x, %w {hop = 3, n = 4, out = 3} : (tensor<2x10x1xf32>, tensor<4xf32>) -> tensor<2x3x4x1xf32>
  return %y : tensor<2x3x4x1xf32>
}
func.func @dft_padded(%x: tensor<1x5x1xf32>) -> tensor<1x8x2xf32> {
  %y = nn.dft %x {axis = 1, n = 8, out = 8, inverse = true} : (tensor<1x5x1xf32>) -> tensor<1x8x2xf32>
  return %y : tensor<1x8x2xf32>
}
func.func @group_norm_last(%x: tensor<2x3x6xf32>, %s: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<2x3x6xf32> {
  %y = nn.group_norm %x, %s, %b {groups = 2, eps = 1.0e-5, channel = 2} : (tensor<2x3x6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x3x6xf32>
  return %y : tensor<2x3x6xf32>
}
