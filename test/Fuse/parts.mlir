// RUN: kumiko-opt %s --kumiko-form-kernels | FileCheck %s

// The gates of a cell lie beside each other in the columns of one product: product, gates and what is made of them are
// one kernel.
// CHECK-LABEL: func @gates
// CHECK-NEXT: nn.constant
// CHECK-NEXT: nn.call {{.*}} -> (tensor<3x48xf32>, tensor<3x48xf32>)
// CHECK-NEXT: return
func.func @gates(%h: tensor<3x96xf32>, %x: tensor<3x96xf32>) -> (tensor<3x48xf32>, tensor<3x48xf32>) {
  %w = nn.constant dense<0.5> : tensor<96x96xf32>
  %0 = nn.matmul %h, %w : (tensor<3x96xf32>, tensor<96x96xf32>) -> tensor<3x96xf32>
  %1 = nn.add %0, %x : tensor<3x96xf32>
  %2 = nn.slice %1 {start = array<i64: 0, 0>, step = array<i64: 1, 1>, out = array<i64: 3, 48>} : (tensor<3x96xf32>) -> tensor<3x48xf32>
  %3 = nn.slice %1 {start = array<i64: 0, 48>, step = array<i64: 1, 1>, out = array<i64: 3, 48>} : (tensor<3x96xf32>) -> tensor<3x48xf32>
  %4 = nn.sigmoid %2 : tensor<3x48xf32>
  %5 = nn.mul %3, %4 : tensor<3x48xf32>
  %6 = nn.exp %5 : tensor<3x48xf32>
  return %5, %6 : tensor<3x48xf32>, tensor<3x48xf32>
}

// Parts that are no whole number of vectors, or that begin anywhere, are read by a kernel of their own.
// CHECK-LABEL: func @keep_narrow
// CHECK-COUNT-2: nn.call
func.func @keep_narrow(%h: tensor<3x96xf32>) -> tensor<3x24xf32> {
  %w = nn.constant dense<0.5> : tensor<96x96xf32>
  %0 = nn.matmul %h, %w : (tensor<3x96xf32>, tensor<96x96xf32>) -> tensor<3x96xf32>
  %1 = nn.slice %0 {start = array<i64: 0, 0>, step = array<i64: 1, 1>, out = array<i64: 3, 24>} : (tensor<3x96xf32>) -> tensor<3x24xf32>
  %2 = nn.slice %0 {start = array<i64: 0, 24>, step = array<i64: 1, 1>, out = array<i64: 3, 24>} : (tensor<3x96xf32>) -> tensor<3x24xf32>
  %3 = nn.mul %1, %2 : tensor<3x24xf32>
  return %3 : tensor<3x24xf32>
}
// CHECK-LABEL: func @keep_between
// CHECK-COUNT-2: nn.call
func.func @keep_between(%h: tensor<3x96xf32>) -> tensor<3x48xf32> {
  %w = nn.constant dense<0.5> : tensor<96x96xf32>
  %0 = nn.matmul %h, %w : (tensor<3x96xf32>, tensor<96x96xf32>) -> tensor<3x96xf32>
  %1 = nn.slice %0 {start = array<i64: 0, 16>, step = array<i64: 1, 1>, out = array<i64: 3, 48>} : (tensor<3x96xf32>) -> tensor<3x48xf32>
  %2 = nn.slice %0 {start = array<i64: 0, 48>, step = array<i64: 1, 1>, out = array<i64: 3, 48>} : (tensor<3x96xf32>) -> tensor<3x48xf32>
  %3 = nn.mul %1, %2 : tensor<3x48xf32>
  return %3 : tensor<3x48xf32>
}
