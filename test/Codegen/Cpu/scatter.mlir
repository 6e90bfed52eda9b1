// RUN: kumiko-opt %s --stage-fuse --stage-lower --stage-schedule --kumiko-emit-kernels --split-input-file | FileCheck %s

// The remainders of two places, found once for both planes of a batch, always exist: nothing is compared with the
// extent. Few points are straight-line code.
// CHECK: func.func private @{{.*}}_inside
// CHECK: scf.for
// CHECK-COUNT-2: arith.remsi
// CHECK-NOT: arith.remsi
// CHECK-NOT: scf.for
// CHECK-NOT: scf.if
// CHECK-NOT: arith.cmpi ult
// CHECK: return
func.func @circular(%x: tensor<10000x2x3x1xf32>, %u: tensor<10000x2x2x1xf32>, %start: tensor<10000xi64>)
    -> tensor<10000x2x3x1xf32> {
  %y = nn.tensor_scatter %x, %u, %start {axis = 2, circular = true}
      : (tensor<10000x2x3x1xf32>, tensor<10000x2x2x1xf32>, tensor<10000xi64>) -> tensor<10000x2x3x1xf32>
  return %y : tensor<10000x2x3x1xf32>
}

// -----

// Many planes are a loop behind the places.
// CHECK: func.func private @{{.*}}_inside
// CHECK: scf.for
// CHECK-COUNT-2: arith.remsi
// CHECK: scf.for
// CHECK-NOT: arith.remsi
// CHECK: return
func.func @many_planes(%x: tensor<100x50x3x1xf32>, %u: tensor<100x50x2x1xf32>, %start: tensor<100xi64>)
    -> tensor<100x50x3x1xf32> {
  %y = nn.tensor_scatter %x, %u, %start {axis = 2, circular = true}
      : (tensor<100x50x3x1xf32>, tensor<100x50x2x1xf32>, tensor<100xi64>) -> tensor<100x50x3x1xf32>
  return %y : tensor<100x50x3x1xf32>
}

// -----

// Places that do not come from a remainder may lie beyond the end.
// CHECK: func.func private @{{.*}}_inside
// CHECK: scf.for
// CHECK-COUNT-2: arith.cmpi ult
// CHECK: scf.if
// CHECK: return
func.func @straight(%x: tensor<10000x2x3x1xf32>, %u: tensor<10000x2x2x1xf32>, %start: tensor<10000xi64>)
    -> tensor<10000x2x3x1xf32> {
  %y = nn.tensor_scatter %x, %u, %start {axis = 2, circular = false}
      : (tensor<10000x2x3x1xf32>, tensor<10000x2x2x1xf32>, tensor<10000xi64>) -> tensor<10000x2x3x1xf32>
  return %y : tensor<10000x2x3x1xf32>
}

// -----

// Many points are a loop, with a remainder for each.
// CHECK: func.func private @{{.*}}_inside
// CHECK: scf.for
// CHECK: scf.for
// CHECK: arith.remsi
// CHECK-NOT: arith.remsi
// CHECK: return
func.func @many_points(%x: tensor<1000x2x30x1xf32>, %u: tensor<1000x2x20x1xf32>, %start: tensor<1000xi64>)
    -> tensor<1000x2x30x1xf32> {
  %y = nn.tensor_scatter %x, %u, %start {axis = 2, circular = true}
      : (tensor<1000x2x30x1xf32>, tensor<1000x2x20x1xf32>, tensor<1000xi64>) -> tensor<1000x2x30x1xf32>
  return %y : tensor<1000x2x30x1xf32>
}

// -----

// As many places as a vector has lanes are looked at together. Where all exist and count from the start they are taken
// as they are, four to a turn; where some count from the end, too; else one by one, with a check. With that look goes one
// for NaNs, without which a comparison chooses.
// CHECK: func.func private @{{.*}}_inside
// CHECK: scf.for
// CHECK: arith.cmpi uge, {{.*}} : vector<8xindex>
// CHECK: arith.cmpf uno, {{.*}} : vector<8xf32>
// CHECK: scf.if
// CHECK-NEXT: scf.for
// CHECK-NOT: arith.cmpi u
// CHECK-NOT: arith.maximumf
// CHECK-COUNT-4: arith.cmpf ogt, {{.*}} : f32
// CHECK: } else {
// CHECK: scf.if
// CHECK: arith.cmpi slt
// CHECK-NOT: arith.cmpi ult
// CHECK: } else {
// CHECK: arith.cmpi ult
// CHECK-NEXT: scf.if
// CHECK: arith.maximumf
// CHECK: } else {
// CHECK-NEXT: memref.store %{{.*}} : memref<1xi32>
func.func @looked_at(%x: tensor<100xf32>, %i: tensor<1000x1xi64>, %u: tensor<1000xf32>) -> tensor<100xf32> {
  %y = nn.scatter_nd %x, %i, %u {kind = "max"}
      : (tensor<100xf32>, tensor<1000x1xi64>, tensor<1000xf32>) -> tensor<100xf32>
  return %y : tensor<100xf32>
}

// -----

// Elements of bf16 of which points choose are f32 in scratch meanwhile.
// CHECK: func.func private @{{.*}}_inside
// CHECK: %[[SINGLES:.*]] = memref.view {{.*}} to memref<1000xf32>
// CHECK: arith.extf {{.*}} : vector<8xbf16> to vector<8xf32>
// CHECK: memref.store %{{.*}}, %[[SINGLES]]
// CHECK: arith.truncf {{.*}} : vector<8xf32> to vector<8xbf16>
func.func @meanwhile(%x: tensor<1000xbf16>, %i: tensor<9000x1xi64>, %u: tensor<9000xbf16>) -> tensor<1000xbf16> {
  %y = nn.scatter_nd %x, %i, %u {kind = "max"}
      : (tensor<1000xbf16>, tensor<9000x1xi64>, tensor<9000xbf16>) -> tensor<1000xbf16>
  return %y : tensor<1000xbf16>
}

// -----

// Where chunks share places each of them takes its own from a vector of points, one after the other.
// CHECK: func.func private @{{.*}}_inside
// CHECK: %[[OURS:.*]] = arith.cmpi ult, {{.*}} : vector<8xindex>
// CHECK: vector.bitcast %[[OURS]] : vector<8xi1> to vector<1xi8>
// CHECK: scf.while
// CHECK: math.cttz
// CHECK-NOT: arith.cmpi ult
// CHECK: memref.store
// CHECK: scf.yield
func.func @sieved(%x: tensor<1024x1024xf32>, %i: tensor<2x1024xi64>, %u: tensor<2x1024xf32>) -> tensor<1024x1024xf32> {
  %y = nn.scatter_elements %x, %i, %u {axis = 0, kind = "set"}
      : (tensor<1024x1024xf32>, tensor<2x1024xi64>, tensor<2x1024xf32>) -> tensor<1024x1024xf32>
  return %y : tensor<1024x1024xf32>
}

// -----

// All points go to one row, which is a variable until the last of them.
// CHECK: func.func private @{{.*}}_inside
// CHECK: %[[ROW:.*]] = memref.alloca() : memref<5xf32>
// CHECK: scf.for
// CHECK: vector.store %{{.*}}, %[[ROW]][%{{.*}}] : memref<5xf32>, vector<4xf32>
// CHECK: vector.load %[[ROW]][%{{.*}}] : memref<5xf32>, vector<4xf32>
// CHECK: return
func.func @one_place(%x: tensor<1x5xf32>, %i: tensor<1000x1xi64>, %u: tensor<1000x5xf32>) -> tensor<1x5xf32> {
  %y = nn.scatter_nd %x, %i, %u {kind = "set"}
      : (tensor<1x5xf32>, tensor<1000x1xi64>, tensor<1000x5xf32>) -> tensor<1x5xf32>
  return %y : tensor<1x5xf32>
}

// -----

// Where points wait for each other there are four such variables, which are combined in the end.
// CHECK: func.func private @{{.*}}_inside
// CHECK: %[[ROWS:.*]] = memref.alloca() : memref<20xf32>
// CHECK: scf.for
// CHECK-COUNT-4: vector.load %[[ROWS]][%{{.*}}] : memref<20xf32>, vector<4xf32>
// CHECK: return
func.func @one_place_in_copies(%x: tensor<1x5xf32>, %i: tensor<1000x1xi64>, %u: tensor<1000x5xf32>) -> tensor<1x5xf32> {
  %y = nn.scatter_nd %x, %i, %u {kind = "max"}
      : (tensor<1x5xf32>, tensor<1000x1xi64>, tensor<1000x5xf32>) -> tensor<1x5xf32>
  return %y : tensor<1x5xf32>
}

// -----

// Three columns, each of whose points goes to a row of its own: the places of eight points lie side by side and are
// looked at together, three vectors of them; four points at a time are straight-line code then.
// CHECK: func.func private @{{.*}}_inside
// CHECK-COUNT-3: vector.load {{.*}} : memref<300xi64>, vector<8xi64>
// CHECK-NOT: vector.load {{.*}} : memref<300xi64>
// CHECK: scf.for {{.*}} step %c4
// CHECK: return
func.func @few_columns(%x: tensor<50x3xf32>, %i: tensor<100x3xi64>, %u: tensor<100x3xf32>) -> tensor<50x3xf32> {
  %y = nn.scatter_elements %x, %i, %u {axis = 0 : i64, kind = "+"}
      : (tensor<50x3xf32>, tensor<100x3xi64>, tensor<100x3xf32>) -> tensor<50x3xf32>
  return %y : tensor<50x3xf32>
}

// -----

// A truth value takes a byte in memory, and is one bit where it is changed.
// CHECK: func.func private @{{.*}}_inside
// CHECK: scf.for
// CHECK-NOT: arith.extf
// CHECK: memref.load {{.*}} : memref<200xi8>
// CHECK: memref.store {{.*}} : memref<50xi8>
func.func @truth(%x: tensor<50xi1>, %i: tensor<200xi64>, %u: tensor<200xi1>) -> tensor<50xi1> {
  %y = nn.scatter_elements %x, %i, %u {axis = 0, kind = "set"}
      : (tensor<50xi1>, tensor<200xi64>, tensor<200xi1>) -> tensor<50xi1>
  return %y : tensor<50xi1>
}
