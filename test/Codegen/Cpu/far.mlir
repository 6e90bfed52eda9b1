// Elements that are read in more pages than a processor knows are read one by one.
// RUN: kumiko-opt %s --kumiko-schedule-kernels="lanes=16 gathers=true" | FileCheck %s --check-prefix=SCHEDULE
// RUN: kumiko-opt %s --kumiko-schedule-kernels="lanes=16 gathers=true" --kumiko-emit-kernels | FileCheck %s
// RUN: kumiko-opt %s --kumiko-schedule-kernels="lanes=16 gathers=true stores-in-order=true wide-core=true" --kumiko-emit-kernels | FileCheck %s --check-prefix=INTEL
// RUN: kumiko-opt %s --kumiko-schedule-kernels="lanes=16" | FileCheck %s --check-prefix=OTHERS
// RUN: kumiko-opt %s --kumiko-schedule-kernels="lanes=16" --kumiko-emit-kernels | FileCheck %s --check-prefix=ZEN

#map = affine_map<(n) -> (n)>

// Each read is in a page of its own, whatever the data.
// OTHERS-LABEL: nn.kernel @rows
// OTHERS-NOT: far_apart
// SCHEDULE-LABEL: nn.kernel @rows
// SCHEDULE-SAME: far_apart = 0 : i64
// CHECK-LABEL: func.func private @rows_inside
// CHECK: scf.for
// CHECK-NOT: vector<16x
// CHECK: memref.load {{.*}} : memref<4000000xf32>
// CHECK-NOT: vector<16x
// CHECK-NOT: llvm.inline_asm
// CHECK: return
// There is no pause: other machines of this kind find pages sooner.
// INTEL-LABEL: func.func private @rows_inside
// INTEL: scf.for
// INTEL-NOT: llvm.inline_asm
// INTEL: memref.load {{.*}} : memref<4000000xf32>
// INTEL-NOT: llvm.inline_asm
// INTEL: return
nn.kernel @rows(%x: tensor<4000x1000xf32>, %i: tensor<4000xi64>) -> tensor<4000xf32> {
  %empty = tensor.empty() : tensor<4000xf32>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%i : tensor<4000xi64>) outs(%empty : tensor<4000xf32>) {
  ^bb0(%p: i64, %o: f32):
    %n = linalg.index 0 : index
    %place = arith.index_cast %p : i64 to index
    %v = tensor.extract %x[%n, %place] {checked = array<i64: 1>} : tensor<4000x1000xf32>
    linalg.yield %v : f32
  } -> tensor<4000xf32>
  nn.yield %y : tensor<4000xf32>
}

// A place and what is read there: the result is asked for, too.
// INTEL-LABEL: func.func private @shifted_inside
// INTEL: scf.for
// INTEL: memref.prefetch
// INTEL: memref.load {{.*}} : memref<20000000xf32>
// INTEL: return
nn.kernel @shifted(%x: tensor<20000x1000xf32>, %i: tensor<20000xi64>) -> tensor<20000xf32> {
  %empty = tensor.empty() : tensor<20000xf32>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%i : tensor<20000xi64>) outs(%empty : tensor<20000xf32>) {
  ^bb0(%p: i64, %o: f32):
    %n = linalg.index 0 : index
    %one = arith.constant 1.0 : f32
    %place = arith.index_cast %p : i64 to index
    %v = tensor.extract %x[%n, %place] {checked = array<i64: 1>} : tensor<20000x1000xf32>
    %r = arith.addf %v, %one : f32
    linalg.yield %r : f32
  } -> tensor<20000xf32>
  nn.yield %y : tensor<20000xf32>
}

// Three loads for each read are enough.
// INTEL-LABEL: func.func private @weighted_inside
// INTEL: scf.for
// INTEL-NOT: memref.prefetch
// INTEL: memref.load {{.*}} : memref<20000000xf32>
// INTEL-NOT: memref.prefetch
// INTEL: return
nn.kernel @weighted(%x: tensor<20000x1000xf32>, %i: tensor<20000xi64>, %w: tensor<20000xf32>) -> tensor<20000xf32> {
  %empty = tensor.empty() : tensor<20000xf32>
  %y = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%i, %w : tensor<20000xi64>, tensor<20000xf32>) outs(%empty : tensor<20000xf32>) {
  ^bb0(%p: i64, %weight: f32, %o: f32):
    %n = linalg.index 0 : index
    %place = arith.index_cast %p : i64 to index
    %v = tensor.extract %x[%n, %place] {checked = array<i64: 1>} : tensor<20000x1000xf32>
    %r = arith.mulf %v, %weight : f32
    linalg.yield %r : f32
  } -> tensor<20000xf32>
  nn.yield %y : tensor<20000xf32>
}

// Data may choose from few pages of one large tensor: most of 16 steps from place to place have to be long.
// SCHEDULE-LABEL: nn.kernel @one
// SCHEDULE-SAME: far_apart = [[APART:[1-9][0-9]+]] : i64
// CHECK-LABEL: func.func private @one_inside
// CHECK-COUNT-17: memref.load {{.*}} : memref<9000xi64>
// CHECK: %[[FAR:.*]] = arith.cmpi sge, %{{.*}}, %c11 : index
// CHECK-NEXT: scf.if %[[FAR]] {
// CHECK-NOT: vector<16x
// CHECK: } else {
// CHECK: vector<16x
nn.kernel @one(%x: tensor<9000000xf32>, %i: tensor<9000xi64>) -> tensor<9000xf32> {
  %empty = tensor.empty() : tensor<9000xf32>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%i : tensor<9000xi64>) outs(%empty : tensor<9000xf32>) {
  ^bb0(%p: i64, %o: f32):
    %place = arith.index_cast %p : i64 to index
    %v = tensor.extract %x[%place] {checked = array<i64: 0>} : tensor<9000000xf32>
    linalg.yield %v : f32
  } -> tensor<9000xf32>
  nn.yield %y : tensor<9000xf32>
}

// What is known as a whole is read by vectors, and so is what most reads find.
// SCHEDULE-LABEL: nn.kernel @known
// SCHEDULE-NOT: far_apart
// SCHEDULE: gathers
// SCHEDULE-LABEL: nn.kernel @most
// SCHEDULE-NOT: far_apart
// SCHEDULE-NOT: gathers
// SCHEDULE: nn.yield
nn.kernel @known(%x: tensor<1000000xf32>, %i: tensor<9000xi64>) -> tensor<9000xf32> {
  %empty = tensor.empty() : tensor<9000xf32>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%i : tensor<9000xi64>) outs(%empty : tensor<9000xf32>) {
  ^bb0(%p: i64, %o: f32):
    %place = arith.index_cast %p : i64 to index
    %v = tensor.extract %x[%place] {checked = array<i64: 0>} : tensor<1000000xf32>
    linalg.yield %v : f32
  } -> tensor<9000xf32>
  nn.yield %y : tensor<9000xf32>
}

nn.kernel @most(%x: tensor<2000000xf32>, %i: tensor<9000xi64>) -> tensor<9000xf32> {
  %empty = tensor.empty() : tensor<9000xf32>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%i : tensor<9000xi64>) outs(%empty : tensor<9000xf32>) {
  ^bb0(%p: i64, %o: f32):
    %place = arith.index_cast %p : i64 to index
    %v = tensor.extract %x[%place] {checked = array<i64: 0>} : tensor<2000000xf32>
    linalg.yield %v : f32
  } -> tensor<9000xf32>
  nn.yield %y : tensor<9000xf32>
}

// Data say where sequences end, and their elements are read one after the other: these are near each other.
// SCHEDULE-LABEL: nn.kernel @sequences
// SCHEDULE-NOT: far_apart
// SCHEDULE: nn.yield
nn.kernel @sequences(%x: tensor<5000000x3xf32>, %l: tensor<3xi64>) -> tensor<5000000x3xf32> {
  %empty = tensor.empty() : tensor<5000000x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(t, b) -> (b)>, affine_map<(t, b) -> (t, b)>], iterator_types = ["parallel", "parallel"]}
      ins(%l : tensor<3xi64>) outs(%empty : tensor<5000000x3xf32>) {
  ^bb0(%length: i64, %o: f32):
    %t = linalg.index 0 : index
    %b = linalg.index 1 : index
    %end = arith.index_cast %length : i64 to index
    %one = arith.constant 1 : index
    %last = arith.subi %end, %one : index
    %turned = arith.subi %last, %t : index
    %inside = arith.cmpi slt, %t, %end : index
    %place = arith.select %inside, %turned, %t : index
    %v = tensor.extract %x[%place, %b] {checked = array<i64: 0>} : tensor<5000000x3xf32>
    linalg.yield %v : f32
  } -> tensor<5000000x3xf32>
  nn.yield %y : tensor<5000000x3xf32>
}

// A column, of which each element is in a page of its own, whatever the data; one of which that is so of every sixth,
// which are worth no pause; and one of rows that are known.
// INTEL-LABEL: func.func private @column_inside
// INTEL-NOT: vector<16x
// INTEL: llvm.inline_asm has_side_effects "nop\0Anop
// INTEL: memref.load {{.*}} : memref<10000000xf32>
// INTEL-NOT: vector<16x
// INTEL: return
// INTEL-LABEL: func.func private @sixth_column_inside
// INTEL-NOT: llvm.inline_asm
// INTEL: memref.load {{.*}} : memref<5100000xf32>
// INTEL-NOT: vector<16x
// INTEL: return
// INTEL-LABEL: func.func private @near_column_inside
// INTEL: vector<16xf32>
nn.kernel @column(%x: tensor<10000x1000xf32>) -> tensor<10000x1xf32> {
  %y = tensor.extract_slice %x[0, 3] [10000, 1] [1, 1] : tensor<10000x1000xf32> to tensor<10000x1xf32>
  nn.yield %y : tensor<10000x1xf32>
}

nn.kernel @sixth_column(%x: tensor<30000x170xf32>) -> tensor<30000x1xf32> {
  %y = tensor.extract_slice %x[0, 3] [30000, 1] [1, 1] : tensor<30000x170xf32> to tensor<30000x1xf32>
  nn.yield %y : tensor<30000x1xf32>
}

nn.kernel @near_column(%x: tensor<1000x1000xf32>) -> tensor<1000x1xf32> {
  %y = tensor.extract_slice %x[0, 3] [1000, 1] [1, 1] : tensor<1000x1000xf32> to tensor<1000x1xf32>
  nn.yield %y : tensor<1000x1xf32>
}

// Rows of a few elements, each in a page of its own.
// INTEL-LABEL: func.func private @columns_inside
// INTEL: scf.for
// INTEL: llvm.inline_asm
// INTEL: vector.load {{.*}} : memref<10000000xf32>, vector<2xf32>
// Elsewhere a vector that lies across two lines which are both missing takes longer than its elements do, and nothing is
// asked for ahead.
// ZEN-LABEL: func.func private @columns_inside
// ZEN-NOT: memref.prefetch
// ZEN: vector.load {{.*}} : memref<10000000xf32>, vector<1xf32>
// ZEN-NOT: vector<2xf32>
// ZEN: return
nn.kernel @columns(%x: tensor<10000x1000xf32>) -> tensor<10000x2xf32> {
  %y = tensor.extract_slice %x[0, 3] [10000, 2] [1, 1] : tensor<10000x1000xf32> to tensor<10000x2xf32>
  nn.yield %y : tensor<10000x2xf32>
}

// Rows of a line and more: vectors of 16 bytes lie across two lines less often than wider ones. Where pages are known
// these are as good.
// ZEN-LABEL: func.func private @many_columns_inside
// ZEN: vector.load {{.*}} : memref<10000000xf32>, vector<4xf32>
// ZEN-NOT: vector<16xf32>
// ZEN: return
// ZEN-LABEL: func.func private @known_columns_inside
// ZEN: vector.load {{.*}} : memref<1000000xf32>, vector<16xf32>
nn.kernel @many_columns(%x: tensor<10000x1000xf32>) -> tensor<10000x20xf32> {
  %y = tensor.extract_slice %x[0, 3] [10000, 20] [1, 1] : tensor<10000x1000xf32> to tensor<10000x20xf32>
  nn.yield %y : tensor<10000x20xf32>
}

nn.kernel @known_columns(%x: tensor<1000x1000xf32>) -> tensor<1000x20xf32> {
  %y = tensor.extract_slice %x[0, 3] [1000, 20] [1, 1] : tensor<1000x1000xf32> to tensor<1000x20xf32>
  nn.yield %y : tensor<1000x20xf32>
}

// Places that count from the end are corrected by vectors, and loaded without gathers: only where none of those that
// were looked at does are elements read one by one.
// INTEL-LABEL: func.func private @corrected_inside
// INTEL: %[[FAR:.*]] = arith.cmpi sge, %{{.*}}, %c11 : index
// INTEL-NEXT: scf.if %[[FAR]] {
// INTEL-NEXT: scf.if %{{.*}} {
// INTEL-NOT: vector.gather
// INTEL: vector<16xi64>
// INTEL-NOT: vector.gather
// INTEL: } else {
// INTEL: memref.load {{.*}} : memref<9000000xf32>
// INTEL: return
nn.kernel @corrected(%x: tensor<9000000xf32>, %i: tensor<9000xi64>) -> tensor<9000xf32> {
  %empty = tensor.empty() : tensor<9000xf32>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%i : tensor<9000xi64>) outs(%empty : tensor<9000xf32>) {
  ^bb0(%p: i64, %o: f32):
    %zero = arith.constant 0 : i64
    %count = arith.constant 9000000 : i64
    %fromEnd = arith.cmpi slt, %p, %zero : i64
    %behind = arith.addi %p, %count : i64
    %at = arith.select %fromEnd, %behind, %p : i64
    %place = arith.index_cast %at : i64 to index
    %v = tensor.extract %x[%place] {checked = array<i64: 0>} : tensor<9000000xf32>
    linalg.yield %v : f32
  } -> tensor<9000xf32>
  nn.yield %y : tensor<9000xf32>
}

// A place that is replaced where it does not exist is not counted from the end.
// INTEL-LABEL: func.func private @guarded_inside
// INTEL: %[[FAR:.*]] = arith.cmpi sge, %{{.*}}, %c11 : index
// INTEL-NEXT: scf.if %[[FAR]] {
// INTEL-NOT: vector<16x
// INTEL: memref.load {{.*}} : memref<9000000xf32>
// INTEL: return
nn.kernel @guarded(%x: tensor<9000000xf32>, %i: tensor<9000xi64>) -> tensor<9000xf32> {
  %empty = tensor.empty() : tensor<9000xf32>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%i : tensor<9000xi64>) outs(%empty : tensor<9000xf32>) {
  ^bb0(%p: i64, %o: f32):
    %zero = arith.constant 0 : index
    %none = arith.constant 0.0 : f32
    %count = arith.constant 9000000 : index
    %at = arith.index_cast %p : i64 to index
    %inside = arith.cmpi ult, %at, %count : index
    %place = arith.select %inside, %at, %zero : index
    %v = tensor.extract %x[%place] {guarded} : tensor<9000000xf32>
    %r = arith.select %inside, %v, %none : f32
    linalg.yield %r : f32
  } -> tensor<9000xf32>
  nn.yield %y : tensor<9000xf32>
}
