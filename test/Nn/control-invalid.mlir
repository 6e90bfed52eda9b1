// RUN: kumiko-opt %s --split-input-file --verify-diagnostics

func.func @if_c1(%c: tensor<2xi1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{its condition is 'tensor<2xi1>', expected one element}}
  %y = nn.if %c shared(%x) : (tensor<2xi1>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    nn.yield %a : tensor<2xf32>
  } else {
  ^bb0(%a: tensor<2xf32>):
    nn.yield %a : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}

// -----

func.func @if_c2(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{argument 0: 'tensor<3xf32>' vs 'tensor<2xf32>'}}
  %y = nn.if %c shared(%x) : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    nn.yield %a : tensor<2xf32>
  } else {
  ^bb0(%a: tensor<3xf32>):
    %b = nn.constant dense<0.0> : tensor<2xf32>
    nn.yield %b : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}

// -----

func.func @if_c3(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{number of yielded values: 0 vs 1}}
  %y = nn.if %c shared(%x) : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    nn.yield
  } else {
  ^bb0(%a: tensor<2xf32>):
    nn.yield %a : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}

// -----

func.func @loop_c1(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{most is -1}}
  %y = nn.loop while(%c) most -1 states(%x) : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%turn: tensor<i64>, %a: tensor<2xf32>):
    %b = nn.constant dense<true> : tensor<i1>
    nn.yield %b, %a : tensor<i1>, tensor<2xf32>
  }
  return %y : tensor<2xf32>
}

// -----

func.func @loop_c2(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{argument 0: 'tensor<i32>' vs 'tensor<i64>'}}
  %y = nn.loop while(%c) most 3 states(%x) : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%turn: tensor<i32>, %a: tensor<2xf32>):
    %b = nn.constant dense<true> : tensor<i1>
    nn.yield %b, %a : tensor<i1>, tensor<2xf32>
  }
  return %y : tensor<2xf32>
}

// -----

func.func @loop_c3(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{yielded value 0: 'tensor<3xf32>' vs 'tensor<2xf32>'}}
  %y = nn.loop while(%c) most 3 states(%x) : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%turn: tensor<i64>, %a: tensor<2xf32>):
    %b = nn.constant dense<true> : tensor<i1>
    %d = nn.constant dense<0.0> : tensor<3xf32>
    nn.yield %b, %d : tensor<i1>, tensor<3xf32>
  }
  return %y : tensor<2xf32>
}
