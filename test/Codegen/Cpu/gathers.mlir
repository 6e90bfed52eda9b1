// RUN: kumiko-opt %s --kumiko-schedule-kernels="lanes=16 gathers=true" | FileCheck %s --check-prefix=SCHEDULE
// RUN: kumiko-opt %s --kumiko-schedule-kernels="lanes=16 gathers=true" --kumiko-emit-kernels | FileCheck %s

// A machine that gathers reads sixteen elements at once, with one look at all of their places.
// SCHEDULE-LABEL: nn.kernel @words
// SCHEDULE-SAME: gathers
// CHECK-LABEL: func.func private @words_inside
// CHECK: arith.cmpi uge, {{.*}} : vector<16xindex>
// CHECK: vector.gather {{.*}} : memref<9000xf32>, vector<16xi32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
// CHECK-NOT: memref.load {{.*}} memref<9000xf32>
// CHECK: return
nn.kernel @words(%x: tensor<9000xf32>, %i: tensor<64xi32>) -> tensor<64xf32> {
  %empty = tensor.empty() : tensor<64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>], iterator_types = ["parallel"]}
      ins(%i : tensor<64xi32>) outs(%empty : tensor<64xf32>) {
  ^bb0(%p: i32, %o: f32):
    %place = arith.index_cast %p : i32 to index
    %v = tensor.extract %x[%place] {checked = array<i64: 0>} : tensor<9000xf32>
    linalg.yield %v : f32
  } -> tensor<64xf32>
  nn.yield %y : tensor<64xf32>
}

// Of bytes it gathers words; those that would end behind the last byte begin before it, and are shifted.
// CHECK-LABEL: func.func private @bytes_inside
// CHECK: %[[READ:.*]] = arith.minsi %[[WANTED:.*]], %{{.*}} : vector<16xi32>
// CHECK: llvm.intr.masked.gather
// CHECK: arith.subi %[[WANTED]], %[[READ]]
// CHECK: arith.shrui
// CHECK: arith.trunci {{.*}} : vector<16xi32> to vector<16xi8>
nn.kernel @bytes(%x: tensor<9000xi8>, %i: tensor<64xi32>) -> tensor<64xi8> {
  %empty = tensor.empty() : tensor<64xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>], iterator_types = ["parallel"]}
      ins(%i : tensor<64xi32>) outs(%empty : tensor<64xi8>) {
  ^bb0(%p: i32, %o: i8):
    %place = arith.index_cast %p : i32 to index
    %v = tensor.extract %x[%place] {checked = array<i64: 0>} : tensor<9000xi8>
    linalg.yield %v : i8
  } -> tensor<64xi8>
  nn.yield %y : tensor<64xi8>
}

// Places of short rows go on from one to the next: each lane adds how far its row is behind the first of them. Lanes
// whose places do not exist are not asked for.
// CHECK-LABEL: func.func private @across_inside
// CHECK: %[[BEHIND:.*]] = arith.constant dense<[0, 0, 0, 0, 0, 99, 99, 99, 99, 99, 198, 198, 198, 198, 198, 297]> : vector<16xi32>
// CHECK: scf.for
// CHECK: %[[RIGHT:.*]] = arith.cmpi ult, {{.*}} : vector<16xindex>
// CHECK: %[[FROM:.*]] = arith.andi {{.*}}%[[RIGHT]]
// CHECK: vector.shuffle {{.*}} [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30] : vector<16xi32>, vector<16xi32>
// CHECK: arith.addi {{.*}}%[[BEHIND]]
// CHECK: vector.gather {{.*}}, %[[FROM]]
nn.kernel @across(%x: tensor<80x99xf32>, %i: tensor<80x5xi64>) -> tensor<80x5xf32> {
  %empty = tensor.empty() : tensor<80x5xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<80x5xi64>) outs(%empty : tensor<80x5xf32>) {
  ^bb0(%p: i64, %o: f32):
    %row = linalg.index 0 : index
    %place = arith.index_cast %p : i64 to index
    %v = tensor.extract %x[%row, %place] {checked = array<i64: 1>} : tensor<80x99xf32>
    linalg.yield %v : f32
  } -> tensor<80x5xf32>
  nn.yield %y : tensor<80x5xf32>
}

// Nothing is chosen by data.
// SCHEDULE-LABEL: nn.kernel @plain
// SCHEDULE-NOT: gathers
// SCHEDULE: nn.yield
nn.kernel @plain(%x: tensor<64xf32>) -> tensor<64xf32> {
  %empty = tensor.empty() : tensor<64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf32>) outs(%empty : tensor<64xf32>) {
  ^bb0(%p: f32, %o: f32):
    %v = arith.negf %p : f32
    linalg.yield %v : f32
  } -> tensor<64xf32>
  nn.yield %y : tensor<64xf32>
}
