// RUN: kumiko-opt %s --kumiko-schedule-kernels="lanes=16" --kumiko-emit-kernels | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: kumiko-opt %s --kumiko-schedule-kernels="lanes=8" --kumiko-emit-kernels | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: kumiko-opt %s --kumiko-schedule-kernels="lanes=16 gathers=true stores-in-order=true wide-core=true" --kumiko-emit-kernels | FileCheck %s --check-prefix=INTEL
// RUN: kumiko-opt %s --kumiko-schedule-kernels="lanes=4" --kumiko-emit-kernels | FileCheck %s --check-prefix=NONE

// A row of twenty bytes: registers hold it, and all lanes choose from them. Places are still looked at.
// CHECK-LABEL: func.func private @row_inside
// WIDE: arith.cmpi uge, {{.*}} : vector<16xindex>
// WIDE-COUNT-2: arith.extui {{.*}} : vector<16xi8> to vector<16xi32>
// WIDE: llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.d.512"
// WIDE: arith.trunci {{.*}} : vector<16xi32> to vector<16xi8>
// Of three registers two are chosen from, and their elements by which half of the row a place is in.
// NARROW-COUNT-4: llvm.call_intrinsic "llvm.x86.avx2.permd"
// NARROW: arith.cmpi slt, {{.*}} : vector<8xi32>
// NARROW: arith.select
// CHECK-NOT: memref.load {{.*}} memref<80xi8>
// CHECK: return
// NONE-NOT: llvm.x86
nn.kernel @row(%x: tensor<4x20xi8>, %i: tensor<4x32xi32>) -> tensor<4x32xi8> {
  %empty = tensor.empty() : tensor<4x32xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<4x32xi32>) outs(%empty : tensor<4x32xi8>) {
  ^bb0(%p: i32, %o: i8):
    %m = linalg.index 0 : index
    %place = arith.index_cast %p : i32 to index
    %v = tensor.extract %x[%m, %place] {checked = array<i64: 1>} : tensor<4x20xi8>
    linalg.yield %v : i8
  } -> tensor<4x32xi8>
  nn.yield %y : tensor<4x32xi8>
}

// AVX2 has no such instruction for 64 bits; AVX-512 has one for eight places at a time.
// CHECK-LABEL: func.func private @doubles_inside
// WIDE-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.permvar.di.512"
// NARROW-NOT: llvm.x86
// CHECK: return
nn.kernel @doubles(%x: tensor<8xf64>, %i: tensor<32xi64>) -> tensor<32xf64> {
  %empty = tensor.empty() : tensor<32xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>], iterator_types = ["parallel"]}
      ins(%i : tensor<32xi64>) outs(%empty : tensor<32xf64>) {
  ^bb0(%p: i64, %o: f64):
    %place = arith.index_cast %p : i64 to index
    %v = tensor.extract %x[%place] {checked = array<i64: 0>} : tensor<8xf64>
    linalg.yield %v : f64
  } -> tensor<32xf64>
  nn.yield %y : tensor<32xf64>
}

// Of rows that the second cache does not hold eight lanes are chosen at a time; of bytes sixteen.
// INTEL-LABEL: func.func private @beyond_inside
// INTEL-NOT: vector<16x
// INTEL: llvm.x86.avx2.permd
// INTEL-NOT: vector<16x
// INTEL: return
// INTEL-LABEL: func.func private @bytes_beyond_inside
// INTEL: llvm.x86.avx512.permvar
// INTEL: return
nn.kernel @beyond(%x: tensor<100000x16xf32>, %i: tensor<100000x16xi64>) -> tensor<100000x16xf32> {
  %empty = tensor.empty() : tensor<100000x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<100000x16xi64>) outs(%empty : tensor<100000x16xf32>) {
  ^bb0(%p: i64, %o: f32):
    %m = linalg.index 0 : index
    %place = arith.index_cast %p : i64 to index
    %v = tensor.extract %x[%m, %place] {checked = array<i64: 1>} : tensor<100000x16xf32>
    linalg.yield %v : f32
  } -> tensor<100000x16xf32>
  nn.yield %y : tensor<100000x16xf32>
}

nn.kernel @bytes_beyond(%x: tensor<400000x16xi8>, %i: tensor<400000x16xi64>) -> tensor<400000x16xi8> {
  %empty = tensor.empty() : tensor<400000x16xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<400000x16xi64>) outs(%empty : tensor<400000x16xi8>) {
  ^bb0(%p: i64, %o: i8):
    %m = linalg.index 0 : index
    %place = arith.index_cast %p : i64 to index
    %v = tensor.extract %x[%m, %place] {checked = array<i64: 1>} : tensor<400000x16xi8>
    linalg.yield %v : i8
  } -> tensor<400000x16xi8>
  nn.yield %y : tensor<400000x16xi8>
}
