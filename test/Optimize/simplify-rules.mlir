// RUN: kumiko-opt %s --nn-simplify=allow=rounding | FileCheck %s
// RUN: kumiko-opt %s --nn-simplify | FileCheck %s --check-prefix=EXACT

// What nobody reads goes, and what has no elements is not computed.
// CHECK-LABEL: func.func @nothing
// CHECK-NEXT: %[[C:.*]] = nn.constant dense<> : tensor<0x3xf32>
// CHECK-NEXT: return %[[C]]
func.func @nothing(%x: tensor<0x3xf32>, %y: tensor<2x3xf32>) -> tensor<0x3xf32> {
  %0 = nn.exp %y : tensor<2x3xf32>
  %1 = nn.tanh %x : tensor<0x3xf32>
  return %1 : tensor<0x3xf32>
}

// A chain of constants is one constant, with whatever rule comes first.
// CHECK-LABEL: func.func @chain
// CHECK-NEXT: %[[C:.*]] = nn.constant dense<6.000000e+00>
// CHECK-NEXT: nn.add %arg0, %[[C]]
// CHECK-NEXT: return
// Sums round: the exact build keeps them apart.
// EXACT-LABEL: func.func @chain
// EXACT-COUNT-3: nn.add
func.func @chain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = nn.constant dense<1.0> : tensor<f32>
  %b = nn.constant dense<2.0> : tensor<f32>
  %c = nn.constant dense<-3.0> : tensor<f32>
  %0 = nn.add %a, %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.sub %0, %c : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = nn.add %1, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

!open = tensor<?x3xf32, #nn.extents<"N", 3>>
!wide = tensor<?x3xf32, #nn.extents<"2*N", 3>>

// Sizes that are symbols go through: slices add up, and a splat of an open shape is a number that is repeated.
// CHECK-LABEL: func.func @symbols
// CHECK-NEXT: nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.expand %{{.*}} {shape = [#nn.extent<"N">, 3]}
// CHECK-NEXT: return
func.func @symbols(%x: !open) -> !open {
  %c = nn.constant dense<0.0> : tensor<f32>
  %0 = nn.pow %x, %c : (!open, tensor<f32>) -> !open
  return %0 : !open
}

// A common factor stays where one of the products has another reader.
// CHECK-LABEL: func.func @shared
// CHECK-COUNT-2: nn.mul
// CHECK: nn.add
func.func @shared(%x: tensor<4xi32>, %y: tensor<4xi32>, %a: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %0 = nn.mul %x, %a : tensor<4xi32>
  %1 = nn.mul %a, %y : tensor<4xi32>
  %2 = nn.add %0, %1 : tensor<4xi32>
  return %2, %0 : tensor<4xi32>, tensor<4xi32>
}

!channels = tensor<1x?x5x5xf32, #nn.extents<1, "C", 5, 5>>
!more = tensor<1x?x7x7xf32, #nn.extents<1, "C+1", 7, 7>>

// A channel of zeros is a channel: it does not go into a convolution, also where nobody knows how many there are.
// CHECK-LABEL: func.func @pad_channels
// CHECK: nn.pad
// CHECK: nn.conv
func.func @pad_channels(%x: !channels, %w: tensor<2x4x3x3xf32>) -> tensor<1x2x5x5xf32> {
  %0 = nn.pad %x {lo = array<i64: 0, 0, 1, 1>, hi = array<i64: 0, 1, 1, 1>} : (!channels) -> !more
  %1 = nn.conv %0, %w {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>}
      : (!more, tensor<2x4x3x3xf32>) -> tensor<1x2x5x5xf32>
  return %1 : tensor<1x2x5x5xf32>
}

// Zeros around the image do.
// CHECK-LABEL: func.func @pad_image
// CHECK-NOT: nn.pad
// CHECK: nn.conv {{.*}}hi = array<i64: 1, 1>, lo = array<i64: 1, 1>
func.func @pad_image(%x: tensor<1x4x5x5xf32>, %w: tensor<2x4x3x3xf32>) -> tensor<1x2x5x5xf32> {
  %0 = nn.pad %x {lo = array<i64: 0, 0, 1, 1>, hi = array<i64: 0, 0, 1, 1>} : (tensor<1x4x5x5xf32>) -> tensor<1x4x7x7xf32>
  %1 = nn.conv %0, %w {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>}
      : (tensor<1x4x7x7xf32>, tensor<2x4x3x3xf32>) -> tensor<1x2x5x5xf32>
  return %1 : tensor<1x2x5x5xf32>
}
