// RUN: python3 %S/differential.py %s

// Element types other than f32, conversions between them, special values, combinations.

func.func @add_i8(%a: tensor<9xi8>, %b: tensor<9xi8>) -> tensor<9xi8> {
  %y = nn.add %a, %b : tensor<9xi8>
  return %y : tensor<9xi8>
}
func.func @div_i32(%a: tensor<9xi32> {test.below = 100}, %b: tensor<9xi32> {test.below = 1}) -> tensor<9xi32> {
  %one = nn.constant dense<-7> : tensor<1xi32>
  %d = nn.sub %b, %one : (tensor<9xi32>, tensor<1xi32>) -> tensor<9xi32>
  %y = nn.div %a, %d : tensor<9xi32>
  return %y : tensor<9xi32>
}
func.func @mod_signs(%a: tensor<12xi16>) -> tensor<12xi16> {
  %d = nn.constant dense<-5> : tensor<1xi16>
  %y = nn.mod %a, %d : (tensor<12xi16>, tensor<1xi16>) -> tensor<12xi16>
  return %y : tensor<12xi16>
}
func.func @rem_signs(%a: tensor<12xi16>) -> tensor<12xi16> {
  %d = nn.constant dense<5> : tensor<1xi16>
  %y = nn.rem %a, %d : (tensor<12xi16>, tensor<1xi16>) -> tensor<12xi16>
  return %y : tensor<12xi16>
}
func.func @mod_float(%a: tensor<12xf32>, %b: tensor<12xf32>) -> tensor<12xf32> {
  %y = nn.mod %a, %b : tensor<12xf32>
  return %y : tensor<12xf32>
}
func.func @lt_u8(%a: tensor<9xui8> {test.below = 256}, %b: tensor<9xui8> {test.below = 256}) -> tensor<9xi1> {
  %y = nn.lt %a, %b : (tensor<9xui8>, tensor<9xui8>) -> tensor<9xi1>
  return %y : tensor<9xi1>
}
func.func @max_u8(%a: tensor<9xui8> {test.below = 256}) -> tensor<ui8> {
  %y = nn.reduce %a {kind = "max", axes = array<i64: 0>} : (tensor<9xui8>) -> tensor<ui8>
  return %y : tensor<ui8>
}
func.func @min_i64(%a: tensor<2x9xi64> {test.below = 100}) -> tensor<9xi64> {
  %y = nn.reduce %a {kind = "min", axes = array<i64: 0>} : (tensor<2x9xi64>) -> tensor<9xi64>
  return %y : tensor<9xi64>
}
func.func @and_bits(%a: tensor<4x3xi1>) -> tensor<4xi1> {
  %y = nn.reduce %a {kind = "and", axes = array<i64: 1>} : (tensor<4x3xi1>) -> tensor<4xi1>
  return %y : tensor<4xi1>
}
func.func @product_f64(%a: tensor<4x3xf64>) -> tensor<4xf64> {
  %y = nn.reduce %a {kind = "*", axes = array<i64: 1>} : (tensor<4x3xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
func.func @sum_f16(%a: tensor<4x40xf16>) -> tensor<4xf16> {
  %y = nn.reduce %a {kind = "+", axes = array<i64: 1>} : (tensor<4x40xf16>) -> tensor<4xf16>
  return %y : tensor<4xf16>
}
func.func @softmax_f16(%a: tensor<3x7xf16>) -> tensor<3x7xf16> {
  %y = nn.softmax %a {axis = 1} : (tensor<3x7xf16>) -> tensor<3x7xf16>
  return %y : tensor<3x7xf16>
}
func.func @gelu_f16(%a: tensor<9xf16>) -> tensor<9xf16> {
  %y = nn.gelu %a : tensor<9xf16>
  return %y : tensor<9xf16>
}
func.func @matmul_bf16(%a: tensor<3x8xbf16>, %b: tensor<8x4xbf16>) -> tensor<3x4xbf16> {
  %y = nn.matmul %a, %b : (tensor<3x8xbf16>, tensor<8x4xbf16>) -> tensor<3x4xbf16>
  return %y : tensor<3x4xbf16>
}
func.func @special_unary(%a: tensor<30xf32> {test.nan}) -> (tensor<30xf32>, tensor<30xf32>, tensor<30xf32>, tensor<30xf32>) {
  %0 = nn.sign %a : tensor<30xf32>
  %1 = nn.relu %a : tensor<30xf32>
  %2 = nn.sigmoid %a : tensor<30xf32>
  %3 = nn.round %a : tensor<30xf32>
  return %0, %1, %2, %3 : tensor<30xf32>, tensor<30xf32>, tensor<30xf32>, tensor<30xf32>
}
func.func @special_binary(%a: tensor<40xf32> {test.nan}, %b: tensor<40xf32> {test.nan}) -> (tensor<40xf32>, tensor<40xf32>, tensor<40xi1>) {
  %0 = nn.max %a, %b : tensor<40xf32>
  %1 = nn.min %a, %b : tensor<40xf32>
  %2 = nn.eq %a, %b : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xi1>
  return %0, %1, %2 : tensor<40xf32>, tensor<40xf32>, tensor<40xi1>
}
func.func @argmax_nan(%a: tensor<6x5xf32> {test.nan}) -> (tensor<6xi64>, tensor<6xf32>) {
  %i, %v = nn.argreduce %a {kind = "max", axis = 1} : (tensor<6x5xf32>) -> (tensor<6xi64>, tensor<6xf32>)
  return %i, %v : tensor<6xi64>, tensor<6xf32>
}
func.func @argmin_ties(%a: tensor<6x5xi32> {test.below = 3}) -> tensor<5xi64> {
  %i, %v = nn.argreduce %a {kind = "min", axis = 0} : (tensor<6x5xi32>) -> (tensor<5xi64>, tensor<5xi32>)
  return %i : tensor<5xi64>
}
func.func @running_sum(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %y = nn.cumulate %a {kind = "+", axis = 1, exclusive = true, reverse = true} : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}
func.func @cast_up(%a: tensor<9xi8>) -> (tensor<9xf32>, tensor<9xi64>, tensor<9xi1>) {
  %0 = nn.cast %a {to = f32} : (tensor<9xi8>) -> tensor<9xf32>
  %1 = nn.cast %a {to = i64} : (tensor<9xi8>) -> tensor<9xi64>
  %2 = nn.cast %a {to = i1} : (tensor<9xi8>) -> tensor<9xi1>
  return %0, %1, %2 : tensor<9xf32>, tensor<9xi64>, tensor<9xi1>
}
func.func @cast_float(%a: tensor<30xf32> {test.nan}) -> (tensor<30xi8>, tensor<30xui8>, tensor<30xi64>, tensor<30xui64>, tensor<30xf16>) {
  %k = nn.constant dense<300.0> : tensor<1xf32>
  %b = nn.mul %a, %k : (tensor<30xf32>, tensor<1xf32>) -> tensor<30xf32>
  %0 = nn.cast %b {to = i8} : (tensor<30xf32>) -> tensor<30xi8>
  %1 = nn.cast %b {to = ui8} : (tensor<30xf32>) -> tensor<30xui8>
  %2 = nn.cast %b {to = i64} : (tensor<30xf32>) -> tensor<30xi64>
  %3 = nn.cast %b {to = ui64} : (tensor<30xf32>) -> tensor<30xui64>
  %4 = nn.cast %b {to = f16} : (tensor<30xf32>) -> tensor<30xf16>
  return %0, %1, %2, %3, %4 : tensor<30xi8>, tensor<30xui8>, tensor<30xi64>, tensor<30xui64>, tensor<30xf16>
}
func.func @cast_bf16_f16(%a: tensor<9xbf16>) -> tensor<9xf16> {
  %y = nn.cast %a {to = f16} : (tensor<9xbf16>) -> tensor<9xf16>
  return %y : tensor<9xf16>
}
func.func @quantize_i8(%x: tensor<2x6xf32> {test.nan}, %s: tensor<2x1xf32> {test.positive}, %z: tensor<2x1xi8>) -> tensor<2x6xi8> {
  %y = nn.quantize %x, %s, %z {axis = 1, block = 6, lo = -128.0, hi = 127.0, whole = true, acc = f32, to = i8} : (tensor<2x6xf32>, tensor<2x1xf32>, tensor<2x1xi8>) -> tensor<2x6xi8>
  return %y : tensor<2x6xi8>
}
func.func @dequantize_u8(%x: tensor<2x6xui8> {test.below = 256}, %s: tensor<2x3xf32>, %z: tensor<2x3xui8> {test.below = 256}) -> tensor<2x6xf32> {
  %y = nn.dequantize %x, %s, %z {axis = 1, block = 2, to = f32} : (tensor<2x6xui8>, tensor<2x3xf32>, tensor<2x3xui8>) -> tensor<2x6xf32>
  return %y : tensor<2x6xf32>
}
func.func @scalars(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %y = nn.sub %a, %b : tensor<f32>
  return %y : tensor<f32>
}
func.func @empty(%a: tensor<0x3xf32>) -> tensor<3xf32> {
  %y = nn.reduce %a {kind = "max", axes = array<i64: 0>} : (tensor<0x3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}
func.func @shifts(%a: tensor<9xui8> {test.below = 256}, %b: tensor<9xui8> {test.below = 12}) -> (tensor<9xui8>, tensor<9xui8>) {
  %0 = nn.shl %a, %b : tensor<9xui8>
  %1 = nn.shr %a, %b : tensor<9xui8>
  return %0, %1 : tensor<9xui8>, tensor<9xui8>
}
// Beyond the width a negative number shifted right is -1, everything else 0; a negative amount counts as beyond.
func.func @shifts_signed(%a: tensor<9xi8>) -> (tensor<9xi8>, tensor<9xi8>) {
  %b = nn.constant dense<[0, 1, 6, 7, 8, 9, 64, 127, -1]> : tensor<9xi8>
  %0 = nn.shl %a, %b : tensor<9xi8>
  %1 = nn.shr %a, %b : tensor<9xi8>
  return %0, %1 : tensor<9xi8>, tensor<9xi8>
}
func.func @pow_mixed(%a: tensor<9xf32> {test.positive}, %b: tensor<9xi32> {test.below = 5}) -> tensor<9xf32> {
  %y = nn.pow %a, %b : (tensor<9xf32>, tensor<9xi32>) -> tensor<9xf32>
  return %y : tensor<9xf32>
}
func.func @divide_by_zero(%a: tensor<40xi32>, %b: tensor<40xi32> {test.below = 3}) -> (tensor<40xi32>, tensor<40xi32>, tensor<40xi32>) {
  %0 = nn.div %a, %b : tensor<40xi32>
  %1 = nn.mod %a, %b : tensor<40xi32>
  %2 = nn.rem %a, %b : tensor<40xi32>
  return %0, %1, %2 : tensor<40xi32>, tensor<40xi32>, tensor<40xi32>
}
func.func @divide_lowest(%a: tensor<2xi8> {test.below = 1}) -> (tensor<2xi8>, tensor<2xi8>) {
  %lowest = nn.constant dense<-128> : tensor<2xi8>
  %one = nn.constant dense<1> : tensor<2xi8>
  %b = nn.sub %a, %one : tensor<2xi8>
  %0 = nn.div %lowest, %b : tensor<2xi8>
  %1 = nn.rem %lowest, %b : tensor<2xi8>
  return %0, %1 : tensor<2xi8>, tensor<2xi8>
}
func.func @power(%a: tensor<40xi32>, %b: tensor<40xi32> {test.below = 9}) -> (tensor<40xi32>, tensor<40xi32>) {
  %0 = nn.pow %a, %b : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi32>
  %1 = nn.neg %b : tensor<40xi32>
  %2 = nn.pow %a, %1 : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi32>
  return %0, %2 : tensor<40xi32>, tensor<40xi32>
}
func.func @halves(%a: tensor<40xf64>) -> (tensor<40xf16>, tensor<40xbf16>) {
  %0 = nn.cast %a {to = f16} : (tensor<40xf64>) -> tensor<40xf16>
  %1 = nn.cast %a {to = bf16} : (tensor<40xf64>) -> tensor<40xbf16>
  return %0, %1 : tensor<40xf16>, tensor<40xbf16>
}
func.func @float_mod(%a: tensor<40xf32>, %b: tensor<40xf32> {test.nan}) -> tensor<40xf32> {
  %0 = nn.mod %a, %b : tensor<40xf32>
  return %0 : tensor<40xf32>
}
