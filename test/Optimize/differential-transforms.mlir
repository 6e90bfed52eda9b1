// RUN: python3 %S/../Lower/differential.py %s --passes="--nn-expand-transforms --nn-simplify"

// Transforms before and after they become products: at once, in two steps, in three, shorter and longer than the signal,
// along another axis, back again.

func.func @windows(%x: tensor<2x5x400x1xf32>) -> tensor<2x5x257x2xf32> {
  %y = nn.dft %x {axis = 2, n = 512, out = 257, inverse = false} : (tensor<2x5x400x1xf32>) -> tensor<2x5x257x2xf32>
  return %y : tensor<2x5x257x2xf32>
}
func.func @two_steps(%x: tensor<2x1500x1xf32>) -> tensor<2x1000x2xf32> {
  %y = nn.dft %x {axis = 1, n = 1600, out = 1000, inverse = false} : (tensor<2x1500x1xf32>) -> tensor<2x1000x2xf32>
  return %y : tensor<2x1000x2xf32>
}
func.func @three_steps(%x: tensor<1x12288x1xf32>) -> tensor<1x50x2xf32> {
  %y = nn.dft %x {axis = 1, n = 12288, out = 50, inverse = false} : (tensor<1x12288x1xf32>) -> tensor<1x50x2xf32>
  return %y : tensor<1x50x2xf32>
}
func.func @cropped_axis(%x: tensor<40x3x2xf32>) -> tensor<33x3x2xf32> {
  %y = nn.dft %x {axis = 0, n = 33, out = 33, inverse = true} : (tensor<40x3x2xf32>) -> tensor<33x3x2xf32>
  return %y : tensor<33x3x2xf32>
}
func.func @complex_long(%x: tensor<1x1024x2xf32>) -> tensor<1x1024x2xf32> {
  %y = nn.dft %x {axis = 1, n = 1024, out = 1024, inverse = true} : (tensor<1x1024x2xf32>) -> tensor<1x1024x2xf32>
  return %y : tensor<1x1024x2xf32>
}
func.func @double(%x: tensor<3x300x1xf64>) -> tensor<3x151x2xf64> {
  %y = nn.dft %x {axis = 1, n = 300, out = 151, inverse = false} : (tensor<3x300x1xf64>) -> tensor<3x151x2xf64>
  return %y : tensor<3x151x2xf64>
}
