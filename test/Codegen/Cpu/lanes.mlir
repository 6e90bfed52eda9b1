// RUN: kumiko-opt %s --kumiko-emit-kernels | FileCheck %s

// A running sum. LLVM is told that nothing else lies where results do.
// CHECK-LABEL: func.func @running
// CHECK: call @running_inside
// CHECK: func.func private @running_inside({{.*}}!llvm.ptr {llvm.noalias})
// CHECK: scf.for
// CHECK: memref.load
// CHECK: arith.addf
// CHECK: memref.store
nn.kernel @running(%x: tensor<4x72xf32>) -> tensor<4x72xf32> attributes {schedule = {template = "running", chunks = 1 : i64}} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x72xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x72xf32>) -> tensor<4x72xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<4x72xf32>) outs(%start : tensor<4x72xf32>) {
  ^bb0(%p: f32, %o: f32):
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %counts = arith.cmpi sle, %k, %j : index
    %0 = arith.select %counts, %p, %zero : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x72xf32>
  nn.yield %y : tensor<4x72xf32>
}

// The largest element and its number: lanes along the row, each with its own, from which one is chosen in the end.
// CHECK-LABEL: func.func @largest
// CHECK: scf.for
// CHECK: vector.load
// CHECK: arith.cmpf ogt, {{.*}} : vector<8xf32>
// CHECK: vector.shuffle {{.*}} [4, 5, 6, 7, 0, 1, 2, 3]
// CHECK: arith.cmpi slt, {{.*}} : vector<8xi64>
nn.kernel @largest(%x: tensor<4x64xf32>) -> tensor<4xi64> attributes {schedule = {template = "rows", chunks = 1 : i64}} {
  %least = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i64
  %values = tensor.empty() : tensor<4xf32>
  %numbers = tensor.empty() : tensor<4xi64>
  %best = linalg.fill ins(%least : f32) outs(%values : tensor<4xf32>) -> tensor<4xf32>
  %at = linalg.fill ins(%none : i64) outs(%numbers : tensor<4xi64>) -> tensor<4xi64>
  %y:2 = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>, affine_map<(i, k) -> (i)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x64xf32>) outs(%best, %at : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%p: f32, %o: f32, %n: i64):
    %k = linalg.index 1 : index
    %number = arith.index_cast %k : index to i64
    %better = arith.cmpf ogt, %p, %o : f32
    %0 = arith.select %better, %p, %o : f32
    %1 = arith.select %better, %number, %n : i64
    linalg.yield %0, %1 : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  nn.yield %y#1 : tensor<4xi64>
}

// d mod 16 of eight neighbours lies side by side: nothing is gathered.
// CHECK-LABEL: func.func @remainder
// CHECK: arith.remui {{.*}} : index
// CHECK: vector.load
// CHECK-NOT: vector.from_elements
nn.kernel @remainder(%x: tensor<16xf32>) -> tensor<1024xf32> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<1024xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>], iterator_types = ["parallel"]} outs(%empty : tensor<1024xf32>) {
  ^bb0(%o: f32):
    %d = linalg.index 0 : index
    %n = arith.constant 16 : index
    %r = arith.remui %d, %n : index
    %v = tensor.extract %x[%r] : tensor<16xf32>
    linalg.yield %v : f32
  } -> tensor<1024xf32>
  nn.yield %y : tensor<1024xf32>
}

// In few stretches it is linear: each has its own loads, and nothing is divided.
// CHECK-LABEL: func.func private @stretches_inside
// CHECK-NOT: arith.remui
// CHECK-COUNT-6: vector.load
// CHECK-NOT: vector.from_elements
nn.kernel @stretches(%x: tensor<16xf32>) -> tensor<48xf32> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<48xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>], iterator_types = ["parallel"]} outs(%empty : tensor<48xf32>) {
  ^bb0(%o: f32):
    %d = linalg.index 0 : index
    %n = arith.constant 16 : index
    %r = arith.remui %d, %n : index
    %v = tensor.extract %x[%r] : tensor<16xf32>
    linalg.yield %v : f32
  } -> tensor<48xf32>
  nn.yield %y : tensor<48xf32>
}

// What lies before and behind is the first or the last element, and all between is read as it lies.
// CHECK-LABEL: func.func private @edges_inside
// CHECK-NOT: arith.maxsi
// CHECK: memref.load
// CHECK: vector.load
// CHECK: memref.load
// CHECK-NOT: vector.from_elements
nn.kernel @edges(%x: tensor<16xf32>) -> tensor<18xf32> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<18xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>], iterator_types = ["parallel"]} outs(%empty : tensor<18xf32>) {
  ^bb0(%o: f32):
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %last = arith.constant 15 : index
    %d = linalg.index 0 : index
    %before = arith.subi %d, %one : index
    %low = arith.maxsi %before, %zero : index
    %place = arith.minsi %low, %last : index
    %v = tensor.extract %x[%place] : tensor<16xf32>
    linalg.yield %v : f32
  } -> tensor<18xf32>
  nn.yield %y : tensor<18xf32>
}

// Rows of three: lanes lie across eight rows, and three vectors are woven into three; the last four rows under a mask.
// CHECK-LABEL: func.func private @short_rows_inside
// CHECK: vector.shuffle
// CHECK-COUNT-4: vector.store
// CHECK: vector.maskedstore
// CHECK-NOT: memref.load
nn.kernel @short_rows(%x: tensor<12x1xf32>, %y: tensor<12x3xf32>) -> tensor<12x3xf32> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<12x3xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<12x1xf32>, tensor<12x3xf32>) outs(%empty : tensor<12x3xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.addf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<12x3xf32>
  nn.yield %z : tensor<12x3xf32>
}

// What lies behind a place that data choose is one row, of however many dimensions.
// CHECK-LABEL: func.func private @chosen_planes_inside
// CHECK: scf.for {{.*}} to %c20
// CHECK-NOT: scf.for
// CHECK-COUNT-4: vector.load {{.*}} : memref<160xf32>, vector<8xf32>
nn.kernel @chosen_planes(%x: tensor<5x4x8xf32>, %at: tensor<20xi64>) -> tensor<20x4x8xf32> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<20x4x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%at : tensor<20xi64>) outs(%empty : tensor<20x4x8xf32>) {
  ^bb0(%p: i64, %o: f32):
    %place = arith.index_cast %p : i64 to index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %v = tensor.extract %x[%place, %j, %k] {checked = array<i64: 0>} : tensor<5x4x8xf32>
    linalg.yield %v : f32
  } -> tensor<20x4x8xf32>
  nn.yield %y : tensor<20x4x8xf32>
}

// The number of an element in a row of two is a constant where lanes run across rows, and the dimensions of which no
// number is used are one loop.
// CHECK-LABEL: func.func private @numbered_inside
// CHECK: scf.for {{.*}} to %c512 step %c8
// CHECK: arith.remf {{.*}} : vector<8xf32>
// CHECK: vector.shuffle
nn.kernel @numbered(%x: tensor<16x32xf32>) -> tensor<16x32x2xf32>
    attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %period = arith.constant 3.0 : f32
  %empty = tensor.empty() : tensor<16x32x2xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, j, k)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<16x32xf32>) outs(%empty : tensor<16x32x2xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.remf %p, %period : f32
    %k = linalg.index 2 : index
    %1 = arith.index_cast %k : index to i32
    %2 = arith.sitofp %1 : i32 to f32
    %3 = arith.addf %0, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<16x32x2xf32>
  nn.yield %y : tensor<16x32x2xf32>
}

// Few columns that are searched: lanes run down them, and the best of all lanes is told in the end.
// CHECK-LABEL: func.func private @few_columns_inside
// CHECK: scf.for
// CHECK: vector.load
// CHECK: arith.cmpf ogt{{.*}} : vector<8xf32>
// CHECK: scf.yield {{.*}} : vector<8xf32>, vector<8xi64>
// CHECK: vector.shuffle
nn.kernel @few_columns(%x: tensor<80x2xf32>) -> tensor<2xi64> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %least = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i64
  %e = tensor.empty() : tensor<2xf32>
  %i = tensor.empty() : tensor<2xi64>
  %values = linalg.fill ins(%least : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %numbers = linalg.fill ins(%none : i64) outs(%i : tensor<2xi64>) -> tensor<2xi64>
  %best, %y = linalg.generic {indexing_maps = [affine_map<(i, k) -> (k, i)>, affine_map<(i, k) -> (i)>,
                                               affine_map<(i, k) -> (i)>],
                              iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<80x2xf32>) outs(%values, %numbers : tensor<2xf32>, tensor<2xi64>) {
  ^bb0(%p: f32, %o: f32, %n: i64):
    %k = linalg.index 1 : index
    %number = arith.index_cast %k : index to i64
    %better = arith.cmpf ogt, %p, %o : f32
    %0 = arith.select %better, %p, %o : f32
    %1 = arith.select %better, %number, %n : i64
    linalg.yield %0, %1 : f32, i64
  } -> (tensor<2xf32>, tensor<2xi64>)
  nn.yield %y : tensor<2xi64>
}
