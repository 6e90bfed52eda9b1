// RUN: kumiko-opt %s -o %t.1
// RUN: kumiko-opt %t.1 -o %t.2
// RUN: diff %t.1 %t.2

// Each op of elementwise.eq once, with types that occur in practice: it is parsed, verified and printed the same again.

func.func @abs(%a0: tensor<6xf32>) -> (tensor<6xf32>) {
  %r0 = nn.abs %a0 : (tensor<6xf32>) -> (tensor<6xf32>)
  return %r0 : tensor<6xf32>
}

func.func @neg(%a0: tensor<2xf32>) -> (tensor<2xf32>) {
  %r0 = nn.neg %a0 : (tensor<2xf32>) -> (tensor<2xf32>)
  return %r0 : tensor<2xf32>
}

func.func @sign(%a0: tensor<11xf32>) -> (tensor<11xf32>) {
  %r0 = nn.sign %a0 : (tensor<11xf32>) -> (tensor<11xf32>)
  return %r0 : tensor<11xf32>
}

func.func @floor(%a0: tensor<3xf32>) -> (tensor<3xf32>) {
  %r0 = nn.floor %a0 : (tensor<3xf32>) -> (tensor<3xf32>)
  return %r0 : tensor<3xf32>
}

func.func @ceil(%a0: tensor<2xf32>) -> (tensor<2xf32>) {
  %r0 = nn.ceil %a0 : (tensor<2xf32>) -> (tensor<2xf32>)
  return %r0 : tensor<2xf32>
}

func.func @round(%a0: tensor<15xf32>) -> (tensor<15xf32>) {
  %r0 = nn.round %a0 : (tensor<15xf32>) -> (tensor<15xf32>)
  return %r0 : tensor<15xf32>
}

func.func @sqrt(%a0: tensor<1xf32>) -> (tensor<1xf32>) {
  %r0 = nn.sqrt %a0 : (tensor<1xf32>) -> (tensor<1xf32>)
  return %r0 : tensor<1xf32>
}

func.func @exp(%a0: tensor<3xf32>) -> (tensor<3xf32>) {
  %r0 = nn.exp %a0 : (tensor<3xf32>) -> (tensor<3xf32>)
  return %r0 : tensor<3xf32>
}

func.func @log(%a0: tensor<2xf32>) -> (tensor<2xf32>) {
  %r0 = nn.log %a0 : (tensor<2xf32>) -> (tensor<2xf32>)
  return %r0 : tensor<2xf32>
}

func.func @sin(%a0: tensor<3xf32>) -> (tensor<3xf32>) {
  %r0 = nn.sin %a0 : (tensor<3xf32>) -> (tensor<3xf32>)
  return %r0 : tensor<3xf32>
}

func.func @cos(%a0: tensor<3xf32>) -> (tensor<3xf32>) {
  %r0 = nn.cos %a0 : (tensor<3xf32>) -> (tensor<3xf32>)
  return %r0 : tensor<3xf32>
}

func.func @tan(%a0: tensor<3xf32>) -> (tensor<3xf32>) {
  %r0 = nn.tan %a0 : (tensor<3xf32>) -> (tensor<3xf32>)
  return %r0 : tensor<3xf32>
}

func.func @asin(%a0: tensor<3xf32>) -> (tensor<3xf32>) {
  %r0 = nn.asin %a0 : (tensor<3xf32>) -> (tensor<3xf32>)
  return %r0 : tensor<3xf32>
}

func.func @acos(%a0: tensor<3xf32>) -> (tensor<3xf32>) {
  %r0 = nn.acos %a0 : (tensor<3xf32>) -> (tensor<3xf32>)
  return %r0 : tensor<3xf32>
}

func.func @atan(%a0: tensor<3xf32>) -> (tensor<3xf32>) {
  %r0 = nn.atan %a0 : (tensor<3xf32>) -> (tensor<3xf32>)
  return %r0 : tensor<3xf32>
}

func.func @sinh(%a0: tensor<3xf32>) -> (tensor<3xf32>) {
  %r0 = nn.sinh %a0 : (tensor<3xf32>) -> (tensor<3xf32>)
  return %r0 : tensor<3xf32>
}

func.func @cosh(%a0: tensor<3xf32>) -> (tensor<3xf32>) {
  %r0 = nn.cosh %a0 : (tensor<3xf32>) -> (tensor<3xf32>)
  return %r0 : tensor<3xf32>
}

func.func @tanh(%a0: tensor<3xf32>) -> (tensor<3xf32>) {
  %r0 = nn.tanh %a0 : (tensor<3xf32>) -> (tensor<3xf32>)
  return %r0 : tensor<3xf32>
}

func.func @asinh(%a0: tensor<3xf32>) -> (tensor<3xf32>) {
  %r0 = nn.asinh %a0 : (tensor<3xf32>) -> (tensor<3xf32>)
  return %r0 : tensor<3xf32>
}

func.func @acosh(%a0: tensor<3xf32>) -> (tensor<3xf32>) {
  %r0 = nn.acosh %a0 : (tensor<3xf32>) -> (tensor<3xf32>)
  return %r0 : tensor<3xf32>
}

func.func @atanh(%a0: tensor<3xf32>) -> (tensor<3xf32>) {
  %r0 = nn.atanh %a0 : (tensor<3xf32>) -> (tensor<3xf32>)
  return %r0 : tensor<3xf32>
}

func.func @erf(%a0: tensor<3xf32>) -> (tensor<3xf32>) {
  %r0 = nn.erf %a0 : (tensor<3xf32>) -> (tensor<3xf32>)
  return %r0 : tensor<3xf32>
}

func.func @sigmoid(%a0: tensor<3xf32>) -> (tensor<3xf32>) {
  %r0 = nn.sigmoid %a0 : (tensor<3xf32>) -> (tensor<3xf32>)
  return %r0 : tensor<3xf32>
}

func.func @not(%a0: tensor<1xi1>) -> (tensor<1xi1>) {
  %r0 = nn.not %a0 : (tensor<1xi1>) -> (tensor<1xi1>)
  return %r0 : tensor<1xi1>
}

func.func @cast(%a0: tensor<1xf32>) -> (tensor<1xf32>) {
  %r0 = nn.cast %a0 {to = f32} : (tensor<1xf32>) -> (tensor<1xf32>)
  return %r0 : tensor<1xf32>
}

func.func @relu(%a0: tensor<3x4x5xf32>) -> (tensor<3x4x5xf32>) {
  %r0 = nn.relu %a0 : (tensor<3x4x5xf32>) -> (tensor<3x4x5xf32>)
  return %r0 : tensor<3x4x5xf32>
}

func.func @leaky_relu(%a0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r0 = nn.leaky_relu %a0 {slope = 0.5} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  return %r0 : tensor<2x3xf32>
}

func.func @prelu(%a0: tensor<3xf32>, %a1: tensor<f32>) -> (tensor<3xf32>) {
  %r0 = nn.prelu %a0, %a1 : (tensor<3xf32>, tensor<f32>) -> (tensor<3xf32>)
  return %r0 : tensor<3xf32>
}

func.func @elu(%a0: tensor<3xf32>) -> (tensor<3xf32>) {
  %r0 = nn.elu %a0 {alpha = 2.0} : (tensor<3xf32>) -> (tensor<3xf32>)
  return %r0 : tensor<3xf32>
}

func.func @selu(%a0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %r0 = nn.selu %a0 {alpha = 1.5} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  return %r0 : tensor<2x3xf32>
}

func.func @softplus(%a0: tensor<3xf32>) -> (tensor<3xf32>) {
  %r0 = nn.softplus %a0 : (tensor<3xf32>) -> (tensor<3xf32>)
  return %r0 : tensor<3xf32>
}

func.func @gelu(%a0: tensor<3xf32>) -> (tensor<3xf32>) {
  %r0 = nn.gelu %a0 {tanh_form = true} : (tensor<3xf32>) -> (tensor<3xf32>)
  return %r0 : tensor<3xf32>
}

func.func @swish(%a0: tensor<2x4x8xf32>) -> (tensor<2x4x8xf32>) {
  %r0 = nn.swish %a0 : (tensor<2x4x8xf32>) -> (tensor<2x4x8xf32>)
  return %r0 : tensor<2x4x8xf32>
}

func.func @add(%a0: tensor<f32>, %a1: tensor<6xf32>) -> (tensor<6xf32>) {
  %r0 = nn.add %a0, %a1 : (tensor<f32>, tensor<6xf32>) -> (tensor<6xf32>)
  return %r0 : tensor<6xf32>
}

func.func @sub(%a0: tensor<1xf32>, %a1: tensor<f32>) -> (tensor<1xf32>) {
  %r0 = nn.sub %a0, %a1 : (tensor<1xf32>, tensor<f32>) -> (tensor<1xf32>)
  return %r0 : tensor<1xf32>
}

func.func @mul(%a0: tensor<1xf32>, %a1: tensor<f32>) -> (tensor<1xf32>) {
  %r0 = nn.mul %a0, %a1 : (tensor<1xf32>, tensor<f32>) -> (tensor<1xf32>)
  return %r0 : tensor<1xf32>
}

func.func @div(%a0: tensor<f32>, %a1: tensor<1xf32>) -> (tensor<1xf32>) {
  %r0 = nn.div %a0, %a1 : (tensor<f32>, tensor<1xf32>) -> (tensor<1xf32>)
  return %r0 : tensor<1xf32>
}

func.func @mod(%a0: tensor<6xf32>, %a1: tensor<6xf32>) -> (tensor<6xf32>) {
  %r0 = nn.mod %a0, %a1 : (tensor<6xf32>, tensor<6xf32>) -> (tensor<6xf32>)
  return %r0 : tensor<6xf32>
}

func.func @rem(%a0: tensor<6xf32>, %a1: tensor<6xf32>) -> (tensor<6xf32>) {
  %r0 = nn.rem %a0, %a1 : (tensor<6xf32>, tensor<6xf32>) -> (tensor<6xf32>)
  return %r0 : tensor<6xf32>
}

func.func @pow(%a0: tensor<3xf32>, %a1: tensor<f32>) -> (tensor<3xf32>) {
  %r0 = nn.pow %a0, %a1 : (tensor<3xf32>, tensor<f32>) -> (tensor<3xf32>)
  return %r0 : tensor<3xf32>
}

func.func @max(%a0: tensor<3xf32>, %a1: tensor<f32>) -> (tensor<3xf32>) {
  %r0 = nn.max %a0, %a1 : (tensor<3xf32>, tensor<f32>) -> (tensor<3xf32>)
  return %r0 : tensor<3xf32>
}

func.func @min(%a0: tensor<3xf32>, %a1: tensor<f32>) -> (tensor<3xf32>) {
  %r0 = nn.min %a0, %a1 : (tensor<3xf32>, tensor<f32>) -> (tensor<3xf32>)
  return %r0 : tensor<3xf32>
}

func.func @and(%a0: tensor<1xi1>, %a1: tensor<1xi1>) -> (tensor<1xi1>) {
  %r0 = nn.and %a0, %a1 : (tensor<1xi1>, tensor<1xi1>) -> (tensor<1xi1>)
  return %r0 : tensor<1xi1>
}

func.func @or(%a0: tensor<3x4xi1>, %a1: tensor<3x4xi1>) -> (tensor<3x4xi1>) {
  %r0 = nn.or %a0, %a1 : (tensor<3x4xi1>, tensor<3x4xi1>) -> (tensor<3x4xi1>)
  return %r0 : tensor<3x4xi1>
}

func.func @xor(%a0: tensor<3x4xi1>, %a1: tensor<3x4xi1>) -> (tensor<3x4xi1>) {
  %r0 = nn.xor %a0, %a1 : (tensor<3x4xi1>, tensor<3x4xi1>) -> (tensor<3x4xi1>)
  return %r0 : tensor<3x4xi1>
}

func.func @shl(%a0: tensor<3xui8>, %a1: tensor<3xui8>) -> (tensor<3xui8>) {
  %r0 = nn.shl %a0, %a1 : (tensor<3xui8>, tensor<3xui8>) -> (tensor<3xui8>)
  return %r0 : tensor<3xui8>
}

func.func @shr(%a0: tensor<3xui8>, %a1: tensor<3xui8>) -> (tensor<3xui8>) {
  %r0 = nn.shr %a0, %a1 : (tensor<3xui8>, tensor<3xui8>) -> (tensor<3xui8>)
  return %r0 : tensor<3xui8>
}

func.func @eq(%a0: tensor<6xf32>, %a1: tensor<f32>) -> (tensor<6xi1>) {
  %r0 = nn.eq %a0, %a1 : (tensor<6xf32>, tensor<f32>) -> (tensor<6xi1>)
  return %r0 : tensor<6xi1>
}

func.func @lt(%a0: tensor<3xf32>, %a1: tensor<f32>) -> (tensor<3xi1>) {
  %r0 = nn.lt %a0, %a1 : (tensor<3xf32>, tensor<f32>) -> (tensor<3xi1>)
  return %r0 : tensor<3xi1>
}

func.func @le(%a0: tensor<5xf32>, %a1: tensor<3x4x5xf32>) -> (tensor<3x4x5xi1>) {
  %r0 = nn.le %a0, %a1 : (tensor<5xf32>, tensor<3x4x5xf32>) -> (tensor<3x4x5xi1>)
  return %r0 : tensor<3x4x5xi1>
}

func.func @select(%a0: tensor<6xi1>, %a1: tensor<f32>, %a2: tensor<f32>) -> (tensor<6xf32>) {
  %r0 = nn.select %a0, %a1, %a2 : (tensor<6xi1>, tensor<f32>, tensor<f32>) -> (tensor<6xf32>)
  return %r0 : tensor<6xf32>
}
