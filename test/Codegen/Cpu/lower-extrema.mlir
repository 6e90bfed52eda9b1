// RUN: kumiko-opt %s --kumiko-lower-extrema | FileCheck %s

// CHECK-LABEL: func.func @of_two
// CHECK: llvm.intr.maximum(%arg0, %arg0) {fastmathFlags = #llvm.fastmath<nsz>} : (f32, f32) -> f32
// CHECK: llvm.intr.minimum(%arg1, %arg1) {fastmathFlags = #llvm.fastmath<nsz>} : (vector<8xf64>, vector<8xf64>) -> vector<8xf64>
func.func @of_two(%x: f32, %y: vector<8xf64>) -> (f32, vector<8xf64>) {
  %a = arith.maximumf %x, %x : f32
  %b = arith.minimumf %y, %y : vector<8xf64>
  return %a, %b : f32, vector<8xf64>
}

// CHECK-LABEL: func.func @small_and_blocks
// CHECK: llvm.intr.maximum(%arg0, %arg0) {fastmathFlags = #llvm.fastmath<nsz>} : (vector<8xf16>, vector<8xf16>) -> vector<8xf16>
// CHECK: arith.maximumf %arg1, %arg1 : bf16
// CHECK: arith.minimumf
func.func @small_and_blocks(%x: vector<8xf16>, %y: bf16, %z: vector<2x8xf32>) -> (vector<8xf16>, bf16, vector<2x8xf32>) {
  %a = arith.maximumf %x, %x : vector<8xf16>
  %b = arith.maximumf %y, %y : bf16
  %c = arith.minimumf %z, %z : vector<2x8xf32>
  return %a, %b, %c : vector<8xf16>, bf16, vector<2x8xf32>
}

// What is loaded from where the result goes comes second: for a NaN that is there already, LLVM would store under a mask.
// CHECK-LABEL: func.func @replaced
// CHECK: %[[OLD:.*]] = memref.load
// CHECK: llvm.intr.maximum(%arg2, %[[OLD]])
func.func @replaced(%m: memref<8xf32>, %i: index, %new: f32) {
  %old = memref.load %m[%i] : memref<8xf32>
  %a = arith.maximumf %old, %new : f32
  memref.store %a, %m[%i] : memref<8xf32>
  return
}

// CHECK-LABEL: func.func @stored_elsewhere
// CHECK: %[[OLD:.*]] = vector.load
// CHECK: llvm.intr.minimum(%[[OLD]], %arg3)
func.func @stored_elsewhere(%m: memref<8xf32>, %n: memref<8xf32>, %i: index, %new: vector<4xf32>) {
  %old = vector.load %m[%i] : memref<8xf32>, vector<4xf32>
  %a = arith.minimumf %old, %new : vector<4xf32>
  vector.store %a, %n[%i] : memref<8xf32>, vector<4xf32>
  return
}
