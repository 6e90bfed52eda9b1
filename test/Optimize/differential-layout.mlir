// RUN: python3 %S/../Lower/differential.py %s --passes="--nn-assign-layout --nn-fold-constants --nn-simplify"
// RUN: python3 %S/../Lower/differential.py %s --passes="--nn-fold-batch-norm --nn-expand-padding --nn-simplify"
// RUN: python3 %S/../Lower/differential.py %s --passes="--nn-simplify --nn-fold-constants --nn-fold-batch-norm --nn-assign-layout --nn-expand-padding --nn-fold-constants --nn-simplify --nn-to-linalg"

// Small networks before and after the optimisations: the evaluator must see no difference, and neither must the code.

func.func @residual(%x: tensor<2x3x8x7xf32>, %w1: tensor<4x3x3x3xf32> {test.constant}, %w2: tensor<4x4x3x3xf32> {test.constant}, %s: tensor<4xf32> {test.constant}, %v: tensor<4xf32> {test.constant, test.positive}, %m: tensor<4x1x1xf32> {test.constant}) -> tensor<2x8xf32> {
  %0 = nn.conv %x, %w1 {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 1, 1>, hi = array<i64: 1, 1>} : (tensor<2x3x8x7xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x8x7xf32>
  %1 = nn.batch_norm %0, %s, %s, %s, %v {eps = 1.0e-5} : (tensor<2x4x8x7xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x8x7xf32>
  %2 = nn.relu %1 : tensor<2x4x8x7xf32>
  %3 = nn.conv %2, %w2 {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 1, 1>, hi = array<i64: 1, 1>} : (tensor<2x4x8x7xf32>, tensor<4x4x3x3xf32>) -> tensor<2x4x8x7xf32>
  %4 = nn.add %3, %2 : tensor<2x4x8x7xf32>
  %5 = nn.mul %4, %m : (tensor<2x4x8x7xf32>, tensor<4x1x1xf32>) -> tensor<2x4x8x7xf32>
  %6, %i = nn.max_pool %5 {kernel = array<i64: 3, 3>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, lo = array<i64: 1, 1>, hi = array<i64: 1, 1>} : (tensor<2x4x8x7xf32>) -> (tensor<2x4x4x4xf32>, tensor<2x4x4x4xi64>)
  %7 = nn.lrn %6 {size = 3, alpha = 0.1} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  %8 = nn.avg_pool %7 {kernel = array<i64: 3, 2>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 1, 1>, hi = array<i64: 1, 0>, extra = array<i64: 0, 0>, count_pad = false} : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  %9 = nn.concat %7, %8 {axis = 1} : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>) -> tensor<2x8x4x4xf32>
  %10 = nn.mean %9 {axes = array<i64: 2, 3>} : (tensor<2x8x4x4xf32>) -> tensor<2x8xf32>
  return %10 : tensor<2x8xf32>
}

func.func @shuffled(%x: tensor<1x6x4x5xf32>, %w: tensor<6x3x1x1xf32> {test.constant}, %d: tensor<6x1x3x3xf32> {test.constant}, %b: tensor<6xf32> {test.constant}, %v: tensor<6xf32> {test.constant, test.positive}) -> tensor<1x6x2x3xf32> {
  %0 = nn.conv %x, %w, %b {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>, group = 2} : (tensor<1x6x4x5xf32>, tensor<6x3x1x1xf32>, tensor<6xf32>) -> tensor<1x6x4x5xf32>
  %1 = nn.batch_norm %0, %b, %v, %b, %v {eps = 1.0e-3} : (tensor<1x6x4x5xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<1x6x4x5xf32>
  %2 = nn.reshape %1 : tensor<1x6x4x5xf32> -> tensor<1x2x3x4x5xf32>
  %3 = nn.transpose %2 {perm = array<i64: 0, 2, 1, 3, 4>} : (tensor<1x2x3x4x5xf32>) -> tensor<1x3x2x4x5xf32>
  %4 = nn.reshape %3 : tensor<1x3x2x4x5xf32> -> tensor<1x6x4x5xf32>
  %5 = nn.conv %4, %d {stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, lo = array<i64: 1, 1>, hi = array<i64: 1, 1>, group = 6} : (tensor<1x6x4x5xf32>, tensor<6x1x3x3xf32>) -> tensor<1x6x2x3xf32>
  %6 = nn.batch_norm %5, %b, %v, %b, %v {eps = 1.0e-3} : (tensor<1x6x2x3xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<1x6x2x3xf32>
  return %6 : tensor<1x6x2x3xf32>
}

func.func @dense_block(%x: tensor<1x4x6x6xf32>, %w: tensor<4x8x3x3xf32> {test.constant}, %s: tensor<4xf32> {test.constant}, %v: tensor<4xf32> {test.constant, test.positive}, %u: tensor<4x4x1x1xf32> {test.constant}, %k: tensor<108x5xf32> {test.constant}) -> tensor<1x5xf32> {
  %0 = nn.batch_norm %x, %s, %s, %s, %v {eps = 1.0e-5} : (tensor<1x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x6x6xf32>
  %1 = nn.relu %0 : tensor<1x4x6x6xf32>
  %2 = nn.conv %1, %u {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x4x6x6xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x6x6xf32>
  %3 = nn.concat %x, %2 {axis = 1} : (tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>) -> tensor<1x8x6x6xf32>
  %4 = nn.conv %3, %w {stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, lo = array<i64: 1, 1>, hi = array<i64: 1, 1>} : (tensor<1x8x6x6xf32>, tensor<4x8x3x3xf32>) -> tensor<1x4x3x3xf32>
  %5 = nn.mean %3 {axes = array<i64: 2, 3>} : (tensor<1x8x6x6xf32>) -> tensor<1x8xf32>
  %6 = nn.slice %5 {start = array<i64: 0, 2>, step = array<i64: 1, 1>, out = array<i64: 1, 4>} : (tensor<1x8xf32>) -> tensor<1x4xf32>
  %7 = nn.reshape %6 : tensor<1x4xf32> -> tensor<1x4x1x1xf32>
  %8 = nn.sigmoid %7 : tensor<1x4x1x1xf32>
  %9 = nn.mul %4, %8 : (tensor<1x4x3x3xf32>, tensor<1x4x1x1xf32>) -> tensor<1x4x3x3xf32>
  %10 = nn.pad %9 {lo = array<i64: 0, 0, 0, 0>, hi = array<i64: 0, 8, 0, 0>} : (tensor<1x4x3x3xf32>) -> tensor<1x12x3x3xf32>
  %11 = nn.reshape %10 : tensor<1x12x3x3xf32> -> tensor<1x108xf32>
  %12 = nn.matmul %11, %k : (tensor<1x108xf32>, tensor<108x5xf32>) -> tensor<1x5xf32>
  return %12 : tensor<1x5xf32>
}

func.func @conv1d(%x: tensor<2x3x9xf32>, %w: tensor<4x3x3xf32> {test.constant}, %t: tensor<4x2x2xf32>) -> tensor<2x4x7xf32> {
  %0 = nn.conv %x, %w {stride = array<i64: 1>, dilation = array<i64: 1>, lo = array<i64: 0>, hi = array<i64: 0>} : (tensor<2x3x9xf32>, tensor<4x3x3xf32>) -> tensor<2x4x7xf32>
  %1 = nn.transpose %0 {perm = array<i64: 0, 2, 1>} : (tensor<2x4x7xf32>) -> tensor<2x7x4xf32>
  %2 = nn.gelu %1 : tensor<2x7x4xf32>
  %3 = nn.transpose %2 {perm = array<i64: 0, 2, 1>} : (tensor<2x7x4xf32>) -> tensor<2x4x7xf32>
  return %3 : tensor<2x4x7xf32>
}
