// RUN: kumiko-opt %s --form-routines --split-input-file --verify-diagnostics | FileCheck %s

// What data decide the size of is written after a call that has found the size: three kernels, in this order.
// CHECK: nn.routine "nonzero"({{.*}}-> tensor<2x?xi64, #nn.extents<2, "n">>
// CHECK: nn.routine "total"({{.*}}parameters = array<i64: 1>{{.*}}symbols = ["n"]
// CHECK: nn.routine "nonzero_count"({{.*}}parameters = array<i64: 12, 12, 16384, 1, 2, 3, 4>
// CHECK-LABEL: func.func @main
// CHECK: %[[C:.*]] = nn.call @{{.*}}(%arg0) : (tensor<3x4xf32>) -> tensor<1xi64>
// CHECK: %[[B:.*]] = nn.call @{{.*}}(%[[C]]) : (tensor<1xi64>) -> tensor<2xi64>
// CHECK: %[[Y:.*]] = nn.call @{{.*}}(%arg0, %[[B]])
// CHECK: return %[[Y]] : tensor<2x?xi64, #nn.extents<2, "n">>
func.func @main(%x: tensor<3x4xf32>) -> tensor<2x?xi64, #nn.extents<2, "n">>
    attributes {nn.symbols = [{data, name = "n"}]} {
  %0 = nn.call @k(%x) : (tensor<3x4xf32>) -> tensor<2x?xi64, #nn.extents<2, "n">>
  return %0 : tensor<2x?xi64, #nn.extents<2, "n">>
}
nn.kernel @k(%x: tensor<3x4xf32>) -> tensor<2x?xi64, #nn.extents<2, "n">> {
  %i = nn.nonzero %x {symbols = ["n"]} : (tensor<3x4xf32>) -> tensor<2x?xi64, #nn.extents<2, "n">>
  nn.yield %i : tensor<2x?xi64, #nn.extents<2, "n">>
}

// -----

// A symbol that is read from a tensor is a call of its own; bounds may be expressions.
// CHECK: nn.routine "symbol"({{.*}}parameters = [4, 1, #nn.extent<"seq">, 0, #nn.extent<"seq">, 1]{{.*}}symbols = ["end"]
// CHECK-LABEL: func.func @symbol
// CHECK: nn.call @{{.*}}(%arg1) : (tensor<2xi32>) -> ()
func.func @symbol(%x: tensor<?xf32, #nn.extents<"seq">>, %ends: tensor<2xi32>)
    attributes {nn.symbols = [{name = "seq"}, {data, name = "end"}]} {
  nn.symbol "end" = %ends[1] {clamp, upper = #nn.extent<"seq">, wrap = #nn.extent<"seq">} : tensor<2xi32>
  return
}

// -----

// Without a name for what is found, nothing can be planned for it.
nn.kernel @nameless(%x: tensor<4xf32>) -> tensor<1x?xi64> {
  // expected-error@+1 {{'nn.nonzero' is not yet compiled: the number of results depends on values}}
  %i = nn.nonzero %x : (tensor<4xf32>) -> tensor<1x?xi64>
  nn.yield %i : tensor<1x?xi64>
}
