// RUN: kumiko-opt %s --kumiko-form-kernels --verify-diagnostics

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
