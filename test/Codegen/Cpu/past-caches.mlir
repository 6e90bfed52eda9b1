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
nn.kernel @stream(%x: tensor<50x71xf32>) -> tensor<50x71xf32>
    attributes {schedule = {template = "points", chunks = 1 : i64, past_caches}} {
  %empty = tensor.empty() : tensor<50x71xf32>
  %y = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<50x71xf32>) outs(%empty : tensor<50x71xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.negf %p : f32
    linalg.yield %0 : f32
  } -> tensor<50x71xf32>
  nn.yield %y : tensor<50x71xf32>
}

// The end of a row that lies between others goes past the caches, too: four elements of 100.
// CHECK-LABEL: func.func private @rows_inside
// CHECK: scf.if
// CHECK: vector.store {{.*}}nontemporal = true} : memref<5000xf32>, vector<8xf32>
// CHECK: vector.store {{.*}}nontemporal = true} : memref<5000xf32>, vector<4xf32>
// CHECK-NOT: vector.maskedstore
// CHECK: else
// CHECK: vector.maskedstore
nn.kernel @rows(%x: tensor<50x1xf32>, %z: tensor<1x100xf32>) -> tensor<50x100xf32>
    attributes {schedule = {template = "points", chunks = 1 : i64, past_caches}} {
  %empty = tensor.empty() : tensor<50x100xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (0, j)>, #same],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %z : tensor<50x1xf32>, tensor<1x100xf32>) outs(%empty : tensor<50x100xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.addf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<50x100xf32>
  nn.yield %y : tensor<50x100xf32>
}

// Rows of a part of a joined tensor end within cache lines that the other part writes, too.
// CHECK-LABEL: func.func private @joined_inside
// CHECK-NOT: nontemporal
// CHECK: return
nn.kernel @joined(%x: tensor<50x48xf32>, %z: tensor<50x52xf32>) -> tensor<50x100xf32>
    attributes {schedule = {template = "points", chunks = 1 : i64, past_caches}} {
  %empty = tensor.empty() : tensor<50x100xf32>
  %0 = tensor.insert_slice %x into %empty[0, 0] [50, 48] [1, 1] : tensor<50x48xf32> into tensor<50x100xf32>
  %1 = tensor.insert_slice %z into %0[0, 48] [50, 52] [1, 1] : tensor<50x52xf32> into tensor<50x100xf32>
  nn.yield %1 : tensor<50x100xf32>
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

// Rows of 1100 elements, 3 of them beside it, begin anywhere in a cache line: whole lines go past the caches.
// CHECK-LABEL: func.func private @long_rows_inside
// CHECK: scf.if
// CHECK-NOT: nontemporal
// CHECK: memref.store
// CHECK: vector.store {{.*}}alignment = 16 : i64, nontemporal = true
// CHECK-NOT: nontemporal
// CHECK: memref.store
// CHECK: else
// CHECK-NOT: nontemporal
// CHECK: return
nn.kernel @long_rows(%x: tensor<50x1100xf32>) -> tensor<50x1103xf32>
    attributes {schedule = {template = "points", chunks = 1 : i64, past_caches}} {
  %zero = arith.constant 0.0 : f32
  %y = tensor.pad %x low[0, 1] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<50x1100xf32> to tensor<50x1103xf32>
  nn.yield %y : tensor<50x1103xf32>
}

// A few long rows that chunks share: each chunk has its part of them, from its next cache line on.
// CHECK-LABEL: func.func private @few_long_rows_inside
// CHECK: scf.if
// CHECK: arith.divui
// CHECK: scf.for
// CHECK: arith.maxsi
// CHECK: vector.store {{.*}}nontemporal = true
// CHECK: llvm.fence seq_cst
// CHECK: else
// CHECK-NOT: nontemporal
// CHECK: return
nn.kernel @few_long_rows(%x: tensor<3x8001xf32>) -> tensor<3x7999xf32>
    attributes {schedule = {template = "points", chunks = 8 : i64, past_caches}} {
  %y = tensor.extract_slice %x[0, 1] [3, 7999] [1, 1] : tensor<3x8001xf32> to tensor<3x7999xf32>
  nn.yield %y : tensor<3x7999xf32>
}
