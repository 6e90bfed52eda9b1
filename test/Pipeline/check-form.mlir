// RUN: kumiko-opt %s --split-input-file --verify-diagnostics --check-form=stage=fuse

// After Fuse, equations stand in kernels only.
func.func @left_outside(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{form after fuse: 'nn.relu' may not remain in 'func.func'}}
  %y = nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// A loop inside a kernel comes two stages too early.
nn.kernel @k_loop(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{form after fuse: 'arith.constant' may not remain in 'nn.kernel'}}
  %c = arith.constant dense<0.0> : tensor<4xf32>
  nn.yield %c : tensor<4xf32>
}

// -----

// What is in order passes.
nn.kernel @k_relu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  nn.yield %y : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = nn.call @k_relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
