// RUN: kumiko-opt %s --kumiko-form-kernels | FileCheck %s

// Kernels stand first: an argument that is returned gets a copy of its own shape.
// CHECK: nn.expand %{{.*}} {shape = [#nn.extent<"N">, 4]}

!rows = tensor<?x4xf32, #nn.extents<"N", 4>>

// Elementwise ops over equal expressions share a kernel.
// CHECK-LABEL: func.func @chain
// CHECK-COUNT-1: nn.call
// CHECK-NOT: nn.call
// CHECK: return
func.func @chain(%a: !rows, %b: !rows) -> !rows {
  %0 = nn.add %a, %b : !rows
  %1 = nn.relu %0 : !rows
  return %1 : !rows
}

// A broadcast that may be repeated often stays apart: its elements would be computed again each time.
// CHECK-LABEL: func.func @repeated
// CHECK-COUNT-2: nn.call
// CHECK: return
func.func @repeated(%a: tensor<4xf32>, %b: tensor<?x4xf32, #nn.extents<"S", 4>>) -> tensor<?x4xf32, #nn.extents<"S", 4>> {
  %0 = nn.exp %a : tensor<4xf32>
  %1 = nn.add %0, %b : (tensor<4xf32>, tensor<?x4xf32, #nn.extents<"S", 4>>) -> tensor<?x4xf32, #nn.extents<"S", 4>>
  return %1 : tensor<?x4xf32, #nn.extents<"S", 4>>
}

// What a symbol is read from is computed before it, and what is sized by it comes after.
// CHECK-LABEL: func.func @data
// CHECK: %[[I:.*]] = nn.call
// CHECK: nn.symbol "n" = %[[I]][0]
// CHECK: nn.call
// CHECK: return
func.func @data(%x: tensor<?xf32, #nn.extents<"N">>, %i: tensor<1xi64>) -> tensor<?xf32, #nn.extents<"n">> {
  %0 = nn.add %i, %i : tensor<1xi64>
  nn.symbol "n" = %0[0] {clamp, upper = #nn.extent<"N">} : tensor<1xi64>
  %1 = nn.slice %x {start = array<i64: 0>, step = array<i64: 1>, out = [#nn.extent<"n">]}
      : (tensor<?xf32, #nn.extents<"N">>) -> tensor<?xf32, #nn.extents<"n">>
  return %1 : tensor<?xf32, #nn.extents<"n">>
}

// See the copy above.
// CHECK-LABEL: func.func @bare
// CHECK: nn.call
func.func @bare(%a: !rows) -> !rows { return %a : !rows }

// The sizes of the result are read after what lies under it is computed: it is copied once they are there.
// CHECK-LABEL: func @sized_later
// CHECK: %[[Y:.*]] = nn.call @{{.*}}(%arg0)
// CHECK: %[[V:.*]] = nn.reshape %[[Y]]
// CHECK: %[[C:.*]] = nn.call @{{.*}}(%[[V]])
// CHECK: return %[[C]]
func.func @sized_later(%x: tensor<12xf32>, %s: tensor<2xi64>) -> tensor<?x?xf32, #nn.extents<"a", "b">>
    attributes {nn.symbols = [{data, name = "a"}, {data, name = "b"}]} {
  %0 = nn.relu %x : tensor<12xf32>
  nn.symbol "a" = %s[0] : tensor<2xi64>
  nn.symbol "b" = %s[1] : tensor<2xi64>
  %1 = nn.reshape %0 : tensor<12xf32> -> tensor<?x?xf32, #nn.extents<"a", "b">>
  return %1 : tensor<?x?xf32, #nn.extents<"a", "b">>
}
