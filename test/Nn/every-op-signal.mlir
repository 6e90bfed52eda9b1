// RUN: kumiko-opt %s -o %t.1
// RUN: kumiko-opt %t.1 -o %t.2
// RUN: diff %t.1 %t.2

// Each op of signal.eq once, with types that occur in practice: it is parsed, verified and printed the same again.

func.func @dft(%a0: tensor<1x10x10x1xf32>) -> (tensor<1x6x10x2xf32>) {
  %r0 = nn.dft %a0 {axis = 1, n = 10, out = 6, inverse = false} : (tensor<1x10x10x1xf32>) -> (tensor<1x6x10x2xf32>)
  return %r0 : tensor<1x6x10x2xf32>
}

func.func @frames(%a0: tensor<1x128x1xf32>, %a1: tensor<16xf32>) -> (tensor<1x15x16x1xf32>) {
  %r0 = nn.frames %a0, %a1 {hop = 8, n = 16, out = 15} : (tensor<1x128x1xf32>, tensor<16xf32>) -> (tensor<1x15x16x1xf32>)
  return %r0 : tensor<1x15x16x1xf32>
}

func.func @resize_axis(%a0: tensor<1x1x4x4xf32>) -> (tensor<1x1x4x4xf32>) {
  %r0 = nn.resize_axis %a0 {axis = 0, out = 1, gain = 0.0, shift = 0.0, kernel = "linear", a = -0.75, shrink = 1.0, taps = 2, exclude = false, crop = true, value = 0.0} : (tensor<1x1x4x4xf32>) -> (tensor<1x1x4x4xf32>)
  return %r0 : tensor<1x1x4x4xf32>
}

func.func @rotary(%a0: tensor<2x4x3x8xf32>, %a1: tensor<2x3x4xf32>, %a2: tensor<2x3x4xf32>) -> (tensor<2x4x3x8xf32>) {
  %r0 = nn.rotary %a0, %a1, %a2 {interleaved = true} : (tensor<2x4x3x8xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> (tensor<2x4x3x8xf32>)
  return %r0 : tensor<2x4x3x8xf32>
}

func.func @sample_axis(%a0: tensor<1x2x4x2xf32>) -> (tensor<1x4x2x4xi64>, tensor<1x4x2x4xf32>) {
  %r0, %r1 = nn.sample_axis %a0 {which = 1, n = 3, mode = "cubic", border = "zeros", align = true, taps = 4} : (tensor<1x2x4x2xf32>) -> (tensor<1x4x2x4xi64>, tensor<1x4x2x4xf32>)
  return %r0, %r1 : tensor<1x4x2x4xi64>, tensor<1x4x2x4xf32>
}

func.func @places(%a0: tensor<1x2x6x6xi64>, %a1: tensor<1x3x6x6xi64>) -> tensor<1x2x3x6x6xi32> {
  %r0 = nn.places %a0, %a1 {rows = 4, columns = 5, to = i32} : (tensor<1x2x6x6xi64>, tensor<1x3x6x6xi64>) -> tensor<1x2x3x6x6xi32>
  return %r0 : tensor<1x2x3x6x6xi32>
}

func.func @sample(%a0: tensor<1x2x20xf32>, %a1: tensor<1x6x6x5xi32>, %a2: tensor<1x6x6x5xf32>) -> tensor<1x2x6x5xf32> {
  %r0 = nn.sample %a0, %a1, %a2 : (tensor<1x2x20xf32>, tensor<1x6x6x5xi32>, tensor<1x6x6x5xf32>) -> tensor<1x2x6x5xf32>
  return %r0 : tensor<1x2x6x5xf32>
}
