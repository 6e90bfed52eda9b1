// RUN: kumiko-opt %s --kumiko-emit-kernels --split-input-file --verify-diagnostics

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

// -----

// Nobody says what `?` is.
// expected-error@+1 {{the size of a tensor is not known: 'tensor<?xf32>'}}
nn.kernel @unknown(%x: tensor<?xf32>) -> tensor<?xf32> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %s = nn.extent #nn.extent<"s">
  %empty = tensor.empty(%s) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<?xf32>
  nn.yield %y : tensor<?xf32>
}

// -----

func.func private @main() attributes {nn.symbols = [{name = "batch"}]}
// expected-error@+1 {{a size depends on 's', which is no symbol of the program}}
nn.kernel @stranger(%x: tensor<?xf32> {nn.extents = #nn.extents<"s">}) -> tensor<?xf32>
    attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %s = nn.extent #nn.extent<"s">
  %empty = tensor.empty(%s) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<?xf32>
  nn.yield %y : tensor<?xf32>
}

// -----

// Each size is a number, but their product is none that a machine could hold.
// expected-error@+1 {{a place in a tensor takes more than 64 bits}}
nn.kernel @endless(%x: tensor<4294967296x4294967296xf32>) -> tensor<4294967296x4294967296xf32> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<4294967296x4294967296xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4294967296x4294967296xf32>) outs(%empty : tensor<4294967296x4294967296xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.negf %p : f32
    linalg.yield %0 : f32
  } -> tensor<4294967296x4294967296xf32>
  nn.yield %y : tensor<4294967296x4294967296xf32>
}
