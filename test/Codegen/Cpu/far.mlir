// Elements that are read in more pages than a processor knows are read one by one.
// RUN: kumiko-opt %s --kumiko-schedule-kernels="lanes=16 gathers=true" | FileCheck %s --check-prefix=SCHEDULE
// RUN: kumiko-opt %s --kumiko-schedule-kernels="lanes=16 gathers=true" --kumiko-emit-kernels | FileCheck %s
// RUN: kumiko-opt %s --kumiko-schedule-kernels="lanes=16 stores-in-order=true" --kumiko-emit-kernels | FileCheck %s --check-prefix=INTEL
// RUN: kumiko-opt %s --kumiko-schedule-kernels="lanes=16" | FileCheck %s --check-prefix=OTHERS

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
// CHECK: return
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

// A column, of which each element is in a page of its own, whatever the data; and one of rows that are known.
// INTEL-LABEL: func.func private @column_inside
// INTEL-NOT: vector<16x
// INTEL: memref.load {{.*}} : memref<10000000xf32>
// INTEL-NOT: vector<16x
// INTEL: return
// INTEL-LABEL: func.func private @near_column_inside
// INTEL: vector<16xf32>
nn.kernel @column(%x: tensor<10000x1000xf32>) -> tensor<10000x1xf32> {
  %y = tensor.extract_slice %x[0, 3] [10000, 1] [1, 1] : tensor<10000x1000xf32> to tensor<10000x1xf32>
  nn.yield %y : tensor<10000x1xf32>
}

nn.kernel @near_column(%x: tensor<1000x1000xf32>) -> tensor<1000x1xf32> {
  %y = tensor.extract_slice %x[0, 3] [1000, 1] [1, 1] : tensor<1000x1000xf32> to tensor<1000x1xf32>
  nn.yield %y : tensor<1000x1xf32>
}
