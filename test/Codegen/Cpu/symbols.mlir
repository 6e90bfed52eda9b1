// RUN: kumiko-opt %s --kumiko-emit-kernels | FileCheck %s

func.func private @main() attributes {nn.symbols = [{name = "a"}, {name = "b"}, {name = "s"}]}

// Symbols come from the table by their place in it, expressions are computed once, before the loops. Two dimensions that
// every read and write treats as one are one loop, and where vectors come out even no tail is emitted.
// CHECK-LABEL: func.func @even
// CHECK-SAME: %[[TABLE:[a-z0-9]+]]: !llvm.ptr, %{{[a-z0-9]+}}: i64
// CHECK: llvm.getelementptr %[[TABLE]][2]
// CHECK: scf.for
// CHECK-NOT: muli{{.*}}muli
// CHECK: vector.load
// CHECK: vector.store
// CHECK-NOT: vector.maskedstore
// CHECK: return
nn.kernel @even(%x: tensor<?x16xf32> {nn.extents = #nn.extents<"s", 16>})
    -> (tensor<?x16xf32> {nn.extents = #nn.extents<"s", 16>})
    attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %s = nn.extent #nn.extent<"s">
  %empty = tensor.empty(%s) : tensor<?x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x16xf32>) outs(%empty : tensor<?x16xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.negf %p : f32
    linalg.yield %0 : f32
  } -> tensor<?x16xf32>
  nn.yield %y : tensor<?x16xf32>
}

// The mask of a tail is made once, the tail runs only where there is one.
// CHECK-LABEL: func.func @tail
// CHECK: %[[MASK:.*]] = vector.create_mask
// CHECK: vector.store
// CHECK: scf.if
// CHECK: vector.maskedload %{{.*}}[%{{.*}}], %[[MASK]]
// CHECK: vector.maskedstore %{{.*}}[%{{.*}}], %[[MASK]]
nn.kernel @tail(%x: tensor<?xf32> {nn.extents = #nn.extents<"s">}) -> (tensor<?xf32> {nn.extents = #nn.extents<"s">})
    attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %s = nn.extent #nn.extent<"s">
  %empty = tensor.empty(%s) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.negf %p : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  nn.yield %y : tensor<?xf32>
}
