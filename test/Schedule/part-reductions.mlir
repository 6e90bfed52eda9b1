// RUN: kumiko-opt %s --kumiko-part-reductions | FileCheck %s
// RUN: kumiko-opt %s --kumiko-part-reductions --kumiko-split-kernels --kumiko-schedule-kernels | FileCheck %s --check-prefix=CUT

#all = affine_map<(i, j) -> (i, j)>
#none = affine_map<(i, j) -> ()>
#rows = affine_map<(i, j) -> (i)>
#columns = affine_map<(i, j) -> (j)>

// A sum of all there is: sixteen parts, and the sum of these.
// CHECK-LABEL: nn.kernel @whole
// CHECK: %[[PARTS:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2]] {{.*}} into tensor<16x64x1024xf32>
// CHECK: %[[SUMS:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "reduction"]} ins(%[[PARTS]]
// CHECK: -> tensor<16xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%[[SUMS]] : tensor<16xf32>)
// The parts are elements of a kernel of their own, which chunks share.
// CUT: nn.kernel @{{.*}} -> tensor<16xf32> attributes {schedule = {chunks = {{[1-9][0-9]}} : i64
nn.kernel @whole(%x: tensor<1024x1024xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %y = linalg.generic {indexing_maps = [#all, #none], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<1024x1024xf32>) outs(%init : tensor<f32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  nn.yield %y : tensor<f32>
}

// Rows that no number of parts divides: the last row is left over, and goes on from the sum of the others.
// CHECK-LABEL: nn.kernel @left_over
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [30002, 9] [1, 1]
// CHECK: into tensor<14x2143x9xf32>
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
// CHECK: arith.maximumf
// CHECK: %[[REST:.*]] = tensor.extract_slice %{{.*}}[30002, 0] [1, 9] [1, 1]
// CHECK: linalg.generic {{.*}} ins(%[[REST]] : tensor<1x9xf32>) outs(%[[SUM]] : tensor<9xf32>)
nn.kernel @left_over(%x: tensor<30003x9xf32>) -> tensor<9xf32> {
  %least = arith.constant 0xFF800000 : f32
  %empty = tensor.empty() : tensor<9xf32>
  %init = linalg.fill ins(%least : f32) outs(%empty : tensor<9xf32>) -> tensor<9xf32>
  %y = linalg.generic {indexing_maps = [#all, #columns], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<30003x9xf32>) outs(%init : tensor<9xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.maximumf %o, %p : f32
    linalg.yield %0 : f32
  } -> tensor<9xf32>
  nn.yield %y : tensor<9xf32>
}

// A sum of what another op reads, too, as in softmax: parts compute it for themselves, so that they are rows.
// CHECK-LABEL: nn.kernel @one_row
// CHECK: tensor.expand_shape %arg0 {{.*}} into tensor<16x65536xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
// CHECK-NEXT: ^bb0
// CHECK-NEXT: math.exp
// CHECK-NEXT: arith.addf
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%{{.*}} : tensor<16xf32>)
// CHECK: arith.divf
nn.kernel @one_row(%x: tensor<1048576xf32>) -> tensor<1048576xf32> {
  %zero = arith.constant 0.0 : f32
  %row = tensor.empty() : tensor<1048576xf32>
  %e = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<1048576xf32>) outs(%row : tensor<1048576xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = math.exp %p : f32
    linalg.yield %0 : f32
  } -> tensor<1048576xf32>
  %empty = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%e : tensor<1048576xf32>) outs(%init : tensor<f32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%e, %s : tensor<1048576xf32>, tensor<f32>) outs(%row : tensor<1048576xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.divf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<1048576xf32>
  nn.yield %y : tensor<1048576xf32>
}

// The largest element and its number: of each part, counted from its first element; the number of the first one is added
// where parts are compared. Of what is left over it is added at once.
// CHECK-LABEL: nn.kernel @largest
// CHECK: } -> (tensor<14xf32>, tensor<14xi64>)
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]}
// CHECK: %[[PART:.*]] = linalg.index 0
// CHECK: arith.muli %[[PART]], %c21429
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]}
// CHECK: %[[NUMBER:.*]] = linalg.index 0
// CHECK: arith.addi %[[NUMBER]], %c300006
nn.kernel @largest(%x: tensor<300007xf32>) -> tensor<i64> {
  %least = arith.constant 0xFF800000 : f32
  %none = arith.constant -9223372036854775808 : i64
  %0 = tensor.empty() : tensor<f32>
  %1 = linalg.fill ins(%least : f32) outs(%0 : tensor<f32>) -> tensor<f32>
  %2 = tensor.empty() : tensor<i64>
  %3 = linalg.fill ins(%none : i64) outs(%2 : tensor<i64>) -> tensor<i64>
  %4:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<300007xf32>) outs(%1, %3 : tensor<f32>, tensor<i64>) {
  ^bb0(%p: f32, %v: f32, %n: i64):
    %i = linalg.index 0 : index
    %number = arith.index_cast %i : index to i64
    %larger = arith.cmpf ugt, %p, %v : f32
    %first = arith.cmpi eq, %n, %none : i64
    %takes = arith.ori %larger, %first : i1
    %value = arith.select %takes, %p, %v : f32
    %place = arith.select %takes, %number, %n : i64
    linalg.yield %value, %place : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  nn.yield %4#1 : tensor<i64>
}

// Rows enough for chunks; too few points; an order that is part of the result.
// CHECK-LABEL: nn.kernel @rows
// CHECK-NOT: tensor.expand_shape
nn.kernel @rows(%x: tensor<4x262144xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x262144xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  nn.yield %y : tensor<4xf32>
}
// CHECK-LABEL: nn.kernel @few
// CHECK-NOT: tensor.expand_shape
nn.kernel @few(%x: tensor<100x100xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %y = linalg.generic {indexing_maps = [#all, #none], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<100x100xf32>) outs(%init : tensor<f32>) {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  nn.yield %y : tensor<f32>
}
// CHECK-LABEL: nn.kernel @in_order
// CHECK-NOT: tensor.expand_shape
nn.kernel @in_order(%x: tensor<1024x1024xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %y = linalg.generic {indexing_maps = [#all, #none], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<1024x1024xf32>) outs(%init : tensor<f32>) attrs = {exact} {
  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %o, %p : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  nn.yield %y : tensor<f32>
}

func.func @main(%x: tensor<1024x1024xf32>) -> tensor<f32> {
  %0 = nn.call @whole(%x) : (tensor<1024x1024xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
