// RUN: kumiko-opt %s --kumiko-form-kernels | FileCheck %s

// The product reads the exponential, whose kernel has two results and stands where the second one stood. So the product
// and the loop behind it come later than they did; what reads the number of turns must not stay in front of them.
// CHECK-LABEL: func.func @turns
// CHECK: nn.loop
// CHECK: nn.yield
// CHECK: nn.call
// CHECK-NEXT: return
func.func @turns(%c: tensor<i1>, %x: tensor<2x2xf32>, %w: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i64>)
    attributes {nn.symbols = [{data, name = "t"}]} {
  %a = nn.exp %x : tensor<2x2xf32>
  %m = nn.matmul %a, %w : tensor<2x2xf32>
  %b = nn.neg %a : tensor<2x2xf32>
  %last, %all = nn.loop while(%c) most 8 states(%m) {nn.turns = "t"}
      : (tensor<i1>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<?x2x2xf32, #nn.extents<"t", 2, 2>>) {
  ^bb0(%turn: tensor<i64>, %s: tensor<2x2xf32>):
    %0 = nn.constant dense<true> : tensor<i1>
    %1 = nn.relu %s : tensor<2x2xf32>
    nn.yield %0, %1, %1 : tensor<i1>, tensor<2x2xf32>, tensor<2x2xf32>
  }
  %n = nn.number {value = #nn.extent<"t">} : tensor<i64>
  return %b, %n : tensor<2x2xf32>, tensor<i64>
}

// What reads both the first kernel's second result and what a function makes of its first one waits for both: it cannot
// be part of the first.
// CHECK-LABEL: func.func @waits
// CHECK: %[[P:.*]]:2 = nn.call @{{.*}}(%arg0)
// CHECK: %[[T:.*]]:2 = nn.call @{{.*}}(%[[P]]#0)
// CHECK: nn.call @{{.*}}(%[[P]]#1, %[[T]]#0)
func.func @waits(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi64>) {
  %a = nn.exp %x : tensor<4xf32>
  %v, %i = nn.topk %a {axis = 0, k = 4, largest = true} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi64>)
  %b = nn.neg %a : tensor<4xf32>
  %s = nn.sub %b, %v : tensor<4xf32>
  return %s, %i : tensor<4xf32>, tensor<4xi64>
}

// What follows the product could take in what else was made of its factor, but then the product would make the factor
// again for each column.
// CHECK-LABEL: func.func @factor_and_rest
// CHECK: %[[P:.*]]:2 = nn.call @{{.*}}(%arg0)
// CHECK: nn.call @{{.*}}(%[[P]]#{{[01]}}, %arg1, %[[P]]#{{[01]}})
func.func @factor_and_rest(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %a = nn.exp %x : tensor<64x64xf32>
  %m = nn.matmul %a, %w : tensor<64x64xf32>
  %b = nn.neg %a : tensor<64x64xf32>
  %c = nn.sub %b, %m : tensor<64x64xf32>
  return %c : tensor<64x64xf32>
}
