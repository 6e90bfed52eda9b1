// RUN: kumiko-opt %s --kumiko-schedule-plain | FileCheck %s --check-prefix=SCHEDULE
// RUN: kumiko-opt %s --kumiko-schedule-plain --kumiko-emit-plain | FileCheck %s
#same = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// The sums lie in scratch, rounded up to 64 bytes, the quotients in the result; what sums start with is written where
// they will lie.
// SCHEDULE: nn.kernel @shares
// SCHEDULE-SAME: scratch_bytes = 64
// CHECK-LABEL: func.func @shares
// CHECK: %[[SUMS:.*]] = memref.view %{{.*}} : memref<?xi8> to memref<4xf32>
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%[[SUMS]] : memref<4xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : memref<4x8xf32>) outs(%{{.*}} : memref<4xf32>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : memref<4x8xf32>)
// CHECK-NOT: linalg.copy
// CHECK: return
nn.kernel @shares(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.generic {indexing_maps = [#same, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %b, %a : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %o = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#same, #row, #same], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<4x8xf32>, tensor<4xf32>) outs(%o : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<4x8xf32>
  nn.yield %y : tensor<4x8xf32>
}

// An argument stays what it was: results that start with it start with a copy.
// CHECK-LABEL: func.func @keeps_argument
// CHECK: linalg.copy
// CHECK: linalg.copy {{.*}} outs(%{{.*}} : memref<2x8xf32, strided<[8, 1], offset: 8>>)
nn.kernel @keeps_argument(%x: tensor<4x8xf32>, %p: tensor<2x8xf32>) -> tensor<4x8xf32> {
  %y = tensor.insert_slice %p into %x[1, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<4x8xf32>
  nn.yield %y : tensor<4x8xf32>
}

// Both results have memory of their own, also where they are the same numbers.
// CHECK-LABEL: func.func @twice
// CHECK: linalg.fill
// CHECK: linalg.copy
nn.kernel @twice() -> (tensor<8xf32>, tensor<2x4xf32>) {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.fill ins(%one : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %z = tensor.expand_shape %y [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
  nn.yield %y, %z : tensor<8xf32>, tensor<2x4xf32>
}

// A place that data choose is looked at; one that does not exist is not read and is told at the end. Truth values are
// bytes that are set where they are not 0.
// CHECK-LABEL: func.func @chosen
// CHECK: linalg.generic
// CHECK: arith.cmpi ult
// CHECK: memref.store
// CHECK: scf.if
// CHECK: memref.load %{{.*}} : memref<5xi8>
// CHECK: arith.cmpi ne
// CHECK: arith.extui
// CHECK: %[[STATUS:.*]] = memref.load %{{.*}} : memref<1xi32>
// CHECK: return %[[STATUS]] : i32
nn.kernel @chosen(%x: tensor<5xi1>, %i: tensor<3xi64>) -> tensor<3xi1> {
  %e = tensor.empty() : tensor<3xi1>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%i : tensor<3xi64>) outs(%e : tensor<3xi1>) {
  ^bb0(%n: i64, %b: i1):
    %at = arith.index_cast %n : i64 to index
    %0 = tensor.extract %x[%at] {checked = array<i64: 0>} : tensor<5xi1>
    linalg.yield %0 : i1
  } -> tensor<3xi1>
  nn.yield %y : tensor<3xi1>
}

// An element of a tensor whose elements are all the same is that scalar; its place is looked at all the same.
// CHECK-LABEL: func.func @same_everywhere
// CHECK: arith.cmpi ult
// CHECK: memref.store
// CHECK-NOT: scf.if
// CHECK-NOT: linalg.fill
// CHECK: return
nn.kernel @same_everywhere(%i: tensor<3xi64>) -> tensor<3xi1> {
  %e = tensor.empty() : tensor<3xi1>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%i : tensor<3xi64>) outs(%e : tensor<3xi1>) {
  ^bb0(%n: i64, %b: i1):
    %true = arith.constant true
    %all = tensor.splat %true : tensor<5xi1>
    %at = arith.index_cast %n : i64 to index
    %0 = tensor.extract %all[%at] {checked = array<i64: 0>} : tensor<5xi1>
    linalg.yield %0 : i1
  } -> tensor<3xi1>
  nn.yield %y : tensor<3xi1>
}
