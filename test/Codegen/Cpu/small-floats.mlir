// RUN: kumiko-opt %s --kumiko-expand-half | FileCheck %s
// RUN: kumiko-opt %s --kumiko-set-target=target=x86-64-v2 --kumiko-expand-half | FileCheck %s --check-prefix=BOTH
// RUN: kumiko-opt %s --kumiko-expand-half --canonicalize | FileCheck %s --check-prefix=FOLDED
// RUN: kumiko-opt %s --kumiko-set-target=target=x86-64-v2 --kumiko-expand-half --canonicalize | FileCheck %s --check-prefix=CODES

// A bf16 that only moves is an i16: 1.5 is 0x3fc0.
// CHECK-LABEL: func.func @moves(%arg0: memref<9xi16>, %arg1: memref<9xi16>, %arg2: i1)
// CHECK-NOT: bf16
// CHECK: arith.constant 16320 : i16
// CHECK: vector.load %arg0[%{{.*}}] : memref<9xi16>, vector<8xi16>
// CHECK: vector.store %{{.*}} : memref<9xi16>, vector<8xi16>
// CHECK: arith.select %arg2, %{{.*}} : i16
func.func @moves(%x: memref<9xbf16>, %y: memref<9xbf16>, %c: i1) {
  %zero = arith.constant 0 : index
  %last = arith.constant 8 : index
  %other = arith.constant 1.5 : bf16
  %v = vector.load %x[%zero] : memref<9xbf16>, vector<8xbf16>
  vector.store %v, %y[%zero] : memref<9xbf16>, vector<8xbf16>
  %s = memref.load %x[%last] : memref<9xbf16>
  %t = arith.select %c, %s, %other : bf16
  memref.store %t, %y[%last] : memref<9xbf16>
  return
}

// Computing is done in f32; f16 stays where the machine converts it.
// CHECK-LABEL: func.func @adds(%arg0: vector<8xi16>, %arg1: vector<8xf16>)
// CHECK: arith.addf %{{.*}} : vector<8xf32>
// CHECK: arith.addf %{{.*}} : vector<8xf16>
// BOTH-LABEL: func.func @adds(%arg0: vector<8xi16>, %arg1: vector<8xi16>)
// BOTH-NOT: f16
// BOTH: return
func.func @adds(%x: vector<8xbf16>, %y: vector<8xf16>) -> (vector<8xbf16>, vector<8xf16>) {
  %a = arith.addf %x, %x : vector<8xbf16>
  %b = arith.addf %y, %y : vector<8xf16>
  return %a, %b : vector<8xbf16>, vector<8xf16>
}

// The larger of two is one of them, which needs no rounding; f16 scalars are chosen in f32, or as integers where they
// take long to convert.
// CHECK-LABEL: func.func @larger
// CHECK: %[[LARGER:.*]] = arith.maximumf %{{.*}} : vector<8xf32>
// CHECK-NEXT: %[[BITS:.*]] = arith.bitcast %[[LARGER]] : vector<8xf32> to vector<8xi32>
// CHECK-NOT: arith.addi
// CHECK: arith.shrui %[[BITS]]
// CHECK-NOT: arith.addi %{{.*}} : i32
// CHECK: %[[SMALLER:.*]] = arith.minimumf %{{.*}} : f32
// CHECK-NEXT: arith.truncf %[[SMALLER]] : f32 to f16
// CHECK: return
// BOTH-LABEL: func.func @larger
// BOTH: arith.cmpi ult, %{{.*}} : i16
// BOTH: arith.select %{{.*}} : i16
// BOTH: return
func.func @larger(%x: vector<8xbf16>, %y: bf16, %z: f16) -> (vector<8xbf16>, bf16, f16) {
  %a = arith.maximumf %x, %x : vector<8xbf16>
  %b = arith.maximumf %y, %y : bf16
  %c = arith.minimumf %z, %z : f16
  return %a, %b, %c : vector<8xbf16>, bf16, f16
}

// -0 is below +0, and a NaN of either sign is passed on.
// FOLDED-LABEL: func.func @ends
// FOLDED-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f16
// FOLDED-DAG: %[[NEGATIVE_ZERO:.*]] = arith.constant -0.000000e+00 : f16
// FOLDED-DAG: %[[NAN:.*]] = arith.constant 0x7E00 : f16
// FOLDED-DAG: %[[NEGATIVE_NAN:.*]] = arith.constant 0xFE00 : f16
// FOLDED: return %[[ZERO]], %[[ZERO]], %[[NEGATIVE_ZERO]], %[[NEGATIVE_NAN]], %[[NAN]]
// CODES-LABEL: func.func @ends
// CODES-DAG: %[[ZERO:.*]] = arith.constant 0 : i16
// CODES-DAG: %[[NEGATIVE_ZERO:.*]] = arith.constant -32768 : i16
// CODES-DAG: %[[NAN:.*]] = arith.constant 32256 : i16
// CODES-DAG: %[[NEGATIVE_NAN:.*]] = arith.constant -512 : i16
// CODES: return %[[ZERO]], %[[ZERO]], %[[NEGATIVE_ZERO]], %[[NEGATIVE_NAN]], %[[NAN]]
func.func @ends() -> (f16, f16, f16, f16, f16) {
  %zero = arith.constant 0.0 : f16
  %negative_zero = arith.constant -0.0 : f16
  %infinity = arith.constant 0x7C00 : f16
  %negative_infinity = arith.constant 0xFC00 : f16
  %nan = arith.constant 0x7E00 : f16
  %negative_nan = arith.constant 0xFE00 : f16
  %a = arith.maximumf %zero, %negative_zero : f16
  %b = arith.maximumf %negative_zero, %zero : f16
  %c = arith.minimumf %negative_zero, %zero : f16
  %d = arith.maximumf %negative_nan, %infinity : f16
  %e = arith.minimumf %negative_infinity, %nan : f16
  return %a, %b, %c, %d, %e : f16, f16, f16, f16, f16
}

// One bf16 in all lanes: both halves of each have it, and the upper one stays.
// CHECK-LABEL: func.func @spreads(%arg0: i16)
// CHECK: %[[HALVES:.*]] = vector.broadcast %arg0 : i16 to vector<16xi16>
// CHECK: %[[WORDS:.*]] = vector.bitcast %[[HALVES]] : vector<16xi16> to vector<8xi32>
// CHECK: arith.shli %[[WORDS]]
// CHECK-NOT: arith.extui
// CHECK: return
func.func @spreads(%x: bf16) -> vector<8xf32> {
  %v = vector.broadcast %x : bf16 to vector<8xbf16>
  %y = arith.extf %v : vector<8xbf16> to vector<8xf32>
  return %y : vector<8xf32>
}
