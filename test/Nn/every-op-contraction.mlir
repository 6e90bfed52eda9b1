// RUN: kumiko-opt %s -o %t.1
// RUN: kumiko-opt %t.1 -o %t.2
// RUN: diff %t.1 %t.2

// Each op of contraction.eq once, with types that occur in practice: it is parsed, verified and printed the same again.

func.func @matmul(%a0: tensor<3x4xf32>, %a1: tensor<4x5xf32>) -> (tensor<3x5xf32>) {
  %r0 = nn.matmul %a0, %a1 : (tensor<3x4xf32>, tensor<4x5xf32>) -> (tensor<3x5xf32>)
  return %r0 : tensor<3x5xf32>
}

func.func @conv(%a0: tensor<2x4x4xf32>, %a1: tensor<4x1x4xf32>, %a2: tensor<4xf32>) -> (tensor<2x4x1xf32>) {
  %r0 = nn.conv %a0, %a1, %a2 {stride = array<i64: 1>, dilation = array<i64: 1>, lo = array<i64: 0>, hi = array<i64: 0>, group = 4} : (tensor<2x4x4xf32>, tensor<4x1x4xf32>, tensor<4xf32>) -> (tensor<2x4x1xf32>)
  return %r0 : tensor<2x4x1xf32>
}

func.func @conv_transpose(%a0: tensor<1x1x3xf32>, %a1: tensor<1x2x3xf32>) -> (tensor<1x2x5xf32>) {
  %r0 = nn.conv_transpose %a0, %a1 {stride = array<i64: 1>, dilation = array<i64: 1>, lo = array<i64: 0>, out = array<i64: 5>, group = 1} : (tensor<1x1x3xf32>, tensor<1x2x3xf32>) -> (tensor<1x2x5xf32>)
  return %r0 : tensor<1x2x5xf32>
}

func.func @attention(%a0: tensor<1x3x2x4xf32>, %a1: tensor<1x3x2x4xf32>, %a2: tensor<1x3x2x4xf32>, %a3: tensor<1x1x2x2xf32>) -> (tensor<1x3x2x4xf32>, tensor<1x3x2x2xf32>, tensor<1x3x2x2xf32>, tensor<1x3x2x2xf32>, tensor<1x3x2x2xf32>) {
  %r0, %r1, %r2, %r3, %r4 = nn.attention %a0, %a1, %a2, %a3 {scale = 0.5, softcap = 0.0, acc = f32, soft = f32} : (tensor<1x3x2x4xf32>, tensor<1x3x2x4xf32>, tensor<1x3x2x4xf32>, tensor<1x1x2x2xf32>) -> (tensor<1x3x2x4xf32>, tensor<1x3x2x2xf32>, tensor<1x3x2x2xf32>, tensor<1x3x2x2xf32>, tensor<1x3x2x2xf32>)
  return %r0, %r1, %r2, %r3, %r4 : tensor<1x3x2x4xf32>, tensor<1x3x2x2xf32>, tensor<1x3x2x2xf32>, tensor<1x3x2x2xf32>, tensor<1x3x2x2xf32>
}

func.func @linear_attention_step(%a0: tensor<2x4x8xf32>, %a1: tensor<2x4x8xf32>, %a2: tensor<2x4x8xf32>, %a3: tensor<2x4x8xf32>, %a4: tensor<2x4xf32>, %a5: tensor<2x4x8x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8x8xf32>) {
  %r0, %r1 = nn.linear_attention_step %a0, %a1, %a2, %a3, %a4, %a5 {scale = 0.25} : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4xf32>, tensor<2x4x8x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8x8xf32>)
  return %r0, %r1 : tensor<2x4x8xf32>, tensor<2x4x8x8xf32>
}

func.func @deform_conv(%a0: tensor<1x1x3x3xf32>, %a1: tensor<1x1x2x2xf32>, %a2: tensor<1x1x2x2x2x2x2xf32>, %a3: tensor<1x1x2x2x2x2xf32>, %a4: tensor<1xf32>) -> (tensor<1x1x2x2xf32>) {
  %r0 = nn.deform_conv %a0, %a1, %a2, %a3, %a4 {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, group = 1, out = array<i64: 2, 2>} : (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2x2x2x2xf32>, tensor<1x1x2x2x2x2xf32>, tensor<1xf32>) -> (tensor<1x1x2x2xf32>)
  return %r0 : tensor<1x1x2x2xf32>
}

func.func @integer_matmul(%a0: tensor<3x4xui8>, %a1: tensor<4x5xi8>) -> (tensor<3x5xi32>) {
  %r0 = nn.integer_matmul %a0, %a1 : (tensor<3x4xui8>, tensor<4x5xi8>) -> (tensor<3x5xi32>)
  return %r0 : tensor<3x5xi32>
}

func.func @integer_conv(%a0: tensor<2x4x6xi8>, %a1: tensor<6x2x3xi16>) -> (tensor<2x6x2xi32>) {
  %r0 = nn.integer_conv %a0, %a1 {stride = array<i64: 2>, dilation = array<i64: 1>, group = 2} : (tensor<2x4x6xi8>, tensor<6x2x3xi16>) -> (tensor<2x6x2xi32>)
  return %r0 : tensor<2x6x2xi32>
}
