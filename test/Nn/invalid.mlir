// RUN: kumiko-opt %s --split-input-file --verify-diagnostics

// The equation is the verifier: its message names the index and both numbers.
func.func @index_differs(%a: tensor<2x3xf32>, %b: tensor<4x5xf32>) -> tensor<2x5xf32> {
  // expected-error@+1 {{index k is 3 in a but 4 in b}}
  %y = nn.matmul %a, %b : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return %y : tensor<2x5xf32>
}

// -----

func.func @no_broadcast(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) -> tensor<2x3xf32> {
  // expected-error@+1 {{index i1 is 3 in a but 4 in b}}
  %y = nn.add %a, %b : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @rank(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<f32> {
  // expected-error@+1 {{a has rank 1}}
  %y = nn.matmul %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

func.func @element_types_differ(%a: tensor<2xf32>, %b: tensor<2xf64>) -> tensor<2xf32> {
  // expected-error@+1 {{b is f64 but T is f32}}
  %y = nn.add %a, %b : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @result_shape(%a: tensor<2x3xf32>) -> tensor<3x2xf32> {
  // expected-error@+1 {{result 'y' is 'tensor<3x2xf32>', expected 'tensor<2x3xf32>'}}
  %y = nn.relu %a : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// -----

func.func @result_element_type(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{result 'y' is 'tensor<2xf32>', expected 'tensor<2xi32>'}}
  %y = nn.cast %a {to = i32} : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// A read that would leave the tensor is found when the op is made, not when it runs.
func.func @outside(%a: tensor<3xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{runs from 0 to 3 but the dimension is 3}}
  %y = nn.slice %a {start = array<i64: 0>, step = array<i64: 1>, out = array<i64: 4>} : (tensor<3xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// A product of dimensions that does not fit 64 bits is refused, not wrapped around.
func.func @too_large(%x: tensor<4611686018427387904x4xf32>) -> tensor<4611686018427387904x4xf32> {
  // expected-error@+1 {{more elements than can be counted}}
  %y = nn.relu %x : tensor<4611686018427387904x4xf32>
  return %y : tensor<4611686018427387904x4xf32>
}

// -----

func.func @attribute_missing(%a: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{requires attribute 'axis'}}
  %y = nn.softmax %a : tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

func.func @attribute_of_wrong_kind(%a: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{attribute 'axis' failed to satisfy constraint: 64-bit signless integer attribute}}
  %y = nn.softmax %a {axis = "last"} : tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

func.func @attribute_unknown(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error@+1 {{relu has no attribute 'slope'}}
  %y = nn.relu %a {slope = 0.1} : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @combination_unknown(%a: tensor<3xf32>) -> tensor<f32> {
  // expected-error@+1 {{attribute kind is not a value of type combine}}
  %y = nn.reduce %a {axes = array<i64: 0>, kind = "times"} : (tensor<3xf32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

func.func @too_many_operands(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{2 operands given, relu takes 1}}
  %y = nn.relu %a, %a : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @operand_not_optional(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{operand 'b' of add is missing}}
  %y = nn.add %a, _ : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @dynamic(%a: tensor<?x3xf32>) -> tensor<?x3xf32> {
  // expected-error@+1 {{x is 'tensor<?x3xf32>', expected extents that are numbers or #nn.extents}}
  %y = nn.relu %a : tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// -----

func.func @foreign_element_type(%a: tensor<3xindex>) -> tensor<3xindex> {
  // expected-error@+1 {{x has elements of type 'index', which equations do not have}}
  %y = nn.relu %a : tensor<3xindex>
  return %y : tensor<3xindex>
}

// -----

func.func @reshape_c1(%a: tensor<2xf32>) -> tensor<2xi32> {
  // expected-error@+1 {{element types differ: 'f32' vs 'i32'}}
  %y = nn.reshape %a : tensor<2xf32> -> tensor<2xi32>
  return %y : tensor<2xi32>
}

// -----

func.func @reshape_c2(%a: tensor<2x3xf32>) -> tensor<5xf32> {
  // expected-error@+1 {{numbers of elements differ: 6 vs 5}}
  %y = nn.reshape %a : tensor<2x3xf32> -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// -----

// 2^62 * 4 is 0 in 64 bits.
func.func @reshape_c2_counts_without_wrapping(%a: tensor<4611686018427387904x4xf32>) -> tensor<0xf32> {
  // expected-error@+1 {{numbers of elements differ}}
  %y = nn.reshape %a : tensor<4611686018427387904x4xf32> -> tensor<0xf32>
  return %y : tensor<0xf32>
}

// -----

func.func @bitcast_c1(%a: tensor<2xf32>) -> tensor<1x2xi32> {
  // expected-error@+1 {{shapes differ: 'tensor<2xf32>' vs 'tensor<1x2xi32>'}}
  %y = nn.bitcast %a : tensor<2xf32> -> tensor<1x2xi32>
  return %y : tensor<1x2xi32>
}

// -----

func.func @bitcast_c2(%a: tensor<2xf32>) -> tensor<2xi16> {
  // expected-error@+1 {{widths of elements differ: 'f32' vs 'i16'}}
  %y = nn.bitcast %a : tensor<2xf32> -> tensor<2xi16>
  return %y : tensor<2xi16>
}

// -----

// expected-error@+1 {{has no body}}
nn.kernel private @kernel_c1(tensor<2xf32>) -> tensor<2xf32>

// -----

func.func @call_c1(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{'call_c1' is not an nn.kernel}}
  %y = nn.call @call_c1(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

nn.kernel private @k(%x: tensor<2xf32>) -> tensor<2xf32> {
  nn.yield %x : tensor<2xf32>
}
func.func @call_c2(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{number of arguments differs from the kernel's: 2 vs 1}}
  %y = nn.call @k(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

nn.kernel private @k(%x: tensor<2xf32>) -> tensor<2xf32> {
  nn.yield %x : tensor<2xf32>
}
func.func @call_c3(%a: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{result 0 differs from the kernel's: 'tensor<3xf32>' vs 'tensor<2xf32>'}}
  %y = nn.call @k(%a) : (tensor<2xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

nn.kernel private @yield_c1(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{number of values differs from the kernel's: 0 vs 1}}
  nn.yield
}

// -----

nn.kernel private @yield_c2(%x: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{value 0 differs from the kernel's: 'tensor<2xf32>' vs 'tensor<3xf32>'}}
  nn.yield %x : tensor<2xf32>
}
