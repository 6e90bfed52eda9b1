// RUN: kumiko-opt %s --kumiko-form-kernels | FileCheck %s

// A relu rides on the product; the network only calls.
// CHECK: nn.kernel @[[CONV:k_[0-9a-f]+]]({{.*}}, {{.*}} {nn.constant})
// CHECK: nn.matmul
// CHECK-NEXT: nn.relu
// CHECK-NEXT: nn.yield
// CHECK-LABEL: func @epilogue
// CHECK: nn.call @[[CONV]]
// CHECK-NOT: nn.relu
// CHECK: return
func.func @epilogue(%x: tensor<4x8xf32>) -> tensor<4x2xf32> {
  %w = nn.constant dense<"0x00000000000080BF0000803F00000040000000000000803F0000803F000000400000003F0000803F0000803F000000400000004000000000000080400000803F"> : tensor<8x2xf32>
  %0 = nn.matmul %x, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %1 = nn.relu %0 : tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// A value with two readers of its size is computed once for both: one kernel, two results.
// CHECK-LABEL: func @shared
// CHECK-NEXT: %[[BOTH:.*]]:2 = nn.call
// CHECK-NEXT: return %[[BOTH]]#0, %[[BOTH]]#1
func.func @shared(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = nn.exp %x : tensor<4x4xf32>
  %1 = nn.relu %0 : tensor<4x4xf32>
  %2 = nn.neg %0 : tensor<4x4xf32>
  return %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>
}

// Equal kernels are one.
// CHECK-LABEL: func @equal
// CHECK: nn.call @[[SAME:k_[0-9a-f]+]](%{{.*}})
// CHECK: nn.call @[[SAME]](%{{.*}})
func.func @equal(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = nn.tanh %x : tensor<8xf32>
  %1 = nn.tanh %y : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// An input that is a result needs a writer: a copy.
// CHECK-LABEL: func @bare
// CHECK: %[[COPY:.*]] = nn.call
// CHECK: return %[[COPY]]
func.func @bare(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// A value that is read twice, but only by one chain, does not leave the kernel: x * sigmoid(x) after a product.
// CHECK-LABEL: func @diamond
// CHECK: nn.call
// CHECK-NEXT: return
func.func @diamond(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %0 = nn.matmul %x, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %1 = nn.sigmoid %0 : tensor<4x2xf32>
  %2 = nn.mul %0, %1 : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}

// Two reductions over the same elements share what leads to them.
// CHECK-LABEL: func @side_result
// CHECK-NEXT: nn.call
// CHECK-NEXT: return
func.func @side_result(%x: tensor<3x5x2xf32>, %t: tensor<3x2xi64>) -> tensor<f32> {
  %loss, %weight = nn.nll_loss %x, %t {has_ignore = false, ignore = 0 : i64} : (tensor<3x5x2xf32>, tensor<3x2xi64>) -> (tensor<3x2xf32>, tensor<3x2xf32>)
  %0 = nn.reduce %loss {axes = array<i64: 0, 1>, kind = "+"} : (tensor<3x2xf32>) -> tensor<f32>
  %1 = nn.reduce %weight {axes = array<i64: 0, 1>, kind = "+"} : (tensor<3x2xf32>) -> tensor<f32>
  %2 = nn.div %0, %1 : tensor<f32>
  return %2 : tensor<f32>
}

// A dequantisation is computed by each of its readers: no kernel writes floats for both.
// CHECK-LABEL: func @widening
// CHECK-COUNT-2: nn.call @{{.*}}(%arg0) : (tensor<8xui8>) -> tensor<8xf32>
// CHECK-NOT: nn.call
func.func @widening(%x: tensor<8xui8>) -> (tensor<8xf32>, tensor<8xf32>) {
  %s = nn.constant dense<0.5> : tensor<1xf32>
  %0 = nn.dequantize %x, %s {axis = 0, block = 8, to = f32} : (tensor<8xui8>, tensor<1xf32>) -> tensor<8xf32>
  %1 = nn.exp %0 : tensor<8xf32>
  %2 = nn.sqrt %0 : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// A kernel may not hold an op that waits for another reader of its result: the two would wait for each other.
// CHECK-LABEL: func @waiting
// CHECK-NEXT: %[[EXP:.*]] = nn.call @{{.*}}(%arg0) :
// CHECK-NEXT: %[[SUM:.*]] = nn.call @{{.*}}(%[[EXP]])
// CHECK-NEXT: return %[[SUM]]
func.func @waiting(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = nn.exp %x : tensor<4x4xf32>
  %1 = nn.transpose %0 {perm = array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = nn.add %0, %1 : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
