// RUN: kumiko-opt %s --kumiko-form-kernels --split-input-file 2>/dev/null | FileCheck %s
// RUN: kumiko-opt %s --kumiko-form-kernels --split-input-file --remark-format=emitRemark --remarks-filter-missed=Fuse \
// RUN:   2>&1 >/dev/null | FileCheck %s --check-prefix=NO

// One graph at two sizes each: whether a merge pays is a matter of figures (Cost.h), and a "no" has them.

// Computing again: a gate that varies along the lanes is computed at each point. For few points that costs less than to
// start a kernel.
// CHECK-LABEL: func.func @gate_small
// CHECK-COUNT-1: nn.call
// CHECK-NEXT: return
func.func @gate_small(%x: tensor<4x16xf32>, %g: tensor<1x16xf32>) -> tensor<4x16xf32> {
  %0 = nn.sigmoid %g : tensor<1x16xf32>
  %1 = nn.mul %x, %0 : (tensor<4x16xf32>, tensor<1x16xf32>) -> tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}

// -----

// NO: it would save 2048 bytes, worth 464 vector operations, for 32256; 256 elements are computed at 16384 points, 16 operations each
// CHECK-LABEL: func.func @gate_large
// CHECK-COUNT-2: nn.call
func.func @gate_large(%x: tensor<64x256xf32>, %g: tensor<1x256xf32>) -> tensor<64x256xf32> {
  %0 = nn.sigmoid %g : tensor<1x256xf32>
  %1 = nn.mul %x, %0 : (tensor<64x256xf32>, tensor<1x256xf32>) -> tensor<64x256xf32>
  return %1 : tensor<64x256xf32>
}

// -----

// One number for a whole row is computed in front of the loop along it, so that more points do not matter.
// CHECK-LABEL: func.func @hoisted
// CHECK-COUNT-1: nn.call
// CHECK-NEXT: return
func.func @hoisted(%x: tensor<16x4096xf32>, %g: tensor<16x1xf32>) -> tensor<16x4096xf32> {
  %0 = nn.sigmoid %g : tensor<16x1xf32>
  %1 = nn.mul %x, %0 : (tensor<16x4096xf32>, tensor<16x1xf32>) -> tensor<16x4096xf32>
  return %1 : tensor<16x4096xf32>
}

// -----

// More rows do: each is a vector for one number.
// NO: 64 elements are computed at 64 starts of a loop, 16 operations each
// CHECK-LABEL: func.func @hoisted_often
// CHECK-COUNT-2: nn.call
func.func @hoisted_often(%x: tensor<64x16xf32>, %g: tensor<64x1xf32>) -> tensor<64x16xf32> {
  %0 = nn.sigmoid %g : tensor<64x1xf32>
  %1 = nn.mul %x, %0 : (tensor<64x16xf32>, tensor<64x1xf32>) -> tensor<64x16xf32>
  return %1 : tensor<64x16xf32>
}

// -----

// Sizes that are open must pay when they are large, too.
// NO: it would save {{.*}} elements are computed at {{.*}} points
// CHECK-LABEL: func.func @gate_open
// CHECK-COUNT-2: nn.call
func.func @gate_open(%x: tensor<?x16xf32, #nn.extents<"S", 16>>, %g: tensor<1x16xf32>) -> tensor<?x16xf32, #nn.extents<"S", 16>>
    attributes {nn.symbols = [{name = "S"}]} {
  %0 = nn.relu %g : tensor<1x16xf32>
  %1 = nn.mul %x, %0 : (tensor<?x16xf32, #nn.extents<"S", 16>>, tensor<1x16xf32>) -> tensor<?x16xf32, #nn.extents<"S", 16>>
  return %1 : tensor<?x16xf32, #nn.extents<"S", 16>>
}

// -----

// Windows read some elements again: a ReLU is computed as often, a border is asked for as often.
// NO: 4624 elements are computed at 36864 points, 9 operations each
// CHECK-LABEL: func.func @windows
// CHECK-COUNT-2: nn.call
func.func @windows(%x: tensor<1x32x32x4xf32>) -> tensor<1x32x32x4xf32> {
  %low = nn.constant dense<0xFF800000> : tensor<f32>
  %0 = nn.relu %x : tensor<1x32x32x4xf32>
  %1 = nn.pad %0, %low {hi = array<i64: 0, 1, 1, 0>, lo = array<i64: 0, 1, 1, 0>} : (tensor<1x32x32x4xf32>, tensor<f32>) -> tensor<1x34x34x4xf32>
  %y, %index = nn.max_pool %1 {channel = 3 : i64, dilation = array<i64: 1, 1>, hi = array<i64: 0, 0>, kernel = array<i64: 3, 3>, lo = array<i64: 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x34x34x4xf32>) -> (tensor<1x32x32x4xf32>, tensor<1x32x32x4xi64>)
  return %y : tensor<1x32x32x4xf32>
}

// -----

// Streams: twelve tensors are fetched ahead, more are in each other's way, unless they lie in the cache.
// CHECK-LABEL: func.func @streams_cached
// CHECK-COUNT-1: nn.call
// CHECK-NEXT: return
func.func @streams_cached(%a: tensor<1024xf32>, %b: tensor<1024xf32>, %c: tensor<1024xf32>, %d: tensor<1024xf32>, %e: tensor<1024xf32>, %f: tensor<1024xf32>, %g: tensor<1024xf32>, %h: tensor<1024xf32>, %i: tensor<1024xf32>, %j: tensor<1024xf32>, %k: tensor<1024xf32>, %l: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = nn.add %a, %b : tensor<1024xf32>
  %1 = nn.mul %0, %c : tensor<1024xf32>
  %2 = nn.add %1, %d : tensor<1024xf32>
  %3 = nn.mul %2, %e : tensor<1024xf32>
  %4 = nn.add %3, %f : tensor<1024xf32>
  %5 = nn.mul %4, %g : tensor<1024xf32>
  %6 = nn.add %5, %h : tensor<1024xf32>
  %7 = nn.mul %6, %i : tensor<1024xf32>
  %8 = nn.add %7, %j : tensor<1024xf32>
  %9 = nn.mul %8, %k : tensor<1024xf32>
  %10 = nn.add %9, %l : tensor<1024xf32>
  return %10 : tensor<1024xf32>
}

// -----

// NO: it would save 524288 bytes, worth {{[0-9]+}} vector operations, for {{[0-9]+}}; 13 tensors are walked along at once, at 65536 points
// CHECK-LABEL: func.func @streams
// CHECK-COUNT-2: nn.call
func.func @streams(%a: tensor<65536xf32>, %b: tensor<65536xf32>, %c: tensor<65536xf32>, %d: tensor<65536xf32>, %e: tensor<65536xf32>, %f: tensor<65536xf32>, %g: tensor<65536xf32>, %h: tensor<65536xf32>, %i: tensor<65536xf32>, %j: tensor<65536xf32>, %k: tensor<65536xf32>, %l: tensor<65536xf32>) -> tensor<65536xf32> {
  %0 = nn.add %a, %b : tensor<65536xf32>
  %1 = nn.mul %0, %c : tensor<65536xf32>
  %2 = nn.add %1, %d : tensor<65536xf32>
  %3 = nn.mul %2, %e : tensor<65536xf32>
  %4 = nn.add %3, %f : tensor<65536xf32>
  %5 = nn.mul %4, %g : tensor<65536xf32>
  %6 = nn.add %5, %h : tensor<65536xf32>
  %7 = nn.mul %6, %i : tensor<65536xf32>
  %8 = nn.add %7, %j : tensor<65536xf32>
  %9 = nn.mul %8, %k : tensor<65536xf32>
  %10 = nn.add %9, %l : tensor<65536xf32>
  return %10 : tensor<65536xf32>
}

// -----

// Cores and caches: two rows keep two cores busy. What that costs is less than to write the exponentials and to read
// them again, as long as a row of them stays in the cache until its sum is known.
// CHECK-LABEL: func.func @rows_cached
// CHECK-COUNT-1: nn.call
// CHECK-NEXT: return
func.func @rows_cached(%x: tensor<2x65536xf32>) -> tensor<2x65536xf32> {
  %0 = nn.exp %x : tensor<2x65536xf32>
  %1 = nn.reduce %0 {axes = array<i64: 1>, kind = "+"} : (tensor<2x65536xf32>) -> tensor<2xf32>
  %2 = nn.reshape %1 : tensor<2xf32> -> tensor<2x1xf32>
  %3 = nn.div %0, %2 : (tensor<2x65536xf32>, tensor<2x1xf32>) -> tensor<2x65536xf32>
  return %3 : tensor<2x65536xf32>
}

// -----

// NO: rows of 2097152 bytes in all leave the cache before they are read again; 2 rows keep only as many cores busy with 524288 elements, 9 operations each
// CHECK-LABEL: func.func @rows_long
// CHECK-COUNT-2: nn.call
func.func @rows_long(%x: tensor<2x262144xf32>) -> tensor<2x262144xf32> {
  %0 = nn.exp %x : tensor<2x262144xf32>
  %1 = nn.reduce %0 {axes = array<i64: 1>, kind = "+"} : (tensor<2x262144xf32>) -> tensor<2xf32>
  %2 = nn.reshape %1 : tensor<2xf32> -> tensor<2x1xf32>
  %3 = nn.div %0, %2 : (tensor<2x262144xf32>, tensor<2x1xf32>) -> tensor<2x262144xf32>
  return %3 : tensor<2x262144xf32>
}

// -----

// One row: only what is made of the maximum, which is one number, would stay in the kernel.
// NO: it would save 8 bytes, worth {{[0-9]+}} vector operations, for {{[0-9]+}}; 1 rows keep only as many cores busy with 131072 elements, 2 operations each
// CHECK-LABEL: func.func @one_row
// CHECK-COUNT-2: nn.call
func.func @one_row(%x: tensor<1x131072xf32>) -> tensor<1x131072xf32> {
  %0 = nn.reduce %x {axes = array<i64: 1>, kind = "max"} : (tensor<1x131072xf32>) -> tensor<1xf32>
  %1 = nn.reshape %0 : tensor<1xf32> -> tensor<1x1xf32>
  %2 = nn.sub %x, %1 : (tensor<1x131072xf32>, tensor<1x1xf32>) -> tensor<1x131072xf32>
  return %2 : tensor<1x131072xf32>
}

// -----

// Many rows keep all cores busy, however long they are.
// CHECK-LABEL: func.func @rows_many
// CHECK-COUNT-1: nn.call
// CHECK-NEXT: return
func.func @rows_many(%x: tensor<8x262144xf32>) -> tensor<8x262144xf32> {
  %0 = nn.exp %x : tensor<8x262144xf32>
  %1 = nn.reduce %0 {axes = array<i64: 1>, kind = "+"} : (tensor<8x262144xf32>) -> tensor<8xf32>
  %2 = nn.reshape %1 : tensor<8xf32> -> tensor<8x1xf32>
  %3 = nn.div %0, %2 : (tensor<8x262144xf32>, tensor<8x1xf32>) -> tensor<8x262144xf32>
  return %3 : tensor<8x262144xf32>
}
