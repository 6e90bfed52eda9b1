// RUN: kumiko-opt %s --nn-simplify --nn-assign-layout --nn-fold-constants | FileCheck %s

!image = tensor<?x3x?x?xf32, #nn.extents<"N", 3, "H", "W">>
!result = tensor<?x8x?x?xf32, #nn.extents<"N", 8, "H", "W">>

// The layout of an image whose sizes are expressions is assigned as that of any other.
// CHECK-LABEL: func.func @conv
// CHECK: nn.transpose %arg0 {perm = array<i64: 0, 2, 3, 1>}
// CHECK: nn.conv {{.*}}channel = 3
// CHECK-SAME: -> tensor<?x?x?x8xf32, #nn.extents<"N", "H", "W", 8>>
// CHECK: nn.transpose
func.func @conv(%x: !image, %w: tensor<8x3x3x3xf32>) -> !result {
  %y = nn.conv %x, %w {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 1, 1>, hi = array<i64: 1, 1>}
      : (!image, tensor<8x3x3x3xf32>) -> !result
  return %y : !result
}

// A transpose that only moves a dimension of 1 is a reshape, with the extents where they belong.
// CHECK-LABEL: func.func @moves_nothing
// CHECK: nn.reshape %arg0 : tensor<?x1xf32, #nn.extents<"N", 1>> -> tensor<1x?xf32, #nn.extents<1, "N">>
func.func @moves_nothing(%x: tensor<?x1xf32, #nn.extents<"N", 1>>) -> tensor<1x?xf32, #nn.extents<1, "N">> {
  %y = nn.transpose %x {perm = array<i64: 1, 0>} : (tensor<?x1xf32, #nn.extents<"N", 1>>) -> tensor<1x?xf32, #nn.extents<1, "N">>
  return %y : tensor<1x?xf32, #nn.extents<1, "N">>
}

// Constants do not fold into a shape that is not known, nor numbers that are not.
// CHECK-LABEL: func.func @open
// CHECK: nn.expand
// CHECK: nn.number {value = #nn.extent<"N">}
func.func @open() -> (tensor<?xf32, #nn.extents<"N">>, tensor<i64>) {
  %c = nn.constant dense<1.0> : tensor<1xf32>
  %y = nn.expand %c {shape = [#nn.extent<"N">]} : (tensor<1xf32>) -> tensor<?xf32, #nn.extents<"N">>
  %n = nn.number {value = #nn.extent<"N">} : () -> tensor<i64>
  return %y, %n : tensor<?xf32, #nn.extents<"N">>, tensor<i64>
}
