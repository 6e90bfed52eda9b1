// RUN: kumiko-opt %s --stage-fuse --stage-lower --stage-schedule | FileCheck %s

// Two queries of two keys are sums along the depth.
// CHECK-NOT: template = "attention"
// CHECK: func.func @few
func.func @few(%q: tensor<2x1x2x1000xf32>, %k: tensor<2x1x2x1000xf32>, %v: tensor<2x1x2x5xf32>) -> tensor<2x1x2x5xf32> {
  %r:5 = nn.attention %q, %k, %v {scale = 0.25, softcap = 0.0, acc = f32, soft = f32} : (tensor<2x1x2x1000xf32>, tensor<2x1x2x1000xf32>, tensor<2x1x2x5xf32>) -> (tensor<2x1x2x5xf32>, tensor<2x1x2x2xf32>, tensor<2x1x2x2xf32>, tensor<2x1x2x2xf32>, tensor<2x1x2x2xf32>)
  return %r#0 : tensor<2x1x2x5xf32>
}
