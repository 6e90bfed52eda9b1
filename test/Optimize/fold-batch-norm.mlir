// RUN: kumiko-opt %s --nn-fold-batch-norm --canonicalize | FileCheck %s

// scale / sqrt(var + eps) = 2, bias - mean * 2 = -1: weights double, the bias appears.
// CHECK-LABEL: func.func @conv_then_norm
func.func @conv_then_norm(%x: tensor<1x2x4x4xf32>) -> tensor<1x3x4x4xf32> {
  // CHECK-DAG: %[[W:.*]] = nn.constant dense<6.000000e+00> : tensor<3x2x1x1xf32>
  // CHECK-DAG: %[[B:.*]] = nn.constant dense<-1.000000e+00> : tensor<3xf32>
  // CHECK: %[[Y:.*]] = nn.conv %{{.*}}, %[[W]], %[[B]]
  // CHECK-NEXT: return %[[Y]]
  %w = nn.constant dense<3.0> : tensor<3x2x1x1xf32>
  %scale = nn.constant dense<4.0> : tensor<3xf32>
  %one = nn.constant dense<1.0> : tensor<3xf32>
  %var = nn.constant dense<3.5> : tensor<3xf32>
  %0 = nn.conv %x, %w {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x4x4xf32>
  %1 = nn.batch_norm %0, %scale, %one, %one, %var {eps = 0.5} : (tensor<1x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<1x3x4x4xf32>
  return %1 : tensor<1x3x4x4xf32>
}

// A bias that is there already is scaled too; a multiplication and an addition per channel are the same thing.
// CHECK-LABEL: func.func @conv_then_scale_and_shift
func.func @conv_then_scale_and_shift(%x: tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32> {
  // CHECK-DAG: %[[W:.*]] = nn.constant dense<{{\[\[\[\[1.0.*\]\]\]}}, {{\[\[\[2.0.*\]\]\]\]}}> : tensor<2x1x1x1xf32>
  // CHECK-DAG: %[[B:.*]] = nn.constant dense<[1.500000e+01, 2.500000e+01]> : tensor<2xf32>
  // CHECK: %[[Y:.*]] = nn.conv %{{.*}}, %[[W]], %[[B]]
  // CHECK-NEXT: return %[[Y]]
  %w = nn.constant dense<1.0> : tensor<2x1x1x1xf32>
  %b = nn.constant dense<10.0> : tensor<2xf32>
  %m = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %a = nn.constant dense<5.0> : tensor<f32>
  %0 = nn.conv %x, %w, %b {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>, group = 2, channel = 3} : (tensor<1x4x4x2xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>) -> tensor<1x4x4x2xf32>
  %1 = nn.mul %0, %m : (tensor<1x4x4x2xf32>, tensor<2xf32>) -> tensor<1x4x4x2xf32>
  %2 = nn.add %1, %a : (tensor<1x4x4x2xf32>, tensor<f32>) -> tensor<1x4x4x2xf32>
  return %2 : tensor<1x4x4x2xf32>
}

// A matrix product has columns to scale and no place for a bias.
// CHECK-LABEL: func.func @matmul_then_scale
func.func @matmul_then_scale(%x: tensor<4x3xf32>) -> tensor<4x2xf32> {
  // CHECK: %[[W:.*]] = nn.constant dense<{{.*}}1.000000e+00, 2.000000e+00{{.*}}> : tensor<3x2xf32>
  // CHECK: %[[Y:.*]] = nn.matmul %{{.*}}, %[[W]]
  // CHECK-NEXT: nn.add %[[Y]]
  %w = nn.constant dense<1.0> : tensor<3x2xf32>
  %m = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = nn.matmul %x, %w : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  %1 = nn.mul %0, %m : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %2 = nn.add %1, %m : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}

// Without a convolution above, a normalisation is a multiplication and an addition.
// CHECK-LABEL: func.func @norm_alone
func.func @norm_alone(%x: tensor<1x3x4xf32>) -> tensor<1x3x4xf32> {
  // CHECK-DAG: %[[A:.*]] = nn.constant dense<2.000000e+00> : tensor<3x1xf32>
  // CHECK-DAG: %[[B:.*]] = nn.constant dense<-1.000000e+00> : tensor<3x1xf32>
  // CHECK: %[[M:.*]] = nn.mul %{{.*}}, %[[A]]
  // CHECK: nn.add %[[M]], %[[B]]
  %scale = nn.constant dense<4.0> : tensor<3xf32>
  %one = nn.constant dense<1.0> : tensor<3xf32>
  %var = nn.constant dense<3.5> : tensor<3xf32>
  %1 = nn.batch_norm %x, %scale, %one, %one, %var {eps = 0.5} : (tensor<1x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<1x3x4xf32>
  return %1 : tensor<1x3x4xf32>
}

// The product of narrow floats stays wide until the mean is taken off, which can be much larger than the result.
// CHECK-LABEL: func.func @narrow_norm_alone
func.func @narrow_norm_alone(%x: tensor<1x3x4xbf16>) -> tensor<1x3x4xbf16> {
  // CHECK: %[[X:.*]] = nn.cast %{{.*}} : (tensor<1x3x4xbf16>) -> tensor<1x3x4xf32>
  // CHECK: %[[M:.*]] = nn.mul %[[X]], %{{.*}} : {{.*}} -> tensor<1x3x4xf32>
  // CHECK: %[[S:.*]] = nn.add %[[M]], %{{.*}} : {{.*}} -> tensor<1x3x4xf32>
  // CHECK: nn.cast %[[S]] {{.*}} -> tensor<1x3x4xbf16>
  %scale = nn.constant dense<4.0> : tensor<3xbf16>
  %one = nn.constant dense<1.0> : tensor<3xbf16>
  %mean = nn.constant dense<1000.0> : tensor<3xf32>
  %var = nn.constant dense<3.5> : tensor<3xf32>
  %1 = nn.batch_norm %x, %scale, %one, %mean, %var {eps = 0.5} : (tensor<1x3x4xbf16>, tensor<3xbf16>, tensor<3xbf16>, tensor<3xf32>, tensor<3xf32>) -> tensor<1x3x4xbf16>
  return %1 : tensor<1x3x4xbf16>
}

// Another reader of the convolution would see scaled values; statistics that are not constant are not known; a scale
// along rows is no scale of columns.
// CHECK-LABEL: func.func @keep
func.func @keep(%x: tensor<1x2x4xf32>, %var: tensor<3xf32>, %a: tensor<3x3xf32>) -> (tensor<1x3x4xf32>, tensor<1x3x4xf32>, tensor<1x3x4xf32>, tensor<3x2xf32>) {
  // CHECK: nn.conv %arg0, %{{[^,]*}} {
  // CHECK: nn.mul
  // CHECK: nn.batch_norm
  // CHECK: nn.matmul
  // CHECK: nn.mul
  %w = nn.constant dense<3.0> : tensor<3x2x1xf32>
  %m = nn.constant dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32>
  %one = nn.constant dense<1.0> : tensor<3xf32>
  %0 = nn.conv %x, %w {stride = array<i64: 1>, dilation = array<i64: 1>, lo = array<i64: 0>, hi = array<i64: 0>} : (tensor<1x2x4xf32>, tensor<3x2x1xf32>) -> tensor<1x3x4xf32>
  %1 = nn.mul %0, %m : (tensor<1x3x4xf32>, tensor<3x1xf32>) -> tensor<1x3x4xf32>
  %2 = nn.batch_norm %1, %one, %one, %one, %var {eps = 0.5} : (tensor<1x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<1x3x4xf32>
  %v = nn.constant dense<3.0> : tensor<3x2xf32>
  %3 = nn.matmul %a, %v : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %4 = nn.mul %3, %m : (tensor<3x2xf32>, tensor<3x1xf32>) -> tensor<3x2xf32>
  return %0, %1, %2, %4 : tensor<1x3x4xf32>, tensor<1x3x4xf32>, tensor<1x3x4xf32>, tensor<3x2xf32>
}

// A factor before a convolution goes into its weights, padding or not: zeros stay zeros.
// CHECK-LABEL: func.func @scale_before
// CHECK: nn.constant dense<{{\[\[\[}}2.000000e+00], [1.500000e+01]]]> : tensor<1x2x1xf32>
// CHECK-NOT: nn.mul
// CHECK: nn.conv %arg0
func.func @scale_before(%x: tensor<1x2x4xf32>) -> tensor<1x1x6xf32> {
  %s = nn.constant dense<[[2.0], [5.0]]> : tensor<2x1xf32>
  %w = nn.constant dense<[[[1.0], [3.0]]]> : tensor<1x2x1xf32>
  %0 = nn.mul %x, %s : (tensor<1x2x4xf32>, tensor<2x1xf32>) -> tensor<1x2x4xf32>
  %1 = nn.conv %0, %w {stride = array<i64: 1>, dilation = array<i64: 1>, lo = array<i64: 1>, hi = array<i64: 1>} : (tensor<1x2x4xf32>, tensor<1x2x1xf32>) -> tensor<1x1x6xf32>
  return %1 : tensor<1x1x6xf32>
}

// One factor of all, before a product of matrices; a factor per row is no factor of the weights.
// CHECK-LABEL: func.func @scale_of_all
// CHECK-NOT: nn.mul
// CHECK: nn.matmul %arg0
// CHECK: nn.mul
// CHECK: nn.matmul
func.func @scale_of_all(%x: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  %s = nn.constant dense<2.0> : tensor<f32>
  %r = nn.constant dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32>
  %w = nn.constant dense<[[1.0, 3.0], [4.0, 5.0]]> : tensor<2x2xf32>
  %0 = nn.mul %x, %s : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  %1 = nn.matmul %0, %w : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %2 = nn.mul %x, %r : (tensor<3x2xf32>, tensor<3x1xf32>) -> tensor<3x2xf32>
  %3 = nn.matmul %2, %w : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  return %1, %3 : tensor<3x2xf32>, tensor<3x2xf32>
}
