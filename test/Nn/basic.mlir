// RUN: kumiko-opt %s | kumiko-opt | FileCheck %s
// RUN: kumiko-opt %s --mlir-print-op-generic | kumiko-opt | FileCheck %s

// One type stands for all when they are equal.
// CHECK-LABEL: func @one_type
func.func @one_type(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: nn.relu %{{.*}} : tensor<2x3xf32>
  %0 = nn.relu %x : tensor<2x3xf32>
  // CHECK: nn.add %{{.*}}, %{{.*}} : tensor<2x3xf32>
  %1 = nn.add %0, %x : tensor<2x3xf32>
  // The long form says the same.
  // CHECK: nn.abs %{{.*}} : tensor<2x3xf32>
  %2 = nn.abs %1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}

// CHECK-LABEL: func @broadcast
func.func @broadcast(%a: tensor<2x1x3xf32>, %b: tensor<4x1xf32>) -> tensor<2x4x3xf32> {
  // CHECK: nn.mul %{{.*}}, %{{.*}} : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xf32>
  %0 = nn.mul %a, %b : (tensor<2x1x3xf32>, tensor<4x1xf32>) -> tensor<2x4x3xf32>
  return %0 : tensor<2x4x3xf32>
}

// An attribute that has its default is not written, and is there all the same.
// CHECK-LABEL: func @defaults
func.func @defaults(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: nn.leaky_relu %{{.*}} : tensor<4xf32>
  %0 = nn.leaky_relu %x {slope = 0.01} : tensor<4xf32>
  // CHECK: nn.leaky_relu %{{.*}} {slope = 2.000000e-01 : f64} : tensor<4xf32>
  %1 = nn.leaky_relu %0 {slope = 0.2} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// An optional operand is left out at the end.
// CHECK-LABEL: func @optional_at_the_end
func.func @optional_at_the_end(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>)
    -> (tensor<1x4x8x8xf32>, tensor<1x4x3x3xf32>) {
  // CHECK: nn.conv %{{.*}}, %{{.*}}, %{{.*}} {dilation = array<i64: 1, 1>, hi = array<i64: 1, 1>, lo = array<i64: 1, 1>, stride = array<i64: 1, 1>} : (
  %0 = nn.conv %x, %w, %b {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 1, 1>, hi = array<i64: 1, 1>}
      : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>
  // CHECK: nn.conv %{{[a-z0-9]*}}, %{{[a-z0-9]*}} {
  %1 = nn.conv %x, %w {stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>}
      : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x3x3xf32>
  return %0, %1 : tensor<1x4x8x8xf32>, tensor<1x4x3x3xf32>
}

// In the middle it is `_`: the operands behind it keep their places.
// CHECK-LABEL: func @optional_in_the_middle
func.func @optional_in_the_middle(%x: tensor<1x1x3x3xf32>, %w: tensor<1x1x2x2xf32>, %o: tensor<1x1x2x2x2x2x2xf32>,
                                  %b: tensor<1xf32>) -> tensor<1x1x2x2xf32> {
  // CHECK: nn.deform_conv %{{.*}}, %{{.*}}, %{{.*}}, _, %{{.*}} {
  %0 = nn.deform_conv %x, %w, %o, _, %b {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>,
                                         group = 1, out = array<i64: 2, 2>}
      : (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2x2x2x2xf32>, tensor<1xf32>) -> tensor<1x1x2x2xf32>
  return %0 : tensor<1x1x2x2xf32>
}

// CHECK-LABEL: func @variadic
func.func @variadic(%a: tensor<2x3xf32>, %b: tensor<2x1xf32>) -> tensor<2x7xf32> {
  // CHECK: nn.concat %{{.*}}, %{{.*}}, %{{.*}} {axis = 1 : i64} : (
  %0 = nn.concat %a, %b, %a {axis = 1} : (tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x3xf32>) -> tensor<2x7xf32>
  return %0 : tensor<2x7xf32>
}

// CHECK-LABEL: func @several_results
func.func @several_results(%x: tensor<2x5xf32>) -> (tensor<2xi64>, tensor<2xf32>) {
  // CHECK: %{{.*}}, %{{.*}} = nn.argreduce %{{.*}} {axis = 1 : i64, kind = "max"} : (tensor<2x5xf32>) -> (tensor<2xi64>, tensor<2xf32>)
  %at, %best = nn.argreduce %x {axis = 1, kind = "max"} : (tensor<2x5xf32>) -> (tensor<2xi64>, tensor<2xf32>)
  return %at, %best : tensor<2xi64>, tensor<2xf32>
}

// Attributes of type `type` are types; unsigned integers and b1 keep their MLIR spelling.
// CHECK-LABEL: func @element_types
func.func @element_types(%x: tensor<3xf32>) -> (tensor<3xui8>, tensor<3xi1>, tensor<3xf8E4M3FN>) {
  // CHECK: nn.cast %{{.*}} {to = ui8} : (tensor<3xf32>) -> tensor<3xui8>
  %0 = nn.cast %x {to = ui8} : (tensor<3xf32>) -> tensor<3xui8>
  // CHECK: nn.lt %{{.*}}, %{{.*}} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  %1 = nn.lt %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  // CHECK: nn.cast %{{.*}} {to = f8E4M3FN} : (tensor<3xf32>) -> tensor<3xf8E4M3FN>
  %2 = nn.cast %x {to = f8E4M3FN} : (tensor<3xf32>) -> tensor<3xf8E4M3FN>
  return %0, %1, %2 : tensor<3xui8>, tensor<3xi1>, tensor<3xf8E4M3FN>
}

// The same equation with channels last.
// CHECK-LABEL: func @channels_last
func.func @channels_last(%x: tensor<1x8x8x3xf32>) -> tensor<1x4x4x3xf32> {
  // CHECK: nn.max_pool %{{.*}} {channel = 3 : i64,
  %0, %i = nn.max_pool %x {channel = 3, kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>,
                           lo = array<i64: 0, 0>, hi = array<i64: 0, 0>}
      : (tensor<1x8x8x3xf32>) -> (tensor<1x4x4x3xf32>, tensor<1x4x4x3xi64>)
  return %0 : tensor<1x4x4x3xf32>
}

// CHECK-LABEL: func @views
func.func @views(%x: tensor<2x3xf32>) -> tensor<6xi32> {
  // CHECK: nn.constant dense<{{.*}}> : tensor<2xf32>
  %c = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK: nn.reshape %{{.*}} : tensor<2x3xf32> -> tensor<6xf32>
  %0 = nn.reshape %x : tensor<2x3xf32> -> tensor<6xf32>
  // CHECK: nn.bitcast %{{.*}} : tensor<6xf32> -> tensor<6xi32>
  %1 = nn.bitcast %0 : tensor<6xf32> -> tensor<6xi32>
  return %1 : tensor<6xi32>
}
