// RUN: kumiko-opt %s --nn-to-linalg --split-input-file --verify-diagnostics

// What is not compiled says so, with the statement and the reason.

func.func @scatter(%x: tensor<4xf32>, %i: tensor<2xi64>, %u: tensor<2xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'nn.scatter_elements' is not yet compiled: `y(i..., wrap(index(i..., j at axis), dim(x, axis)) at axis) [kind]= u(i..., j at axis) into x where i in drop(dims(index), axis)` writes at an index that is computed from data}}
  %y = nn.scatter_elements %x, %i, %u {axis = 0, kind = "set"} : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @overlap(%x: tensor<1x1x3xf32>, %w: tensor<1x2x3xf32>) -> tensor<1x2x5xf32> {
  // expected-error@+1 {{several points write to one element of its result}}
  %y = nn.conv_transpose %x, %w {stride = array<i64: 1>, dilation = array<i64: 1>, lo = array<i64: 0>, out = array<i64: 5>} : (tensor<1x1x3xf32>, tensor<1x2x3xf32>) -> tensor<1x2x5xf32>
  return %y : tensor<1x2x5xf32>
}

// -----

func.func @conversion(%x: tensor<3xf32>) -> tensor<3xf8E8M0FNU> {
  // expected-error@+1 {{conversion from f32 to f8e8m0}}
  %y = nn.cast %x {to = f8E8M0FNU} : (tensor<3xf32>) -> tensor<3xf8E8M0FNU>
  return %y : tensor<3xf8E8M0FNU>
}
