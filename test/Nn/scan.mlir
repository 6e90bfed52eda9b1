// RUN: kumiko-opt %s --split-input-file --verify-diagnostics | kumiko-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func @running_sum
// CHECK: nn.scan states(%{{.*}}) over(%{{.*}}) : (tensor<2xf32>, tensor<5x2xf32>) -> (tensor<2xf32>, tensor<5x2xf32>) {
// CHECK: nn.yield
func.func @running_sum(%h: tensor<2xf32>, %x: tensor<5x2xf32>) -> (tensor<2xf32>, tensor<5x2xf32>) {
  %last, %all = nn.scan states(%h) over(%x) : (tensor<2xf32>, tensor<5x2xf32>) -> (tensor<2xf32>, tensor<5x2xf32>) {
  ^bb0(%s: tensor<2xf32>, %i: tensor<2xf32>):
    %0 = nn.add %s, %i : tensor<2xf32>
    nn.yield %0, %0 : tensor<2xf32>, tensor<2xf32>
  }
  return %last, %all : tensor<2xf32>, tensor<5x2xf32>
}

// -----

// Shared operands and the direction are printed only where there are any.
// CHECK-LABEL: func @shared_and_reverse
// CHECK: nn.scan states() over(%{{.*}}) shared(%{{.*}}) reverse :
func.func @shared_and_reverse(%x: tensor<5x2xf32>, %w: tensor<2xf32>) -> tensor<5x2xf32> {
  %all = nn.scan states() over(%x) shared(%w) reverse : (tensor<5x2xf32>, tensor<2xf32>) -> tensor<5x2xf32> {
  ^bb0(%i: tensor<2xf32>, %a: tensor<2xf32>):
    %0 = nn.mul %i, %a : tensor<2xf32>
    nn.yield %0 : tensor<2xf32>
  }
  return %all : tensor<5x2xf32>
}
