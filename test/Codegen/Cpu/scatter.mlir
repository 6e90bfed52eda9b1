// RUN: kumiko-opt %s --stage-fuse --stage-lower --stage-schedule --kumiko-emit-kernels --split-input-file | FileCheck %s

// The remainders of two places, found once for both planes of a batch, always exist: nothing is compared with the
// extent. Few points are straight-line code.
// CHECK: func.func private @{{.*}}_inside
// CHECK: scf.for
// CHECK-COUNT-2: arith.remsi
// CHECK-NOT: arith.remsi
// CHECK-NOT: scf.for
// CHECK-NOT: scf.if
// CHECK-NOT: arith.cmpi ult
// CHECK: return
func.func @circular(%x: tensor<10000x2x3x1xf32>, %u: tensor<10000x2x2x1xf32>, %start: tensor<10000xi64>)
    -> tensor<10000x2x3x1xf32> {
  %y = nn.tensor_scatter %x, %u, %start {axis = 2, circular = true}
      : (tensor<10000x2x3x1xf32>, tensor<10000x2x2x1xf32>, tensor<10000xi64>) -> tensor<10000x2x3x1xf32>
  return %y : tensor<10000x2x3x1xf32>
}

// -----

// Many planes are a loop behind the places.
// CHECK: func.func private @{{.*}}_inside
// CHECK: scf.for
// CHECK-COUNT-2: arith.remsi
// CHECK: scf.for
// CHECK-NOT: arith.remsi
// CHECK: return
func.func @many_planes(%x: tensor<100x50x3x1xf32>, %u: tensor<100x50x2x1xf32>, %start: tensor<100xi64>)
    -> tensor<100x50x3x1xf32> {
  %y = nn.tensor_scatter %x, %u, %start {axis = 2, circular = true}
      : (tensor<100x50x3x1xf32>, tensor<100x50x2x1xf32>, tensor<100xi64>) -> tensor<100x50x3x1xf32>
  return %y : tensor<100x50x3x1xf32>
}

// -----

// Places that do not come from a remainder may lie beyond the end.
// CHECK: func.func private @{{.*}}_inside
// CHECK: scf.for
// CHECK-COUNT-2: arith.cmpi ult
// CHECK: scf.if
// CHECK: return
func.func @straight(%x: tensor<10000x2x3x1xf32>, %u: tensor<10000x2x2x1xf32>, %start: tensor<10000xi64>)
    -> tensor<10000x2x3x1xf32> {
  %y = nn.tensor_scatter %x, %u, %start {axis = 2, circular = false}
      : (tensor<10000x2x3x1xf32>, tensor<10000x2x2x1xf32>, tensor<10000xi64>) -> tensor<10000x2x3x1xf32>
  return %y : tensor<10000x2x3x1xf32>
}

// -----

// Many points are a loop, with a remainder for each.
// CHECK: func.func private @{{.*}}_inside
// CHECK: scf.for
// CHECK: scf.for
// CHECK: arith.remsi
// CHECK-NOT: arith.remsi
// CHECK: return
func.func @many_points(%x: tensor<1000x2x30x1xf32>, %u: tensor<1000x2x20x1xf32>, %start: tensor<1000xi64>)
    -> tensor<1000x2x30x1xf32> {
  %y = nn.tensor_scatter %x, %u, %start {axis = 2, circular = true}
      : (tensor<1000x2x30x1xf32>, tensor<1000x2x20x1xf32>, tensor<1000xi64>) -> tensor<1000x2x30x1xf32>
  return %y : tensor<1000x2x30x1xf32>
}
