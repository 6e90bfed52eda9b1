// What a core does with five hundred operations under way, and what it must not: see docs/decisions/0020-wide-cores.md.
// RUN: kumiko-opt %s --kumiko-schedule-kernels="lanes=16 wide-core=true crowds-sets=true" --kumiko-emit-kernels | FileCheck %s
// RUN: kumiko-opt %s --kumiko-schedule-kernels="lanes=16 wide-core=true stores-in-order=true" --kumiko-emit-kernels | FileCheck %s --check-prefix=ORDER
// RUN: kumiko-opt %s --kumiko-schedule-kernels="lanes=16" --kumiko-emit-kernels | FileCheck %s --check-prefix=OTHERS

// Rows that share a set of the first cache are moved element by element behind a pause: else so many would be on the way
// that they drive each other out. Others have no such pause, and longer words, or vectors where a set holds more.
// CHECK-LABEL: func.func private @one_set_inside
// CHECK: llvm.inline_asm has_side_effects "nop
// CHECK: vector.load {{.*}} : memref<3072000xf32>, vector<1xf32>
// ORDER-LABEL: func.func private @one_set_inside
// ORDER: vector.load {{.*}} : memref<3072000xf32>, vector<8xf32>
// OTHERS-LABEL: func.func private @one_set_inside
// OTHERS-NOT: "nop
// OTHERS: vector.load {{.*}} : memref<3072000xf32>, vector<2xf32>
nn.kernel @one_set(%x: tensor<3000x1024xf32>) -> tensor<3000x8xf32> {
  %y = tensor.extract_slice %x[0, 8] [3000, 8] [1, 1] : tensor<3000x1024xf32> to tensor<3000x8xf32>
  nn.yield %y : tensor<3000x8xf32>
}

// Short rows in pages of their own are vectors, where others copy words; where stores wait, with a pause.
// CHECK-LABEL: func.func private @pages_inside
// CHECK-NOT: "nop
// CHECK: vector.load {{.*}} : memref<10000000xf32>, vector<8xf32>
// ORDER-LABEL: func.func private @pages_inside
// ORDER: "nop
// ORDER: vector.load {{.*}} : memref<10000000xf32>, vector<8xf32>
// OTHERS-LABEL: func.func private @pages_inside
// OTHERS-NOT: "nop
// OTHERS: vector.load {{.*}} : memref<10000000xf32>, vector<1xf32>
nn.kernel @pages(%x: tensor<10000x1000xf32>) -> tensor<10000x8xf32> {
  %y = tensor.extract_slice %x[0, 3] [10000, 8] [1, 1] : tensor<10000x1000xf32> to tensor<10000x8xf32>
  nn.yield %y : tensor<10000x8xf32>
}

// Longer ones go by vectors of 32 bytes, where others take those of 16.
// CHECK-LABEL: func.func private @long_inside
// CHECK: vector.load {{.*}} : memref<10000000xf64>, vector<4xf64>
// OTHERS-LABEL: func.func private @long_inside
// OTHERS: vector.load {{.*}} : memref<10000000xf64>, vector<2xf64>
nn.kernel @long(%x: tensor<10000x1000xf64>) -> tensor<10000x40xf64> {
  %y = tensor.extract_slice %x[0, 3] [10000, 40] [1, 1] : tensor<10000x1000xf64> to tensor<10000x40xf64>
  nn.yield %y : tensor<10000x40xf64>
}

// Of the rows of a sum that come from memory eight go by together, where others read one after the other.
// CHECK-LABEL: func.func private @columns_inside
// CHECK-COUNT-8: vector.load {{.*}} : memref<6291456xf64>, vector<16xf64>
// OTHERS-LABEL: func.func private @columns_inside
// OTHERS-COUNT-1: vector.load {{.*}} : memref<6291456xf64>, vector<16xf64>
// OTHERS-NOT: vector.load {{.*}} : memref<6291456xf64>
// OTHERS: return
nn.kernel @columns(%x: tensor<16x1536x256xf64>) -> tensor<16x256xf64> {
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<16x256xf64>
  %init = linalg.fill ins(%zero : f64) outs(%empty : tensor<16x256xf64>) -> tensor<16x256xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(p, i, r) -> (p, r, i)>, affine_map<(p, i, r) -> (p, i)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<16x1536x256xf64>) outs(%init : tensor<16x256xf64>) {
  ^bb0(%e: f64, %sum: f64):
    %next = arith.addf %sum, %e : f64
    linalg.yield %next : f64
  } -> tensor<16x256xf64>
  nn.yield %y : tensor<16x256xf64>
}

// A column of lines that share a set is read one by one behind the pause, and so are the vectors of longer rows.
// CHECK-LABEL: func.func private @column_inside
// CHECK: scf.for
// CHECK: "nop
// CHECK-NOT: vector<16xf32>
// CHECK: return
// OTHERS-LABEL: func.func private @column_inside
// OTHERS-NOT: "nop
// OTHERS: return
nn.kernel @column(%x: tensor<4096x1024xf32>) -> tensor<4096x1xf32> {
  %y = tensor.extract_slice %x[0, 3] [4096, 1] [1, 1] : tensor<4096x1024xf32> to tensor<4096x1xf32>
  nn.yield %y : tensor<4096x1xf32>
}

// CHECK-LABEL: func.func private @longer_inside
// CHECK: "nop
// CHECK: vector.load {{.*}} : memref<3072000xf32>, vector<4xf32>
// OTHERS-LABEL: func.func private @longer_inside
// OTHERS-NOT: "nop
// OTHERS: return
nn.kernel @longer(%x: tensor<3000x1024xf32>) -> tensor<3000x32xf32> {
  %y = tensor.extract_slice %x[0, 8] [3000, 32] [1, 1] : tensor<3000x1024xf32> to tensor<3000x32xf32>
  nn.yield %y : tensor<3000x32xf32>
}

// Of columns that data choose each element has a pause, a short one; not where so many are chosen that several lie in
// one line.
// CHECK-LABEL: func.func private @chosen_inside
// CHECK: "nop\0Anop\0Anop\0Anop\0Anop\0A"
// CHECK-NEXT: memref.load {{.*}} : memref<6xi64>
// CHECK-LABEL: func.func private @many_chosen_inside
// CHECK-NOT: "nop
// CHECK: return
// OTHERS-LABEL: func.func private @chosen_inside
// OTHERS-NOT: "nop
nn.kernel @chosen(%x: tensor<4096x1024xf32>, %i: tensor<6xi64>) -> tensor<4096x6xf32> {
  %empty = tensor.empty() : tensor<4096x6xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, c) -> (c)>, affine_map<(n, c) -> (n, c)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<6xi64>) outs(%empty : tensor<4096x6xf32>) {
  ^bb0(%p: i64, %o: f32):
    %n = linalg.index 0 : index
    %place = arith.index_cast %p : i64 to index
    %v = tensor.extract %x[%n, %place] {checked = array<i64: 1>} : tensor<4096x1024xf32>
    linalg.yield %v : f32
  } -> tensor<4096x6xf32>
  nn.yield %y : tensor<4096x6xf32>
}

nn.kernel @many_chosen(%x: tensor<4096x1024xf32>, %i: tensor<600xi64>) -> tensor<4096x600xf32> {
  %empty = tensor.empty() : tensor<4096x600xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, c) -> (c)>, affine_map<(n, c) -> (n, c)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<600xi64>) outs(%empty : tensor<4096x600xf32>) {
  ^bb0(%p: i64, %o: f32):
    %n = linalg.index 0 : index
    %place = arith.index_cast %p : i64 to index
    %v = tensor.extract %x[%n, %place] {checked = array<i64: 1>} : tensor<4096x1024xf32>
    linalg.yield %v : f32
  } -> tensor<4096x600xf32>
  nn.yield %y : tensor<4096x600xf32>
}
