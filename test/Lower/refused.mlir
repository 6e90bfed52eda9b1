// RUN: kumiko-opt %s --nn-to-linalg --split-input-file --verify-diagnostics

// What is not compiled says so, with the statement and the reason.

func.func @long_dimension(%x: tensor<1xf32>) -> tensor<2147483648xf32> {
  // expected-error@+1 {{has 2147483648 elements along one dimension, at most 1073741824 are numbered}}
  %y = nn.expand %x {shape = array<i64: 2147483648>} : (tensor<1xf32>) -> tensor<2147483648xf32>
  return %y : tensor<2147483648xf32>
}
