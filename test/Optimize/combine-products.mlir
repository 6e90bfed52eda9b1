// RUN: kumiko-opt %s --nn-combine-products --split-input-file | FileCheck %s

// Query, key and value, with heads: one product, and its heads in parts. The rows are open.
// CHECK-LABEL: func.func @heads
// CHECK-DAG: %[[W:.*]] = nn.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00, 5.000000e+00, 5.000000e+00], [3.000000e+00, 4.000000e+00, 5.000000e+00, 5.000000e+00]]> : tensor<2x4xf32>
// CHECK-DAG: %[[B:.*]] = nn.constant dense<[6.000000e+00, 6.000000e+00, 7.000000e+00, 7.000000e+00]> : tensor<4xf32>
// CHECK: %[[Y:.*]] = nn.matmul %arg0, %[[W]]
// CHECK-NEXT: %[[Z:.*]] = nn.add %[[Y]], %[[B]]
// CHECK-NEXT: %[[H:.*]] = nn.reshape %[[Z]] : {{.*}} -> tensor<?x4x1xf32
// CHECK-NEXT: %[[Q:.*]] = nn.slice %[[H]] {{.*}}start = array<i64: 0, 0, 0>
// CHECK-NEXT: %[[K:.*]] = nn.slice %[[H]] {{.*}}start = array<i64: 0, 2, 0>
// CHECK-NEXT: nn.transpose %[[Q]]
// CHECK-NEXT: nn.transpose %[[K]]
// CHECK-NEXT: return
func.func @heads(%x: tensor<?x2xf32, #nn.extents<"n", 2>>) -> (tensor<2x?x1xf32, #nn.extents<2, "n", 1>>, tensor<2x1x?xf32, #nn.extents<2, 1, "n">>) {
  %w = nn.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %v = nn.constant dense<5.0> : tensor<2x2xf32>
  %a = nn.constant dense<6.0> : tensor<2xf32>
  %b = nn.constant dense<7.0> : tensor<2xf32>
  %0 = nn.matmul %x, %w : (tensor<?x2xf32, #nn.extents<"n", 2>>, tensor<2x2xf32>) -> tensor<?x2xf32, #nn.extents<"n", 2>>
  %1 = nn.add %a, %0 : (tensor<2xf32>, tensor<?x2xf32, #nn.extents<"n", 2>>) -> tensor<?x2xf32, #nn.extents<"n", 2>>
  %2 = nn.reshape %1 : tensor<?x2xf32, #nn.extents<"n", 2>> -> tensor<?x2x1xf32, #nn.extents<"n", 2, 1>>
  %3 = nn.transpose %2 {perm = array<i64: 1, 0, 2>} : (tensor<?x2x1xf32, #nn.extents<"n", 2, 1>>) -> tensor<2x?x1xf32, #nn.extents<2, "n", 1>>
  %4 = nn.matmul %x, %v : (tensor<?x2xf32, #nn.extents<"n", 2>>, tensor<2x2xf32>) -> tensor<?x2xf32, #nn.extents<"n", 2>>
  %5 = nn.add %4, %b : (tensor<?x2xf32, #nn.extents<"n", 2>>, tensor<2xf32>) -> tensor<?x2xf32, #nn.extents<"n", 2>>
  %6 = nn.reshape %5 : tensor<?x2xf32, #nn.extents<"n", 2>> -> tensor<?x2x1xf32, #nn.extents<"n", 2, 1>>
  %7 = nn.transpose %6 {perm = array<i64: 1, 2, 0>} : (tensor<?x2x1xf32, #nn.extents<"n", 2, 1>>) -> tensor<2x1x?xf32, #nn.extents<2, 1, "n">>
  return %3, %7 : tensor<2x?x1xf32, #nn.extents<2, "n", 1>>, tensor<2x1x?xf32, #nn.extents<2, 1, "n">>
}

// -----

// Convolutions of one geometry with channels last, read by others.
// CHECK-LABEL: func.func @convolutions
// CHECK: %[[Y:.*]] = nn.conv %arg0, %{{.*}}, %{{.*}} -> tensor<1x4x4x5xf32>
// CHECK-NEXT: %[[A:.*]] = nn.slice %[[Y]] {out = array<i64: 1, 4, 4, 3>
// CHECK-NEXT: %[[B:.*]] = nn.slice %[[Y]] {out = array<i64: 1, 4, 4, 2>, start = array<i64: 0, 0, 0, 3>
// CHECK-NEXT: nn.conv %[[A]]
// CHECK-NEXT: nn.conv %[[B]]
func.func @convolutions(%x: tensor<1x4x4x2xf32>, %f: tensor<1x3x4x4xf32>, %g: tensor<1x2x4x4xf32>) -> (tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>) {
  %w = nn.constant dense<5.0> : tensor<3x2x1x1xf32>
  %v = nn.constant dense<6.0> : tensor<2x2x1x1xf32>
  %a = nn.constant dense<7.0> : tensor<3xf32>
  %b = nn.constant dense<8.0> : tensor<2xf32>
  %0 = nn.conv %x, %w, %a {channel = 3 : i64, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x4x4x2xf32>, tensor<3x2x1x1xf32>, tensor<3xf32>) -> tensor<1x4x4x3xf32>
  %1 = nn.conv %x, %v, %b {channel = 3 : i64, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x4x4x2xf32>, tensor<2x2x1x1xf32>, tensor<2xf32>) -> tensor<1x4x4x2xf32>
  %2 = nn.conv %0, %f {channel = 3 : i64, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x4x4x3xf32>, tensor<1x3x4x4xf32>) -> tensor<1x1x1x1xf32>
  %3 = nn.conv %1, %g {channel = 3 : i64, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x4x4x2xf32>, tensor<1x2x4x4xf32>) -> tensor<1x1x1x1xf32>
  return %2, %3 : tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>
}

// -----

// What rides on a product would be left behind, and a result wants memory of its own.
// CHECK-LABEL: func.func @refused
// CHECK-COUNT-3: nn.matmul
// CHECK-NOT: nn.slice
func.func @refused(%x: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
  %w = nn.constant dense<1.0> : tensor<2x2xf32>
  %v = nn.constant dense<2.0> : tensor<2x2xf32>
  %u = nn.constant dense<3.0> : tensor<2x2xf32>
  %0 = nn.matmul %x, %w : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  %1 = nn.matmul %x, %v : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  %2 = nn.matmul %x, %u : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  %3 = nn.relu %0 : tensor<4x2xf32>
  %4 = nn.relu %1 : tensor<4x2xf32>
  return %3, %4, %2 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
}

// -----

// Groups of a convolution are not columns that could stand beside others.
// CHECK-LABEL: func.func @groups
// CHECK-COUNT-2: group = 2
// CHECK-NOT: nn.slice
func.func @groups(%x: tensor<1x4x4x2xf32>, %f: tensor<1x2x4x4xf32>) -> (tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>) {
  %w = nn.constant dense<5.0> : tensor<2x1x1x1xf32>
  %v = nn.constant dense<6.0> : tensor<2x1x1x1xf32>
  %0 = nn.conv %x, %w {group = 2 : i64, channel = 3 : i64, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x4x4x2xf32>, tensor<2x1x1x1xf32>) -> tensor<1x4x4x2xf32>
  %1 = nn.conv %x, %v {group = 2 : i64, channel = 3 : i64, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x4x4x2xf32>, tensor<2x1x1x1xf32>) -> tensor<1x4x4x2xf32>
  %2 = nn.conv %0, %f {channel = 3 : i64, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x4x4x2xf32>, tensor<1x2x4x4xf32>) -> tensor<1x1x1x1xf32>
  %3 = nn.conv %1, %f {channel = 3 : i64, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, lo = array<i64: 0, 0>, hi = array<i64: 0, 0>} : (tensor<1x4x4x2xf32>, tensor<1x2x4x4xf32>) -> tensor<1x1x1x1xf32>
  return %2, %3 : tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>
}
