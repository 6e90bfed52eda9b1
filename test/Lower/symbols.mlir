// RUN: kumiko-opt %s --nn-to-linalg | FileCheck %s

// CHECK: #[[WINDOW:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 * 2 + d5, d3 * 2 + d6)>

// Below Lower types have plain `?`. What the extents are stands in attributes: of arguments and results, and of ops
// between kernels.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%arg0: tensor<?x4xf32> {nn.extents = #nn.extents<"N", 4>}) -> (tensor<?xf32> {nn.extents = #nn.extents<"4*N">})
func.func @main(%x: tensor<?x4xf32, #nn.extents<"N", 4>>) -> tensor<?xf32, #nn.extents<"4*N">> {
  // CHECK: nn.call @relu(%arg0) {nn.extents = [#nn.extents<"N", 4>]} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: nn.reshape %{{.*}} {nn.extents = [#nn.extents<"4*N">]} : tensor<?x4xf32> -> tensor<?xf32>
  %0 = nn.call @relu(%x) : (tensor<?x4xf32, #nn.extents<"N", 4>>) -> tensor<?x4xf32, #nn.extents<"N", 4>>
  %1 = nn.reshape %0 : tensor<?x4xf32, #nn.extents<"N", 4>> -> tensor<?xf32, #nn.extents<"4*N">>
  return %1 : tensor<?xf32, #nn.extents<"4*N">>
}

// CHECK-LABEL: nn.kernel @relu
// CHECK-SAME: (%arg0: tensor<?x4xf32> {nn.extents = #nn.extents<"N", 4>}) -> (tensor<?x4xf32> {nn.extents = #nn.extents<"N", 4>})
// CHECK: %[[N:.*]] = nn.extent #nn.extent<"N">
// CHECK: %[[E:.*]] = tensor.empty(%[[N]]) : tensor<?x4xf32>
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<?x4xf32>) outs(%[[E]] : tensor<?x4xf32>)
nn.kernel @relu(%x: tensor<?x4xf32, #nn.extents<"N", 4>>) -> tensor<?x4xf32, #nn.extents<"N", 4>> {
  %0 = nn.relu %x : tensor<?x4xf32, #nn.extents<"N", 4>>
  nn.yield %0 : tensor<?x4xf32, #nn.extents<"N", 4>>
}

// CHECK-LABEL: nn.kernel @matmul
// CHECK: %[[E:.*]] = tensor.empty(%{{.*}}) : tensor<?x8xf32>
// CHECK: linalg.fill
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<?x16xf32>, tensor<16x8xf32>)
nn.kernel @matmul(%a: tensor<?x16xf32, #nn.extents<"N", 16>>, %b: tensor<16x8xf32>) -> tensor<?x8xf32, #nn.extents<"N", 8>> {
  %0 = nn.matmul %a, %b : (tensor<?x16xf32, #nn.extents<"N", 16>>, tensor<16x8xf32>) -> tensor<?x8xf32, #nn.extents<"N", 8>>
  nn.yield %0 : tensor<?x8xf32, #nn.extents<"N", 8>>
}

// Rows whose length is a symbol.
// CHECK-LABEL: nn.kernel @softmax
// CHECK-COUNT-4: linalg.generic
nn.kernel @softmax(%x: tensor<?x?xf32, #nn.extents<"N", "S">>) -> tensor<?x?xf32, #nn.extents<"N", "S">> {
  %0 = nn.softmax %x {axis = 1} : tensor<?x?xf32, #nn.extents<"N", "S">>
  nn.yield %0 : tensor<?x?xf32, #nn.extents<"N", "S">>
}

// The amounts of a pad are numbers, the windows too; only ranges are expressions.
// CHECK-LABEL: nn.kernel @conv
// CHECK: tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1]
// CHECK: nn.extent #nn.extent<"((H - 1) floordiv 2) + 1">
// CHECK: linalg.generic {indexing_maps = [#[[WINDOW]],
nn.kernel @conv(%x: tensor<?x3x?x?xf32, #nn.extents<"N", 3, "H", "W">>, %w: tensor<8x3x3x3xf32>)
    -> tensor<?x8x?x?xf32, #nn.extents<"N", 8, "((H - 1) floordiv 2) + 1", "((W - 1) floordiv 2) + 1">> {
  %y = nn.conv %x, %w {stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, lo = array<i64: 1, 1>, hi = array<i64: 1, 1>}
      : (tensor<?x3x?x?xf32, #nn.extents<"N", 3, "H", "W">>, tensor<8x3x3x3xf32>)
      -> tensor<?x8x?x?xf32, #nn.extents<"N", 8, "((H - 1) floordiv 2) + 1", "((W - 1) floordiv 2) + 1">>
  nn.yield %y : tensor<?x8x?x?xf32, #nn.extents<"N", 8, "((H - 1) floordiv 2) + 1", "((W - 1) floordiv 2) + 1">>
}

// CHECK-LABEL: nn.kernel @concat
// CHECK: %[[S:.*]] = nn.extent #nn.extent<"A + B">
// CHECK: tensor.empty(%[[S]])
// CHECK: %[[A:.*]] = nn.extent #nn.extent<"A">
// CHECK: tensor.insert_slice %arg0 into %{{.*}}[0] [%[[A]]] [1]
// CHECK: tensor.insert_slice %arg1 into %{{.*}}[%[[A]]]
nn.kernel @concat(%a: tensor<?xf32, #nn.extents<"A">>, %b: tensor<?xf32, #nn.extents<"B">>) -> tensor<?xf32, #nn.extents<"A + B">> {
  %0 = nn.concat %a, %b {axis = 0} : (tensor<?xf32, #nn.extents<"A">>, tensor<?xf32, #nn.extents<"B">>) -> tensor<?xf32, #nn.extents<"A + B">>
  nn.yield %0 : tensor<?xf32, #nn.extents<"A + B">>
}

// CHECK-LABEL: nn.kernel @heads
// CHECK: tensor.expand_shape %arg0 {{\[\[}}0, 1], [2, 3]] output_shape [%{{.*}}, %{{.*}}, 12, 64] : tensor<?x768xf32> into tensor<?x?x12x64xf32>
nn.kernel @heads(%x: tensor<?x768xf32, #nn.extents<"N*S", 768>>) -> tensor<?x?x12x64xf32, #nn.extents<"N", "S", 12, 64>> {
  %0 = nn.reshape %x : tensor<?x768xf32, #nn.extents<"N*S", 768>> -> tensor<?x?x12x64xf32, #nn.extents<"N", "S", 12, 64>>
  nn.yield %0 : tensor<?x?x12x64xf32, #nn.extents<"N", "S", 12, 64>>
}

// A number of the model that is an expression: the mean divides by it.
// CHECK-LABEL: nn.kernel @mean
// CHECK: nn.extent #nn.extent<"S">
// CHECK: arith.divf
nn.kernel @mean(%x: tensor<4x?xf32, #nn.extents<4, "S">>) -> tensor<4xf32> {
  %0 = nn.mean %x {axes = array<i64: 1>} : (tensor<4x?xf32, #nn.extents<4, "S">>) -> tensor<4xf32>
  nn.yield %0 : tensor<4xf32>
}
