// RUN: kumiko-opt %s --kumiko-schedule-kernels | FileCheck %s
// RUN: kumiko-opt %s --kumiko-schedule-kernels=shared-cache=268435456 | FileCheck %s --check-prefix=SHARED
// RUN: kumiko-opt %s --kumiko-schedule-kernels="shared-cache=268435456 stores-in-order=true" | FileCheck %s --check-prefix=TAKEN

#same = affine_map<(i) -> (i)>

// 40 MB from 40 MB leave every cache, but one of 256 MB that all cores share.
// CHECK-LABEL: nn.kernel @large
// CHECK-SAME: past_caches
// SHARED-LABEL: nn.kernel @large
// SHARED-NOT: past_caches
// SHARED: nn.yield
nn.kernel @large(%x: tensor<10000000xf32>) -> tensor<10000000xf32> {
  %empty = tensor.empty() : tensor<10000000xf32>
  %y = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]}
      ins(%x : tensor<10000000xf32>) outs(%empty : tensor<10000000xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = math.absf %p : f32
    linalg.yield %0 : f32
  } -> tensor<10000000xf32>
  nn.yield %y : tensor<10000000xf32>
}

// 4 MB may still be there when the next kernel reads them.
// CHECK-LABEL: nn.kernel @small
// CHECK-NOT: past_caches
nn.kernel @small(%x: tensor<1000000xf32>) -> tensor<1000000xf32> {
  %empty = tensor.empty() : tensor<1000000xf32>
  %y = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]}
      ins(%x : tensor<1000000xf32>) outs(%empty : tensor<1000000xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = math.absf %p : f32
    linalg.yield %0 : f32
  } -> tensor<1000000xf32>
  nn.yield %y : tensor<1000000xf32>
}

// So may 4 MB of something larger.
// CHECK-LABEL: nn.kernel @small_part
// CHECK-NOT: past_caches
nn.kernel @small_part(%x: tensor<10000000xf32>) -> tensor<1000000xf32> {
  %y = tensor.extract_slice %x[0] [1000000] [1] : tensor<10000000xf32> to tensor<1000000xf32>
  nn.yield %y : tensor<1000000xf32>
}

// Functions take longer than the memory.
// CHECK-LABEL: nn.kernel @function
// CHECK-NOT: past_caches
nn.kernel @function(%x: tensor<10000000xf32>) -> tensor<10000000xf32> {
  %empty = tensor.empty() : tensor<10000000xf32>
  %y = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]}
      ins(%x : tensor<10000000xf32>) outs(%empty : tensor<10000000xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = math.exp %p : f32
    linalg.yield %0 : f32
  } -> tensor<10000000xf32>
  nn.yield %y : tensor<10000000xf32>
}

// 16 MB next to 16 MB that are read leave the cache just as well.
// CHECK-LABEL: nn.kernel @half
// CHECK-SAME: past_caches
nn.kernel @half(%x: tensor<2097152xf64>) -> tensor<4194304xf32> {
  %empty = tensor.empty() : tensor<2097152x2xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2097152xf64>) outs(%empty : tensor<2097152x2xf32>) {
  ^bb0(%p: f64, %o: f32):
    %0 = arith.truncf %p : f64 to f32
    linalg.yield %0 : f32
  } -> tensor<2097152x2xf32>
  %flat = tensor.collapse_shape %y [[0, 1]] : tensor<2097152x2xf32> into tensor<4194304xf32>
  nn.yield %flat : tensor<4194304xf32>
}

// A result of 32 MB that is made of a few elements stays in the cache in part.
// CHECK-LABEL: nn.kernel @repeated
// CHECK-NOT: past_caches
nn.kernel @repeated(%x: tensor<2048xf64>) -> tensor<2048x2048xf64> {
  %empty = tensor.empty() : tensor<2048x2048xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2048xf64>) outs(%empty : tensor<2048x2048xf64>) {
  ^bb0(%p: f64, %o: f64):
    linalg.yield %p : f64
  } -> tensor<2048x2048xf64>
  nn.yield %y : tensor<2048x2048xf64>
}

// 80 MB from few bytes, of which others may take the place in a cache for all.
// CHECK-LABEL: nn.kernel @spread
// SHARED-LABEL: nn.kernel @spread
// SHARED-NOT: past_caches
// SHARED: nn.yield
// TAKEN-LABEL: nn.kernel @spread
// TAKEN-SAME: past_caches
nn.kernel @spread(%x: tensor<2000xf32>) -> tensor<10000x2000xf32> {
  %empty = tensor.empty() : tensor<10000x2000xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2000xf32>) outs(%empty : tensor<10000x2000xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<10000x2000xf32>
  nn.yield %y : tensor<10000x2000xf32>
}
