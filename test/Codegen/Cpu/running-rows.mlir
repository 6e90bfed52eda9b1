// RUN: kumiko-opt %s --kumiko-emit-kernels | FileCheck %s

// Running sums of short rows, one behind the other: three vectors are eight rows, and go on from one to the next. Each
// element takes up the one before it in its row, then the sum that ends two before it.
// CHECK-LABEL: func.func private @short_inside
// CHECK: vector.load {{.*}} : memref<480xf32>, vector<8xf32>
// CHECK: vector.store {{.*}} : memref<480xf32>, vector<8xf32>
// CHECK: vector.load {{.*}} : memref<480xf32>, vector<8xf32>
// CHECK: vector.shuffle {{.*}} [7, -1, 9, 10, -1, 12, 13, -1]
// CHECK: vector.shuffle {{.*}} [0, 9, 2, 3, 12, 5, 6, 15]
// CHECK: arith.addf {{.*}} : vector<8xf32>
// CHECK: vector.shuffle {{.*}} [6, -1, -1, 9, -1, -1, 12, -1]
// CHECK: arith.addf {{.*}} : vector<8xf32>
// CHECK-NEXT: arith.muli
// CHECK-NEXT: arith.addi
// CHECK-NEXT: vector.store {{.*}} : memref<480xf32>, vector<8xf32>
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

// Of a factor for each place in a row, vectors begin with a row. The first has eight of nine elements, the other one,
// which takes up the sum that ends eight before it without a shuffle.
// CHECK-LABEL: func.func private @weighted_inside
// CHECK-COUNT-3: arith.addf {{.*}} : vector<8xf32>
// CHECK: vector.store {{.*}} : memref<1440xf32>, vector<8xf32>
// CHECK: vector.maskedload {{.*}} : memref<1440xf32>
// CHECK: memref.store {{.*}} : memref<1440xf32>
nn.kernel @weighted(%x: tensor<4x40x9xf32>, %b: tensor<9xf32>) -> tensor<4x40x9xf32> attributes {schedule = {template = "running", chunks = 1 : i64}} {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<4x40x9xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<4x40x9xf32>) -> tensor<4x40x9xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, i, j) -> (a, b, j)>, affine_map<(a, b, i, j) -> (j)>, affine_map<(a, b, i, j) -> (a, b, i)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %b : tensor<4x40x9xf32>, tensor<9xf32>) outs(%1 : tensor<4x40x9xf32>) {
  ^bb0(%p: f32, %q: f32, %sum: f32):
    %j = linalg.index 3 : index
    %i = linalg.index 2 : index
    %before = arith.cmpi sle, %j, %i : index
    %both = arith.mulf %p, %q : f32
    %term = arith.select %before, %both, %zero : f32
    %next = arith.addf %sum, %term : f32
    linalg.yield %next : f32
  } -> tensor<4x40x9xf32>
  nn.yield %y : tensor<4x40x9xf32>
}

// Doubles fill half as many lanes: worth it for three elements, or where a vector ends with a row or with half of one.
// CHECK-LABEL: func.func private @doubles_inside
// CHECK: vector.store {{.*}} : memref<480xf64>, vector<4xf64>
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

// CHECK-LABEL: func.func private @nine_doubles_inside
// CHECK-NOT: vector.load
// CHECK: memref.store {{.*}} : memref<1440xf64>
nn.kernel @nine_doubles(%x: tensor<4x40x9xf64>) -> tensor<4x40x9xf64> attributes {schedule = {template = "running", chunks = 1 : i64}} {
  %zero = arith.constant 0.0 : f64
  %0 = tensor.empty() : tensor<4x40x9xf64>
  %1 = linalg.fill ins(%zero : f64) outs(%0 : tensor<4x40x9xf64>) -> tensor<4x40x9xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, i, j) -> (a, b, j)>, affine_map<(a, b, i, j) -> (a, b, i)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x : tensor<4x40x9xf64>) outs(%1 : tensor<4x40x9xf64>) {
  ^bb0(%p: f64, %sum: f64):
    %j = linalg.index 3 : index
    %i = linalg.index 2 : index
    %before = arith.cmpi sle, %j, %i : index
    %term = arith.select %before, %p, %zero : f64
    %next = arith.addf %sum, %term : f64
    linalg.yield %next : f64
  } -> tensor<4x40x9xf64>
  nn.yield %y : tensor<4x40x9xf64>
}

// Two columns of halves that lie side by side are scanned together: each lane takes up the one 2 and 4 before it, and
// all take up what both columns ended with.
// CHECK-LABEL: func.func private @columns_inside
// CHECK: vector.load {{.*}} : memref<1600xf16>, vector<8xf16>
// CHECK: vector.shuffle {{.*}} [8, 9, 0, 1, 2, 3, 4, 5] : vector<8xf64>
// CHECK: vector.shuffle {{.*}} [8, 9, 10, 11, 0, 1, 2, 3] : vector<8xf64>
// CHECK: vector.shuffle {{.*}} [6, 7, 6, 7, 6, 7, 6, 7] : vector<8xf64>
// CHECK: vector.store {{.*}} : memref<1600xf16>, vector<8xf16>
nn.kernel @columns(%x: tensor<40x20x2xf16>) -> tensor<40x20x2xf16> attributes {schedule = {template = "running", chunks = 1 : i64}} {
  %zero = arith.constant 0.0 : f64
  %0 = tensor.empty() : tensor<40x20x2xf64>
  %1 = linalg.fill ins(%zero : f64) outs(%0 : tensor<40x20x2xf64>) -> tensor<40x20x2xf64>
  %sums = linalg.generic {indexing_maps = [affine_map<(a, i, c, j) -> (a, j, c)>, affine_map<(a, i, c, j) -> (a, i, c)>],
                          iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x : tensor<40x20x2xf16>) outs(%1 : tensor<40x20x2xf64>) {
  ^bb0(%p: f16, %sum: f64):
    %j = linalg.index 3 : index
    %i = linalg.index 1 : index
    %before = arith.cmpi sle, %j, %i : index
    %wide = arith.extf %p : f16 to f64
    %term = arith.select %before, %wide, %zero : f64
    %next = arith.addf %sum, %term : f64
    linalg.yield %next : f64
  } -> tensor<40x20x2xf64>
  %2 = tensor.empty() : tensor<40x20x2xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(a, i, c) -> (a, i, c)>, affine_map<(a, i, c) -> (a, i, c)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sums : tensor<40x20x2xf64>) outs(%2 : tensor<40x20x2xf16>) {
  ^bb0(%p: f64, %o: f16):
    %narrow = arith.truncf %p : f64 to f16
    linalg.yield %narrow : f16
  } -> tensor<40x20x2xf16>
  nn.yield %y : tensor<40x20x2xf16>
}

// Two columns whose sums are converted: those of four rows are added up in turn, as none of them waits for another.
// CHECK-LABEL: func.func private @pairs_inside
// CHECK: scf.for
// CHECK-SAME: step %c4
// CHECK: scf.for {{.*}} iter_args(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) -> (vector<2xf64>, vector<2xf64>, vector<2xf64>, vector<2xf64>)
// CHECK-COUNT-4: vector.store {{.*}} : memref<8000xf32>, vector<2xf32>
nn.kernel @pairs(%x: tensor<40x100x2xf32>) -> tensor<40x100x2xf32> attributes {schedule = {template = "running", chunks = 1 : i64}} {
  %zero = arith.constant 0.0 : f64
  %0 = tensor.empty() : tensor<40x100x2xf64>
  %1 = linalg.fill ins(%zero : f64) outs(%0 : tensor<40x100x2xf64>) -> tensor<40x100x2xf64>
  %sums = linalg.generic {indexing_maps = [affine_map<(a, i, c, j) -> (a, j, c)>, affine_map<(a, i, c, j) -> (a, i, c)>],
                          iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x : tensor<40x100x2xf32>) outs(%1 : tensor<40x100x2xf64>) {
  ^bb0(%p: f32, %sum: f64):
    %j = linalg.index 3 : index
    %i = linalg.index 1 : index
    %before = arith.cmpi sle, %j, %i : index
    %wide = arith.extf %p : f32 to f64
    %term = arith.select %before, %wide, %zero : f64
    %next = arith.addf %sum, %term : f64
    linalg.yield %next : f64
  } -> tensor<40x100x2xf64>
  %2 = tensor.empty() : tensor<40x100x2xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, i, c) -> (a, i, c)>, affine_map<(a, i, c) -> (a, i, c)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sums : tensor<40x100x2xf64>) outs(%2 : tensor<40x100x2xf32>) {
  ^bb0(%p: f64, %o: f32):
    %narrow = arith.truncf %p : f64 to f32
    linalg.yield %narrow : f32
  } -> tensor<40x100x2xf32>
  nn.yield %y : tensor<40x100x2xf32>
}
