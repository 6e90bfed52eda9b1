// RUN: kumiko-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @carries_its_equation
func.func @carries_its_equation(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: nn.custom %{{.*}} {limit = 2.000000e+00 : f64, nn.definition = "op clip{{.*}}"} : tensor<2x3xf32>
  %y = nn.custom %x {limit = 2.0, nn.definition = "op clip(x: T; limit: float = 1.0) -> y: T { y(i...) = min(x(i...), limit) }"} : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: func @operand_left_out
func.func @operand_left_out(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: nn.custom %{{.*}} {nn.definition = "op add{{.*}}"} : tensor<4xf32>
  %y = nn.custom %x {nn.definition = "op add(x: T, b?: T) -> y: T { y(i) = x(i) + (b(i) else 0) }"} : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @shape_follows(%x: tensor<2x3xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{result 'y' is 'tensor<3xf32>', expected 'tensor<2xf32>'}}
  %y = nn.custom %x {nn.definition = "op rows(x: T) -> y: T { y(i) += x(i, j) }"} : (tensor<2x3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

func.func @no_text(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{needs nn.definition, the text of one op}}
  %y = nn.custom %x : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @wrong_text(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{needs nn.definition, the text of one op}}
  %y = nn.custom %x {nn.definition = "op a(x: T) -> y: T { y(i) = nothing(x(i)) }"} : tensor<2xf32>
  return %y : tensor<2xf32>
}
