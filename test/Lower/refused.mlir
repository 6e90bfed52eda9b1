// RUN: kumiko-opt %s --nn-to-linalg --split-input-file --verify-diagnostics

// What is not compiled says so, with the statement and the reason.

func.func @many_updates(%x: tensor<1000000xf32>, %i: tensor<1000000xi64>, %u: tensor<1000000xf32>) -> tensor<1000000xf32> {
  // expected-error@+1 {{'nn.scatter_elements' is not yet compiled: `y(i..., wrap(index(i..., j at axis), dim(x, axis)) at axis) [kind]= u(i..., j at axis) into x where i in drop(dims(index), axis)` would compare too many pairs of writes and elements}}
  %y = nn.scatter_elements %x, %i, %u {axis = 0, kind = "set"} : (tensor<1000000xf32>, tensor<1000000xi64>, tensor<1000000xf32>) -> tensor<1000000xf32>
  return %y : tensor<1000000xf32>
}

// -----

func.func @long_dimension(%x: tensor<1xf32>) -> tensor<2147483648xf32> {
  // expected-error@+1 {{has 2147483648 elements along one dimension, at most 1073741824 are numbered}}
  %y = nn.expand %x {shape = array<i64: 2147483648>} : (tensor<1xf32>) -> tensor<2147483648xf32>
  return %y : tensor<2147483648xf32>
}
