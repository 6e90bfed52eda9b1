// RUN: kumiko-opt %s --kumiko-skip-sides | FileCheck %s --check-prefixes=CHECK,EXPAND
// RUN: kumiko-opt %s --kumiko-skip-sides=calls=true | FileCheck %s --check-prefixes=CHECK,CALLS

// What only the second side needs is computed where some lane does not take the first.
// CHECK-LABEL: func.func @elu
// CHECK-SAME: (%[[X:.*]]: vector<8xf64>, %[[M:.*]]: vector<8xi1>)
// CHECK: %[[OTHER:.*]] = arith.xori %[[M]], %{{.*}} : vector<8xi1>
// CHECK: %[[ANY:.*]] = vector.reduction <or>, %[[OTHER]]
// CHECK: %[[SIDE:.*]] = scf.if %[[ANY]]
// CHECK: %[[E:.*]] = math.exp %[[X]]
// CHECK: %[[D:.*]] = arith.subf %[[E]]
// CHECK: scf.yield %[[D]]
// CHECK: else
// CHECK: arith.select %[[M]], %[[X]], %[[SIDE]]
func.func @elu(%x: vector<8xf64>, %m: vector<8xi1>) -> vector<8xf64> {
  %one = arith.constant dense<1.0> : vector<8xf64>
  %e = math.exp %x : vector<8xf64>
  %d = arith.subf %e, %one : vector<8xf64>
  %y = arith.select %m, %x, %d : vector<8xi1>, vector<8xf64>
  return %y : vector<8xf64>
}

// Both sides, and a choice inside of one.
// CHECK-LABEL: func.func @both
// CHECK: scf.if
// CHECK: scf.if
// CHECK: scf.if
// CHECK-NOT: scf.if
func.func @both(%x: f64, %m: i1, %n: i1) -> f64 {
  %l = math.log %x : f64
  %e = math.exp %x : f64
  %inner = arith.select %n, %e, %x : f64
  %y = arith.select %m, %l, %inner : f64
  return %y : f64
}

// What something else needs, too, stays.
// CHECK-LABEL: func.func @shared
// CHECK-NOT: scf.if
func.func @shared(%x: vector<8xf64>, %m: vector<8xi1>) -> (vector<8xf64>, vector<8xf64>) {
  %e = math.exp %x : vector<8xf64>
  %y = arith.select %m, %x, %e : vector<8xi1>, vector<8xf64>
  return %y, %e : vector<8xf64>, vector<8xf64>
}

// A short function costs hardly more than the branch, but for a call.
// CHECK-LABEL: func.func @short
// EXPAND-NOT: scf.if
// CALLS: scf.if
func.func @short(%x: vector<8xf32>, %m: vector<8xi1>) -> vector<8xf32> {
  %e = math.exp %x : vector<8xf32>
  %y = arith.select %m, %x, %e : vector<8xi1>, vector<8xf32>
  return %y : vector<8xf32>
}

// CHECK-LABEL: func.func @long
// CHECK: scf.if
func.func @long(%x: vector<8xf32>, %m: vector<8xi1>) -> vector<8xf32> {
  %e = math.sin %x : vector<8xf32>
  %y = arith.select %m, %e, %x : vector<8xi1>, vector<8xf32>
  return %y : vector<8xf32>
}
