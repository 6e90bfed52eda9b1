// RUN: kumiko-opt %s --kumiko-emit-kernels --verify-diagnostics

// A schedule for rows needs a reduction.
// expected-error@+1 {{the schedule's template does not fit the kernel}}
nn.kernel @misfit(%x: tensor<8xf32>) -> tensor<8xf32> attributes {schedule = {template = "rows", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%empty : tensor<8xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<8xf32>
  nn.yield %y : tensor<8xf32>
}
