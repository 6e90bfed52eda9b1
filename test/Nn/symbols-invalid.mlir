// RUN: kumiko-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{dimension 1 is 768 in the tensor and seq in the encoding}}
func.func private @number_is_named(tensor<?x768xf32, #nn.extents<"batch", "seq">>)

// -----

// expected-error@+1 {{dimension 0 is ? in the tensor and 4 in the encoding}}
func.func private @name_is_number(tensor<?x?xf32, #nn.extents<4, "seq">>)

// -----

// expected-error@+1 {{encoding has 1 extents, the tensor has 2}}
func.func private @rank(tensor<?x?xf32, #nn.extents<"seq">>)

// -----

// expected-error@+1 {{an encoding is for tensors with an extent that is no number}}
func.func private @all_static(tensor<4xf32, #nn.extents<4>>)

// -----

// expected-error@+1 {{')' is expected at position 4: '(a+b'}}
func.func private @syntax(tensor<?xf32, #nn.extents<"(a+b">>)

// -----

// expected-error@+1 {{'2*3' is a number and is written without quotes}}
func.func private @quoted_number(tensor<?xf32, #nn.extents<"2*3">>)

// -----

// expected-error@+1 {{nn has no attribute 'size'}}
func.func private @keyword(tensor<?xf32, #nn.size<"a">>)

// -----

func.func @result(%x: tensor<?xf32, #nn.extents<"seq">>) -> tensor<?xf32, #nn.extents<"n">> {
  // expected-error@+1 {{result 'y' is 'tensor<?xf32, #nn.extents<"n">>', expected 'tensor<?xf32, #nn.extents<"seq">>'}}
  %y = nn.relu %x : (tensor<?xf32, #nn.extents<"seq">>) -> tensor<?xf32, #nn.extents<"n">>
  return %y : tensor<?xf32, #nn.extents<"n">>
}

// -----

func.func @no_encoding(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{x is 'tensor<?xf32>', expected extents that are numbers or #nn.extents}}
  %y = nn.relu %x : tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @counted_result(%x: tensor<3xf32>) -> tensor<1x?xi64, #nn.extents<1, "m">> {
  // expected-error@+1 {{result 0 is 'tensor<1x?xi64, #nn.extents<1, "m">>', expected 'tensor<1x?xi64, #nn.extents<1, "n">>'}}
  %y = nn.nonzero %x {symbols = ["n"]} : (tensor<3xf32>) -> tensor<1x?xi64, #nn.extents<1, "m">>
  return %y : tensor<1x?xi64, #nn.extents<1, "m">>
}

// -----

func.func @symbols_of_op(%x: tensor<3xf32>) {
  // expected-error@+1 {{defines one symbol, whose name has neither quotes nor control characters; found ["n", "m"]}}
  %y = nn.nonzero %x {symbols = ["n", "m"]} : (tensor<3xf32>) -> tensor<1x?xi64>
  return
}

// -----

func.func @symbol_c1(%x: tensor<2xi64>) {
  // expected-error@+1 {{the name has quotes or control characters}}
  nn.symbol "a`b" = %x[0] : tensor<2xi64>
  return
}

// -----

func.func @symbol_c2(%x: tensor<2xf32>) {
  // expected-error@+1 {{elements are 'f32', expected integers}}
  nn.symbol "n" = %x[0] : tensor<2xf32>
  return
}

// -----

func.func @symbol_c3(%x: tensor<2xi64>) {
  // expected-error@+1 {{element 2 is outside 'tensor<2xi64>'}}
  nn.symbol "n" = %x[2] : tensor<2xi64>
  return
}

// -----

// expected-error@+1 {{symbol 'a' is listed twice}}
func.func @twice() attributes {nn.symbols = [{name = "a"}, {name = "a"}]} { return }

// -----

// expected-error@+1 {{a symbol has no name}}
func.func @nameless() attributes {nn.symbols = [{lower = 1}]} { return }

// -----

// expected-error@+1 {{upper bound of symbol 'a' is not an i64}}
func.func @bound() attributes {nn.symbols = [{name = "a", upper = "b"}]} { return }

// -----

// expected-error@+1 {{nn.symbols is not a list of dictionaries}}
func.func @list() attributes {nn.symbols = "a"} { return }

// -----

// expected-error@+1 {{a check needs lhs, relation}}
func.func @relation() attributes {nn.checks = [{lhs = 1, relation = "<", rhs = 2, message = ""}]} { return }

// -----

func.func @check() {
  // expected-error@+1 {{a check needs lhs, relation (==, <= or broadcast), rhs and message}}
  nn.check {row = {lhs = #nn.extent<"n">, relation = "<", rhs = 4, message = "too long"}}
  return
}

// -----

func.func @steps(%x: tensor<?xf32, #nn.extents<"a">>, %y: tensor<?xf32, #nn.extents<"b">>) {
  // expected-error@+1 {{sequence 1 has b positions, the first has a}}
  %all = nn.scan states() over(%x, %y)
      : (tensor<?xf32, #nn.extents<"a">>, tensor<?xf32, #nn.extents<"b">>) -> tensor<?xf32, #nn.extents<"a">> {
  ^bb0(%i: tensor<f32>, %j: tensor<f32>):
    nn.yield %i : tensor<f32>
  }
  return
}

// -----

func.func @turns(%c: tensor<i1>, %x: tensor<2xf32>) {
  // expected-error@+1 {{yielded value 0: 'tensor<?xf32, #nn.extents<"t + 2">>' vs 'tensor<?xf32, #nn.extents<"t + 3">>'}}
  %last = nn.loop while(%c) most 8 states(%x) {nn.turns = "t"}
      : (tensor<i1>, tensor<2xf32>) -> tensor<?xf32, #nn.extents<"t + 2">> {
  ^bb0(%turn: tensor<i64>, %s: tensor<?xf32, #nn.extents<"t + 2">>):
    %2 = nn.constant dense<true> : tensor<i1>
    nn.yield %2, %s : tensor<i1>, tensor<?xf32, #nn.extents<"t + 2">>
  }
  return
}
