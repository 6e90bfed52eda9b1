// RUN: kumiko-opt %s --refuse-uncompiled --split-input-file --verify-diagnostics

// A recurrence has no equation; the refusal names the op, and the location the node.
func.func @scan(%h: tensor<2xf32>, %x: tensor<5x2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{'nn.scan' is not yet compiled: only equations are}}
  %last = nn.scan states(%h) over(%x) : (tensor<2xf32>, tensor<5x2xf32>) -> tensor<2xf32> {
  ^bb0(%s: tensor<2xf32>, %i: tensor<2xf32>):
    %0 = nn.add %s, %i : tensor<2xf32>
    nn.yield %0 : tensor<2xf32>
  }
  return %last : tensor<2xf32>
}

// -----

// Small floats have no code, not even to be moved; all ops are told at once.
func.func @small_floats(%x: tensor<3x2xf8E5M2>) -> (tensor<3x2xf32>, tensor<3x2xi32>) {
  // expected-error@+1 {{'nn.transpose' is not yet compiled: the element type f8E5M2 has no code}}
  %t = nn.transpose %x {perm = array<i64: 1, 0>} : (tensor<3x2xf8E5M2>) -> tensor<2x3xf8E5M2>
  // expected-error@+1 {{'nn.transpose' is not yet compiled: the element type f8E5M2 has no code}}
  %u = nn.transpose %t {perm = array<i64: 1, 0>} : (tensor<2x3xf8E5M2>) -> tensor<3x2xf8E5M2>
  // expected-error@+1 {{'nn.cast' is not yet compiled: the element type f8E5M2 has no code}}
  %y = nn.cast %u {to = f32} : (tensor<3x2xf8E5M2>) -> tensor<3x2xf32>
  // expected-error@+1 {{'nn.cast' is not yet compiled: the element type f8E5M2 has no code}}
  %z = nn.cast %u {to = i32} : (tensor<3x2xf8E5M2>) -> tensor<3x2xi32>
  return %y, %z : tensor<3x2xf32>, tensor<3x2xi32>
}

// -----

// The reason is the lowering's own.
func.func @many_updates(%x: tensor<1000000xf32>, %i: tensor<1000000xi64>, %u: tensor<1000000xf32>) -> tensor<1000000xf32> {
  // expected-error@+1 {{would compare too many pairs of writes and elements}}
  %y = nn.scatter_elements %x, %i, %u {axis = 0, kind = "set"} : (tensor<1000000xf32>, tensor<1000000xi64>, tensor<1000000xf32>) -> tensor<1000000xf32>
  return %y : tensor<1000000xf32>
}
