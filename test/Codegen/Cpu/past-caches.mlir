// RUN: kumiko-opt %s --kumiko-emit-kernels | FileCheck %s

#same = affine_map<(i, j) -> (i, j)>

// Whole vectors go past the caches where the result begins at a multiple of 16 bytes; what is left over does not, and
// neither does anything of a result that lies elsewhere. The fence is for readers in other threads.
// CHECK-LABEL: func.func private @stream_inside
// CHECK: memref.extract_aligned_pointer_as_index
// CHECK: scf.if
// CHECK: vector.store {{.*}}alignment = 16 : i64, nontemporal = true
// CHECK: vector.maskedstore
// CHECK-NOT: nontemporal
// CHECK: llvm.fence seq_cst
// CHECK: else
// CHECK-NOT: nontemporal
// CHECK: vector.store
// CHECK: vector.maskedstore
nn.kernel @stream(%x: tensor<5x7xf32>) -> tensor<5x7xf32>
    attributes {schedule = {template = "points", chunks = 1 : i64, past_caches}} {
  %empty = tensor.empty() : tensor<5x7xf32>
  %y = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5x7xf32>) outs(%empty : tensor<5x7xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.negf %p : f32
    linalg.yield %0 : f32
  } -> tensor<5x7xf32>
  nn.yield %y : tensor<5x7xf32>
}

// Rows of 9 bytes begin anywhere.
// CHECK-LABEL: func.func private @odd_rows_inside
// CHECK-NOT: nontemporal
// CHECK-NOT: llvm.fence
// CHECK: return
nn.kernel @odd_rows(%x: tensor<5x20xi8>) -> tensor<5x9xi8>
    attributes {schedule = {template = "points", chunks = 1 : i64, past_caches}} {
  %slice = tensor.extract_slice %x[0, 0] [5, 9] [1, 1] : tensor<5x20xi8> to tensor<5x9xi8>
  nn.yield %slice : tensor<5x9xi8>
}

// A result that may take the place of its operand finds it in the cache.
// CHECK-LABEL: func.func private @in_place_inside
// CHECK-NOT: nontemporal
// CHECK: return
nn.kernel @in_place(%x: tensor<64x64xf32>) -> tensor<64x64xf32>
    attributes {schedule = {template = "points", chunks = 1 : i64, past_caches, in_place = array<i64: 0, 0>}} {
  %empty = tensor.empty() : tensor<64x64xf32>
  %y = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x64xf32>) outs(%empty : tensor<64x64xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.negf %p : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  nn.yield %y : tensor<64x64xf32>
}
