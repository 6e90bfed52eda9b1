// RUN: kumiko-opt %s --nn-normalize-products --canonicalize --mlir-elide-elementsattrs-if-larger=8 --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @columns_along_depth
func.func @columns_along_depth(%a: tensor<32x16xf32>, %b: tensor<24x16xf32>) -> tensor<32x24xf32> {
  // CHECK-NEXT: %[[B:.*]] = nn.transpose %arg1 {perm = array<i64: 1, 0>}
  // CHECK-NEXT: %[[Y:.*]] = nn.matmul %arg0, %[[B]]
  // CHECK-NEXT: return %[[Y]]
  %y = nn.custom %a, %b {nn.definition = "op p(a: T, b: T) -> y: T { y(m, n) += a(m, k) * b(n, k) }"} : (tensor<32x16xf32>, tensor<24x16xf32>) -> tensor<32x24xf32>
  return %y : tensor<32x24xf32>
}

// -----

// Named the other way round, the factors move less, and the result not at all.
// CHECK-LABEL: func.func @fewest_moves
func.func @fewest_moves(%a: tensor<32x16xf32>, %b: tensor<24x16xf32>) -> tensor<24x32xf32> {
  // CHECK-NEXT: %[[A:.*]] = nn.transpose %arg0
  // CHECK-NEXT: nn.matmul %arg1, %[[A]]
  // CHECK-NEXT: return
  %y = nn.custom %a, %b {nn.definition = "op p(a: T, b: T) -> y: T { y(n, m) += a(m, k) * b(n, k) }"} : (tensor<32x16xf32>, tensor<24x16xf32>) -> tensor<24x32xf32>
  return %y : tensor<24x32xf32>
}

// -----

// What a tile takes as it stands is left alone: rows may lie in any order.
// CHECK-LABEL: func.func @taken_as_is
func.func @taken_as_is(%a: tensor<16x32xf32>, %b: tensor<16x24xf32>) -> tensor<32x24xf32> {
  // CHECK-NEXT: nn.custom
  // CHECK-NEXT: return
  %y = nn.custom %a, %b {nn.definition = "op p(a: T, b: T) -> y: T { y(m, n) += a(k, m) * b(k, n) }"} : (tensor<16x32xf32>, tensor<16x24xf32>) -> tensor<32x24xf32>
  return %y : tensor<32x24xf32>
}

// -----

// Two of depth, one of them by steps; a batch that comes last; a dimension of one element.
// CHECK-LABEL: func.func @batch_last
func.func @batch_last(%a: tensor<32x4x9x1x8xf32>, %b: tensor<4x5x24x8xf32>) -> tensor<32x1x24x8xf32> {
  // CHECK: nn.slice %arg0 {{.*}}step = array<i64: 1, 1, 2, 1, 1>
  // CHECK: nn.matmul {{.*}} : (tensor<8x32x20xf32>, tensor<8x20x24xf32>) -> tensor<8x32x24xf32>
  // CHECK: nn.transpose {{.*}} {perm = array<i64: 1, 2, 3, 0>}
  // CHECK: return {{.*}} tensor<32x1x24x8xf32>
  %y = nn.custom %a, %b {nn.definition = "op p(a: T, b: T) -> y: T { y(m, u, n, g) += a(m, k, 2*l, u, g) * b(k, l, n, g) }"} : (tensor<32x4x9x1x8xf32>, tensor<4x5x24x8xf32>) -> tensor<32x1x24x8xf32>
  return %y : tensor<32x1x24x8xf32>
}

// -----

// CHECK-LABEL: func.func @bytes
func.func @bytes(%a: tensor<32x16xi8>, %b: tensor<24x16xui8>) -> tensor<32x24xi32> {
  // CHECK: nn.integer_matmul {{.*}} : (tensor<32x16xi8>, tensor<16x24xui8>) -> tensor<32x24xi32>
  %y = nn.custom %a, %b {nn.definition = "op p(a: A, b: B) -> y: i32 { y(m, n) += i32(a(m, k)) * i32(b(n, k)) }"} : (tensor<32x16xi8>, tensor<24x16xui8>) -> tensor<32x24xi32>
  return %y : tensor<32x24xi32>
}

// -----

// Products are in f32 where the text says so.
// CHECK-LABEL: func.func @mixed_types
func.func @mixed_types(%a: tensor<32x16xf16>, %b: tensor<24x16xf32>) -> tensor<32x24xf32> {
  // CHECK: nn.cast %arg0 {to = f32}
  // CHECK: nn.matmul {{.*}} -> tensor<32x24xf32>
  %y = nn.custom %a, %b {nn.definition = "op p(a: A, b: f32) -> y: f32 { y(m, n) += f32(a(m, k)) * b(n, k) }"} : (tensor<32x16xf16>, tensor<24x16xf32>) -> tensor<32x24xf32>
  return %y : tensor<32x24xf32>
}

// -----

// CHECK-LABEL: func.func @windows
func.func @windows(%x: tensor<2x9x8x4xf32>, %w: tensor<3x3x4x6xf32>) -> tensor<2x4x3x6xf32> {
  // CHECK: nn.transpose %arg0 {perm = array<i64: 0, 3, 1, 2>}
  // CHECK: nn.transpose %arg1 {perm = array<i64: 3, 2, 0, 1>}
  // CHECK: nn.conv {{.*}}dilation = array<i64: 1, 1>{{.*}}stride = array<i64: 2, 2>{{.*}} -> tensor<2x6x4x3xf32>
  // CHECK: nn.transpose {{.*}} {perm = array<i64: 0, 2, 3, 1>}
  %y = nn.custom %x, %w {nn.definition = "op p(x: T, w: T) -> y: T { y(n, i, j, f) += x(n, 2*i+k, 2*j+l, c) * w(k, l, c, f) }"} : (tensor<2x9x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x4x3x6xf32>
  return %y : tensor<2x4x3x6xf32>
}

// -----

// A border, and taps from the last to the first.
// CHECK-LABEL: func.func @flipped
func.func @flipped(%x: tensor<2x4x9xf32>, %w: tensor<6x4x3xf32>) -> tensor<2x6x9xf32> {
  // CHECK: %[[W:.*]] = nn.slice %arg1 {out = array<i64: 6, 4, 3>, start = array<i64: 0, 0, 2>, step = array<i64: 1, 1, -1>}
  // CHECK: nn.conv %arg0, %[[W]] {{.*}}hi = array<i64: 1>, lo = array<i64: 1>
  %y = nn.custom %x, %w {nn.definition = "op p(x: T, w: T) -> y: T { y(n, f, i) += (x(n, c, i + 1 - k) else 0) * w(f, c, k)  where i in dim(x, 2) }"} : (tensor<2x4x9xf32>, tensor<6x4x3xf32>) -> tensor<2x6x9xf32>
  return %y : tensor<2x6x9xf32>
}

// -----

// Places of the gradient are the taps: what walked is summed, and its stride is a dilation.
// CHECK-LABEL: func.func @weight_gradient
func.func @weight_gradient(%g: tensor<4x16x4xf32>, %x: tensor<4x4x9xf32>) -> tensor<16x4x3xf32> {
  // CHECK: nn.conv {{.*}}dilation = array<i64: 2>{{.*}}stride = array<i64: 1>{{.*}} -> tensor<4x16x3xf32>
  // CHECK: nn.transpose
  %y = nn.custom %g, %x {nn.definition = "op p(g: T, x: T) -> y: T { y(f, c, k) += g(n, f, i) * x(n, c, 2*i + k)  where k in 3 }"} : (tensor<4x16x4xf32>, tensor<4x4x9xf32>) -> tensor<16x4x3xf32>
  return %y : tensor<16x4x3xf32>
}

// -----

// CHECK-LABEL: func.func @scattered
func.func @scattered(%g: tensor<2x6x4xf32>, %w: tensor<6x4x3xf32>) -> tensor<2x4x8xf32> {
  // CHECK-NEXT: nn.conv_transpose %arg0, %arg1 {dilation = array<i64: 1>, lo = array<i64: 1>, out = array<i64: 8>, stride = array<i64: 2>}
  // CHECK-NEXT: return
  %y = nn.custom %g, %w {nn.definition = "op p(g: T, w: T) -> y: T { y(n, c, 2*i + k - 1) += g(n, f, i) * w(f, c, k)  where y : (dim(g, 0), dim(w, 1), 8) }"} : (tensor<2x6x4xf32>, tensor<6x4x3xf32>) -> tensor<2x4x8xf32>
  return %y : tensor<2x4x8xf32>
}

// -----

// Open weights may be infinite: places beside the image are 0 times these, as the text has it.
// CHECK-LABEL: func.func @gathered
func.func @gathered(%g: tensor<2x6x4xf32>, %w: tensor<6x4x3xf32>) -> tensor<2x4x8xf32> {
  // CHECK-NEXT: %[[G:.*]] = nn.pad %arg0 {hi = array<i64: 0, 0, 1>, lo = array<i64: 0, 0, 0>}
  // CHECK-NEXT: nn.conv_transpose %[[G]], %arg1
  %y = nn.custom %g, %w {nn.definition = "op p(g: T, w: T) -> y: T { y(n, c, i) += (g(n, f, floordiv(i + 1 - k, 2)) else 0) * w(f, c, k)  where i in 8, mod(i + 1 - k, 2) == 0 }"} : (tensor<2x6x4xf32>, tensor<6x4x3xf32>) -> tensor<2x4x8xf32>
  return %y : tensor<2x4x8xf32>
}

// -----

// In groups, on both sides of a statement that is none.
// CHECK-LABEL: func.func @taken_apart
func.func @taken_apart(%x: tensor<2x8x9xf32>, %w: tensor<6x4x3xf32>) -> tensor<2x6x4xf32> {
  // CHECK-NEXT: %[[A:.*]] = nn.custom %arg0 {{.*}}q(i...) = max(x(i...), 0)
  // CHECK-NEXT: %[[B:.*]] = nn.conv %[[A]], %arg1 {{.*}}group = 2{{.*}}stride = array<i64: 2>
  // CHECK-NEXT: %[[C:.*]] = nn.custom %[[B]] {{.*}}y(i...) = s(i...) * limit
  // CHECK-NEXT: return %[[C]]
  %y = nn.custom %x, %w {limit = 2.0, nn.definition = "op p(x: T, w: T; limit: float) -> y: T { q(i...) = max(x(i...), 0)\n s(n, (g, f), i) += q(n, (g, c), 2*i + k) * w((g, f), c, k)  where g in 2\n y(i...) = s(i...) * limit }"} : (tensor<2x8x9xf32>, tensor<6x4x3xf32>) -> tensor<2x6x4xf32>
  return %y : tensor<2x6x4xf32>
}

// -----

// CHECK-LABEL: func.func @open_sizes
func.func @open_sizes(%a: tensor<?x4x16xf32, #nn.extents<"s", 4, 16>>, %b: tensor<?x4x16xf32, #nn.extents<"s", 4, 16>>) -> tensor<4x?x?xf32, #nn.extents<4, "s", "s">> {
  // CHECK: nn.transpose %arg0 {perm = array<i64: 1, 0, 2>}
  // CHECK: nn.transpose %arg1 {perm = array<i64: 1, 2, 0>}
  // CHECK: nn.matmul {{.*}} -> tensor<4x?x?xf32, #nn.extents<4, "s", "s">>
  %y = nn.custom %a, %b {nn.definition = "op p(a: T, b: T) -> y: T { y(h, m, n) += a(m, h, k) * b(n, h, k) }"} : (tensor<?x4x16xf32, #nn.extents<"s", 4, 16>>, tensor<?x4x16xf32, #nn.extents<"s", 4, 16>>) -> tensor<4x?x?xf32, #nn.extents<4, "s", "s">>
  return %y : tensor<4x?x?xf32, #nn.extents<4, "s", "s">>
}

// -----

// A vector, a product along a diagonal, a sum of one factor alone, a choice among points, wide integers.
// CHECK-LABEL: func.func @none
func.func @none(%a: tensor<16x16xf32>, %v: tensor<16xf32>, %i: tensor<16x16xi32>) -> (tensor<16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xi32>) {
  // CHECK-COUNT-5: nn.custom
  // CHECK-NEXT: return
  %0 = nn.custom %a, %v {nn.definition = "op p(a: T, b: T) -> y: T { y(m) += a(k, m) * b(k) }"} : (tensor<16x16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %1 = nn.custom %a, %a {nn.definition = "op p(a: T, b: T) -> y: T { y(m, n) += a(m, m) * b(n, m) * b(n, k) }"} : tensor<16x16xf32>
  %2 = nn.custom %a, %a {nn.definition = "op p(a: T, b: T) -> y: T { y(m, n) += a(m, k) * b(n, l)  where l in 16 }"} : tensor<16x16xf32>
  %3 = nn.custom %a, %a {nn.definition = "op p(a: T, b: T) -> y: T { y(m, n) += a(m, k) * b(n, k)  where k <= m }"} : tensor<16x16xf32>
  %4 = nn.custom %i, %i {nn.definition = "op p(a: T, b: T) -> y: T { y(m, n) += a(m, k) * b(n, k) }"} : tensor<16x16xi32>
  return %0, %1, %2, %3, %4 : tensor<16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xi32>
}
