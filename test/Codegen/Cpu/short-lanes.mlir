// RUN: kumiko-opt %s --kumiko-emit-kernels | FileCheck %s

// Two channels become the innermost dimension, and rows become columns: lanes along two channels would leave a block
// empty. They run along the columns; the blocks of both channels are turned, and woven when a line is stored.
// CHECK-LABEL: func.func private @channels_last_inside
// CHECK: vector.store {{.*}} : memref<512xf32>, vector<8xf32>
// CHECK-NOT: vector.maskedstore
// CHECK-NOT: memref.store
// CHECK: return
nn.kernel @channels_last(%x: tensor<2x16x16xf32>) -> tensor<16x16x2xf32> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<16x16x2xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(w, h, c) -> (c, h, w)>, affine_map<(w, h, c) -> (w, h, c)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<2x16x16xf32>) outs(%empty : tensor<16x16x2xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<16x16x2xf32>
  nn.yield %y : tensor<16x16x2xf32>
}
