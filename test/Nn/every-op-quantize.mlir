// RUN: kumiko-opt %s -o %t.1
// RUN: kumiko-opt %t.1 -o %t.2
// RUN: diff %t.1 %t.2

// Each op of quantize.eq once, with types that occur in practice: it is parsed, verified and printed the same again.

func.func @quantize(%a0: tensor<6xf32>, %a1: tensor<1xf32>, %a2: tensor<1xui8>) -> (tensor<6xui8>) {
  %r0 = nn.quantize %a0, %a1, %a2 {axis = 0, block = 6, lo = 0.0, hi = 255.0, whole = true, acc = f32, to = ui8} : (tensor<6xf32>, tensor<1xf32>, tensor<1xui8>) -> (tensor<6xui8>)
  return %r0 : tensor<6xui8>
}

func.func @dequantize(%a0: tensor<4xi2>, %a1: tensor<1xf32>, %a2: tensor<1xi2>) -> (tensor<4xf32>) {
  %r0 = nn.dequantize %a0, %a1, %a2 {axis = 0, block = 4, to = f32} : (tensor<4xi2>, tensor<1xf32>, tensor<1xi2>) -> (tensor<4xf32>)
  return %r0 : tensor<4xf32>
}
