// RUN: kumiko-opt %s --kumiko-emit-kernels | FileCheck %s

// Rows of two with a zero on either side: a vector of the result is one shuffle of what lies side by side. The last
// group begins before the end of the one before it, so that nothing behind the last row is read.
// CHECK-LABEL: func.func private @padded_inside
// CHECK: scf.for
// CHECK: arith.minsi
// CHECK: vector.load {{.*}} : memref<200xf32>, vector<8xf32>
// CHECK: vector.shuffle
// CHECK: vector.store {{.*}} : memref<400xf32>, vector<8xf32>
nn.kernel @padded(%x: tensor<100x2xf32>) -> tensor<100x4xf32> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %zero = arith.constant 0.0 : f32
  %y = tensor.pad %x low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<100x2xf32> to tensor<100x4xf32>
  nn.yield %y : tensor<100x4xf32>
}

// The rows of two tensors side by side are written once, not one after the other.
// CHECK-LABEL: func.func private @joined_inside
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK-DAG: vector.load {{.*}} : memref<100xf32>, vector<8xf32>
// CHECK-DAG: vector.load {{.*}} : memref<200xf32>, vector<8xf32>
// CHECK: vector.shuffle
// CHECK: vector.store
nn.kernel @joined(%a: tensor<100x1xf32>, %b: tensor<100x2xf32>) -> tensor<100x3xf32> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<100x3xf32>
  %0 = tensor.insert_slice %a into %empty[0, 0] [100, 1] [1, 1] : tensor<100x1xf32> into tensor<100x3xf32>
  %1 = tensor.insert_slice %b into %0[0, 1] [100, 2] [1, 1] : tensor<100x2xf32> into tensor<100x3xf32>
  nn.yield %1 : tensor<100x3xf32>
}

// An index that is held inside of a row is known for each element of it.
// CHECK-LABEL: func.func private @edge_inside
// CHECK: vector.load
// CHECK: vector.shuffle
// CHECK: vector.store
nn.kernel @edge(%x: tensor<100x2xi8>) -> tensor<100x4xi8> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<100x4xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%empty : tensor<100x4xi8>) {
  ^bb0(%o: i8):
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %before = arith.subi %j, %one : index
    %low = arith.maxsi %before, %zero : index
    %place = arith.minsi %low, %one : index
    %0 = tensor.extract %x[%i, %place] : tensor<100x2xi8>
    linalg.yield %0 : i8
  } -> tensor<100x4xi8>
  nn.yield %y : tensor<100x4xi8>
}

// What is computed on the way is no element of memory.
// CHECK-LABEL: func.func private @computed_inside
// CHECK-NOT: arith.minsi
// CHECK: arith.negf
nn.kernel @computed(%x: tensor<100x2xf32>) -> tensor<100x4xf32> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<100x2xf32>
  %n = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<100x2xf32>) outs(%empty : tensor<100x2xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.negf %p : f32
    linalg.yield %0 : f32
  } -> tensor<100x2xf32>
  %y = tensor.pad %n low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<100x2xf32> to tensor<100x4xf32>
  nn.yield %y : tensor<100x4xf32>
}

// Four lines far apart from each other give vectors of their own, each of which is loaded once for the group.
// CHECK-LABEL: func.func private @far_lines_inside
// CHECK-COUNT-4: vector.load {{.*}} : memref<1600xf32>, vector<8xf32>
// CHECK-NOT: vector.load
// CHECK: } else {
nn.kernel @far_lines(%x: tensor<2x2x200x2xf32>) -> tensor<200x2x2x2xf32> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<200x2x2x2xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(c, a, d, b) -> (a, b, c, d)>, affine_map<(c, a, d, b) -> (c, a, d, b)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<2x2x200x2xf32>) outs(%empty : tensor<200x2x2x2xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<200x2x2x2xf32>
  nn.yield %y : tensor<200x2x2x2xf32>
}

// Rows of three that lie far from each other are copied as two pairs each: a whole vector would have a cache line of its
// own that nothing is needed of.
// CHECK-LABEL: func.func private @far_apart_inside
// CHECK: vector.load {{.*}} : memref<6400xf32>, vector<2xf32>
// CHECK-NOT: vector.shuffle
// CHECK: vector.store {{.*}} : memref<300xf32>, vector<2xf32>
nn.kernel @far_apart(%x: tensor<100x64xf32>) -> tensor<100x3xf32> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %y = tensor.extract_slice %x[0, 2] [100, 3] [1, 1] : tensor<100x64xf32> to tensor<100x3xf32>
  nn.yield %y : tensor<100x3xf32>
}

// Three of seven long elements: vectors are half as wide as a cache line.
// CHECK-LABEL: func.func private @skipped_inside
// CHECK: vector.load {{.*}} : memref<7000xf64>, vector<4xf64>
// CHECK-NOT: vector<8xf64>
// CHECK: vector.store {{.*}} : memref<3000xf64>, vector<4xf64>
// CHECK: return
nn.kernel @skipped(%x: tensor<1000x7xf64>) -> tensor<1000x3xf64> attributes {schedule = {template = "points", chunks = 1 : i64, lanes = 16 : i64}} {
  %y = tensor.extract_slice %x[0, 2] [1000, 3] [1, 1] : tensor<1000x7xf64> to tensor<1000x3xf64>
  nn.yield %y : tensor<1000x3xf64>
}

// Fifteen elements, each from a line of its own, on which the next cells follow: vectors are put together one by one.
// CHECK-LABEL: func.func private @picked_inside
// CHECK: scf.for
// CHECK-NOT: vector.load
// CHECK-COUNT-4: memref.load {{.*}} : memref<1500xi64>
// CHECK: vector.from_elements
// CHECK-NEXT: arith.muli
// CHECK-NEXT: vector.store {{.*}} : memref<1500xi64>, vector<4xi64>
nn.kernel @picked(%x: tensor<5x3x100xi64>) -> tensor<100x3x5xi64> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<100x3x5xi64>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, j, i)>, affine_map<(i, j, k) -> (i, j, k)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<5x3x100xi64>) outs(%empty : tensor<100x3x5xi64>) {
  ^bb0(%p: i64, %o: i64):
    linalg.yield %p : i64
  } -> tensor<100x3x5xi64>
  nn.yield %y : tensor<100x3x5xi64>
}

// Lines a power of two apart would drive each other out of the first cache: they are read in blocks.
// CHECK-LABEL: func.func private @crowded_inside
// CHECK-NOT: vector.from_elements
// CHECK: vector.load
// CHECK: vector.shuffle
nn.kernel @crowded(%x: tensor<5x3x4096xi64>) -> tensor<4096x3x5xi64> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<4096x3x5xi64>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, j, i)>, affine_map<(i, j, k) -> (i, j, k)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<5x3x4096xi64>) outs(%empty : tensor<4096x3x5xi64>) {
  ^bb0(%p: i64, %o: i64):
    linalg.yield %p : i64
  } -> tensor<4096x3x5xi64>
  nn.yield %y : tensor<4096x3x5xi64>
}

// Lines of one set of the first cache drive each other out: cells are copied in words that stay words.
// CHECK-LABEL: func.func private @one_set_inside
// CHECK: scf.for {{.*}} step %c2
// CHECK: vector.load {{.*}} : memref<102400xf32>, vector<2xf32>
// CHECK: llvm.inline_asm
// CHECK: vector.store {{.*}} : memref<800xf32>, vector<2xf32>
nn.kernel @one_set(%x: tensor<100x1024xf32>) -> tensor<100x8xf32> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %y = tensor.extract_slice %x[0, 4] [100, 8] [1, 1] : tensor<100x1024xf32> to tensor<100x8xf32>
  nn.yield %y : tensor<100x8xf32>
}

// Cells that come from afar are asked for before they are copied.
// CHECK-LABEL: func.func private @afar_inside
// CHECK: memref.prefetch
// CHECK: vector.load {{.*}} : memref<1000000xf32>, vector<4xf32>
// CHECK-NOT: llvm.inline_asm
// CHECK: vector.store
nn.kernel @afar(%x: tensor<10000x100xf32>) -> tensor<10000x4xf32> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %y = tensor.extract_slice %x[0, 4] [10000, 4] [1, 1] : tensor<10000x100xf32> to tensor<10000x4xf32>
  nn.yield %y : tensor<10000x4xf32>
}

// Eighteen runs of three bytes are fewer than fill vectors, and are copied all the same: four of them are written before
// the next ones are read.
// CHECK-LABEL: func.func private @few_copied_inside
// CHECK-COUNT-8: vector.load {{.*}} : memref<55296xi8>, vector<2xi8>
// CHECK: llvm.inline_asm has_side_effects "", ""
// CHECK-COUNT-28: vector.load {{.*}} : memref<55296xi8>, vector<2xi8>
// CHECK: return
nn.kernel @few_copied(%x: tensor<18x1024x3xi1>) -> tensor<1024x18x3xi1> attributes {schedule = {template = "points", chunks = 1 : i64}} {
  %empty = tensor.empty() : tensor<1024x18x3xi1>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j, i, k)>, affine_map<(i, j, k) -> (i, j, k)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<18x1024x3xi1>) outs(%empty : tensor<1024x18x3xi1>) {
  ^bb0(%p: i1, %o: i1):
    linalg.yield %p : i1
  } -> tensor<1024x18x3xi1>
  nn.yield %y : tensor<1024x18x3xi1>
}
