// RUN: kumiko-opt %s -o %t.1
// RUN: kumiko-opt %t.1 -o %t.2
// RUN: diff %t.1 %t.2

// Each op of normalize.eq once, with types that occur in practice: it is parsed, verified and printed the same again.

func.func @batch_norm(%a0: tensor<2x3x4x5xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>, %a3: tensor<3xf32>, %a4: tensor<3xf32>) -> (tensor<2x3x4x5xf32>) {
  %r0 = nn.batch_norm %a0, %a1, %a2, %a3, %a4 {eps = 0.0099999997764825821} : (tensor<2x3x4x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4x5xf32>)
  return %r0 : tensor<2x3x4x5xf32>
}

func.func @layer_norm(%a0: tensor<3x4xf32>, %a1: tensor<4xf32>, %a2: tensor<4xf32>) -> (tensor<3x4xf32>, tensor<3xf32>, tensor<3xf32>) {
  %r0, %r1, %r2 = nn.layer_norm %a0, %a1, %a2 {axis = 1, eps = 1.0000000000000001e-05, acc = f32} : (tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return %r0, %r1, %r2 : tensor<3x4xf32>, tensor<3xf32>, tensor<3xf32>
}

func.func @rms_norm(%a0: tensor<3x4xf32>, %a1: tensor<4xf32>) -> (tensor<3x4xf32>) {
  %r0 = nn.rms_norm %a0, %a1 {axis = 1, eps = 1.0000000000000001e-05, acc = f32} : (tensor<3x4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>)
  return %r0 : tensor<3x4xf32>
}

func.func @group_norm(%a0: tensor<2x3x4x5xf32>, %a1: tensor<3xf32>, %a2: tensor<3xf32>) -> (tensor<2x3x4x5xf32>) {
  %r0 = nn.group_norm %a0, %a1, %a2 {groups = 3, eps = 0.0099999997764825821} : (tensor<2x3x4x5xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4x5xf32>)
  return %r0 : tensor<2x3x4x5xf32>
}
