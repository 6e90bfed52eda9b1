// RUN: kumiko-opt %s --kumiko-emit-kernels | FileCheck %s

// The largest of each short row: eight rows are loaded as they lie, turned, and compared lane by lane. Along a row, what
// lanes hold would have to meet in three more choices.
// CHECK-LABEL: func.func private @largest_inside
// CHECK-COUNT-8: vector.load {{.*}} : memref<1280xf32>, vector<8xf32>
// CHECK-COUNT-24: vector.shuffle
// CHECK-NOT: vector.shuffle
// CHECK: vector.store {{.*}} : memref<160xi64>, vector<8xi64>
#rows = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
nn.kernel @largest(%x: tensor<160x8xf32>) -> tensor<160xi64> attributes {schedule = {template = "rows", chunks = 1 : i64}} {
  %none = arith.constant 0xFF800000 : f32
  %before = arith.constant -9223372036854775808 : i64
  %0 = tensor.empty() : tensor<160xf32>
  %1 = linalg.fill ins(%none : f32) outs(%0 : tensor<160xf32>) -> tensor<160xf32>
  %2 = tensor.empty() : tensor<160xi64>
  %3 = linalg.fill ins(%before : i64) outs(%2 : tensor<160xi64>) -> tensor<160xi64>
  %y:2 = linalg.generic {indexing_maps = [#rows, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<160x8xf32>) outs(%1, %3 : tensor<160xf32>, tensor<160xi64>) {
  ^bb0(%p: f32, %best: f32, %at: i64):
    %j = linalg.index 1 : index
    %number = arith.index_cast %j : index to i64
    %more = arith.cmpf ugt, %p, %best : f32
    %first = arith.cmpi eq, %at, %before : i64
    %takes = arith.ori %more, %first : i1
    %value = arith.select %takes, %p, %best : f32
    %place = arith.select %takes, %number, %at : i64
    linalg.yield %value, %place : f32, i64
  } -> (tensor<160xf32>, tensor<160xi64>)
  nn.yield %y#1 : tensor<160xi64>
}

// Sums in f64 have half as many lanes, which fill a register of them. The ninth element of a row is read by itself.
// CHECK-LABEL: func.func private @sums_inside
// CHECK-COUNT-4: vector.load {{.*}} : memref<1440xf32>, vector<4xf32>
// CHECK: vector.store {{.*}} : memref<160xf64>, vector<4xf64>
nn.kernel @sums(%x: tensor<160x9xf32>) -> tensor<160xf64> attributes {schedule = {template = "rows", chunks = 1 : i64}} {
  %zero = arith.constant 0.0 : f64
  %0 = tensor.empty() : tensor<160xf64>
  %1 = linalg.fill ins(%zero : f64) outs(%0 : tensor<160xf64>) -> tensor<160xf64>
  %y = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<160x9xf32>) outs(%1 : tensor<160xf64>) {
  ^bb0(%p: f32, %sum: f64):
    %wide = arith.extf %p : f32 to f64
    %next = arith.addf %sum, %wide : f64
    linalg.yield %next : f64
  } -> tensor<160xf64>
  nn.yield %y : tensor<160xf64>
}

// Long rows are summed along memory.
// CHECK-LABEL: func.func private @long_inside
// CHECK-NOT: vector.shuffle
// CHECK: arith.addf {{.*}} : vector<8xf32>
nn.kernel @long(%x: tensor<160x96xf32>) -> tensor<160xf32> attributes {schedule = {template = "rows", chunks = 1 : i64}} {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<160xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<160xf32>) -> tensor<160xf32>
  %y = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<160x96xf32>) outs(%1 : tensor<160xf32>) {
  ^bb0(%p: f32, %sum: f32):
    %next = arith.addf %sum, %p : f32
    linalg.yield %next : f32
  } -> tensor<160xf32>
  nn.yield %y : tensor<160xf32>
}

// A few long columns: no more lanes than there are columns, and four sums of each that do not wait for each other.
// CHECK-LABEL: func.func private @columns_inside
// CHECK: scf.for {{.*}} iter_args({{.*}}, {{.*}}, {{.*}}, {{.*}}) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>)
nn.kernel @columns(%x: tensor<20x96x3xf32>) -> tensor<20x3xf32> attributes {schedule = {template = "rows", chunks = 1 : i64}} {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<20x3xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<20x3xf32>) -> tensor<20x3xf32>
  %largest = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k, j)>, affine_map<(i, j, k) -> (i, j)>],
                             iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<20x96x3xf32>) outs(%1 : tensor<20x3xf32>) {
  ^bb0(%p: f32, %sum: f32):
    %next = arith.maximumf %sum, %p : f32
    linalg.yield %next : f32
  } -> tensor<20x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k, j)>, affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %largest : tensor<20x96x3xf32>, tensor<20x3xf32>) outs(%1 : tensor<20x3xf32>) {
  ^bb0(%p: f32, %most: f32, %sum: f32):
    %apart = arith.subf %p, %most : f32
    %next = arith.addf %sum, %apart : f32
    linalg.yield %next : f32
  } -> tensor<20x3xf32>
  nn.yield %y : tensor<20x3xf32>
}
