// RUN: kumiko-opt %s --kumiko-expand-division | FileCheck %s

// The quotient of x, or of its complement below 0, needs no correction.
// CHECK-LABEL: func.func @by_three
// CHECK-SAME: (%[[X:.*]]: i64)
// CHECK: %[[SIGN:.*]] = arith.shrsi %[[X]]
// CHECK: %[[MIRRORED:.*]] = arith.xori %[[X]], %[[SIGN]]
// CHECK: %[[NATURAL:.*]] = arith.andi %[[MIRRORED]]
// CHECK: %[[QUOTIENT:.*]] = arith.divui %[[NATURAL]]
// CHECK: %[[DOWN:.*]] = arith.xori %[[QUOTIENT]], %[[SIGN]]
// CHECK: %[[WHOLE:.*]] = arith.muli %[[DOWN]]
// CHECK: %[[REST:.*]] = arith.subi %[[X]], %[[WHOLE]]
// CHECK: return %[[REST]]
func.func @by_three(%x: i64) -> i64 {
  %three = arith.constant 3 : i64
  %zero = arith.constant 0 : i64
  %rest = arith.remsi %x, %three : i64
  %below = arith.cmpi slt, %rest, %zero : i64
  %moved = arith.addi %rest, %three : i64
  %y = arith.select %below, %moved, %rest : i64
  return %y : i64
}

// The last bits are left to LLVM.
// CHECK-LABEL: func.func @by_four
// CHECK-NOT: arith.divui
// CHECK: arith.select
func.func @by_four(%x: i64) -> i64 {
  %four = arith.constant 4 : i64
  %zero = arith.constant 0 : i64
  %rest = arith.remsi %x, %four : i64
  %below = arith.cmpi slt, %rest, %zero : i64
  %moved = arith.addi %rest, %four : i64
  %y = arith.select %below, %moved, %rest : i64
  return %y : i64
}

// Moved by another number it is no remainder any more.
// CHECK-LABEL: func.func @moved_by_five
// CHECK-NOT: arith.divui
// CHECK: arith.select
func.func @moved_by_five(%x: i64) -> i64 {
  %three = arith.constant 3 : i64
  %five = arith.constant 5 : i64
  %zero = arith.constant 0 : i64
  %rest = arith.remsi %x, %three : i64
  %below = arith.cmpi slt, %rest, %zero : i64
  %moved = arith.addi %rest, %five : i64
  %y = arith.select %below, %moved, %rest : i64
  return %y : i64
}
