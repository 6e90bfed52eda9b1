// RUN: python3 %S/differential.py %s

// Movement in the forms that are lowered differently: views, slices, pads, reads in the body.

func.func @slice_stride(%x: tensor<7x5xf32>) -> tensor<3x4xf32> {
  %y = nn.slice %x {start = array<i64: 1, 0>, step = array<i64: 2, 1>, out = array<i64: 3, 4>} : (tensor<7x5xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}
func.func @slice_backwards(%x: tensor<7x5xf32>) -> tensor<3x4xf32> {
  %y = nn.slice %x {start = array<i64: 6, 0>, step = array<i64: -2, 1>, out = array<i64: 3, 4>} : (tensor<7x5xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}
func.func @slice_one(%x: tensor<7x5xf32>) -> tensor<1x5xf32> {
  %y = nn.slice %x {start = array<i64: 3, 0>, step = array<i64: 1, 1>, out = array<i64: 1, 5>} : (tensor<7x5xf32>) -> tensor<1x5xf32>
  return %y : tensor<1x5xf32>
}
func.func @transpose3(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %y = nn.transpose %x {perm = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  return %y : tensor<4x2x3xf32>
}
func.func @expand_both(%x: tensor<3x1xf32>) -> tensor<2x3x4xf32> {
  %y = nn.expand %x {shape = array<i64: 2, 3, 4>} : (tensor<3x1xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}
func.func @pad_value(%x: tensor<3x4xf32>, %v: tensor<f32>) -> tensor<4x6xf32> {
  %y = nn.pad %x, %v {lo = array<i64: 1, 0>, hi = array<i64: 0, 2>} : (tensor<3x4xf32>, tensor<f32>) -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}
func.func @pad_crops(%x: tensor<5x4xf32>) -> tensor<3x5xf32> {
  %y = nn.pad %x {lo = array<i64: -1, 2>, hi = array<i64: -1, -1>} : (tensor<5x4xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}
func.func @pad_edge(%x: tensor<3x4xf32>) -> tensor<5x8xf32> {
  %y = nn.pad %x {lo = array<i64: 1, 2>, hi = array<i64: 1, 2>, mode = "edge"} : (tensor<3x4xf32>) -> tensor<5x8xf32>
  return %y : tensor<5x8xf32>
}
func.func @pad_reflect(%x: tensor<3x4xf32>) -> tensor<5x8xf32> {
  %y = nn.pad %x {lo = array<i64: 1, 2>, hi = array<i64: 1, 2>, mode = "reflect"} : (tensor<3x4xf32>) -> tensor<5x8xf32>
  return %y : tensor<5x8xf32>
}
func.func @pad_wrap(%x: tensor<3x4xf32>) -> tensor<5x8xf32> {
  %y = nn.pad %x {lo = array<i64: 1, 2>, hi = array<i64: 1, 2>, mode = "wrap"} : (tensor<3x4xf32>) -> tensor<5x8xf32>
  return %y : tensor<5x8xf32>
}
func.func @concat_two(%a: tensor<2x3xf32>, %b: tensor<2x1xf32>, %c: tensor<2x2xf32>) -> tensor<2x6xf32> {
  %y = nn.concat %a, %b, %c {axis = 1} : (tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x2xf32>) -> tensor<2x6xf32>
  return %y : tensor<2x6xf32>
}
func.func @concat_empty(%a: tensor<2x0xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = nn.concat %a, %b {axis = 1} : (tensor<2x0xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
func.func @gather_rows(%x: tensor<6x5xf32>, %i: tensor<2x3xi64> {test.below = 6}) -> tensor<2x3x5xf32> {
  %y = nn.gather %x, %i {axis = 0} : (tensor<6x5xf32>, tensor<2x3xi64>) -> tensor<2x3x5xf32>
  return %y : tensor<2x3x5xf32>
}
func.func @gather_columns(%x: tensor<4x5xf32>, %i: tensor<3xi32> {test.below = 5}) -> tensor<4x3xf32> {
  %y = nn.gather %x, %i {axis = 1} : (tensor<4x5xf32>, tensor<3xi32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}
func.func @gather_nd_batch(%x: tensor<2x3x4xf32>, %i: tensor<2x1xi64> {test.below = 3}) -> tensor<2x4xf32> {
  %y = nn.gather_nd %x, %i {batch = 1} : (tensor<2x3x4xf32>, tensor<2x1xi64>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
func.func @range_i64(%s: tensor<i64> {test.below = 9}, %t: tensor<i64> {test.below = 9}) -> tensor<5xi64> {
  %y = nn.range %s, %t {n = 5} : (tensor<i64>, tensor<i64>) -> tensor<5xi64>
  return %y : tensor<5xi64>
}
func.func @reshape_between(%x: tensor<2x6xf32>) -> tensor<3x4xf32> {
  %0 = nn.relu %x : tensor<2x6xf32>
  %1 = nn.reshape %0 : tensor<2x6xf32> -> tensor<3x4xf32>
  %y = nn.neg %1 : tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}
func.func @reshape_units(%x: tensor<1x3x1x2xf32>) -> tensor<3x2x1xf32> {
  %0 = nn.relu %x : tensor<1x3x1x2xf32>
  %y = nn.reshape %0 : tensor<1x3x1x2xf32> -> tensor<3x2x1xf32>
  return %y : tensor<3x2x1xf32>
}
func.func @reverse(%x: tensor<4x3xf32>, %n: tensor<3xi64> {test.below = 5}) -> tensor<4x3xf32> {
  %y = nn.reverse_sequence %x, %n : (tensor<4x3xf32>, tensor<3xi64>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}
func.func @rotary_halves(%x: tensor<1x2x3x8xf32>, %c: tensor<1x3x4xf32>, %s: tensor<1x3x4xf32>) -> tensor<1x2x3x8xf32> {
  %y = nn.rotary %x, %c, %s {interleaved = false} : (tensor<1x2x3x8xf32>, tensor<1x3x4xf32>, tensor<1x3x4xf32>) -> tensor<1x2x3x8xf32>
  return %y : tensor<1x2x3x8xf32>
}
func.func @resize_cubic(%x: tensor<2x5xf32>) -> tensor<2x8xf32> {
  %y = nn.resize_axis %x {axis = 1, out = 8, gain = 0.6, shift = -0.2, kernel = "cubic", a = -0.75, shrink = 1.0, taps = 4, exclude = true, crop = false, value = 0.0} : (tensor<2x5xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}
