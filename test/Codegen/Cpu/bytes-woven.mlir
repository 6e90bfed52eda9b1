// RUN: kumiko-opt %s --kumiko-emit-kernels | FileCheck %s

// Rows of five bytes, a lane each: sixteen rows are read as they lie, and turned by weaving each with the one eight rows
// further on, four times.
// CHECK-LABEL: func.func @short_rows
// CHECK-COUNT-16: vector.maskedload {{.*}} : memref<320xi8>
// CHECK: vector.shuffle {{.*}} [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23]
// CHECK: vector.shuffle {{.*}} [8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31]
// CHECK-COUNT-5: arith.addi {{.*}} : vector<16xi8>
// CHECK: vector.store {{.*}} : memref<64xi8>, vector<16xi8>
nn.kernel @short_rows(%x: tensor<64x5xi8>) -> tensor<64xi8> attributes {schedule = {template = "rows", chunks = 1 : i64, lanes = 16 : i64}} {
  %zero = arith.constant 0 : i8
  %empty = tensor.empty() : tensor<64xi8>
  %start = linalg.fill ins(%zero : i8) outs(%empty : tensor<64xi8>) -> tensor<64xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x5xi8>) outs(%start : tensor<64xi8>) {
  ^bb0(%p: i8, %o: i8):
    %0 = arith.addi %o, %p : i8
    linalg.yield %0 : i8
  } -> tensor<64xi8>
  nn.yield %y : tensor<64xi8>
}

// Of words sixteen bytes are half as many, so there are two squares of eight rows, whose lines are joined.
// CHECK-LABEL: func.func @short_rows_of_words
// CHECK-COUNT-16: vector.maskedload {{.*}} : memref<320xi16>
// CHECK: vector.shuffle {{.*}} [0, 8, 1, 9, 2, 10, 3, 11]
// CHECK: vector.shuffle {{.*}} [4, 12, 5, 13, 6, 14, 7, 15]
// CHECK: vector.shuffle {{.*}} : vector<8xi16>, vector<8xi16>
// CHECK-COUNT-5: arith.addi {{.*}} : vector<16xi16>
nn.kernel @short_rows_of_words(%x: tensor<64x5xi16>) -> tensor<64xi16> attributes {schedule = {template = "rows", chunks = 1 : i64, lanes = 16 : i64}} {
  %zero = arith.constant 0 : i16
  %empty = tensor.empty() : tensor<64xi16>
  %start = linalg.fill ins(%zero : i16) outs(%empty : tensor<64xi16>) -> tensor<64xi16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x5xi16>) outs(%start : tensor<64xi16>) {
  ^bb0(%p: i16, %o: i16):
    %0 = arith.addi %o, %p : i16
    linalg.yield %0 : i16
  } -> tensor<64xi16>
  nn.yield %y : tensor<64xi16>
}
