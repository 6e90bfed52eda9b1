// RUN: kumiko-opt %s --nn-to-linalg --split-input-file | FileCheck %s

// Reductions: kept loops first, then reduced ones in the order of the text; a fill with the identity, then one generic.

// CHECK-DAG: #[[A:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[B:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[C:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @matmul
// CHECK: %[[F:.*]] = linalg.fill
// CHECK: linalg.generic {indexing_maps = [#[[A]], #[[B]], #[[C]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 {{.*}} outs(%[[F]]
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[O:.*]]: f32):
// CHECK-NEXT: %[[M:.*]] = arith.mulf %[[X]], %[[Y]] : f32
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[O]], %[[M]] : f32
// CHECK-NEXT: linalg.yield %[[S]]
func.func @matmul(%a: tensor<8x4xf32>, %b: tensor<4x16xf32>) -> tensor<8x16xf32> {
  %y = nn.matmul %a, %b : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}

// -----

// NaN wins in a maximum.
// CHECK-LABEL: func.func @max
// CHECK: %[[I:.*]] = arith.constant 0xFF800000 : f32
// CHECK: linalg.fill ins(%[[I]]
// CHECK: iterator_types = ["parallel", "reduction"]
// CHECK: arith.maximumf
func.func @max(%x: tensor<3x4xf32>) -> tensor<4xf32> {
  %y = nn.reduce %x {kind = "max", axes = array<i64: 0>} : (tensor<3x4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Unsigned maximum: signless types, unsigned comparison, 0 as the lowest.
// CHECK-LABEL: func.func @max_unsigned(%arg0: tensor<3x4xi8>) -> tensor<4xi8>
// CHECK: arith.constant 0 : i8
// CHECK: arith.maxui
func.func @max_unsigned(%x: tensor<3x4xui8>) -> tensor<4xui8> {
  %y = nn.reduce %x {kind = "max", axes = array<i64: 0>} : (tensor<3x4xui8>) -> tensor<4xui8>
  return %y : tensor<4xui8>
}

// -----

// f16 sums in f32 and rounds once.
// CHECK-LABEL: func.func @half
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<3x4xf16>) outs(%{{.*}} : tensor<3xf32>)
// CHECK: arith.extf
// CHECK: arith.addf {{.*}} : f32
// CHECK: linalg.generic
// CHECK: arith.truncf {{.*}} : f32 to f16
func.func @half(%x: tensor<3x4xf16>) -> tensor<3xf16> {
  %y = nn.reduce %x {kind = "+", axes = array<i64: 1>} : (tensor<3x4xf16>) -> tensor<3xf16>
  return %y : tensor<3xf16>
}

// -----

// Arg-max: two results of one generic; without a reader of the second it is a plain maximum.
// CHECK-LABEL: func.func @argmax
// CHECK: %[[R:.*]]:2 = linalg.generic
// CHECK: arith.cmpf ord
// CHECK: arith.cmpf ugt
// CHECK: return %[[R]]#1
func.func @argmax(%x: tensor<3x4xf32>) -> tensor<3xi64> {
  %i, %v = nn.argreduce %x {kind = "max", axis = 1} : (tensor<3x4xf32>) -> (tensor<3xi64>, tensor<3xf32>)
  return %i : tensor<3xi64>
}
// CHECK-LABEL: func.func @only_max
// CHECK-NOT: arith.cmpf
// CHECK: arith.maximumf
func.func @only_max(%x: tensor<3x4xf32>) -> tensor<3xf32> {
  %i, %v = nn.argreduce %x {kind = "max", axis = 1} : (tensor<3x4xf32>) -> (tensor<3xi64>, tensor<3xf32>)
  return %v : tensor<3xf32>
}

// -----

// Points that a condition removes contribute the identity.
// CHECK-LABEL: func.func @running_product
// CHECK: arith.constant 1.0{{.*}} : f32
// CHECK: %[[C:.*]] = arith.cmpi
// CHECK: arith.select %[[C]]
// CHECK: arith.mulf
func.func @running_product(%x: tensor<5xf32>) -> tensor<5xf32> {
  %y = nn.cumulate %x {kind = "*", axis = 0} : tensor<5xf32>
  return %y : tensor<5xf32>
}

// -----

// Nothing to sum: the identity is the result.
// CHECK-LABEL: func.func @no_depth
// CHECK: linalg.fill
// CHECK-NOT: linalg.generic
func.func @no_depth(%a: tensor<3x0xf32>, %b: tensor<0x2xf32>) -> tensor<3x2xf32> {
  %y = nn.matmul %a, %b : (tensor<3x0xf32>, tensor<0x2xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// A row that may be empty has no first point: its place is 0 then, as that of an empty row is which is known.
// CHECK-LABEL: nn.kernel @maybe_empty
// CHECK: %[[BEST:.*]]:2 = linalg.generic
// CHECK: linalg.generic {{.*}} ins(%[[BEST]]#1
// CHECK: arith.cmpi eq, %{{.*}}, %c-9223372036854775808_i64
// CHECK: arith.select
nn.kernel @maybe_empty(%x: tensor<3x?xf32, #nn.extents<3, "n">>) -> tensor<3xi64> {
  %i, %v = nn.argreduce %x {kind = "max", axis = 1} : (tensor<3x?xf32, #nn.extents<3, "n">>) -> (tensor<3xi64>, tensor<3xf32>)
  nn.yield %i : tensor<3xi64>
}
