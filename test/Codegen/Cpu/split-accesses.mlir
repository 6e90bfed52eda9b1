// RUN: kumiko-opt %s --kumiko-split-accesses | FileCheck %s

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

// A half that is known to be off is not loaded.
// CHECK-LABEL: func.func @half_off
// CHECK: vector.maskedload {{.*}} into vector<4xf64>
// CHECK-NOT: vector.maskedload
// CHECK: return
func.func @half_off(%m: memref<12xf64>, %i: index, %inside: vector<8xi1>) -> vector<8xf64> {
  %lanes = arith.constant dense<[-1, 0, 1, 2, 3, 4, 5, 6]> : vector<8xi32>
  %two = arith.constant dense<2> : vector<8xi32>
  %here = arith.cmpi ult, %lanes, %two : vector<8xi32>
  %mask = arith.andi %inside, %here : vector<8xi1>
  %zero = arith.constant dense<0.0> : vector<8xf64>
  %v = vector.maskedload %m[%i], %mask, %zero : memref<12xf64>, vector<8xi1>, vector<8xf64> into vector<8xf64>
  return %v : vector<8xf64>
}

// The lower half is stored first.
// CHECK-LABEL: func.func @store
// CHECK-SAME: (%[[X:.*]]: memref<9xf64>, %[[I:.*]]: index, %[[V:.*]]: vector<8xf64>)
// CHECK: %[[LOW:.*]] = vector.extract_strided_slice %[[V]] {offsets = [0], sizes = [4]
// CHECK: vector.store %[[LOW]], %[[X]][%{{.*}}] : memref<9xf64>, vector<4xf64>
// CHECK: %[[HIGH:.*]] = vector.extract_strided_slice %[[V]] {offsets = [4], sizes = [4]
// CHECK: %[[AT:.*]] = arith.addi %[[I]], %{{.*}} : index
// CHECK: vector.store %[[HIGH]], %[[X]][%[[AT]]] : memref<9xf64>, vector<4xf64>
// CHECK-NOT: vector.store
func.func @store(%x: memref<9xf64>, %i: index, %v: vector<8xf64>) {
  vector.store %v, %x[%i] : memref<9xf64>, vector<8xf64>
  return
}

// With a mask, too.
// CHECK-LABEL: func.func @masked_store
// CHECK-SAME: (%[[X:.*]]: memref<9xf64>, %[[I:.*]]: index, %[[M:.*]]: vector<8xi1>, %{{.*}}: vector<8xf64>)
// CHECK: %[[LOW:.*]] = vector.extract_strided_slice %[[M]] {offsets = [0], sizes = [4]
// CHECK: vector.maskedstore %[[X]][%{{.*}}], %[[LOW]], %{{.*}} : memref<9xf64>, vector<4xi1>, vector<4xf64>
// CHECK: %[[AT:.*]] = arith.addi %[[I]], %{{.*}} : index
// CHECK: %[[HIGH:.*]] = vector.extract_strided_slice %[[M]] {offsets = [4], sizes = [4]
// CHECK: vector.maskedstore %[[X]][%[[AT]]], %[[HIGH]], %{{.*}} : memref<9xf64>, vector<4xi1>, vector<4xf64>
// CHECK-NOT: vector.maskedstore
func.func @masked_store(%x: memref<9xf64>, %i: index, %m: vector<8xi1>, %v: vector<8xf64>) {
  vector.maskedstore %x[%i], %m, %v : memref<9xf64>, vector<8xi1>, vector<8xf64>
  return
}

// What goes past the caches still does, and is aligned as a half is.
// CHECK-LABEL: func.func @past
// CHECK: vector.store {{.*}} {alignment = 32 : i64, nontemporal = true} : memref<9xf64>, vector<4xf64>
// CHECK: vector.store {{.*}} {alignment = 32 : i64, nontemporal = true} : memref<9xf64>, vector<4xf64>
func.func @past(%x: memref<9xf64>, %i: index, %v: vector<8xf64>) {
  vector.store %v, %x[%i] {alignment = 64 : i64, nontemporal = true} : memref<9xf64>, vector<8xf64>
  return
}

// Lanes that are known to be the first ones take a vector of no more: a wider one may touch another cache line. Four of
// them need no mask, ...
// CHECK-LABEL: func.func @first_four
// CHECK-NOT: vector.maskedload
// CHECK: vector.load {{.*}} : memref<9xf32>, vector<4xf32>
// CHECK: vector.insert_strided_slice {{.*}} {offsets = [0], strides = [1]} : vector<4xf32> into vector<8xf32>
func.func @first_four(%x: memref<9xf32>, %i: index, %o: vector<8xf32>) -> vector<8xf32> {
  %m = arith.constant dense<[true, true, true, true, false, false, false, false]> : vector<8xi1>
  %y = vector.maskedload %x[%i], %m, %o : memref<9xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  return %y : vector<8xf32>
}

// ... and three do, in a register of 128 bits.
// CHECK-LABEL: func.func @first_three
// CHECK: vector.maskedload {{.*}} into vector<4xf32>
// CHECK: vector.maskedstore {{.*}} vector<4xi1>, vector<4xf32>
func.func @first_three(%x: memref<9xf32>, %i: index, %o: vector<8xf32>) {
  %m = arith.constant dense<[true, true, true, false, false, false, false, false]> : vector<8xi1>
  %y = vector.maskedload %x[%i], %m, %o : memref<9xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  vector.maskedstore %x[%i], %m, %y : memref<9xf32>, vector<8xi1>, vector<8xf32>
  return
}

// Two are stored as such.
// CHECK-LABEL: func.func @store_two
// CHECK: vector.store {{.*}} : memref<9xf32>, vector<2xf32>
func.func @store_two(%x: memref<9xf32>, %i: index, %v: vector<8xf32>) {
  %m = arith.constant dense<[true, true, false, false, false, false, false, false]> : vector<8xi1>
  vector.maskedstore %x[%i], %m, %v : memref<9xf32>, vector<8xi1>, vector<8xf32>
  return
}

// Other lanes than the first ones, and a single one, stay as they are.
// CHECK-LABEL: func.func @others
// CHECK: vector.maskedload {{.*}} into vector<8xf32>
// CHECK: vector.maskedstore {{.*}} vector<8xi1>, vector<8xf32>
func.func @others(%x: memref<9xf32>, %i: index, %o: vector<8xf32>) {
  %m = arith.constant dense<[false, true, true, false, false, false, false, false]> : vector<8xi1>
  %one = arith.constant dense<[true, false, false, false, false, false, false, false]> : vector<8xi1>
  %y = vector.maskedload %x[%i], %m, %o : memref<9xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  vector.maskedstore %x[%i], %one, %y : memref<9xf32>, vector<8xi1>, vector<8xf32>
  return
}
