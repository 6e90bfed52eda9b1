// RUN: kumiko-opt %s --form-routines --nn-to-linalg | FileCheck %s

// Parameters are the function's struct in words: type f32 (12), 4 elements apart by 1, the 2 largest. Rows are items.
// CHECK-LABEL: nn.kernel @topk
// CHECK: %[[Y:.*]]:2 = nn.routine "topk"(%{{.*}}) {items = 3 : i64, parameters = array<i64: 12, 4, 1, 2, 1>
// CHECK: nn.yield %[[Y]]#1
nn.kernel @topk(%x: tensor<3x4xf32>) -> tensor<3x2xi64> {
  %v, %i = nn.topk %x {axis = 1, k = 2, largest = true} : (tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xi64>)
  nn.yield %i : tensor<3x2xi64>
}

// The sign of integers is gone from the types, not from the parameters: u64 is 9.
// CHECK-LABEL: nn.kernel @unsigned
// CHECK: nn.routine "topk"({{.*}}array<i64: 9, 4, 1, 1, 0>{{.*}}tensor<4xi64>
nn.kernel @unsigned(%x: tensor<4xui64>) -> tensor<1xui64> {
  %v, %i = nn.topk %x {axis = 0, k = 1, largest = false} : (tensor<4xui64>) -> (tensor<1xui64>, tensor<1xi64>)
  nn.yield %v : tensor<1xui64>
}

// N-grams of a length are sorted, and of two equal ones the last counts.
// CHECK-LABEL: nn.kernel @ngrams
// CHECK: parameters = array<i64: 5, 7, 3, 2, 2, 1, 2, 2, 0, 0, 2, 0, 2, 1, 2, 3, 5, 4>
nn.kernel @ngrams(%x: tensor<1x7xi64>) -> tensor<1x3xf32> {
  %y = nn.ngram_count %x {pool = array<i64: 5, 4, 2, 3, 2, 3>, starts = array<i64: 0, 0>, columns = array<i64: 1, 0, 2>,
    shortest = 2, longest = 2, skips = 0} : (tensor<1x7xi64>) -> tensor<1x3xf32>
  nn.yield %y : tensor<1x3xf32>
}
