// RUN: kumiko-opt %s --kumiko-form-kernels | FileCheck %s

// The first state is an argument, so it is copied into memory of its own; what a turn yields twice is written twice by
// one kernel; the last state is copied, the stack is written in place.
// CHECK-LABEL: func @running_sum
// CHECK: %[[H:.*]] = nn.call @[[COPY:.*]](%arg0)
// CHECK: %[[R:.*]]:2 = nn.scan states(%[[H]]) over(%arg1)
// CHECK: %[[N:.*]]:2 = nn.call @{{.*}}(%{{.*}}, %{{.*}}) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
// CHECK: nn.yield %[[N]]#0, %[[N]]#1
// CHECK: %[[L:.*]] = nn.call @[[COPY]](%[[R]]#0)
// CHECK: return %[[L]], %[[R]]#1
func.func @running_sum(%h: tensor<2xf32>, %x: tensor<5x2xf32>) -> (tensor<2xf32>, tensor<5x2xf32>) {
  %last, %all = nn.scan states(%h) over(%x) : (tensor<2xf32>, tensor<5x2xf32>) -> (tensor<2xf32>, tensor<5x2xf32>) {
  ^bb0(%s: tensor<2xf32>, %i: tensor<2xf32>):
    %0 = nn.add %s, %i : tensor<2xf32>
    nn.yield %0, %0 : tensor<2xf32>, tensor<2xf32>
  }
  return %last, %all : tensor<2xf32>, tensor<5x2xf32>
}

// A state that a kernel has just made, and nobody else reads, needs no copy.
// CHECK-LABEL: func @fresh_state
// CHECK: %[[H:.*]] = nn.call
// CHECK-NEXT: nn.scan states(%[[H]])
func.func @fresh_state(%h: tensor<2xf32>, %x: tensor<5x2xf32>) -> tensor<2xf32> {
  %first = nn.exp %h : tensor<2xf32>
  %last = nn.scan states(%first) over(%x) : (tensor<2xf32>, tensor<5x2xf32>) -> tensor<2xf32> {
  ^bb0(%s: tensor<2xf32>, %i: tensor<2xf32>):
    %0 = nn.add %s, %i : tensor<2xf32>
    nn.yield %0 : tensor<2xf32>
  }
  return %last : tensor<2xf32>
}

// One that somebody else reads, too, after the loop at that, is not the loop's to write over.
// CHECK-LABEL: func @shared_state
// CHECK: %[[H:.*]]:2 = nn.call
// CHECK: nn.scan states(%[[H]]#1)
// CHECK: nn.call @{{.*}}(%[[H]]#0
func.func @shared_state(%h: tensor<2xf32>, %x: tensor<5x2xf32>) -> tensor<2xf32> {
  %first = nn.exp %h : tensor<2xf32>
  %last = nn.scan states(%first) over(%x) : (tensor<2xf32>, tensor<5x2xf32>) -> tensor<2xf32> {
  ^bb0(%s: tensor<2xf32>, %i: tensor<2xf32>):
    %0 = nn.add %s, %i : tensor<2xf32>
    nn.yield %0 : tensor<2xf32>
  }
  %y = nn.sub %first, %last : tensor<2xf32>
  return %y : tensor<2xf32>
}

// Where the last state lies is known only right behind a loop that may end early.
// CHECK-LABEL: func @early_end
// CHECK: %[[L:.*]] = nn.loop
// CHECK: }
// CHECK-NEXT: %[[C:.*]] = nn.call @{{.*}}(%[[L]])
// CHECK: nn.call @{{.*}}(%[[C]])
func.func @early_end(%c: tensor<i1>, %h: tensor<2xf32>, %w: tensor<2xf32>) -> tensor<2xf32> {
  %last = nn.loop while(%c) most 8 states(%h) shared(%w)
      : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%turn: tensor<i64>, %s: tensor<2xf32>, %a: tensor<2xf32>):
    %0 = nn.mul %s, %a : tensor<2xf32>
    %1 = nn.constant dense<true> : tensor<i1>
    nn.yield %1, %0 : tensor<i1>, tensor<2xf32>
  }
  %y = nn.relu %last : tensor<2xf32>
  return %y : tensor<2xf32>
}

// Branches write where the result is wanted.
// CHECK-LABEL: func @branches
// CHECK: %[[Y:.*]] = nn.if %arg0
// CHECK: return %[[Y]]
func.func @branches(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %y = nn.if %c shared(%x) : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    %0 = nn.relu %a : tensor<2xf32>
    nn.yield %0 : tensor<2xf32>
  } else {
  ^bb0(%a: tensor<2xf32>):
    nn.yield %a : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}
