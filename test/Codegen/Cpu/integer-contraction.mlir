// RUN: kumiko-opt %s --kumiko-schedule-kernels --kumiko-emit-kernels | FileCheck %s --check-prefixes=CHECK,PAIRS
// RUN: kumiko-opt %s --kumiko-set-target=target=x86-64-v3,+avxvnni --kumiko-schedule-kernels --kumiko-emit-kernels | FileCheck %s --check-prefixes=CHECK,BYTES

#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>

// Bytes are copied as halves and multiplied in pairs, or copied as bytes and multiplied by fours where one instruction
// does that in 32 bits. Nothing ever adds in 16 bits, where full-range products would saturate.
// CHECK-LABEL: func.func @product
// CHECK-NOT: pmaddubs
// PAIRS: arith.extui {{.*}} : vector<16xi8> to vector<16xi16>
// PAIRS: arith.muli {{.*}} : vector<16xi32>
// PAIRS: arith.addi {{.*}} : vector<8xi32>
// BYTES: vector.load {{.*}} vector<32xi8>
// BYTES-COUNT-12: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"
nn.kernel @product(%a: tensor<60x64xi8>, %b: tensor<64x32xi8> {nn.constant}) -> tensor<60x32xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<60x32xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<60x32xi32>) -> tensor<60x32xi32>
  %y = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<60x64xi8>, tensor<64x32xi8>) outs(%init : tensor<60x32xi32>) {
  ^bb0(%p: i8, %q: i8, %o: i32):
    %0 = arith.extui %p : i8 to i32
    %1 = arith.extsi %q : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %o, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<60x32xi32>
  nn.yield %y : tensor<60x32xi32>
}

// Two factors with a sign: the rows lose theirs, and sums begin with what makes up for it.
// CHECK-LABEL: func.func @signed
// PAIRS-NOT: arith.xori
// BYTES: arith.xori {{.*}} : vector<32xi8>
// CHECK: return
nn.kernel @signed(%a: tensor<60x64xi8>, %b: tensor<64x32xi8> {nn.constant}) -> tensor<60x32xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<60x32xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<60x32xi32>) -> tensor<60x32xi32>
  %y = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<60x64xi8>, tensor<64x32xi8>) outs(%init : tensor<60x32xi32>) {
  ^bb0(%p: i8, %q: i8, %o: i32):
    %0 = arith.extsi %p : i8 to i32
    %1 = arith.extsi %q : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %o, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<60x32xi32>
  nn.yield %y : tensor<60x32xi32>
}
