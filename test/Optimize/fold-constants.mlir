// RUN: kumiko-opt %s --nn-fold-constants | FileCheck %s

// Chains fold in one go, with the arithmetic of the declared type.
// CHECK-LABEL: func.func @chain
func.func @chain() -> tensor<2xf32> {
  // CHECK-NEXT: %[[C:.*]] = nn.constant dense<[-1.500000e+00, -5.000000e-01]> : tensor<2xf32>
  // CHECK-NEXT: return %[[C]]
  %a = nn.constant dense<[1.0, 3.0]> : tensor<2xf32>
  %b = nn.constant dense<2.0> : tensor<f32>
  %0 = nn.div %a, %b : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = nn.sub %0, %b : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %2 = nn.reshape %1 : tensor<2xf32> -> tensor<1x2xf32>
  %3 = nn.reshape %2 : tensor<1x2xf32> -> tensor<2xf32>
  %4 = nn.cast %3 {to = f16} : (tensor<2xf32>) -> tensor<2xf16>
  %5 = nn.cast %4 {to = f32} : (tensor<2xf16>) -> tensor<2xf32>
  return %5 : tensor<2xf32>
}

// Integers wrap, comparisons give b1, and unsigned stays unsigned.
// CHECK-LABEL: func.func @types
func.func @types() -> (tensor<2xi8>, tensor<2xi1>, tensor<1xui8>) {
  // CHECK-DAG: dense<[-128, 1]> : tensor<2xi8>
  // CHECK-DAG: dense<[false, true]> : tensor<2xi1>
  // CHECK-DAG: dense<4> : tensor<1xui8>
  %a = nn.constant dense<[127, 0]> : tensor<2xi8>
  %one = nn.constant dense<1> : tensor<i8>
  %u = nn.constant dense<250> : tensor<1xui8>
  %v = nn.constant dense<10> : tensor<1xui8>
  %0 = nn.add %a, %one : (tensor<2xi8>, tensor<i8>) -> tensor<2xi8>
  %1 = nn.lt %a, %one : (tensor<2xi8>, tensor<i8>) -> tensor<2xi1>
  %2 = nn.add %u, %v : tensor<1xui8>
  return %0, %1, %2 : tensor<2xi8>, tensor<2xi1>, tensor<1xui8>
}

// All results of an op fold together.
// CHECK-LABEL: func.func @two_results
func.func @two_results() -> (tensor<i64>, tensor<f32>) {
  // CHECK-NOT: nn.argreduce
  %a = nn.constant dense<[1.0, 3.0, 2.0]> : tensor<3xf32>
  %0, %1 = nn.argreduce %a {kind = "max", axis = 0} : (tensor<3xf32>) -> (tensor<i64>, tensor<f32>)
  return %0, %1 : tensor<i64>, tensor<f32>
}

// An operand that is not constant stops it.
// CHECK-LABEL: func.func @keep_unknown
func.func @keep_unknown(%x: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK: nn.add
  %a = nn.constant dense<[1.0, 3.0]> : tensor<2xf32>
  %0 = nn.add %a, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// A small constant must not grow into a large one by repetition alone: 1 MiB is the limit.
// CHECK-LABEL: func.func @keep_large
func.func @keep_large() -> (tensor<512x1024xf32>, tensor<256x1024xf32>) {
  // CHECK-DAG: nn.constant dense<1.000000e+00> : tensor<256x1024xf32>
  // CHECK-DAG: nn.expand %{{.*}} -> tensor<512x1024xf32>
  %a = nn.constant dense<1.0> : tensor<f32>
  %0 = nn.expand %a {shape = array<i64: 512, 1024>} : (tensor<f32>) -> tensor<512x1024xf32>
  %1 = nn.expand %a {shape = array<i64: 256, 1024>} : (tensor<f32>) -> tensor<256x1024xf32>
  return %0, %1 : tensor<512x1024xf32>, tensor<256x1024xf32>
}

// A table that is computed is read faster than it is computed again, up to 4 MiB.
// CHECK-LABEL: func.func @table
func.func @table() -> (tensor<512x1024xf32>, tensor<2048x1024xf32>) {
  // CHECK-DAG: nn.constant dense{{.*}} : tensor<512x1024xf32>
  // CHECK-DAG: nn.add {{.*}} -> tensor<2048x1024xf32>
  %a = nn.constant dense<1.0> : tensor<512x1xf32>
  %b = nn.constant dense<2.0> : tensor<1x1024xf32>
  %c = nn.constant dense<3.0> : tensor<2048x1xf32>
  %0 = nn.add %a, %b : (tensor<512x1xf32>, tensor<1x1024xf32>) -> tensor<512x1024xf32>
  %1 = nn.add %c, %b : (tensor<2048x1xf32>, tensor<1x1024xf32>) -> tensor<2048x1024xf32>
  return %0, %1 : tensor<512x1024xf32>, tensor<2048x1024xf32>
}

// Moving a large weight around at compile time is worth it: it does not grow.
// CHECK-LABEL: func.func @large_transpose
func.func @large_transpose() -> tensor<1024x512xf32> {
  // CHECK-NOT: nn.transpose
  // CHECK: nn.constant dense_resource<folded{{.*}}> : tensor<1024x512xf32>
  %a = nn.constant dense<1.0> : tensor<512x1024xf32>
  %0 = nn.transpose %a {perm = array<i64: 1, 0>} : (tensor<512x1024xf32>) -> tensor<1024x512xf32>
  return %0 : tensor<1024x512xf32>
}

// An index out of range is an error at run time, so it is none at compile time: the op stays.
// CHECK-LABEL: func.func @keep_failing
func.func @keep_failing() -> tensor<1xf32> {
  // CHECK: nn.gather
  %a = nn.constant dense<[1.0, 3.0]> : tensor<2xf32>
  %i = nn.constant dense<7> : tensor<1xi64>
  %0 = nn.gather %a, %i {axis = 0} : (tensor<2xf32>, tensor<1xi64>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// With a step of 0 all elements of the image meet in the first of the result, and are summed.
// CHECK-LABEL: func.func @step_of_zero
func.func @step_of_zero() -> tensor<1x1x1xf32> {
  // CHECK: nn.constant dense<6.000000e+00>
  %x = nn.constant dense<[[[2.0, 1.0]]]> : tensor<1x1x2xf32>
  %w = nn.constant dense<2.0> : tensor<1x1x1xf32>
  %0 = nn.conv_transpose %x, %w {stride = array<i64: 0>, dilation = array<i64: 1>, lo = array<i64: 0>, out = array<i64: 1>} : (tensor<1x1x2xf32>, tensor<1x1x1xf32>) -> tensor<1x1x1xf32>
  return %0 : tensor<1x1x1xf32>
}
