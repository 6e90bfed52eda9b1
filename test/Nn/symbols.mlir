// RUN: kumiko-opt %s | kumiko-opt | FileCheck %s

// The encoding is written in the normal form of the expressions, whatever was read.
// CHECK-LABEL: func @normal_form
// CHECK-SAME: tensor<?x768xf32, #nn.extents<"batch*seq", 768>>
func.func @normal_form(%x: tensor<?x768xf32, #nn.extents<"seq * batch + 0", 768>>) { return }

// A name that is no identifier stands in backquotes.
// CHECK-LABEL: func @names
// CHECK-SAME: #nn.extents<"2*`past + 1`", "x[0]">
func.func @names(%x: tensor<?x?xf32, #nn.extents<"`past + 1` * 2", "x[0]">>) { return }

// Extents of results follow from those of operands.
// CHECK-LABEL: func @conv
func.func @conv(%x: tensor<?x3x?x?xf32, #nn.extents<"N", 3, "H", "W">>, %w: tensor<8x3x3x3xf32>)
    -> tensor<?x8x?x?xf32, #nn.extents<"N", 8, "(H ceildiv 2)", "(W ceildiv 2)">> {
  // CHECK: nn.conv
  // CHECK-SAME: -> tensor<?x8x?x?xf32, #nn.extents<"N", 8, "((H - 1) floordiv 2) + 1", "((W - 1) floordiv 2) + 1">>
  %y = nn.conv %x, %w {stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, lo = array<i64: 1, 1>, hi = array<i64: 1, 1>}
      : (tensor<?x3x?x?xf32, #nn.extents<"N", 3, "H", "W">>, tensor<8x3x3x3xf32>)
      -> tensor<?x8x?x?xf32, #nn.extents<"N", 8, "(H ceildiv 2)", "(W ceildiv 2)">>
  return %y : tensor<?x8x?x?xf32, #nn.extents<"N", 8, "(H ceildiv 2)", "(W ceildiv 2)">>
}

// An integer of an attribute may be an expression.
// CHECK-LABEL: func @slice
func.func @slice(%x: tensor<?x4xf32, #nn.extents<"seq", 4>>) -> tensor<?x4xf32, #nn.extents<"seq - 1", 4>> {
  // CHECK: nn.slice %{{.*}} {out = [#nn.extent<"seq - 1">, 4], start = array<i64: 1, 0>, step = array<i64: 1, 1>}
  %y = nn.slice %x {start = array<i64: 1, 0>, step = array<i64: 1, 1>, out = [#nn.extent<"seq - 1">, 4]}
      : (tensor<?x4xf32, #nn.extents<"seq", 4>>) -> tensor<?x4xf32, #nn.extents<"seq - 1", 4>>
  return %y : tensor<?x4xf32, #nn.extents<"seq - 1", 4>>
}

// A count of values is a symbol that the op defines.
// CHECK-LABEL: func @counted
func.func @counted(%x: tensor<3x?xf32, #nn.extents<3, "seq">>) -> tensor<2x?xi64, #nn.extents<2, "n">> {
  // CHECK: nn.nonzero %{{.*}} {symbols = ["n"]} : {{.*}} -> tensor<2x?xi64, #nn.extents<2, "n">>
  %y = nn.nonzero %x {symbols = ["n"]} : (tensor<3x?xf32, #nn.extents<3, "seq">>) -> tensor<2x?xi64, #nn.extents<2, "n">>
  return %y : tensor<2x?xi64, #nn.extents<2, "n">>
}

// An element of a tensor becomes a symbol, and later types and attributes use it.
// CHECK-LABEL: func @read
func.func @read(%x: tensor<?xf32, #nn.extents<"seq">>, %end: tensor<2xi64>) -> tensor<?xf32, #nn.extents<"end">> {
  // CHECK: nn.symbol "end" = %{{.*}}[1] {clamp, upper = #nn.extent<"seq">, wrap = #nn.extent<"seq">} : tensor<2xi64>
  nn.symbol "end" = %end[1] {clamp, upper = #nn.extent<"seq">, wrap = #nn.extent<"seq">} : tensor<2xi64>
  %y = nn.slice %x {start = array<i64: 0>, step = array<i64: 1>, out = [#nn.extent<"end">]}
      : (tensor<?xf32, #nn.extents<"seq">>) -> tensor<?xf32, #nn.extents<"end">>
  return %y : tensor<?xf32, #nn.extents<"end">>
}

// CHECK-LABEL: func @extent
func.func @extent() -> index {
  // CHECK: nn.extent #nn.extent<"max(7, seq)">
  %n = nn.extent #nn.extent<"max(7, seq)">
  return %n : index
}

// CHECK-LABEL: func @table
// CHECK-SAME: nn.checks = [{lhs = #nn.extent<"K">, message = "inner dimensions", relation = "==", rhs = 7 : i64}]
// CHECK-SAME: nn.symbols = [{lower = 1 : i64, name = "K"}, {data, name = "n"}]
func.func @table() attributes {
    nn.symbols = [{name = "K", lower = 1}, {name = "n", data}],
    nn.checks = [{lhs = #nn.extent<"K">, relation = "==", rhs = 7, message = "inner dimensions"}]} { return }

// A recurrence over as many steps as a symbol says, with states of a size that is an expression.
// CHECK-LABEL: func @recurrence
// CHECK: nn.scan states(%{{.*}}) over(%{{.*}}) :
// CHECK-SAME: -> (tensor<?xf32, #nn.extents<"n">>, tensor<?x?xf32, #nn.extents<"seq", "n">>)
func.func @recurrence(%h: tensor<?xf32, #nn.extents<"n">>, %x: tensor<?x?xf32, #nn.extents<"seq", "n">>)
    -> tensor<?x?xf32, #nn.extents<"seq", "n">> {
  %last, %all = nn.scan states(%h) over(%x)
      : (tensor<?xf32, #nn.extents<"n">>, tensor<?x?xf32, #nn.extents<"seq", "n">>)
      -> (tensor<?xf32, #nn.extents<"n">>, tensor<?x?xf32, #nn.extents<"seq", "n">>) {
  ^bb0(%s: tensor<?xf32, #nn.extents<"n">>, %i: tensor<?xf32, #nn.extents<"n">>):
    %0 = nn.add %s, %i : tensor<?xf32, #nn.extents<"n">>
    nn.yield %0, %0 : tensor<?xf32, #nn.extents<"n">>, tensor<?xf32, #nn.extents<"n">>
  }
  return %all : tensor<?x?xf32, #nn.extents<"seq", "n">>
}

// What a branch asks for counts when it is taken; a loop may end after as many turns as an expression says.
// CHECK-LABEL: func @control
// CHECK: nn.check {row = {lhs = #nn.extent<"n">, message = "too short", relation = "==", rhs = 4 : i64}}
// CHECK: nn.loop while(%{{.*}}) most #nn.extent<"n - 1"> states(%{{.*}})
func.func @control(%c: tensor<i1>, %x: tensor<?xf32, #nn.extents<"n">>) -> tensor<?xf32, #nn.extents<"n">> {
  %y = nn.if %c shared(%x) : (tensor<i1>, tensor<?xf32, #nn.extents<"n">>) -> tensor<?xf32, #nn.extents<"n">> {
  ^bb0(%a: tensor<?xf32, #nn.extents<"n">>):
    nn.check {row = {lhs = #nn.extent<"n">, relation = "==", rhs = 4, message = "too short"}}
    nn.yield %a : tensor<?xf32, #nn.extents<"n">>
  } else {
  ^bb0(%a: tensor<?xf32, #nn.extents<"n">>):
    %0 = nn.relu %a : tensor<?xf32, #nn.extents<"n">>
    nn.yield %0 : tensor<?xf32, #nn.extents<"n">>
  }
  %z = nn.loop while(%c) most #nn.extent<"n - 1"> states(%y)
      : (tensor<i1>, tensor<?xf32, #nn.extents<"n">>) -> tensor<?xf32, #nn.extents<"n">> {
  ^bb0(%turn: tensor<i64>, %s: tensor<?xf32, #nn.extents<"n">>):
    %0 = nn.relu %s : tensor<?xf32, #nn.extents<"n">>
    %1 = nn.constant dense<true> : tensor<i1>
    nn.yield %1, %0 : tensor<i1>, tensor<?xf32, #nn.extents<"n">>
  }
  return %z : tensor<?xf32, #nn.extents<"n">>
}

// A loop that counts its turns: a state that grows with them, and a stack of as many slices.
// CHECK-LABEL: func @turns
// CHECK: nn.loop while(%{{.*}}) most 8 : i64 states(%{{.*}}) {nn.turns = "t"}
func.func @turns(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<?x2xf32, #nn.extents<"t", 2>> {
  %last, %all = nn.loop while(%c) most 8 states(%x) {nn.turns = "t"}
      : (tensor<i1>, tensor<2xf32>) -> (tensor<?xf32, #nn.extents<"t + 2">>, tensor<?x2xf32, #nn.extents<"t", 2>>) {
  ^bb0(%turn: tensor<i64>, %s: tensor<?xf32, #nn.extents<"t + 2">>):
    %0 = nn.constant dense<1.0> : tensor<1xf32>
    %1 = nn.concat %s, %0 {axis = 0} : (tensor<?xf32, #nn.extents<"t + 2">>, tensor<1xf32>) -> tensor<?xf32, #nn.extents<"t + 3">>
    %2 = nn.constant dense<true> : tensor<i1>
    %3 = nn.constant dense<2.0> : tensor<2xf32>
    nn.yield %2, %1, %3 : tensor<i1>, tensor<?xf32, #nn.extents<"t + 3">>, tensor<2xf32>
  }
  return %all : tensor<?x2xf32, #nn.extents<"t", 2>>
}
