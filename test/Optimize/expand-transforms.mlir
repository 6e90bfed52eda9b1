// RUN: kumiko-opt %s --nn-expand-transforms --split-input-file --mlir-elide-elementsattrs-if-larger=8 | FileCheck %s

// Windows of real samples: one product for all of them. Only the samples that there are have rows in the table.
// CHECK-LABEL: func.func @windows
// CHECK-DAG: %[[W:.*]] = nn.constant dense_resource<{{.*}}> : tensor<400x514xf32>
// CHECK-DAG: %[[X:.*]] = nn.reshape %arg0 : tensor<98x400x1xf32> -> tensor<98x400xf32>
// CHECK: %[[Y:.*]] = nn.matmul %[[X]], %[[W]] : (tensor<98x400xf32>, tensor<400x514xf32>) -> tensor<98x514xf32>
// CHECK: nn.reshape %[[Y]] : tensor<98x514xf32> -> tensor<98x257x2xf32>
// CHECK-NOT: nn.dft
func.func @windows(%x: tensor<98x400x1xf32>) -> tensor<98x257x2xf32> {
  %y = nn.dft %x {axis = 1, n = 512, out = 257, inverse = false} : (tensor<98x400x1xf32>) -> tensor<98x257x2xf32>
  return %y : tensor<98x257x2xf32>
}

// -----

// The number of windows may be anything.
// CHECK-LABEL: func.func @open
// CHECK: nn.matmul {{.*}} (tensor<?x512xf32, #nn.extents<"t", 512>>, tensor<512x514xf32>)
func.func @open(%x: tensor<?x512x1xf32, #nn.extents<"t", 512, 1>>) -> tensor<?x257x2xf32, #nn.extents<"t", 257, 2>> {
  %y = nn.dft %x {axis = 1, n = 512, out = 257, inverse = false} : (tensor<?x512x1xf32, #nn.extents<"t", 512, 1>>) -> tensor<?x257x2xf32, #nn.extents<"t", 257, 2>>
  return %y : tensor<?x257x2xf32, #nn.extents<"t", 257, 2>>
}

// -----

// A long one in two steps: 2048 = 128 * 16.
// CHECK-LABEL: func.func @long
// CHECK: nn.matmul {{.*}} : (tensor<3x16x128xf32>, tensor<128x256xf32>) -> tensor<3x16x256xf32>
// CHECK: nn.matmul {{.*}} : (tensor<128x3x32xf32>, tensor<128x32x32xf32>) -> tensor<128x3x32xf32>
func.func @long(%x: tensor<3x2048x1xf32>) -> tensor<3x2048x2xf32> {
  %y = nn.dft %x {axis = 1, n = 2048, out = 2048, inverse = false} : (tensor<3x2048x1xf32>) -> tensor<3x2048x2xf32>
  return %y : tensor<3x2048x2xf32>
}

// -----

// Few products are summed in f64. The inverse divides by the length; another axis is moved there and back.
// CHECK-LABEL: func.func @few
// CHECK: nn.transpose
// CHECK: nn.matmul {{.*}} : (tensor<5x20xf64>, tensor<20x20xf64>) -> tensor<5x20xf64>
// CHECK: nn.mul
// CHECK: nn.transpose
// CHECK: nn.cast
func.func @few(%x: tensor<10x5x2xf32>) -> tensor<10x5x2xf32> {
  %y = nn.dft %x {axis = 0, n = 10, out = 10, inverse = true} : (tensor<10x5x2xf32>) -> tensor<10x5x2xf32>
  return %y : tensor<10x5x2xf32>
}

// -----

// A long prime stays, and so does a length that is not a number.
// CHECK-LABEL: func.func @keep
// CHECK: nn.dft
// CHECK: nn.dft
func.func @keep(%x: tensor<2x10007x1xf32>, %z: tensor<?x1xf32, #nn.extents<"t", 1>>) -> (tensor<2x10007x2xf32>, tensor<?x2xf32, #nn.extents<"t", 2>>) {
  %y = nn.dft %x {axis = 1, n = 10007, out = 10007, inverse = false} : (tensor<2x10007x1xf32>) -> tensor<2x10007x2xf32>
  %u = nn.dft %z {axis = 0, n = #nn.extent<"t">, out = #nn.extent<"t">, inverse = false} : (tensor<?x1xf32, #nn.extents<"t", 1>>) -> tensor<?x2xf32, #nn.extents<"t", 2>>
  return %y, %u : tensor<2x10007x2xf32>, tensor<?x2xf32, #nn.extents<"t", 2>>
}
