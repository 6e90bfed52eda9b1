// RUN: kumiko-opt %s --nn-simplify-loops --split-input-file | FileCheck %s

// What does not depend on the turn is computed before the loop; the constant is seen by its reader.
// CHECK-LABEL: func @hoist
// CHECK: %[[E:.*]] = nn.exp %arg2
// CHECK: nn.scan states(%arg0) over(%arg1) shared(%[[E]])
// CHECK: ^bb0(%[[S:.*]]: tensor<2xf32>, %[[I:.*]]: tensor<2xf32>, %[[A:.*]]: tensor<2xf32>)
// CHECK: %[[C:.*]] = nn.constant
// CHECK: nn.mul %[[S]], %[[A]]
// CHECK: nn.add %{{.*}}, %[[C]]
func.func @hoist(%h: tensor<2xf32>, %x: tensor<5x2xf32>, %w: tensor<2xf32>) -> tensor<2xf32> {
  %c = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %last = nn.scan states(%h) over(%x) shared(%w, %c)
      : (tensor<2xf32>, tensor<5x2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%s: tensor<2xf32>, %i: tensor<2xf32>, %a: tensor<2xf32>, %b: tensor<2xf32>):
    %0 = nn.exp %a : tensor<2xf32>
    %1 = nn.mul %s, %0 : tensor<2xf32>
    %2 = nn.add %1, %b : tensor<2xf32>
    nn.yield %2 : tensor<2xf32>
  }
  return %last : tensor<2xf32>
}

// -----

// A state that never changes is shared, and a stack that nobody reads is not made.
// CHECK-LABEL: func @idle
// CHECK: %[[R:.*]] = nn.scan states(%arg0) over(%arg2) shared(%arg1)
// CHECK: nn.yield %{{[0-9]+}} : tensor<2xf32>
// CHECK: return %[[R]], %arg1
func.func @idle(%h: tensor<2xf32>, %g: tensor<2xf32>, %x: tensor<5x2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %a, %b, %stack = nn.scan states(%h, %g) over(%x)
      : (tensor<2xf32>, tensor<2xf32>, tensor<5x2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<5x2xf32>) {
  ^bb0(%s: tensor<2xf32>, %t: tensor<2xf32>, %i: tensor<2xf32>):
    %0 = nn.mul %s, %t : tensor<2xf32>
    nn.yield %0, %t, %i : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  }
  return %a, %b : tensor<2xf32>, tensor<2xf32>
}

// -----

// CHECK-LABEL: func @one_step
// CHECK-NOT: nn.scan
// CHECK: %[[X:.*]] = nn.reshape %arg1 : tensor<1x2xf32> -> tensor<2xf32>
// CHECK: %[[Y:.*]] = nn.add %arg0, %[[X]]
// CHECK: %[[S:.*]] = nn.reshape %[[Y]] : tensor<2xf32> -> tensor<1x2xf32>
// CHECK: return %[[Y]], %[[S]]
func.func @one_step(%h: tensor<2xf32>, %x: tensor<1x2xf32>) -> (tensor<2xf32>, tensor<1x2xf32>) {
  %last, %all = nn.scan states(%h) over(%x) : (tensor<2xf32>, tensor<1x2xf32>) -> (tensor<2xf32>, tensor<1x2xf32>) {
  ^bb0(%s: tensor<2xf32>, %i: tensor<2xf32>):
    %0 = nn.add %s, %i : tensor<2xf32>
    nn.yield %0, %0 : tensor<2xf32>, tensor<2xf32>
  }
  return %last, %all : tensor<2xf32>, tensor<1x2xf32>
}

// -----

// CHECK-LABEL: func @no_step
// CHECK: %[[E:.*]] = nn.constant dense<> : tensor<0x2xf32>
// CHECK: return %arg0, %[[E]]
func.func @no_step(%h: tensor<2xf32>, %x: tensor<0x2xf32>) -> (tensor<2xf32>, tensor<0x2xf32>) {
  %last, %all = nn.scan states(%h) over(%x) : (tensor<2xf32>, tensor<0x2xf32>) -> (tensor<2xf32>, tensor<0x2xf32>) {
  ^bb0(%s: tensor<2xf32>, %i: tensor<2xf32>):
    %0 = nn.add %s, %i : tensor<2xf32>
    nn.yield %0, %0 : tensor<2xf32>, tensor<2xf32>
  }
  return %last, %all : tensor<2xf32>, tensor<0x2xf32>
}

// -----

// A branch may not be taken: what it computes stays inside.
// CHECK-LABEL: func @branch
// CHECK: nn.if %arg0 shared(%arg1)
// CHECK: nn.exp
func.func @branch(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %y = nn.if %c shared(%x) : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    %0 = nn.exp %a : tensor<2xf32>
    nn.yield %0 : tensor<2xf32>
  } else {
  ^bb0(%a: tensor<2xf32>):
    nn.yield %a : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}

// -----

// The product of the inputs with their weights is one product over all steps; the one with the state stays.
// CHECK-LABEL: func @project
// CHECK: %[[P:.*]] = nn.matmul %arg1, %arg2 : (tensor<5x2x3xf32>, tensor<3x4xf32>) -> tensor<5x2x4xf32>
// CHECK: nn.scan states(%arg0) over(%arg1, %[[P]])
// CHECK: nn.matmul %{{.*}}, %{{.*}} : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
// CHECK-NOT: nn.matmul
func.func @project(%h: tensor<2x4xf32>, %x: tensor<5x2x3xf32>, %w: tensor<3x4xf32>, %r: tensor<4x4xf32>) -> tensor<2x4xf32> {
  %last = nn.scan states(%h) over(%x) shared(%w, %r)
      : (tensor<2x4xf32>, tensor<5x2x3xf32>, tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32> {
  ^bb0(%s: tensor<2x4xf32>, %i: tensor<2x3xf32>, %a: tensor<3x4xf32>, %b: tensor<4x4xf32>):
    %0 = nn.matmul %i, %a : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %1 = nn.matmul %s, %b : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %2 = nn.add %0, %1 : tensor<2x4xf32>
    nn.yield %2 : tensor<2x4xf32>
  }
  return %last : tensor<2x4xf32>
}

// -----

// A slice that is spread along the rows of another is not the first index of the result: nothing leaves.
// CHECK-LABEL: func @spread
// CHECK: nn.scan states(%arg0) over(%arg1)
// CHECK: nn.mul
// CHECK: nn.mul
func.func @spread(%h: tensor<5x4xf32>, %x: tensor<5x4xf32>, %w: tensor<5x4xf32>) -> tensor<5x4xf32> {
  %last = nn.scan states(%h) over(%x) shared(%w)
      : (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32> {
  ^bb0(%s: tensor<5x4xf32>, %i: tensor<4xf32>, %a: tensor<5x4xf32>):
    %0 = nn.mul %i, %a : (tensor<4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>
    %1 = nn.mul %0, %s : tensor<5x4xf32>
    nn.yield %1 : tensor<5x4xf32>
  }
  return %last : tensor<5x4xf32>
}

// -----

// Rows that are taken one by one, as many as there are, are taken at once; the size is a symbol.
// CHECK-LABEL: func @rows
// CHECK: %[[ROWS:.*]] = nn.gather %arg1, %arg2 {{.*}} -> tensor<?x4xf32, #nn.extents<"n", 4>>
// CHECK: nn.scan states(%arg0) over(%arg2, %[[ROWS]])
// CHECK-NOT: nn.gather
!rows = tensor<?x4xf32, #nn.extents<"n", 4>>
!places = tensor<?xi64, #nn.extents<"n">>
func.func @rows(%h: tensor<4xf32>, %x: !rows, %at: !places) -> tensor<4xf32> attributes {nn.symbols = [{name = "n"}]} {
  %last = nn.scan states(%h) over(%at) shared(%x) : (tensor<4xf32>, !places, !rows) -> tensor<4xf32> {
  ^bb0(%s: tensor<4xf32>, %i: tensor<i64>, %a: !rows):
    %0 = nn.gather %a, %i {axis = 0} : (!rows, tensor<i64>) -> tensor<4xf32>
    %1 = nn.add %s, %0 : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  return %last : tensor<4xf32>
}

// -----

// More rows than there are: they would only take memory.
// CHECK-LABEL: func @many
// CHECK-NOT: nn.gather
// CHECK: nn.scan states(%arg0) over(%arg2)
// CHECK: nn.gather
func.func @many(%h: tensor<4xf32>, %x: tensor<3x4xf32>, %at: tensor<50xi64>) -> tensor<4xf32> {
  %last = nn.scan states(%h) over(%at) shared(%x) : (tensor<4xf32>, tensor<50xi64>, tensor<3x4xf32>) -> tensor<4xf32> {
  ^bb0(%s: tensor<4xf32>, %i: tensor<i64>, %a: tensor<3x4xf32>):
    %0 = nn.gather %a, %i {axis = 0} : (tensor<3x4xf32>, tensor<i64>) -> tensor<4xf32>
    %1 = nn.add %s, %0 : tensor<4xf32>
    nn.yield %1 : tensor<4xf32>
  }
  return %last : tensor<4xf32>
}
