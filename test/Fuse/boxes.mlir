// RUN: kumiko-opt %s --kumiko-form-kernels --split-input-file | FileCheck %s

// A part of a tensor is read where it lies, by a product too, and each reader has its own.
// CHECK-LABEL: func @part_of_an_operand
// CHECK-NEXT: nn.call
// CHECK-NEXT: nn.call
// CHECK-NEXT: return
func.func @part_of_an_operand(%x: tensor<4x2x8xf32>, %w: tensor<8x2xf32>) -> (tensor<2x2xf32>, tensor<2x8xf32>) {
  %0 = nn.slice %x {start = array<i64: 1, 0, 0>, step = array<i64: 1, 1, 1>, out = array<i64: 1, 2, 8>} : (tensor<4x2x8xf32>) -> tensor<1x2x8xf32>
  %1 = nn.reshape %0 : tensor<1x2x8xf32> -> tensor<2x8xf32>
  %2 = nn.matmul %1, %w : (tensor<2x8xf32>, tensor<8x2xf32>) -> tensor<2x2xf32>
  %3 = nn.relu %1 : tensor<2x8xf32>
  return %2, %3 : tensor<2x2xf32>, tensor<2x8xf32>
}

// -----

// Every second element would be gathered: that is a kernel.
// CHECK-LABEL: func @steps
// CHECK-NEXT: nn.call
// CHECK-NEXT: nn.call
// CHECK-NEXT: return
func.func @steps(%x: tensor<4x16xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %0 = nn.slice %x {start = array<i64: 0, 0>, step = array<i64: 1, 2>, out = array<i64: 4, 8>} : (tensor<4x16xf32>) -> tensor<4x8xf32>
  %1 = nn.matmul %0, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// -----

// What is joined is computed on the way; what follows the concatenation is not.
// CHECK-LABEL: func @parts_of_a_result
// CHECK-NEXT: nn.call
// CHECK-NEXT: nn.call
// CHECK-NEXT: return
func.func @parts_of_a_result(%x: tensor<4xf32>, %y: tensor<3xf32>) -> tensor<5xf32> {
  %0 = nn.slice %x {start = array<i64: 1>, step = array<i64: 1>, out = array<i64: 2>} : (tensor<4xf32>) -> tensor<2xf32>
  %1 = nn.relu %0 : tensor<2xf32>
  %2 = nn.tanh %y : tensor<3xf32>
  %3 = nn.concat %1, %2 {axis = 0 : i64} : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  %4 = nn.exp %3 : tensor<5xf32>
  return %4 : tensor<5xf32>
}

// -----

// What others read too is written first.
// CHECK-LABEL: func @part_with_readers
// CHECK-NEXT: %[[PART:.*]] = nn.call
// CHECK-NEXT: %[[JOINED:.*]] = nn.call @{{.*}}(%{{.*}}, %[[PART]])
// CHECK-NEXT: return %[[JOINED]], %[[PART]]
func.func @part_with_readers(%x: tensor<2xf32>, %y: tensor<3xf32>) -> (tensor<5xf32>, tensor<2xf32>) {
  %0 = nn.relu %x : tensor<2xf32>
  %1 = nn.tanh %y : tensor<3xf32>
  %2 = nn.concat %0, %1 {axis = 0 : i64} : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  return %2, %0 : tensor<5xf32>, tensor<2xf32>
}

// -----

// Windows are written with the border that the next ones want.
// CHECK-LABEL: func @pad_after_windows
// CHECK-NEXT: nn.call
// CHECK-NEXT: return
func.func @pad_after_windows(%x: tensor<1x?x8x4xf32, #nn.extents<1, "n", 8, 4>>) -> tensor<1x?x6x4xf32, #nn.extents<1, "(n floordiv 2) + 2", 6, 4>> {
  %y, %index = nn.max_pool %x {channel = 3 : i64, dilation = array<i64: 1, 1>, hi = array<i64: 0, 0>, kernel = array<i64: 2, 2>, lo = array<i64: 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x?x8x4xf32, #nn.extents<1, "n", 8, 4>>) -> (tensor<1x?x4x4xf32, #nn.extents<1, "(n floordiv 2)", 4, 4>>, tensor<1x?x4x4xi64, #nn.extents<1, "(n floordiv 2)", 4, 4>>)
  %0 = nn.pad %y {hi = array<i64: 0, 1, 1, 0>, lo = array<i64: 0, 1, 1, 0>} : (tensor<1x?x4x4xf32, #nn.extents<1, "(n floordiv 2)", 4, 4>>) -> tensor<1x?x6x4xf32, #nn.extents<1, "(n floordiv 2) + 2", 6, 4>>
  return %0 : tensor<1x?x6x4xf32, #nn.extents<1, "(n floordiv 2) + 2", 6, 4>>
}

// -----

// The border around what is joined is filled by the same kernel.
// CHECK-LABEL: func @pad_after_concat
// CHECK-NEXT: nn.call
// CHECK-NEXT: return
func.func @pad_after_concat(%x: tensor<4x2xf32>, %y: tensor<4x3xf32>) -> tensor<6x7xf32> {
  %0 = nn.concat %x, %y {axis = 1 : i64} : (tensor<4x2xf32>, tensor<4x3xf32>) -> tensor<4x5xf32>
  %1 = nn.pad %0 {hi = array<i64: 1, 1>, lo = array<i64: 1, 1>} : (tensor<4x5xf32>) -> tensor<6x7xf32>
  return %1 : tensor<6x7xf32>
}

// -----

// x * f(x) rides on a product, border included.
// CHECK-LABEL: func @pad_after_diamond
// CHECK-NEXT: nn.call
// CHECK-NEXT: return
func.func @pad_after_diamond(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<6x4xf32> {
  %0 = nn.matmul %x, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %1 = nn.sigmoid %0 : tensor<4x2xf32>
  %2 = nn.mul %0, %1 : tensor<4x2xf32>
  %3 = nn.pad %2 {hi = array<i64: 1, 1>, lo = array<i64: 1, 1>} : (tensor<4x2xf32>) -> tensor<6x4xf32>
  return %3 : tensor<6x4xf32>
}

// A convolution reads its operand number by number, so also through a shuffle of channels.
// CHECK-LABEL: func @shuffled
// CHECK-COUNT-1: nn.call
// CHECK-NOT: nn.call
func.func @shuffled(%x: tensor<1x5x6xf32>) -> tensor<1x5x16xf32> {
  %w = nn.constant dense<0.5> : tensor<16x3x1xf32>
  %0 = nn.reshape %x : tensor<1x5x6xf32> -> tensor<1x5x2x3xf32>
  %1 = nn.transpose %0 {perm = array<i64: 0, 1, 3, 2>} : (tensor<1x5x2x3xf32>) -> tensor<1x5x3x2xf32>
  %2 = nn.reshape %1 : tensor<1x5x3x2xf32> -> tensor<1x5x6xf32>
  %3 = nn.conv %2, %w {channel = 2 : i64, group = 2 : i64, stride = array<i64: 1>, dilation = array<i64: 1>, lo = array<i64: 0>, hi = array<i64: 0>} : (tensor<1x5x6xf32>, tensor<16x3x1xf32>) -> tensor<1x5x16xf32>
  return %3 : tensor<1x5x16xf32>
}
// CHECK-LABEL: func @keep_shuffled_for_two
// CHECK-COUNT-2: nn.call
func.func @keep_shuffled_for_two(%x: tensor<1x5x6xf32>) -> (tensor<1x5x16xf32>, tensor<1x5x6xf32>) {
  %w = nn.constant dense<0.5> : tensor<16x3x1xf32>
  %0 = nn.reshape %x : tensor<1x5x6xf32> -> tensor<1x5x2x3xf32>
  %1 = nn.transpose %0 {perm = array<i64: 0, 1, 3, 2>} : (tensor<1x5x2x3xf32>) -> tensor<1x5x3x2xf32>
  %2 = nn.reshape %1 : tensor<1x5x3x2xf32> -> tensor<1x5x6xf32>
  %3 = nn.conv %2, %w {channel = 2 : i64, group = 2 : i64, stride = array<i64: 1>, dilation = array<i64: 1>, lo = array<i64: 0>, hi = array<i64: 0>} : (tensor<1x5x6xf32>, tensor<16x3x1xf32>) -> tensor<1x5x16xf32>
  return %3, %2 : tensor<1x5x16xf32>, tensor<1x5x6xf32>
}

// Nor where each element is read often: putting them in order once is cheaper.
// CHECK-LABEL: func @keep_shuffled_for_many
// CHECK-COUNT-2: nn.call
func.func @keep_shuffled_for_many(%x: tensor<1x5x6xf32>) -> tensor<1x5x200xf32> {
  %w = nn.constant dense<0.5> : tensor<200x6x1xf32>
  %0 = nn.reshape %x : tensor<1x5x6xf32> -> tensor<1x5x2x3xf32>
  %1 = nn.transpose %0 {perm = array<i64: 0, 1, 3, 2>} : (tensor<1x5x2x3xf32>) -> tensor<1x5x3x2xf32>
  %2 = nn.reshape %1 : tensor<1x5x3x2xf32> -> tensor<1x5x6xf32>
  %3 = nn.conv %2, %w {channel = 2 : i64, stride = array<i64: 1>, dilation = array<i64: 1>, lo = array<i64: 0>, hi = array<i64: 0>} : (tensor<1x5x6xf32>, tensor<200x6x1xf32>) -> tensor<1x5x200xf32>
  return %3 : tensor<1x5x200xf32>
}
