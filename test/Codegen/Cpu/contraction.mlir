// RUN: kumiko-opt %s --kumiko-schedule-kernels --kumiko-emit-kernels | FileCheck %s

#window = affine_map<(n, h, w, f, c, i, j) -> (n, h + i, w + j, c)>
#weight = affine_map<(n, h, w, f, c, i, j) -> (f, c, i, j)>
#result = affine_map<(n, h, w, f, c, i, j) -> (n, h, w, f)>
#point = affine_map<(n, h, w, f) -> (n, h, w, f)>
#bias = affine_map<(n, h, w, f) -> (f)>

// A convolution in NHWC: width and channels of the window are one depth loop of 3 * 64 (unrolled by 4), the height is
// another; twelve sums stay in registers; bias is added to them before the store; the border of the padded result is
// filled apart.
// CHECK-LABEL: func.func @convolution
// CHECK-DAG: %[[ROW:.*]] = arith.constant 192 : index
// CHECK: scf.for {{.*}} iter_args
// CHECK: scf.for {{.*}} to %[[ROW]] step {{.*}} iter_args
// CHECK-COUNT-12: vector.fma
// CHECK: scf.yield
// CHECK: arith.addf
// CHECK: vector.store
nn.kernel @convolution(%x: tensor<1x30x30x64xf32>, %w: tensor<32x64x3x3xf32> {nn.constant}, %b: tensor<32xf32>)
    -> tensor<1x30x30x32xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x28x28x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x28x28x32xf32>) -> tensor<1x28x28x32xf32>
  %s = linalg.generic {indexing_maps = [#window, #weight, #result],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x30x30x64xf32>, tensor<32x64x3x3xf32>) outs(%init : tensor<1x28x28x32xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x28x28x32xf32>
  %y = linalg.generic {indexing_maps = [#point, #bias, #point],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s, %b : tensor<1x28x28x32xf32>, tensor<32xf32>) outs(%empty : tensor<1x28x28x32xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.addf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<1x28x28x32xf32>
  %padded = tensor.pad %y low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%0: index, %1: index, %2: index, %3: index):
    tensor.yield %zero : f32
  } : tensor<1x28x28x32xf32> to tensor<1x30x30x32xf32>
  nn.yield %padded : tensor<1x30x30x32xf32>
}
