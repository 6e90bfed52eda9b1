// RUN: kumiko-opt %s -o %t.1
// RUN: kumiko-opt %t.1 -o %t.2
// RUN: diff %t.1 %t.2

// Each op of window.eq once, with types that occur in practice: it is parsed, verified and printed the same again.

func.func @max_pool(%a0: tensor<1x3x32xf32>) -> (tensor<1x3x31xf32>, tensor<1x3x31xi64>) {
  %r0, %r1 = nn.max_pool %a0 {kernel = array<i64: 2>, stride = array<i64: 1>, dilation = array<i64: 1>, lo = array<i64: 0>, hi = array<i64: 0>} : (tensor<1x3x32xf32>) -> (tensor<1x3x31xf32>, tensor<1x3x31xi64>)
  return %r0, %r1 : tensor<1x3x31xf32>, tensor<1x3x31xi64>
}

func.func @avg_pool(%a0: tensor<1x3x32xf32>) -> (tensor<1x3x31xf32>) {
  %r0 = nn.avg_pool %a0 {kernel = array<i64: 2>, stride = array<i64: 1>, dilation = array<i64: 1>, lo = array<i64: 0>, hi = array<i64: 0>, extra = array<i64: 0>, count_pad = false} : (tensor<1x3x32xf32>) -> (tensor<1x3x31xf32>)
  return %r0 : tensor<1x3x31xf32>
}

func.func @lrn(%a0: tensor<5x5x5x5xf32>) -> (tensor<5x5x5x5xf32>) {
  %r0 = nn.lrn %a0 {size = 3, alpha = 0.0001, beta = 0.75, bias = 1.0} : (tensor<5x5x5x5xf32>) -> (tensor<5x5x5x5xf32>)
  return %r0 : tensor<5x5x5x5xf32>
}

func.func @col2im(%a0: tensor<1x5x5xf32>) -> (tensor<1x1x5x5xf32>) {
  %r0 = nn.col2im %a0 {image = array<i64: 5, 5>, kernel = array<i64: 1, 5>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, out = array<i64: 5, 1>} : (tensor<1x5x5xf32>) -> (tensor<1x1x5x5xf32>)
  return %r0 : tensor<1x1x5x5xf32>
}
