// RUN: kumiko-opt %s -o %t.1
// RUN: kumiko-opt %t.1 -o %t.2
// RUN: diff %t.1 %t.2

// Each op of movement.eq once, with types that occur in practice: it is parsed, verified and printed the same again.

func.func @transpose(%a0: tensor<4x3xf32>) -> (tensor<3x4xf32>) {
  %r0 = nn.transpose %a0 {perm = array<i64: 1, 0>} : (tensor<4x3xf32>) -> (tensor<3x4xf32>)
  return %r0 : tensor<3x4xf32>
}

func.func @expand(%a0: tensor<f32>) -> (tensor<8xf32>) {
  %r0 = nn.expand %a0 {shape = array<i64: 8>} : (tensor<f32>) -> (tensor<8xf32>)
  return %r0 : tensor<8xf32>
}

func.func @slice(%a0: tensor<5xf32>) -> (tensor<1xf32>) {
  %r0 = nn.slice %a0 {start = array<i64: 0>, step = array<i64: 1>, out = array<i64: 1>} : (tensor<5xf32>) -> (tensor<1xf32>)
  return %r0 : tensor<1xf32>
}

func.func @concat(%a0: tensor<2x1x4xf32>, %a1: tensor<2x1x4xf32>, %a2: tensor<2x1x4xf32>) -> (tensor<2x3x4xf32>) {
  %r0 = nn.concat %a0, %a1, %a2 {axis = 1} : (tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<2x1x4xf32>) -> (tensor<2x3x4xf32>)
  return %r0 : tensor<2x3x4xf32>
}

func.func @pad(%a0: tensor<6xf32>, %a1: tensor<f32>) -> (tensor<6xf32>) {
  %r0 = nn.pad %a0, %a1 {lo = array<i64: 0>, hi = array<i64: 0>, mode = "constant"} : (tensor<6xf32>, tensor<f32>) -> (tensor<6xf32>)
  return %r0 : tensor<6xf32>
}

func.func @gather(%a0: tensor<6xf32>, %a1: tensor<2xi64>) -> (tensor<2xf32>) {
  %r0 = nn.gather %a0, %a1 {axis = 0} : (tensor<6xf32>, tensor<2xi64>) -> (tensor<2xf32>)
  return %r0 : tensor<2xf32>
}

func.func @gather_elements(%a0: tensor<2x2xf32>, %a1: tensor<2x2xi64>) -> (tensor<2x2xf32>) {
  %r0 = nn.gather_elements %a0, %a1 {axis = 1} : (tensor<2x2xf32>, tensor<2x2xi64>) -> (tensor<2x2xf32>)
  return %r0 : tensor<2x2xf32>
}

func.func @gather_nd(%a0: tensor<2x2x2xf32>, %a1: tensor<2x1x2xi64>) -> (tensor<2x1x2xf32>) {
  %r0 = nn.gather_nd %a0, %a1 {batch = 0} : (tensor<2x2x2xf32>, tensor<2x1x2xi64>) -> (tensor<2x1x2xf32>)
  return %r0 : tensor<2x1x2xf32>
}

func.func @scatter_elements(%a0: tensor<16xf32>, %a1: tensor<4xi64>, %a2: tensor<4xf32>) -> (tensor<16xf32>) {
  %r0 = nn.scatter_elements %a0, %a1, %a2 {axis = 0, kind = "set"} : (tensor<16xf32>, tensor<4xi64>, tensor<4xf32>) -> (tensor<16xf32>)
  return %r0 : tensor<16xf32>
}

func.func @scatter_nd(%a0: tensor<2x2xf32>, %a1: tensor<2x2xi64>, %a2: tensor<2xf32>) -> (tensor<2x2xf32>) {
  %r0 = nn.scatter_nd %a0, %a1, %a2 {kind = "max"} : (tensor<2x2xf32>, tensor<2x2xi64>, tensor<2xf32>) -> (tensor<2x2xf32>)
  return %r0 : tensor<2x2xf32>
}

func.func @tensor_scatter(%a0: tensor<3x4x5xf32>, %a1: tensor<3x2x5xf32>, %a2: tensor<3xi64>) -> (tensor<3x4x5xf32>) {
  %r0 = nn.tensor_scatter %a0, %a1, %a2 {axis = 1, circular = false} : (tensor<3x4x5xf32>, tensor<3x2x5xf32>, tensor<3xi64>) -> (tensor<3x4x5xf32>)
  return %r0 : tensor<3x4x5xf32>
}

func.func @reverse_sequence(%a0: tensor<4x4xf32>, %a1: tensor<4xi64>) -> (tensor<4x4xf32>) {
  %r0 = nn.reverse_sequence %a0, %a1 {time = 1, batch = 0} : (tensor<4x4xf32>, tensor<4xi64>) -> (tensor<4x4xf32>)
  return %r0 : tensor<4x4xf32>
}

func.func @range(%a0: tensor<f32>, %a1: tensor<f32>) -> (tensor<2xf32>) {
  %r0 = nn.range %a0, %a1 {n = 2} : (tensor<f32>, tensor<f32>) -> (tensor<2xf32>)
  return %r0 : tensor<2xf32>
}

// CHECK-LABEL: func @number
func.func @number() -> (tensor<i64>) {
  %r0 = nn.number {value = 7} : () -> (tensor<i64>)
  return %r0 : tensor<i64>
}
