// RUN: kumiko-opt %s --kumiko-emit-kernels | FileCheck %s

// Eight places are looked at in one vector; where all exist and count from the start, rows of three move as two pairs
// without a further look, else row by row with one.
// CHECK-LABEL: func.func @short_rows
// CHECK: arith.cmpi uge, {{.*}} : vector<8xindex>
// CHECK: scf.if
// CHECK-NOT: arith.select
// CHECK: vector.load {{.*}} vector<2xf32>
// CHECK: } else {
// CHECK: arith.cmpi slt
// CHECK: arith.cmpi uge, {{.*}} : index
nn.kernel @short_rows(%x: tensor<9x3xf32>, %i: tensor<40xi64>) -> tensor<40x3xf32>
    attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<40x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, c) -> (n)>, affine_map<(n, c) -> (n, c)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<40xi64>) outs(%empty : tensor<40x3xf32>) {
  ^bb0(%p: i64, %o: f32):
    %zero = arith.constant 0 : i64
    %count = arith.constant 9 : i64
    %below = arith.cmpi slt, %p, %zero : i64
    %end = arith.addi %p, %count : i64
    %place = arith.select %below, %end, %p : i64
    %row = arith.index_cast %place : i64 to index
    %c = linalg.index 1 : index
    %v = tensor.extract %x[%row, %c] {checked = array<i64: 0>} : tensor<9x3xf32>
    linalg.yield %v : f32
  } -> tensor<40x3xf32>
  nn.yield %y : tensor<40x3xf32>
}

// The same two places for all planes: they are looked at once, before the loop over planes, whose short rows then move
// together, without a further look.
// CHECK-LABEL: func.func @rows_of_planes
// CHECK: arith.cmpi uge, {{.*}} : vector<8xindex>
// CHECK: scf.if
// CHECK-NEXT: scf.for %{{.*}} = %c0 to %c40
// CHECK-NOT: arith.cmpi
// CHECK-COUNT-2: vector.store
nn.kernel @rows_of_planes(%x: tensor<40x3x4xf32>, %i: tensor<2xi64>) -> tensor<40x2x4xf32>
    attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<40x2x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, r, c) -> (r)>, affine_map<(n, r, c) -> (n, r, c)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%i : tensor<2xi64>) outs(%empty : tensor<40x2x4xf32>) {
  ^bb0(%p: i64, %o: f32):
    %place = arith.index_cast %p : i64 to index
    %n = linalg.index 0 : index
    %c = linalg.index 2 : index
    %v = tensor.extract %x[%n, %place, %c] {checked = array<i64: 1>} : tensor<40x3x4xf32>
    linalg.yield %v : f32
  } -> tensor<40x2x4xf32>
  nn.yield %y : tensor<40x2x4xf32>
}

// Data choose elements of two rows that eight chunks share: a chunk has a part of one row, not of both.
// CHECK-LABEL: func.func @elements_of_few_rows
// CHECK: %[[FIRST:.*]] = arith.muli %{{.*}}, %c128 : index
// CHECK: arith.divui %[[FIRST]], %c512 : index
nn.kernel @elements_of_few_rows(%x: tensor<2x4096xf32>, %i: tensor<4096xi64>) -> tensor<2x4096xf32>
    attributes {schedule = {template = "points", chunks = 8 : i64}} {
  %empty = tensor.empty() : tensor<2x4096xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, c) -> (c)>, affine_map<(n, c) -> (n, c)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<4096xi64>) outs(%empty : tensor<2x4096xf32>) {
  ^bb0(%p: i64, %o: f32):
    %place = arith.index_cast %p : i64 to index
    %n = linalg.index 0 : index
    %v = tensor.extract %x[%n, %place] {checked = array<i64: 1>} : tensor<2x4096xf32>
    linalg.yield %v : f32
  } -> tensor<2x4096xf32>
  nn.yield %y : tensor<2x4096xf32>
}

// Three planes become pixels: three vectors are woven into three that are stored whole.
// CHECK-LABEL: func.func @pixels
// CHECK-COUNT-3: vector.load
// CHECK: vector.shuffle
// CHECK-COUNT-3: vector.store
nn.kernel @pixels(%x: tensor<3x64xf32>) -> tensor<64x3xf32>
    attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<64x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, c) -> (c, n)>, affine_map<(n, c) -> (n, c)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<3x64xf32>) outs(%empty : tensor<64x3xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<64x3xf32>
  nn.yield %y : tensor<64x3xf32>
}

// A plane of five is not: lines of more than half a vector are turned in blocks.
// CHECK-LABEL: func.func @block
// CHECK: vector.maskedstore
nn.kernel @block(%x: tensor<5x64xf32>) -> tensor<64x5xf32>
    attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<64x5xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, c) -> (c, n)>, affine_map<(n, c) -> (n, c)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5x64xf32>) outs(%empty : tensor<64x5xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<64x5xf32>
  nn.yield %y : tensor<64x5xf32>
}

// Places in a palette: lanes leave the vector one by one. A mask for the lower halves of pairs is what LLVM loses where
// places are known to be small and even.
// CHECK-LABEL: func.func @palette
// CHECK: vector.extract %[[PLACES:.*]][0] : i32 from vector<8xi32>
// CHECK: vector.extract %[[PLACES]][1] : i32 from vector<8xi32>
// CHECK-NOT: vector.bitcast
// CHECK: return
nn.kernel @palette(%x: tensor<256x2xf32>, %i: tensor<40xi8>) -> tensor<40xf32>
    attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<40xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>],
                       iterator_types = ["parallel"]}
      ins(%i : tensor<40xi8>) outs(%empty : tensor<40xf32>) {
  ^bb0(%p: i8, %o: f32):
    %row = arith.index_castui %p : i8 to index
    %one = arith.constant 1 : index
    %v = tensor.extract %x[%row, %one] : tensor<256x2xf32>
    linalg.yield %v : f32
  } -> tensor<40xf32>
  nn.yield %y : tensor<40xf32>
}

// A place for each element of a short row: those of a row are not looked at by its first.
// CHECK-LABEL: func.func @short_rows_of_places
// CHECK-NOT: vector<8xindex>
// CHECK: return
nn.kernel @short_rows_of_places(%x: tensor<40x9xf32>, %i: tensor<40x5xi64>) -> tensor<40x5xf32>
    attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<40x5xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, c) -> (n, c)>, affine_map<(n, c) -> (n, c)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<40x5xi64>) outs(%empty : tensor<40x5xf32>) {
  ^bb0(%p: i64, %o: f32):
    %place = arith.index_cast %p : i64 to index
    %n = linalg.index 0 : index
    %v = tensor.extract %x[%n, %place] {checked = array<i64: 1>} : tensor<40x9xf32>
    linalg.yield %v : f32
  } -> tensor<40x5xf32>
  nn.yield %y : tensor<40x5xf32>
}

// Half of the planes are sampled at a time, with one loop over the places of a point, and points of both dimensions are one row.
// CHECK-LABEL: func.func @samples
// CHECK: scf.for
// CHECK: scf.for %{{.*}} = %c0 to %c48 step %c8
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-COUNT-3: vector.store
nn.kernel @samples(%x: tensor<6x100xf32>, %i: tensor<4x8x6xi32>) -> tensor<6x8x6xf32>
    attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<6x8x6xf32>
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<6x8x6xf32>) -> tensor<6x8x6xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(c, h, w, k) -> (k, h, w)>, affine_map<(c, h, w, k) -> (c, h, w)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%i : tensor<4x8x6xi32>) outs(%start : tensor<6x8x6xf32>) {
  ^bb0(%p: i32, %sum: f32):
    %c = linalg.index 0 : index
    %place = arith.index_cast %p : i32 to index
    %v = tensor.extract %x[%c, %place] {checked = array<i64: 1>} : tensor<6x100xf32>
    %next = arith.addf %sum, %v : f32
    linalg.yield %next : f32
  } -> tensor<6x8x6xf32>
  nn.yield %y : tensor<6x8x6xf32>
}

// Planes that do not fit the nearest cache together are sampled four at a time where places lie near each other, else one
// by one, in vectors of four. Each place is read from memory by itself, and looked at where not all of a vector exist.
// CHECK-LABEL: func.func @large_planes
// CHECK: vector.reduction <minsi>
// CHECK: vector.reduction <maxsi>
// CHECK: scf.if
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK: %[[ALL:.*]] = vector.reduction <and>
// CHECK: scf.if %[[ALL]]
// CHECK: memref.load {{.*}} memref<192xi32
// CHECK-NOT: arith.select
// CHECK: } else {
// CHECK: memref.load {{.*}} memref<192xi32
// CHECK: arith.select {{.*}} : index
// CHECK-NOT: vector.extract
// CHECK: } else {
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<4xf32>)
nn.kernel @large_planes(%x: tensor<8x4096xf32>, %i: tensor<4x48xi32>) -> tensor<8x48xf32>
    attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<8x48xf32>
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x48xf32>) -> tensor<8x48xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(c, h, k) -> (k, h)>, affine_map<(c, h, k) -> (c, h)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%i : tensor<4x48xi32>) outs(%start : tensor<8x48xf32>) {
  ^bb0(%p: i32, %sum: f32):
    %c = linalg.index 0 : index
    %c0 = arith.constant 0 : index
    %c4096 = arith.constant 4096 : index
    %place = arith.index_cast %p : i32 to index
    %exists = arith.cmpi ult, %place, %c4096 : index
    %inside = arith.select %exists, %place, %c0 : index
    %e = tensor.extract %x[%c, %inside] {guarded} : tensor<8x4096xf32>
    %v = arith.select %exists, %e, %zero : f32
    %next = arith.addf %sum, %v : f32
    linalg.yield %next : f32
  } -> tensor<8x48xf32>
  nn.yield %y : tensor<8x48xf32>
}
