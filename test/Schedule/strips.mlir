// Scatters along an outer axis: which of them go by strips of columns.
// RUN: kumiko-opt %s --split-input-file --stage-fuse --stage-lower --stage-schedule | FileCheck %s

// Each column goes to rows of its own, of which all together are larger than a cache: strips of columns are changed in
// scratch.
// CHECK-LABEL: nn.kernel
// CHECK-SAME: chunks = 17
// CHECK-SAME: scratch_bytes = 262144
// CHECK-SAME: strip = 64
// CHECK-SAME: template = "scatter"
func.func @main(%x: tensor<1024x1024xf32>, %i: tensor<512x1024xi64>, %u: tensor<512x1024xf32>) -> tensor<1024x1024xf32> {
  %y = nn.scatter_elements %x, %i, %u {axis = 0, kind = "set"}
      : (tensor<1024x1024xf32>, tensor<512x1024xi64>, tensor<512x1024xf32>) -> tensor<1024x1024xf32>
  return %y : tensor<1024x1024xf32>
}

// -----

// Two dimensions that all tensors have side by side are as good as one.
// CHECK-LABEL: nn.kernel
// CHECK-SAME: chunks = 17
// CHECK-SAME: strip = 64
func.func @main(%x: tensor<1024x256x4xf32>, %i: tensor<512x256x4xi64>, %u: tensor<512x256x4xf32>) -> tensor<1024x256x4xf32> {
  %y = nn.scatter_elements %x, %i, %u {axis = 0, kind = "set"}
      : (tensor<1024x256x4xf32>, tensor<512x256x4xi64>, tensor<512x256x4xf32>) -> tensor<1024x256x4xf32>
  return %y : tensor<1024x256x4xf32>
}

// -----

// What stays in a cache is changed where it lies.
// CHECK-LABEL: nn.kernel
// CHECK-NOT: strip
// CHECK-SAME: template = "scatter"
func.func @main(%x: tensor<128x512xf32>, %i: tensor<512x512xi64>, %u: tensor<512x512xf32>) -> tensor<128x512xf32> {
  %y = nn.scatter_elements %x, %i, %u {axis = 0, kind = "set"}
      : (tensor<128x512xf32>, tensor<512x512xi64>, tensor<512x512xf32>) -> tensor<128x512xf32>
  return %y : tensor<128x512xf32>
}

// -----

// A point for many rows: they are copied as they lie, and all chunks look at the few points.
// CHECK-LABEL: nn.kernel
// CHECK-SAME: share_places
// CHECK-NOT: strip
// CHECK-SAME: template = "scatter"
func.func @main(%x: tensor<1024x1024xf32>, %i: tensor<2x1024xi64>, %u: tensor<2x1024xf32>) -> tensor<1024x1024xf32> {
  %y = nn.scatter_elements %x, %i, %u {axis = 0, kind = "set"}
      : (tensor<1024x1024xf32>, tensor<2x1024xi64>, tensor<2x1024xf32>) -> tensor<1024x1024xf32>
  return %y : tensor<1024x1024xf32>
}

// -----

// One for every 41 rows: what chunks look at, all points each, is still a small part of what they copy.
// CHECK-LABEL: nn.kernel
// CHECK-SAME: chunks = 4
// CHECK-SAME: share_places
// CHECK-NOT: strip
// CHECK-SAME: template = "scatter"
func.func @main(%x: tensor<2048x2048xf32>, %i: tensor<50x2048xi64>, %u: tensor<50x2048xf32>) -> tensor<2048x2048xf32> {
  %y = nn.scatter_elements %x, %i, %u {axis = 0, kind = "set"}
      : (tensor<2048x2048xf32>, tensor<50x2048xi64>, tensor<50x2048xf32>) -> tensor<2048x2048xf32>
  return %y : tensor<2048x2048xf32>
}

// -----

// Strips go past the caches where all of the result would still be in the last one.
// CHECK-LABEL: nn.kernel
// CHECK-SAME: past_caches
// CHECK-SAME: strip = 128
func.func @main(%x: tensor<2048x2004xf32>, %i: tensor<300x2004xi64>, %u: tensor<300x2004xf32>) -> tensor<2048x2004xf32> {
  %y = nn.scatter_elements %x, %i, %u {axis = 0, kind = "set"}
      : (tensor<2048x2004xf32>, tensor<300x2004xi64>, tensor<300x2004xf32>) -> tensor<2048x2004xf32>
  return %y : tensor<2048x2004xf32>
}

// -----

// Chunks that have all rows of their own copy them as they lie.
// CHECK-LABEL: nn.kernel
// CHECK-SAME: chunks = 4
// CHECK-NOT: strip
// CHECK-SAME: template = "scatter"
func.func @main(%x: tensor<4x2048x1024xf32>, %i: tensor<4x50x1024xi64>, %u: tensor<4x50x1024xf32>) -> tensor<4x2048x1024xf32> {
  %y = nn.scatter_elements %x, %i, %u {axis = 1, kind = "set"}
      : (tensor<4x2048x1024xf32>, tensor<4x50x1024xi64>, tensor<4x50x1024xf32>) -> tensor<4x2048x1024xf32>
  return %y : tensor<4x2048x1024xf32>
}

// -----

// Strips of so many rows would not stay in the cache: from twelve rows for each point on they are copied as they lie.
// CHECK-LABEL: nn.kernel
// CHECK-SAME: chunks = 2
// CHECK-SAME: share_places
// CHECK-NOT: strip
// CHECK-SAME: template = "scatter"
func.func @main(%x: tensor<8192x4096xf32>, %i: tensor<300x4096xi64>, %u: tensor<300x4096xf32>) -> tensor<8192x4096xf32> {
  %y = nn.scatter_elements %x, %i, %u {axis = 0, kind = "set"}
      : (tensor<8192x4096xf32>, tensor<300x4096xi64>, tensor<300x4096xf32>) -> tensor<8192x4096xf32>
  return %y : tensor<8192x4096xf32>
}

// -----

// Where there can be no strips, and columns are few, one chunk copies and changes all.
// CHECK-LABEL: nn.kernel
// CHECK-SAME: chunks = 1
// CHECK-NOT: strip
// CHECK-SAME: template = "scatter"
func.func @main(%x: tensor<20000x1024xf32>, %i: tensor<5000x1024xi64>, %u: tensor<5000x1024xf32>) -> tensor<20000x1024xf32> {
  %y = nn.scatter_elements %x, %i, %u {axis = 0, kind = "set"}
      : (tensor<20000x1024xf32>, tensor<5000x1024xi64>, tensor<5000x1024xf32>) -> tensor<20000x1024xf32>
  return %y : tensor<20000x1024xf32>
}

// -----

// A sum of f16 is made in f32 and converted by a kernel of its own; what pads the points stays with the scatter.
// CHECK-LABEL: nn.kernel
// CHECK: arith.truncf
// CHECK-LABEL: nn.kernel
// CHECK-SAME: template = "scatter"
// CHECK-COUNT-2: tensor.pad
func.func @main(%x: tensor<1024x1023xf16>, %i: tensor<1000x1001xi64>, %u: tensor<1000x1001xf16>) -> tensor<1024x1023xf16> {
  %y = nn.scatter_elements %x, %i, %u {axis = 0, kind = "+"}
      : (tensor<1024x1023xf16>, tensor<1000x1001xi64>, tensor<1000x1001xf16>) -> tensor<1024x1023xf16>
  return %y : tensor<1024x1023xf16>
}

// -----

// Columns that are read from rows of their own, all of which are larger than a cache, go by strips, too.
// CHECK-LABEL: nn.kernel
// CHECK-SAME: strip = 256
// CHECK-SAME: template = "points"
func.func @main(%x: tensor<2048x1024xf32>, %i: tensor<500x1024xi64>) -> tensor<500x1024xf32> {
  %y = nn.gather_elements %x, %i {axis = 0} : (tensor<2048x1024xf32>, tensor<500x1024xi64>) -> tensor<500x1024xf32>
  return %y : tensor<500x1024xf32>
}

// -----

// Rows that are read as they are do not.
// CHECK-LABEL: nn.kernel
// CHECK-NOT: strip
// CHECK-SAME: template = "points"
func.func @main(%x: tensor<2048x1024xf32>, %i: tensor<500xi64>) -> tensor<500x1024xf32> {
  %y = nn.gather %x, %i {axis = 0} : (tensor<2048x1024xf32>, tensor<500xi64>) -> tensor<500x1024xf32>
  return %y : tensor<500x1024xf32>
}

// -----

// Nor rows that a cache holds.
// CHECK-LABEL: nn.kernel
// CHECK-NOT: strip
// CHECK-SAME: template = "points"
func.func @main(%x: tensor<256x1024xf32>, %i: tensor<500x1024xi64>) -> tensor<500x1024xf32> {
  %y = nn.gather_elements %x, %i {axis = 0} : (tensor<256x1024xf32>, tensor<500x1024xi64>) -> tensor<500x1024xf32>
  return %y : tensor<500x1024xf32>
}
