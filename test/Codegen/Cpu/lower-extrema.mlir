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
// CHECK: arith.maximumf
// CHECK: arith.minimumf
func.func @small_and_blocks(%x: vector<8xf16>, %y: vector<2x8xf32>) -> (vector<8xf16>, vector<2x8xf32>) {
  %a = arith.maximumf %x, %x : vector<8xf16>
  %b = arith.minimumf %y, %y : vector<2x8xf32>
  return %a, %b : vector<8xf16>, vector<2x8xf32>
}
