// RUN: kumiko-opt %s --kumiko-split-kernels --kumiko-schedule-kernels | FileCheck %s

#matrix = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j, i)>
#first = affine_map<(i, j) -> (i)>
#second = affine_map<(i, j) -> (j)>

// A kernel that is cut says what `?` means where the cut is, to both sides and to the call; chunks are an expression.
// CHECK: nn.kernel @k_{{.*}}nn.extents = #nn.extents<"s">
// CHECK-SAME: -> tensor<6xf32>
// CHECK: nn.kernel @[[FIRST:k_[0-9a-f]+]](%{{.*}}: tensor<?x6xf32> {nn.extents = #nn.extents<"s", 6>})
// CHECK-SAME: -> (tensor<?xf32> {nn.extents = #nn.extents<"s">})
// CHECK-SAME: chunks = #nn.extent<"min(64, max(1, (7*s floordiv 100000)))">
// CHECK-LABEL: func @main
// CHECK: nn.call @[[FIRST]](%{{.*}}) {nn.extents = [#nn.extents<"s">]}
func.func @main(%x: tensor<?x6xf32> {nn.extents = #nn.extents<"s", 6>}) -> tensor<6xf32>
    attributes {nn.symbols = [{name = "s"}]} {
  %0 = nn.call @twice(%x) : (tensor<?x6xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
nn.kernel @twice(%x: tensor<?x6xf32> {nn.extents = #nn.extents<"s", 6>}) -> tensor<6xf32> {
  %zero = arith.constant 0.0 : f32
  %s = nn.extent #nn.extent<"s">
  %e = tensor.empty(%s) : tensor<?xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#matrix, #first], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x6xf32>) outs(%i : tensor<?xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %e6 = tensor.empty() : tensor<6xf32>
  %i6 = linalg.fill ins(%zero : f32) outs(%e6 : tensor<6xf32>) -> tensor<6xf32>
  %y = linalg.generic {indexing_maps = [#column, #second, #first], iterator_types = ["parallel", "reduction"]}
      ins(%x, %sum : tensor<?x6xf32>, tensor<?xf32>) outs(%i6 : tensor<6xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<6xf32>
  nn.yield %y : tensor<6xf32>
}

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// How many rows there are is open, so panels are shared out as well: with one block of rows there is work for several threads.
// CHECK: nn.kernel @product
// CHECK-SAME: chunk_panels = 4 :
nn.kernel @product(%x: tensor<?x400xf32> {nn.extents = #nn.extents<"64*s", 400>}, %w: tensor<400x514xf32> {nn.constant})
    -> (tensor<?x514xf32> {nn.extents = #nn.extents<"64*s", 514>}) {
  %zero = arith.constant 0.0 : f32
  %s = nn.extent #nn.extent<"64*s">
  %e = tensor.empty(%s) : tensor<?x514xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x514xf32>) -> tensor<?x514xf32>
  %y = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x400xf32>, tensor<400x514xf32>) outs(%i : tensor<?x514xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x514xf32>
  nn.yield %y : tensor<?x514xf32>
}
