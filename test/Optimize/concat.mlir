// RUN: kumiko-opt %s --nn-simplify | FileCheck %s

// Parts of parts are parts.
// CHECK-LABEL: func.func @twice
// CHECK-NEXT: nn.concat %arg0, %arg1, %arg2 {axis = 0 : i64} : (tensor<1x2xf32>, tensor<0x2xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
// CHECK-NEXT: return
func.func @twice(%a: tensor<1x2xf32>, %b: tensor<0x2xf32>, %c: tensor<3x2xf32>) -> tensor<4x2xf32> {
  %0 = nn.concat %a, %b {axis = 0} : (tensor<1x2xf32>, tensor<0x2xf32>) -> tensor<1x2xf32>
  %1 = nn.concat %0, %c {axis = 0} : (tensor<1x2xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// Along another axis, or with another reader, they stay.
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-4: nn.concat
func.func @apart(%a: tensor<2x2xf32>, %b: tensor<4x2xf32>) -> (tensor<4x4xf32>, tensor<8x2xf32>, tensor<4x2xf32>) {
  %0 = nn.concat %a, %a {axis = 1} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x4xf32>
  %1 = nn.concat %0, %0 {axis = 0} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  %2 = nn.concat %a, %a {axis = 0} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  %3 = nn.concat %2, %b {axis = 0} : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  return %1, %3, %2 : tensor<4x4xf32>, tensor<8x2xf32>, tensor<4x2xf32>
}

// A slice of one part, backwards.
// CHECK-LABEL: func.func @part
// CHECK-NEXT: nn.slice %arg1 {out = array<i64: 2, 2>, start = array<i64: 2, 0>, step = array<i64: -2, 1>}
// CHECK-NEXT: return
func.func @part(%a: tensor<1x2xf32>, %b: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %0 = nn.concat %a, %b {axis = 0} : (tensor<1x2xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  %1 = nn.slice %0 {start = array<i64: 3, 0>, step = array<i64: -2, 1>, out = array<i64: 2, 2>} : (tensor<4x2xf32>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}

// One that needs two parts stays.
// CHECK-LABEL: func.func @across
// CHECK: nn.concat
func.func @across(%a: tensor<2x2xf32>, %b: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %0 = nn.concat %a, %b {axis = 0} : (tensor<2x2xf32>, tensor<3x2xf32>) -> tensor<5x2xf32>
  %1 = nn.slice %0 {start = array<i64: 1, 0>, step = array<i64: 1, 1>, out = array<i64: 2, 2>} : (tensor<5x2xf32>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}
