// RUN: kumiko-opt %s --kumiko-keep-rows | FileCheck %s

// CHECK-LABEL: llvm.func @of_a_row
// CHECK: %[[START:.*]] = llvm.getelementptr %arg0[%arg2]
// CHECK: %[[ROW:.*]] = llvm.intr.launder.invariant.group %[[START]]
// CHECK-COUNT-4: llvm.getelementptr %[[ROW]][%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NOT: getelementptr %arg0
llvm.func @of_a_row(%x: !llvm.ptr, %places: vector<4xi64>, %row: i64) {
  %0 = llvm.mlir.constant(0 : i64) : i64
  %1 = llvm.mlir.constant(1 : i64) : i64
  %negative = llvm.mlir.constant(false) : i1
  %a = llvm.extractelement %places[%0 : i64] : vector<4xi64>
  %b = llvm.extractelement %places[%1 : i64] : vector<4xi64>
  %c = llvm.select %negative, %a, %b : i1, i64
  %d = llvm.load %x : !llvm.ptr -> i64
  %at_a = llvm.add %row, %a : i64
  %at_b = llvm.add %row, %b : i64
  %at_c = llvm.add %row, %c : i64
  %at_d = llvm.add %row, %d : i64
  %pa = llvm.getelementptr %x[%at_a] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %pb = llvm.getelementptr %x[%at_b] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %pc = llvm.getelementptr %x[%at_c] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %pd = llvm.getelementptr %x[%at_d] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %va = llvm.load %pa : !llvm.ptr -> f32
  %vb = llvm.load %pb : !llvm.ptr -> f32
  %vc = llvm.load %pc : !llvm.ptr -> f32
  %vd = llvm.load %pd : !llvm.ptr -> f32
  llvm.store %va, %pd : f32, !llvm.ptr
  llvm.store %vb, %pc : f32, !llvm.ptr
  llvm.store %vc, %pb : f32, !llvm.ptr
  llvm.store %vd, %pa : f32, !llvm.ptr
  llvm.return
}

// Numbers that no data choose are left to LLVM, and so is a row of a single element.
// CHECK-LABEL: llvm.func @no_data
// CHECK-NOT: launder
llvm.func @no_data(%x: !llvm.ptr, %row: i64, %n: i64) -> f32 {
  %place = llvm.load %x : !llvm.ptr -> i64
  %at = llvm.add %row, %place : i64
  %chosen = llvm.getelementptr %x[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %a = llvm.load %chosen : !llvm.ptr -> f32
  %next = llvm.add %row, %n : i64
  %counted = llvm.getelementptr %x[%next] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.store %a, %counted : f32, !llvm.ptr
  llvm.return %a : f32
}
