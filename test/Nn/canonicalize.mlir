// RUN: kumiko-opt %s --canonicalize | FileCheck %s

// Views of views are one view; a view that changes nothing goes.
// CHECK-LABEL: func @views_merge
func.func @views_merge(%x: tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<2x3xf32>) {
  // CHECK: %[[Y:.*]] = nn.reshape %[[X:.*]] : tensor<2x3xf32> -> tensor<3x2xf32>
  // CHECK: return %[[Y]], %[[X]]
  %0 = nn.reshape %x : tensor<2x3xf32> -> tensor<6xf32>
  %1 = nn.reshape %0 : tensor<6xf32> -> tensor<3x2xf32>
  %2 = nn.reshape %1 : tensor<3x2xf32> -> tensor<2x3xf32>
  return %1, %2 : tensor<3x2xf32>, tensor<2x3xf32>
}

// A view of a constant is a constant, also when its data stays in a resource.
// CHECK-LABEL: func @constants
func.func @constants() -> (tensor<4xf32>, tensor<2xi32>, tensor<2x1xf32>) {
  // CHECK-DAG: nn.constant dense<[1.{{.*}}, 2.{{.*}}, 3.{{.*}}, 4.{{.*}}]> : tensor<4xf32>
  // CHECK-DAG: nn.constant dense<[1065353216, 1073741824]> : tensor<2xi32>
  // CHECK-DAG: nn.constant dense_resource<w> : tensor<2x1xf32>
  %0 = nn.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %1 = nn.reshape %0 : tensor<2x2xf32> -> tensor<4xf32>
  %2 = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %3 = nn.bitcast %2 : tensor<2xf32> -> tensor<2xi32>
  %4 = nn.constant dense_resource<w> : tensor<2xf32>
  %5 = nn.reshape %4 : tensor<2xf32> -> tensor<2x1xf32>
  return %1, %3, %5 : tensor<4xf32>, tensor<2xi32>, tensor<2x1xf32>
}

// No op has effects: without uses it goes.
// CHECK-LABEL: func @unused
func.func @unused(%x: tensor<2xf32>) {
  // CHECK-NEXT: return
  %0 = nn.exp %x : tensor<2xf32>
  %1 = nn.softmax %0 {axis = 0} : tensor<2xf32>
  return
}

{-#
  dialect_resources: {
    builtin: { w: "0x040000000000803f00000040" }
  }
#-}
