// RUN: kumiko-opt %s --kumiko-move-halves | FileCheck %s

// A float of 16 bits that is only moved is a number of 16 bits.
// CHECK-LABEL: llvm.func @moved
// CHECK: %[[X:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i16
// CHECK: llvm.store %[[X]], %{{.*}} : i16, !llvm.ptr
// CHECK: %[[Y:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i16
// CHECK: llvm.store %[[Y]], %{{.*}} : i16, !llvm.ptr
llvm.func @moved(%from: !llvm.ptr, %to: !llvm.ptr) {
  %x = llvm.load %from : !llvm.ptr -> f16
  llvm.store %x, %to : f16, !llvm.ptr
  %y = llvm.load %from : !llvm.ptr -> bf16
  llvm.store %y, %to : bf16, !llvm.ptr
  llvm.return
}

// What is computed with stays a float, and so does what is as wide as a register.
// CHECK-LABEL: llvm.func @computed
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> f16
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> f32
llvm.func @computed(%from: !llvm.ptr, %to: !llvm.ptr) {
  %x = llvm.load %from : !llvm.ptr -> f16
  %y = llvm.fadd %x, %x : f16
  llvm.store %x, %to : f16, !llvm.ptr
  llvm.store %y, %to : f16, !llvm.ptr
  %z = llvm.load %from : !llvm.ptr -> f32
  llvm.store %z, %to : f32, !llvm.ptr
  llvm.return
}
