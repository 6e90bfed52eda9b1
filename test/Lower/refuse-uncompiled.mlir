// RUN: kumiko-opt %s --refuse-uncompiled --split-input-file --verify-diagnostics

// The body of a loop is asked op by op.
func.func @scan(%h: tensor<2xi4>, %x: tensor<5x2xi4>) -> tensor<5x2xui4> {
  %last, %y = nn.scan states(%h) over(%x) : (tensor<2xi4>, tensor<5x2xi4>) -> (tensor<2xi4>, tensor<5x2xui4>) {
  ^bb0(%s: tensor<2xi4>, %i: tensor<2xi4>):
    // expected-error@+1 {{'nn.bitcast' is not yet compiled}}
    %0 = nn.bitcast %s : tensor<2xi4> -> tensor<2xui4>
    nn.yield %i, %0 : tensor<2xi4>, tensor<2xui4>
  }
  return %y : tensor<5x2xui4>
}

// -----

// An irregular op has a function of the runtime; not for every type.
func.func @topk(%x: tensor<4xi4>) -> tensor<2xi4> {
  // expected-error@+1 {{'nn.topk' is not yet compiled: there is no function for elements of i4}}
  %v, %i = nn.topk %x {axis = 0, k = 2, largest = true} : (tensor<4xi4>) -> (tensor<2xi4>, tensor<2xi64>)
  return %v : tensor<2xi4>
}

// -----

// A number below 8 bits takes a byte, whose bits are not those of the number; all ops are told at once.
func.func @small_bits(%x: tensor<3xi4>) -> (tensor<3xui4>, tensor<3xui4>) {
  // expected-error@+1 {{'nn.bitcast' is not yet compiled: the bits of a type below 8 bits, which takes a byte}}
  %y = nn.bitcast %x : tensor<3xi4> -> tensor<3xui4>
  // expected-error@+1 {{'nn.bitcast' is not yet compiled}}
  %z = nn.bitcast %x : tensor<3xi4> -> tensor<3xui4>
  return %y, %z : tensor<3xui4>, tensor<3xui4>
}

// -----

// The reason is the lowering's own.
func.func @long_dimension(%x: tensor<1xf32>) -> tensor<2147483648xf32> {
  // expected-error@+1 {{has 2147483648 elements along one dimension, at most 1073741824 are numbered}}
  %y = nn.expand %x {shape = array<i64: 2147483648>} : (tensor<1xf32>) -> tensor<2147483648xf32>
  return %y : tensor<2147483648xf32>
}
