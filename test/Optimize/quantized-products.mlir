// RUN: kumiko-opt %s --nn-quantized-products | FileCheck %s

// A product of dequantised tensors is a product of integers, scaled at the end.
// CHECK-LABEL: func.func @matmul
func.func @matmul(%a: tensor<2x3xui8>, %s: tensor<1x1xf32>, %z: tensor<1x1xui8>, %w: tensor<3x4xi8>, %t: tensor<1x4xf32>) -> tensor<2x4xf32> {
  // CHECK: %[[A:.*]] = nn.sub {{.*}} : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
  // CHECK: %[[P:.*]] = nn.matmul %[[A]], %{{.*}} -> tensor<2x4xi32>
  // CHECK: %[[S:.*]] = nn.mul %{{.*}}, %{{.*}} : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[F:.*]] = nn.cast %[[P]]
  // CHECK: nn.mul %[[F]], %[[S]]
  %0 = nn.dequantize %a, %s, %z {axis = 0, block = 2, to = f32} : (tensor<2x3xui8>, tensor<1x1xf32>, tensor<1x1xui8>) -> tensor<2x3xf32>
  %1 = nn.dequantize %w, %t {axis = 1, block = 1, to = f32} : (tensor<3x4xi8>, tensor<1x4xf32>) -> tensor<3x4xf32>
  %2 = nn.matmul %0, %1 : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// Scales that differ along the depth would have to be inside the sum.
// CHECK-LABEL: func.func @scales_along_depth
// CHECK: nn.matmul {{.*}} -> tensor<2x4xf32>
func.func @scales_along_depth(%a: tensor<2x3xui8>, %s: tensor<1x1xf32>, %w: tensor<3x4xi8>, %t: tensor<3x1xf32>) -> tensor<2x4xf32> {
  %0 = nn.dequantize %a, %s {axis = 0, block = 2, to = f32} : (tensor<2x3xui8>, tensor<1x1xf32>) -> tensor<2x3xf32>
  %1 = nn.dequantize %w, %t {axis = 0, block = 1, to = f32} : (tensor<3x4xi8>, tensor<3x1xf32>) -> tensor<3x4xf32>
  %2 = nn.matmul %0, %1 : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// Bytes move instead of floats, and quantising what was just dequantised is nothing.
// CHECK-LABEL: func.func @moves
func.func @moves(%x: tensor<1x2x4xui8>) -> tensor<1x4x2xui8> {
  // CHECK: %[[T:.*]] = nn.transpose %arg0 {{.*}} -> tensor<1x4x2xui8>
  // CHECK-NOT: nn.quantize
  // CHECK: return %[[T]]
  %s = nn.constant dense<0.5> : tensor<1x1x1xf32>
  %z = nn.constant dense<3> : tensor<1x1x1xui8>
  %0 = nn.dequantize %x, %s, %z {axis = 0, block = 1, to = f32} : (tensor<1x2x4xui8>, tensor<1x1x1xf32>, tensor<1x1x1xui8>) -> tensor<1x2x4xf32>
  %1 = nn.transpose %0 {perm = array<i64: 0, 2, 1>} : (tensor<1x2x4xf32>) -> tensor<1x4x2xf32>
  %2 = nn.quantize %1, %s, %z {axis = 0, block = 1, lo = 0.0 : f64, hi = 255.0 : f64, whole = true, acc = f32, to = ui8} : (tensor<1x4x2xf32>, tensor<1x1x1xf32>, tensor<1x1x1xui8>) -> tensor<1x4x2xui8>
  return %2 : tensor<1x4x2xui8>
}

// With another scale it means something.
// CHECK-LABEL: func.func @requantize
// CHECK: nn.quantize
func.func @requantize(%x: tensor<4xui8>) -> tensor<4xui8> {
  %s = nn.constant dense<0.5> : tensor<1xf32>
  %t = nn.constant dense<0.25> : tensor<1xf32>
  %0 = nn.dequantize %x, %s {axis = 0, block = 4, to = f32} : (tensor<4xui8>, tensor<1xf32>) -> tensor<4xf32>
  %1 = nn.quantize %0, %t {axis = 0, block = 4, lo = 0.0 : f64, hi = 255.0 : f64, whole = true, acc = f32, to = ui8} : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xui8>
  return %1 : tensor<4xui8>
}

// A scale may be negative: the largest integer is not the largest number then.
// CHECK-LABEL: func.func @pool
// CHECK: nn.max_pool {{.*}} : (tensor<1x1x4xf32>)
// CHECK: nn.max_pool {{.*}} : (tensor<1x1x4xui8>)
func.func @pool(%x: tensor<1x1x4xui8>, %s: tensor<1x1x1xf32>) -> (tensor<1x1x3xf32>, tensor<1x1x3xf32>) {
  %t = nn.constant dense<0.25> : tensor<1x1x1xf32>
  %0 = nn.dequantize %x, %s {axis = 0, block = 1, to = f32} : (tensor<1x1x4xui8>, tensor<1x1x1xf32>) -> tensor<1x1x4xf32>
  %1, %2 = nn.max_pool %0 {kernel = array<i64: 2>, stride = array<i64: 1>, dilation = array<i64: 1>, lo = array<i64: 0>, hi = array<i64: 0>} : (tensor<1x1x4xf32>) -> (tensor<1x1x3xf32>, tensor<1x1x3xi64>)
  %3 = nn.dequantize %x, %t {axis = 0, block = 1, to = f32} : (tensor<1x1x4xui8>, tensor<1x1x1xf32>) -> tensor<1x1x4xf32>
  %4, %5 = nn.max_pool %3 {kernel = array<i64: 2>, stride = array<i64: 1>, dilation = array<i64: 1>, lo = array<i64: 0>, hi = array<i64: 0>} : (tensor<1x1x4xf32>) -> (tensor<1x1x3xf32>, tensor<1x1x3xi64>)
  return %1, %4 : tensor<1x1x3xf32>, tensor<1x1x3xf32>
}

// Parameters that broadcast the tensor to a higher rank stay where they are.
// CHECK-LABEL: @broadcast_parameters
func.func @broadcast_parameters(%x: tensor<3x2x3xi8>, %s: tensor<1x3x2x3xf32>) -> tensor<1x2x3x3xf32> {
  // CHECK: nn.dequantize
  // CHECK-NEXT: nn.transpose
  %0 = nn.dequantize %x, %s {axis = 3, block = 3, to = f32} : (tensor<3x2x3xi8>, tensor<1x3x2x3xf32>) -> tensor<1x3x2x3xf32>
  %1 = nn.transpose %0 {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x3x2x3xf32>) -> tensor<1x2x3x3xf32>
  return %1 : tensor<1x2x3x3xf32>
}

// Scales go with the dimension that they belong to, so that the product finds them along its columns.
// CHECK-LABEL: func.func @transposed_weights
// CHECK: nn.matmul {{.*}} -> tensor<2x4xi32>
func.func @transposed_weights(%a: tensor<2x3xui8>, %s: tensor<1x1xf32>, %w: tensor<4x3xi8>, %t: tensor<4x1xf32>) -> tensor<2x4xf32> {
  %0 = nn.dequantize %a, %s {axis = 0, block = 2, to = f32} : (tensor<2x3xui8>, tensor<1x1xf32>) -> tensor<2x3xf32>
  %1 = nn.dequantize %w, %t {axis = 0, block = 1, to = f32} : (tensor<4x3xi8>, tensor<4x1xf32>) -> tensor<4x3xf32>
  %2 = nn.transpose %1 {perm = array<i64: 1, 0>} : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %3 = nn.matmul %0, %2 : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %3 : tensor<2x4xf32>
}

// So do blocks of them.
// CHECK-LABEL: func.func @transposed_blocks
// CHECK: %[[X:.*]] = nn.transpose %arg0 {{.*}} -> tensor<4x3xi8>
// CHECK: %[[S:.*]] = nn.transpose %arg1 {{.*}} -> tensor<2x3xf32>
// CHECK: nn.dequantize %[[X]], %[[S]] {axis = 0 : i64, block = 2
func.func @transposed_blocks(%w: tensor<3x4xi8>, %t: tensor<3x2xf32>) -> tensor<4x3xf32> {
  %0 = nn.dequantize %w, %t {axis = 1, block = 2, to = f32} : (tensor<3x4xi8>, tensor<3x2xf32>) -> tensor<3x4xf32>
  %1 = nn.transpose %0 {perm = array<i64: 1, 0>} : (tensor<3x4xf32>) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}

// Parts with the same parameters are joined as bytes; a part with another scale or zero point keeps its own.
// CHECK-LABEL: func.func @parts
// CHECK: nn.concat {{.*}} -> tensor<8xui8>
// CHECK: nn.concat {{.*}} -> tensor<8xf32>
// CHECK: nn.concat {{.*}} -> tensor<8xf32>
func.func @parts(%x: tensor<4xui8>, %y: tensor<4xui8>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %s = nn.constant dense<0.5> : tensor<1xf32>
  %t = nn.constant dense<0.25> : tensor<1xf32>
  %z = nn.constant dense<3> : tensor<1xui8>
  %0 = nn.dequantize %x, %s {axis = 0, block = 4, to = f32} : (tensor<4xui8>, tensor<1xf32>) -> tensor<4xf32>
  %1 = nn.dequantize %y, %s {axis = 0, block = 4, to = f32} : (tensor<4xui8>, tensor<1xf32>) -> tensor<4xf32>
  %2 = nn.dequantize %y, %t {axis = 0, block = 4, to = f32} : (tensor<4xui8>, tensor<1xf32>) -> tensor<4xf32>
  %3 = nn.dequantize %y, %s, %z {axis = 0, block = 4, to = f32} : (tensor<4xui8>, tensor<1xf32>, tensor<1xui8>) -> tensor<4xf32>
  %4 = nn.concat %0, %1 {axis = 0} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %5 = nn.concat %0, %2 {axis = 0} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %6 = nn.concat %0, %3 {axis = 0} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %4, %5, %6 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
