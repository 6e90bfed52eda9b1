// RUN: kumiko-opt %s --kumiko-emit-kernels | FileCheck %s

// Running sums of short rows, one behind the other: eight rows are sieved out of three vectors, and woven into three.
// CHECK-LABEL: func.func private @short_inside
// CHECK: vector.load {{.*}} : memref<480xf32>, vector<8xf32>
// CHECK-COUNT-3: arith.addf {{.*}} : vector<8xf32>
// CHECK-COUNT-3: vector.store {{.*}} : memref<480xf32>, vector<8xf32>
nn.kernel @short(%x: tensor<4x40x3xf32>) -> tensor<4x40x3xf32> attributes {schedule = {template = "running", chunks = 1 : i64}} {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<4x40x3xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<4x40x3xf32>) -> tensor<4x40x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, i, j) -> (a, b, j)>, affine_map<(a, b, i, j) -> (a, b, i)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x : tensor<4x40x3xf32>) outs(%1 : tensor<4x40x3xf32>) {
  ^bb0(%p: f32, %sum: f32):
    %j = linalg.index 3 : index
    %i = linalg.index 2 : index
    %before = arith.cmpi sle, %j, %i : index
    %term = arith.select %before, %p, %zero : f32
    %next = arith.addf %sum, %term : f32
    linalg.yield %next : f32
  } -> tensor<4x40x3xf32>
  nn.yield %y : tensor<4x40x3xf32>
}

// Doubles fill too few lanes.
// CHECK-LABEL: func.func private @doubles_inside
// CHECK-NOT: vector.load
// CHECK: memref.store {{.*}} : memref<480xf64>
nn.kernel @doubles(%x: tensor<4x40x3xf64>) -> tensor<4x40x3xf64> attributes {schedule = {template = "running", chunks = 1 : i64}} {
  %zero = arith.constant 0.0 : f64
  %0 = tensor.empty() : tensor<4x40x3xf64>
  %1 = linalg.fill ins(%zero : f64) outs(%0 : tensor<4x40x3xf64>) -> tensor<4x40x3xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, i, j) -> (a, b, j)>, affine_map<(a, b, i, j) -> (a, b, i)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x : tensor<4x40x3xf64>) outs(%1 : tensor<4x40x3xf64>) {
  ^bb0(%p: f64, %sum: f64):
    %j = linalg.index 3 : index
    %i = linalg.index 2 : index
    %before = arith.cmpi sle, %j, %i : index
    %term = arith.select %before, %p, %zero : f64
    %next = arith.addf %sum, %term : f64
    linalg.yield %next : f64
  } -> tensor<4x40x3xf64>
  nn.yield %y : tensor<4x40x3xf64>
}

// Sums in f64 of longer rows: squares of four by four are turned, summed across and turned back.
// CHECK-LABEL: func.func private @converted_inside
// CHECK: vector.load {{.*}} : memref<1920xf32>, vector<4xf32>
// CHECK: arith.addf {{.*}} : vector<4xf64>
// CHECK: vector.store {{.*}} : memref<1920xf32>, vector<4xf32>
nn.kernel @converted(%x: tensor<4x40x12xf32>) -> tensor<4x40x12xf32> attributes {schedule = {template = "running", chunks = 1 : i64}} {
  %zero = arith.constant 0.0 : f64
  %0 = tensor.empty() : tensor<4x40x12xf64>
  %1 = linalg.fill ins(%zero : f64) outs(%0 : tensor<4x40x12xf64>) -> tensor<4x40x12xf64>
  %s = linalg.generic {indexing_maps = [affine_map<(a, b, i, j) -> (a, b, j)>, affine_map<(a, b, i, j) -> (a, b, i)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x : tensor<4x40x12xf32>) outs(%1 : tensor<4x40x12xf64>) {
  ^bb0(%p: f32, %sum: f64):
    %j = linalg.index 3 : index
    %i = linalg.index 2 : index
    %before = arith.cmpi sle, %j, %i : index
    %wide = arith.extf %p : f32 to f64
    %term = arith.select %before, %wide, %zero : f64
    %next = arith.addf %sum, %term : f64
    linalg.yield %next : f64
  } -> tensor<4x40x12xf64>
  %2 = tensor.empty() : tensor<4x40x12xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, i) -> (a, b, i)>, affine_map<(a, b, i) -> (a, b, i)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<4x40x12xf64>) outs(%2 : tensor<4x40x12xf32>) {
  ^bb0(%p: f64, %o: f32):
    %narrow = arith.truncf %p : f64 to f32
    linalg.yield %narrow : f32
  } -> tensor<4x40x12xf32>
  nn.yield %y : tensor<4x40x12xf32>
}
