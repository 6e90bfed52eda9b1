// RUN: kumiko-opt %s --kumiko-split-kernels --kumiko-schedule-kernels | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>

// A product whose columns are read in two parts at once is still a contraction: a panel is one vector of each part.
// CHECK: nn.kernel @halves
// CHECK-SAME: chunk_panels = 6 {{.*}} panel_columns = 8 {{.*}} template = "contraction"
nn.kernel @halves(%x: tensor<3x96xf32>, %w: tensor<96x96xf32> {nn.constant}) -> tensor<3x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x96xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<3x96xf32>) -> tensor<3x96xf32>
  %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<3x96xf32>, tensor<96x96xf32>) outs(%i : tensor<3x96xf32>) {
  ^bb0(%q: f32, %r: f32, %o: f32):
    %0 = arith.mulf %q, %r : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x96xf32>
  %l = tensor.extract_slice %p[0, 0] [3, 48] [1, 1] : tensor<3x96xf32> to tensor<3x48xf32>
  %h = tensor.extract_slice %p[0, 48] [3, 48] [1, 1] : tensor<3x96xf32> to tensor<3x48xf32>
  %f = tensor.empty() : tensor<3x48xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%l, %h : tensor<3x48xf32>, tensor<3x48xf32>) outs(%f : tensor<3x48xf32>) {
  ^bb0(%q: f32, %r: f32, %o: f32):
    %0 = arith.mulf %q, %r : f32
    linalg.yield %0 : f32
  } -> tensor<3x48xf32>
  nn.yield %y : tensor<3x48xf32>
}

// Two parts that overlap are no parts: the kernel is cut behind the product.
// CHECK-LABEL: func @main
// CHECK-COUNT-2: nn.call
func.func @main(%x: tensor<8x96xf32>, %w: tensor<96x96xf32>) -> tensor<8x48xf32> {
  %0 = nn.call @overlap(%x, %w) : (tensor<8x96xf32>, tensor<96x96xf32>) -> tensor<8x48xf32>
  return %0 : tensor<8x48xf32>
}
nn.kernel @overlap(%x: tensor<8x96xf32>, %w: tensor<96x96xf32>) -> tensor<8x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x96xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<8x96xf32>) -> tensor<8x96xf32>
  %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<8x96xf32>, tensor<96x96xf32>) outs(%i : tensor<8x96xf32>) {
  ^bb0(%q: f32, %r: f32, %o: f32):
    %0 = arith.mulf %q, %r : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x96xf32>
  %l = tensor.extract_slice %p[0, 8] [8, 48] [1, 1] : tensor<8x96xf32> to tensor<8x48xf32>
  %h = tensor.extract_slice %p[0, 48] [8, 48] [1, 1] : tensor<8x96xf32> to tensor<8x48xf32>
  %f = tensor.empty() : tensor<8x48xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%l, %h : tensor<8x48xf32>, tensor<8x48xf32>) outs(%f : tensor<8x48xf32>) {
  ^bb0(%q: f32, %r: f32, %o: f32):
    %0 = arith.mulf %q, %r : f32
    linalg.yield %0 : f32
  } -> tensor<8x48xf32>
  nn.yield %y : tensor<8x48xf32>
}
