// RUN: kumiko-opt %s | kumiko-opt | FileCheck %s
// RUN: kumiko-opt %s --cse --symbol-dce | FileCheck %s --check-prefix=CSE

// CHECK: nn.kernel private @k_1(%[[X:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>) -> tensor<4xf32> {
nn.kernel private @k_1(%x: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: nn.add %[[X]], %[[B]]
  %0 = nn.add %x, %b : tensor<4xf32>
  %1 = nn.relu %0 : tensor<4xf32>
  // CHECK: nn.yield %{{.*}} : tensor<4xf32>
  nn.yield %1 : tensor<4xf32>
}

// A schedule or any other attribute may be attached to it.
// CHECK: nn.kernel private @k_2(%{{.*}}: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {nn.tile = 8 : i64} {
// CSE-NOT: @k_2
nn.kernel private @k_2(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {nn.tile = 8 : i64} {
  %0 = nn.exp %x : tensor<4xf32>
  nn.yield %0, %x : tensor<4xf32>, tensor<4xf32>
}

// Calls have no effects: equal ones are one, unused ones and then their kernels go.
// CHECK-LABEL: func @main
// CSE-LABEL: func @main
func.func @main(%x: tensor<4xf32> {nn.name = "data"}) -> (tensor<4xf32> {nn.name = "prob"}) {
  // CHECK: nn.call @k_1(%{{.*}}, %{{.*}}) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CSE-COUNT-1: nn.call @k_1
  // CSE-NOT: nn.call
  %0 = nn.call @k_1(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.call @k_1(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: nn.call @k_2(%{{.*}}) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %2:2 = nn.call @k_2(%0) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %3 = nn.call @k_1(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
