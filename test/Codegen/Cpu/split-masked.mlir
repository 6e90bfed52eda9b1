// RUN: kumiko-opt %s --kumiko-split-masked=bits=256 | FileCheck %s

// Eight elements of 64 bits are two registers of 256.
// CHECK-LABEL: func.func @two
// CHECK-SAME: (%[[X:.*]]: memref<9xf64>, %[[I:.*]]: index, %[[M:.*]]: vector<8xi1>, %[[O:.*]]: vector<8xf64>)
// CHECK: %[[LOW:.*]] = vector.extract_strided_slice %[[M]] {offsets = [0], sizes = [4]
// CHECK: vector.maskedload %[[X]][%{{.*}}], %[[LOW]], %{{.*}} : memref<9xf64>, vector<4xi1>, vector<4xf64> into vector<4xf64>
// CHECK: %[[AT:.*]] = arith.addi %[[I]], %{{.*}} : index
// CHECK: %[[HIGH:.*]] = vector.extract_strided_slice %[[M]] {offsets = [4], sizes = [4]
// CHECK: vector.maskedload %[[X]][%[[AT]]], %[[HIGH]], %{{.*}} : memref<9xf64>, vector<4xi1>, vector<4xf64> into vector<4xf64>
func.func @two(%x: memref<9xf64>, %i: index, %m: vector<8xi1>, %o: vector<8xf64>) -> vector<8xf64> {
  %y = vector.maskedload %x[%i], %m, %o : memref<9xf64>, vector<8xi1>, vector<8xf64> into vector<8xf64>
  return %y : vector<8xf64>
}

// Eight of 32 bits are one, and stay.
// CHECK-LABEL: func.func @one
// CHECK: vector.maskedload {{.*}} into vector<8xf32>
// CHECK-NOT: vector.maskedload
func.func @one(%x: memref<9xf32>, %i: index, %m: vector<8xi1>, %o: vector<8xf32>) -> vector<8xf32> {
  %y = vector.maskedload %x[%i], %m, %o : memref<9xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  return %y : vector<8xf32>
}
