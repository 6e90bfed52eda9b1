// RUN: kumiko-opt %s --kumiko-emit-kernels | FileCheck %s

// Two dimensions that every read and write treats as one are one loop; the last vector is masked. Copies stay loops.
// CHECK-LABEL: func.func @merged
// CHECK-SAME: no-builtin-memcpy
// CHECK: func.func private @merged_inside
// CHECK-SAME: no-builtin-memcpy
// CHECK: scf.for
// CHECK: vector.load
// CHECK: arith.negf
// CHECK: vector.store
// CHECK: vector.maskedstore
// CHECK-NOT: arith.divui
nn.kernel @merged(%x: tensor<5x7xf32>) -> tensor<5x7xf32> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<5x7xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5x7xf32>) outs(%empty : tensor<5x7xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.negf %p : f32
    linalg.yield %0 : f32
  } -> tensor<5x7xf32>
  nn.yield %y : tensor<5x7xf32>
}

// max with a constant is a compare and a select: one instruction, and a NaN still passes.
// CHECK-LABEL: func.func @relu
// CHECK-NOT: maximumf
// CHECK: arith.cmpf olt
// CHECK-NEXT: arith.select
nn.kernel @relu(%x: tensor<64xf32>) -> tensor<64xf32> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf32>) outs(%empty : tensor<64xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.maximumf %p, %zero : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  nn.yield %y : tensor<64xf32>
}

// Truth values take a byte in memory.
// CHECK-LABEL: func.func @truth
// CHECK: memref<8xi8>
// CHECK: arith.extui {{.*}} : vector<8xi1> to vector<8xi8>
nn.kernel @truth(%x: tensor<8xf32>) -> tensor<8xi1> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8xi1>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%empty : tensor<8xi1>) {
  ^bb0(%p: f32, %o: i1):
    %0 = arith.cmpf olt, %p, %zero : f32
    linalg.yield %0 : i1
  } -> tensor<8xi1>
  nn.yield %y : tensor<8xi1>
}

// A single lane is stored by itself: under a mask LLVM 22 would write the bytes of the value before its truncation.
// CHECK-LABEL: func.func @one_lane
// CHECK: vector.store
// CHECK-NOT: vector.maskedstore
// CHECK: memref.store
nn.kernel @one_lane(%x: tensor<17xi32>) -> tensor<17xi8> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<17xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<17xi32>) outs(%empty : tensor<17xi8>) {
  ^bb0(%p: i32, %o: i8):
    %0 = arith.trunci %p : i32 to i8
    linalg.yield %0 : i8
  } -> tensor<17xi8>
  nn.yield %y : tensor<17xi8>
}

// What lies across memory is read in squares: eight loads and three rounds of shuffles for eight stores. The nine lines
// are a block and one line more; of that one element is read per lane.
// CHECK-LABEL: func.func @transposed
// CHECK-COUNT-8: vector.load
// CHECK-COUNT-24: vector.shuffle
// CHECK-COUNT-8: vector.store
// CHECK-COUNT-8: vector.maskedload
nn.kernel @transposed(%x: tensor<16x9xf32>) -> tensor<9x16xf32> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<9x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<16x9xf32>) outs(%empty : tensor<9x16xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<9x16xf32>
  nn.yield %y : tensor<9x16xf32>
}

// Four neighbouring windows are reduced together: what they share is loaded side by side, and no sum waits for another.
// CHECK-LABEL: func.func @windows
// CHECK: arith.addf {{.*}} fastmath<contract> : vector<8xf32>
// CHECK-COUNT-11: arith.addf
// CHECK-COUNT-4: vector.store
// CHECK-NOT: vector.store
nn.kernel @windows(%x: tensor<18x8xf32>, %w: tensor<3x8xf32>) -> tensor<16x8xf32> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x8xf32>) -> tensor<16x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, c, k) -> (i + k, c)>, affine_map<(i, c, k) -> (k, c)>, affine_map<(i, c, k) -> (i, c)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<18x8xf32>, tensor<3x8xf32>) outs(%init : tensor<16x8xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<16x8xf32>
  nn.yield %y : tensor<16x8xf32>
}

// A long sum across memory keeps a tile of sums and takes the rows as they lie, eight at a time.
// CHECK-LABEL: func.func @columns
// CHECK: memref.alloca() : memref<128xf32>
// CHECK: scf.for
// CHECK: %[[C8:.*]] = arith.addi
// CHECK-COUNT-8: arith.addf
// CHECK: vector.store
nn.kernel @columns(%x: tensor<96x200xf32>) -> tensor<200xf32> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<200xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<200xf32>) -> tensor<200xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, k) -> (k, i)>, affine_map<(i, k) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<96x200xf32>) outs(%start : tensor<200xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  } -> tensor<200xf32>
  nn.yield %y : tensor<200xf32>
}

// Lanes two apart are chosen from the two vectors that they lie in, the second of which ends with the last lane.
// CHECK-LABEL: func.func @apart
// CHECK-NOT: memref.load
// CHECK: vector.load
// CHECK: vector.shuffle
// CHECK: vector.load
// CHECK: vector.shuffle {{.*}} [0, 1, 2, 3, 9, 11, 13, 15]
nn.kernel @apart(%x: tensor<3x40xf32>) -> tensor<3x16xf32> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %y = tensor.extract_slice %x[0, 1] [3, 16] [1, 2] : tensor<3x40xf32> to tensor<3x16xf32>
  nn.yield %y : tensor<3x16xf32>
}

// A row that data choose is read as it lies: only the place of the row is a scalar.
// CHECK-LABEL: func.func @rows_by_index
// CHECK: memref.load {{.*}} : memref<5xi64>
// CHECK: vector.load {{.*}} : memref<320xf32>, vector<8xf32>
// CHECK-NOT: vector.from_elements
nn.kernel @rows_by_index(%x: tensor<20x16xf32>, %i: tensor<5xi64>) -> tensor<5x16xf32> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<5x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r, c)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<5xi64>) outs(%empty : tensor<5x16xf32>) {
  ^bb0(%p: i64, %o: f32):
    %row = arith.index_cast %p : i64 to index
    %c = linalg.index 1 : index
    %v = tensor.extract %x[%row, %c] : tensor<20x16xf32>
    linalg.yield %v : f32
  } -> tensor<5x16xf32>
  nn.yield %y : tensor<5x16xf32>
}

// Lanes beyond the edge of a padded tensor are masked, not asked for one by one.
// CHECK-LABEL: func.func @window_at_border
// CHECK: arith.cmpi ult, {{.*}} : vector<8xi32>
// CHECK: vector.maskedload
// CHECK-NOT: vector.from_elements
nn.kernel @window_at_border(%x: tensor<4x32xf32>) -> tensor<4x32xf32> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x32xf32> to tensor<4x34xf32>
  %empty = tensor.empty() : tensor<4x32xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x32xf32>) -> tensor<4x32xf32>
  %window = tensor.empty() : tensor<3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j + k)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %window : tensor<4x34xf32>, tensor<3xf32>) outs(%start : tensor<4x32xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %0 = arith.addf %o, %v : f32
    linalg.yield %0 : f32
  } -> tensor<4x32xf32>
  nn.yield %y : tensor<4x32xf32>
}

// Three rows that eight chunks share: each has one stretch of all vectors, not a part of every row.
// CHECK-LABEL: func.func private @few_rows_inside
// CHECK: %[[FIRST:.*]] = arith.divui
// CHECK: scf.for %{{.*}} = %[[FIRST]]
nn.kernel @few_rows(%x: tensor<3x8000xf32>, %y: tensor<3xf32>) -> tensor<3x8000xf32> attributes {schedule = {template = "points", chunks = 8 : i64}} {
  %empty = tensor.empty() : tensor<3x8000xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<3x8000xf32>, tensor<3xf32>) outs(%empty : tensor<3x8000xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.addf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<3x8000xf32>
  nn.yield %z : tensor<3x8000xf32>
}

// What all rows read stays in the cache while each row has its share done.
// CHECK-LABEL: func.func private @row_for_all_inside
// CHECK-NOT: arith.divui
nn.kernel @row_for_all(%x: tensor<3x8000xf32>, %y: tensor<8000xf32>) -> tensor<3x8000xf32> attributes {schedule = {template = "points", chunks = 8 : i64}} {
  %empty = tensor.empty() : tensor<3x8000xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<3x8000xf32>, tensor<8000xf32>) outs(%empty : tensor<3x8000xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.addf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<3x8000xf32>
  nn.yield %z : tensor<3x8000xf32>
}

// Every 24 elements share a scale: stretches of them are a loop, and each reads its scale once.
// CHECK-LABEL: func.func private @stretches_inside
// CHECK: scf.for
// CHECK: scf.for
// CHECK: memref.load
// CHECK: vector.broadcast
// CHECK-NOT: vector.insert
// CHECK-NOT: vector.from_elements
// CHECK: return
nn.kernel @stretches(%x: tensor<5x240xf32>, %s: tensor<5x10xf32>) -> tensor<5x240xf32>
    attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<5x240xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5x240xf32>) outs(%empty : tensor<5x240xf32>) {
  ^bb0(%p: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c24 = arith.constant 24 : index
    %block = arith.divui %j, %c24 : index
    %scale = tensor.extract %s[%i, %block] : tensor<5x10xf32>
    %0 = arith.mulf %p, %scale : f32
    linalg.yield %0 : f32
  } -> tensor<5x240xf32>
  nn.yield %y : tensor<5x240xf32>
}

// Every two share one: lanes lie two apart, and read their scales side by side.
// CHECK-LABEL: func.func private @sharing_inside
// CHECK: vector.load
// CHECK-NOT: vector.insert
// CHECK: vector.shuffle
// CHECK: vector.store
nn.kernel @sharing(%x: tensor<5x240xf32>, %s: tensor<5x120xf32>) -> tensor<5x240xf32>
    attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<5x240xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5x240xf32>) outs(%empty : tensor<5x240xf32>) {
  ^bb0(%p: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c2 = arith.constant 2 : index
    %block = arith.divui %j, %c2 : index
    %scale = tensor.extract %s[%i, %block] : tensor<5x120xf32>
    %0 = arith.mulf %p, %scale : f32
    linalg.yield %0 : f32
  } -> tensor<5x240xf32>
  nn.yield %y : tensor<5x240xf32>
}

// What the kernel is told of an argument is not loaded at a fixed place.
// CHECK-LABEL: func.func @told
// CHECK: func.func private @told_inside
// CHECK: %[[C:.*]] = arith.constant dense<5.000000e+00>
// CHECK-NOT: load %{{.*}} : memref<2xf32>
// CHECK: arith.mulf %{{.*}}, %[[C]]
nn.kernel @told(%x: tensor<64xf32>, %c: tensor<2xf32> {nn.constant, nn.values = dense<[3.0, 5.0]> : tensor<2xf32>})
    -> tensor<64xf32> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (1)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%x, %c : tensor<64xf32>, tensor<2xf32>) outs(%empty : tensor<64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  nn.yield %y : tensor<64xf32>
}

// A reduction with two results that are both wanted is done once.
// CHECK-LABEL: func.func private @largest_inside
// CHECK-COUNT-4: vector.maskedload {{.*}} : memref<900xi16>
// CHECK-NOT: memref<900xi16>
// CHECK: return
nn.kernel @largest(%x: tensor<100x9xi16>) -> (tensor<9xi16>, tensor<9xi64>) attributes {schedule = {template = "points", chunks = 1 : i64, lanes = 16 : i64}} {
  %least = arith.constant -32768 : i16
  %none = arith.constant -9223372036854775808 : i64
  %0 = tensor.empty() : tensor<9xi16>
  %1 = linalg.fill ins(%least : i16) outs(%0 : tensor<9xi16>) -> tensor<9xi16>
  %2 = tensor.empty() : tensor<9xi64>
  %3 = linalg.fill ins(%none : i64) outs(%2 : tensor<9xi64>) -> tensor<9xi64>
  %y:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<100x9xi16>) outs(%1, %3 : tensor<9xi16>, tensor<9xi64>) {
  ^bb0(%p: i16, %value: i16, %number: i64):
    %j = linalg.index 1 : index
    %at = arith.index_cast %j : index to i64
    %larger = arith.cmpi sgt, %p, %value : i16
    %first = arith.cmpi eq, %number, %none : i64
    %takes = arith.ori %larger, %first : i1
    %v = arith.select %takes, %p, %value : i16
    %n = arith.select %takes, %at, %number : i64
    linalg.yield %v, %n : i16, i64
  } -> (tensor<9xi16>, tensor<9xi64>)
  nn.yield %y#0, %y#1 : tensor<9xi16>, tensor<9xi64>
}
