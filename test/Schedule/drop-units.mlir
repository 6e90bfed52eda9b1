// RUN: kumiko-opt %s --kumiko-drop-units | FileCheck %s

#whole = affine_map<(i, j, k) -> (i, j, k)>
#row = affine_map<(i, j, k) -> (i, j)>
#kept = affine_map<(i, j, k) -> (i, j, 0)>
#matrix = affine_map<(i, j) -> (i, j)>
#unit = affine_map<(i, u) -> (i, u)>

// A sum that kept its dimension: behind the pass the difference reads it along the rows, and nothing is reshaped between
// the two; the dimension of one element of the argument is gone too.
// CHECK: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: nn.kernel @kept
// CHECK: %[[X:.*]] = tensor.collapse_shape %arg0 {{.*}} into tensor<4x6xf32>
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[X]]
// CHECK: %[[Y:.*]] = linalg.generic {{.*}}#[[ROW]]{{.*}} ins(%[[X]], %[[SUM]] : tensor<4x6xf32>, tensor<4xf32>)
// CHECK: %[[RESULT:.*]] = tensor.expand_shape %[[Y]]
// CHECK: nn.yield %[[RESULT]] : tensor<1x4x6xf32>
nn.kernel @kept(%x: tensor<1x4x6xf32>) -> tensor<1x4x6xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4xf32>) -> tensor<1x4xf32>
  %s = linalg.generic {indexing_maps = [#whole, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<1x4x6xf32>) outs(%i : tensor<1x4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  } -> tensor<1x4xf32>
  %k = tensor.expand_shape %s [[0], [1, 2]] output_shape [1, 4, 1] : tensor<1x4xf32> into tensor<1x4x1xf32>
  %f = tensor.empty() : tensor<1x4x6xf32>
  %y = linalg.generic {indexing_maps = [#whole, #kept, #whole], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %k : tensor<1x4x6xf32>, tensor<1x4x1xf32>) outs(%f : tensor<1x4x6xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.subf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<1x4x6xf32>
  nn.yield %y : tensor<1x4x6xf32>
}

// One body alone has nothing to agree with: it stays as it is.
// CHECK-LABEL: nn.kernel @alone
// CHECK-NOT: tensor.collapse_shape
// CHECK: nn.yield
nn.kernel @alone(%x: tensor<4x1xf32>) -> tensor<4x1xf32> {
  %e = tensor.empty() : tensor<4x1xf32>
  %y = linalg.generic {indexing_maps = [#unit, #unit], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x1xf32>) outs(%e : tensor<4x1xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.negf %p : f32
    linalg.yield %0 : f32
  } -> tensor<4x1xf32>
  nn.yield %y : tensor<4x1xf32>
}

// Another shape and back: whoever reads that reads the tensor itself, also where sizes are symbols.
// CHECK-LABEL: nn.kernel @detour
// CHECK-NOT: tensor.collapse_shape
// CHECK: tensor.pad %arg0
nn.kernel @detour(%x: tensor<?x6xf32> {nn.extents = #nn.extents<"N", 6>}) -> (tensor<?x8xf32> {nn.extents = #nn.extents<"N", 8>}) {
  %zero = arith.constant 0.0 : f32
  %n = nn.extent #nn.extent<"N">
  %a = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 1, 6] : tensor<?x6xf32> into tensor<?x1x6xf32>
  %b = tensor.collapse_shape %a [[0], [1, 2]] : tensor<?x1x6xf32> into tensor<?x6xf32>
  %y = tensor.pad %b low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x6xf32> to tensor<?x8xf32>
  nn.yield %y : tensor<?x8xf32>
}

// Dimensions that are cut and joined again on the way: one reshape says the same.
// CHECK-LABEL: nn.kernel @straight
// CHECK: %[[Y:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0, 1], [2]] : tensor<2x12x6xf32> into tensor<24x6xf32>
// CHECK-NEXT: tensor.pad %[[Y]]
nn.kernel @straight(%x: tensor<2x12x6xf32>) -> tensor<24x8xf32> {
  %zero = arith.constant 0.0 : f32
  %a = tensor.expand_shape %x [[0], [1, 2], [3]] output_shape [2, 3, 4, 6] : tensor<2x12x6xf32> into tensor<2x3x4x6xf32>
  %b = tensor.collapse_shape %a [[0, 1], [2], [3]] : tensor<2x3x4x6xf32> into tensor<6x4x6xf32>
  %c = tensor.collapse_shape %b [[0, 1], [2]] : tensor<6x4x6xf32> into tensor<24x6xf32>
  %y = tensor.pad %c low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<24x6xf32> to tensor<24x8xf32>
  nn.yield %y : tensor<24x8xf32>
}
