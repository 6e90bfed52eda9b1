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

// A part need not be a whole number of vectors. What several read is written by the way: of a cell whose second product
// waits for its first, the first kernel has all that does not wait.
// CHECK-LABEL: func @written_by_the_way
// CHECK: nn.call {{.*}} -> (tensor<3x10xf32>, tensor<3x10xf32>)
// CHECK-NEXT: nn.call {{.*}} -> tensor<3x10xf32>
// CHECK-NEXT: return
func.func @written_by_the_way(%h: tensor<3x10xf32>) -> tensor<3x10xf32> {
  %w = nn.constant dense<0.5> : tensor<10x20xf32>
  %v = nn.constant dense<0.25> : tensor<10x10xf32>
  %0 = nn.matmul %h, %w : (tensor<3x10xf32>, tensor<10x20xf32>) -> tensor<3x20xf32>
  %1 = nn.slice %0 {start = array<i64: 0, 0>, step = array<i64: 1, 1>, out = array<i64: 3, 10>} : (tensor<3x20xf32>) -> tensor<3x10xf32>
  %2 = nn.slice %0 {start = array<i64: 0, 10>, step = array<i64: 1, 1>, out = array<i64: 3, 10>} : (tensor<3x20xf32>) -> tensor<3x10xf32>
  %3 = nn.sigmoid %1 : tensor<3x10xf32>
  %4 = nn.mul %2, %h : tensor<3x10xf32>
  %5 = nn.matmul %4, %v : (tensor<3x10xf32>, tensor<10x10xf32>) -> tensor<3x10xf32>
  %6 = nn.mul %3, %h : tensor<3x10xf32>
  %7 = nn.mul %3, %6 : tensor<3x10xf32>
  %8 = nn.add %5, %7 : tensor<3x10xf32>
  return %8 : tensor<3x10xf32>
}

// Parts that do not lie at equal places are read by a kernel of their own.
// CHECK-LABEL: func @keep_uneven
// CHECK-COUNT-2: nn.call
func.func @keep_uneven(%h: tensor<3x96xf32>) -> tensor<3x24xf32> {
  %w = nn.constant dense<0.5> : tensor<96x96xf32>
  %0 = nn.matmul %h, %w : (tensor<3x96xf32>, tensor<96x96xf32>) -> tensor<3x96xf32>
  %1 = nn.slice %0 {start = array<i64: 0, 0>, step = array<i64: 1, 1>, out = array<i64: 3, 24>} : (tensor<3x96xf32>) -> tensor<3x24xf32>
  %2 = nn.slice %0 {start = array<i64: 0, 36>, step = array<i64: 1, 1>, out = array<i64: 3, 24>} : (tensor<3x96xf32>) -> tensor<3x24xf32>
  %3 = nn.mul %1, %2 : tensor<3x24xf32>
  return %3 : tensor<3x24xf32>
}

// So are parts that go on in another order, as those of combined products in front of an attention do.
// CHECK-LABEL: func @keep_turned
// CHECK-COUNT-3: nn.call
func.func @keep_turned(%h: tensor<3x96xf32>) -> (tensor<48x3xf32>, tensor<48x3xf32>) {
  %w = nn.constant dense<0.5> : tensor<96x96xf32>
  %0 = nn.matmul %h, %w : (tensor<3x96xf32>, tensor<96x96xf32>) -> tensor<3x96xf32>
  %1 = nn.slice %0 {start = array<i64: 0, 0>, step = array<i64: 1, 1>, out = array<i64: 3, 48>} : (tensor<3x96xf32>) -> tensor<3x48xf32>
  %2 = nn.slice %0 {start = array<i64: 0, 48>, step = array<i64: 1, 1>, out = array<i64: 3, 48>} : (tensor<3x96xf32>) -> tensor<3x48xf32>
  %3 = nn.transpose %1 {perm = array<i64: 1, 0>} : (tensor<3x48xf32>) -> tensor<48x3xf32>
  %4 = nn.transpose %2 {perm = array<i64: 1, 0>} : (tensor<3x48xf32>) -> tensor<48x3xf32>
  return %3, %4 : tensor<48x3xf32>, tensor<48x3xf32>
}

// And those of a product whose weights cannot be packed.
// CHECK-LABEL: func @keep_unpacked
// CHECK-COUNT-2: nn.call
func.func @keep_unpacked(%h: tensor<3x96xf32>, %w: tensor<96x96xf32>) -> tensor<3x48xf32> {
  %0 = nn.matmul %h, %w : (tensor<3x96xf32>, tensor<96x96xf32>) -> tensor<3x96xf32>
  %1 = nn.slice %0 {start = array<i64: 0, 0>, step = array<i64: 1, 1>, out = array<i64: 3, 48>} : (tensor<3x96xf32>) -> tensor<3x48xf32>
  %2 = nn.slice %0 {start = array<i64: 0, 48>, step = array<i64: 1, 1>, out = array<i64: 3, 48>} : (tensor<3x96xf32>) -> tensor<3x48xf32>
  %3 = nn.mul %1, %2 : tensor<3x48xf32>
  return %3 : tensor<3x48xf32>
}

// And those that nothing is made of: whoever puts them elsewhere reads them where they lie.
// CHECK-LABEL: func @keep_moved
// CHECK: nn.call {{.*}} -> tensor<3x96xf32>
// CHECK-NEXT: nn.call {{.*}} -> tensor<3x2x48xf32>
func.func @keep_moved(%h: tensor<3x96xf32>) -> tensor<3x2x48xf32> {
  %w = nn.constant dense<0.5> : tensor<96x96xf32>
  %0 = nn.matmul %h, %w : (tensor<3x96xf32>, tensor<96x96xf32>) -> tensor<3x96xf32>
  %1 = nn.slice %0 {start = array<i64: 0, 48>, step = array<i64: 1, 1>, out = array<i64: 3, 48>} : (tensor<3x96xf32>) -> tensor<3x48xf32>
  %2 = nn.slice %0 {start = array<i64: 0, 0>, step = array<i64: 1, 1>, out = array<i64: 3, 48>} : (tensor<3x96xf32>) -> tensor<3x48xf32>
  %3 = nn.reshape %1 : tensor<3x48xf32> -> tensor<3x1x48xf32>
  %4 = nn.reshape %2 : tensor<3x48xf32> -> tensor<3x1x48xf32>
  %5 = nn.concat %3, %4 {axis = 1 : i64} : (tensor<3x1x48xf32>, tensor<3x1x48xf32>) -> tensor<3x2x48xf32>
  return %5 : tensor<3x2x48xf32>
}
