// RUN: kumiko-opt %s -o %t.1
// RUN: kumiko-opt %t.1 -o %t.2
// RUN: diff %t.1 %t.2

// Each op of reduction.eq once, with types that occur in practice: it is parsed, verified and printed the same again.

func.func @reduce(%a0: tensor<2x2xf32>) -> (tensor<2xf32>) {
  %r0 = nn.reduce %a0 {kind = "+", axes = array<i64: 1>} : (tensor<2x2xf32>) -> (tensor<2xf32>)
  return %r0 : tensor<2xf32>
}

func.func @mean(%a0: tensor<3x4xf32>) -> (tensor<3xf32>) {
  %r0 = nn.mean %a0 {axes = array<i64: 1>} : (tensor<3x4xf32>) -> (tensor<3xf32>)
  return %r0 : tensor<3xf32>
}

func.func @logsumexp(%a0: tensor<3x2x2xf64>) -> (tensor<3x2xf64>) {
  %r0 = nn.logsumexp %a0 {axes = array<i64: 1>} : (tensor<3x2x2xf64>) -> (tensor<3x2xf64>)
  return %r0 : tensor<3x2xf64>
}

func.func @argreduce(%a0: tensor<2x2xf32>) -> (tensor<2xi64>, tensor<2xf32>) {
  %r0, %r1 = nn.argreduce %a0 {kind = "max", axis = 0} : (tensor<2x2xf32>) -> (tensor<2xi64>, tensor<2xf32>)
  return %r0, %r1 : tensor<2xi64>, tensor<2xf32>
}

func.func @cumulate(%a0: tensor<5xf64>) -> (tensor<5xf64>) {
  %r0 = nn.cumulate %a0 {kind = "*", axis = 0, exclusive = true, reverse = true} : (tensor<5xf64>) -> (tensor<5xf64>)
  return %r0 : tensor<5xf64>
}

func.func @softmax(%a0: tensor<1x3xf32>) -> (tensor<1x3xf32>) {
  %r0 = nn.softmax %a0 {axis = 1} : (tensor<1x3xf32>) -> (tensor<1x3xf32>)
  return %r0 : tensor<1x3xf32>
}

func.func @log_softmax(%a0: tensor<1x3xf32>) -> (tensor<1x3xf32>) {
  %r0 = nn.log_softmax %a0 {axis = 1} : (tensor<1x3xf32>) -> (tensor<1x3xf32>)
  return %r0 : tensor<1x3xf32>
}

func.func @nll_loss(%a0: tensor<3x5xf32>, %a1: tensor<3xi64>, %a2: tensor<5xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %r0, %r1 = nn.nll_loss %a0, %a1, %a2 {ignore = 0, has_ignore = true} : (tensor<3x5xf32>, tensor<3xi64>, tensor<5xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  return %r0, %r1 : tensor<3xf32>, tensor<3xf32>
}
