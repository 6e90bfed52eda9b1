// RUN: kumiko-opt %s --split-input-file --verify-diagnostics

func.func @topk_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{axis 1 is outside the 1 dimensions}}
  %0, %1 = nn.topk %x {axis = 1, k = 1, largest = true} : (tensor<4xf32>) -> (tensor<1xf32>, tensor<1xi64>)
  return
}

// -----

func.func @topk_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{5 of 4 elements are asked for}}
  %0, %1 = nn.topk %x {axis = 0, k = 5, largest = true} : (tensor<4xf32>) -> (tensor<5xf32>, tensor<5xi64>)
  return
}

// -----

func.func @topk_result(%x: tensor<4xf32>) {
  // expected-error@+1 {{result 1 is 'tensor<2xi32>', expected 'tensor<2xi64>'}}
  %0, %1 = nn.topk %x {axis = 0, k = 2, largest = true} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  return
}

// -----

func.func @unique_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{axis -1 is outside}}
  %0, %1, %2, %3 = nn.unique %x {axis = -1, sorted = true} : (tensor<4xf32>) -> (tensor<?xf32>, tensor<?xi64>, tensor<4xi64>, tensor<?xi64>)
  return
}

// -----

func.func @nms_c1(%b: tensor<1x6x3xf32>, %s: tensor<1x1x6xf32>) {
  // expected-error@+1 {{expected batch x boxes x 4}}
  %0 = nn.nms %b, %s {limit = 3, iou = 0.5, threshold = 0.0, centered = false} : (tensor<1x6x3xf32>, tensor<1x1x6xf32>) -> tensor<?x3xi64>
  return
}

// -----

func.func @nms_c2(%b: tensor<1x6x4xf32>, %s: tensor<1x1x5xf32>) {
  // expected-error@+1 {{expected batch x classes x boxes}}
  %0 = nn.nms %b, %s {limit = 3, iou = 0.5, threshold = 0.0, centered = false} : (tensor<1x6x4xf32>, tensor<1x1x5xf32>) -> tensor<?x3xi64>
  return
}

// -----

func.func @det_c1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{does not end in square matrices}}
  %0 = nn.det %x : (tensor<2x3xf32>) -> tensor<f32>
  return
}

// -----

func.func @roi_align_c1(%x: tensor<3x8x8xf32>, %r: tensor<5x4xf32>, %b: tensor<5xi64>) {
  // expected-error@+1 {{expected batch x channels x height x width}}
  %0 = nn.roi_align %x, %r, %b {height = 2, width = 2, sampling = 0, scale = 1.0, half_pixel = true, mode = "avg"} : (tensor<3x8x8xf32>, tensor<5x4xf32>, tensor<5xi64>) -> tensor<5x3x2x2xf32>
  return
}

// -----

func.func @roi_align_c2(%x: tensor<1x3x8x8xf32>, %r: tensor<5x5xf32>, %b: tensor<5xi64>) {
  // expected-error@+1 {{expected 4 numbers each}}
  %0 = nn.roi_align %x, %r, %b {height = 2, width = 2, sampling = 0, scale = 1.0, half_pixel = true, mode = "avg"} : (tensor<1x3x8x8xf32>, tensor<5x5xf32>, tensor<5xi64>) -> tensor<5x3x2x2xf32>
  return
}

// -----

func.func @roi_align_c2_images(%x: tensor<1x3x8x8xf32>, %r: tensor<5x4xf32>, %b: tensor<4xi64>) {
  // expected-error@+1 {{expected one integer for each region}}
  %0 = nn.roi_align %x, %r, %b {height = 2, width = 2, sampling = 0, scale = 1.0, half_pixel = true, mode = "avg"} : (tensor<1x3x8x8xf32>, tensor<5x4xf32>, tensor<4xi64>) -> tensor<5x3x2x2xf32>
  return
}

// -----

func.func @roi_align_c2_floats(%x: tensor<1x3x8x8xf32>, %r: tensor<5x4xf32>, %b: tensor<5xf32>) {
  // expected-error@+1 {{expected one integer for each region}}
  %0 = nn.roi_align %x, %r, %b {height = 2, width = 2, sampling = 0, scale = 1.0, half_pixel = true, mode = "avg"} : (tensor<1x3x8x8xf32>, tensor<5x4xf32>, tensor<5xf32>) -> tensor<5x3x2x2xf32>
  return
}

// -----

func.func @roi_align_c3(%x: tensor<1x3x8x8xf32>, %r: tensor<5x4xf32>, %b: tensor<5xi64>) {
  // expected-error@+1 {{bins of 0 x 2}}
  %0 = nn.roi_align %x, %r, %b {height = 0, width = 2, sampling = 0, scale = 1.0, half_pixel = true, mode = "avg"} : (tensor<1x3x8x8xf32>, tensor<5x4xf32>, tensor<5xi64>) -> tensor<5x3x2x2xf32>
  return
}

// -----

func.func @roi_align_c3_samples(%x: tensor<1x3x8x8xf32>, %r: tensor<5x4xf32>, %b: tensor<5xi64>) {
  // expected-error@+1 {{the number of samples is negative}}
  %0 = nn.roi_align %x, %r, %b {height = 2, width = 2, sampling = -1, scale = 1.0, half_pixel = true, mode = "avg"} : (tensor<1x3x8x8xf32>, tensor<5x4xf32>, tensor<5xi64>) -> tensor<5x3x2x2xf32>
  return
}

// -----

func.func @roi_align_c4(%x: tensor<1x3x8x8xf32>, %r: tensor<5x4xf32>, %b: tensor<5xi64>) {
  // expected-error@+1 {{mode is "min", expected avg or max}}
  %0 = nn.roi_align %x, %r, %b {height = 2, width = 2, sampling = 0, scale = 1.0, half_pixel = true, mode = "min"} : (tensor<1x3x8x8xf32>, tensor<5x4xf32>, tensor<5xi64>) -> tensor<5x3x2x2xf32>
  return
}

// -----

func.func @max_roi_pool_c1(%x: tensor<3x8x8xf32>, %r: tensor<5x5xf32>) {
  // expected-error@+1 {{expected batch x channels x height x width}}
  %0 = nn.max_roi_pool %x, %r {height = 2, width = 2, scale = 1.0} : (tensor<3x8x8xf32>, tensor<5x5xf32>) -> tensor<5x3x2x2xf32>
  return
}

// -----

func.func @max_roi_pool_c2(%x: tensor<1x3x8x8xf32>, %r: tensor<5x4xf32>) {
  // expected-error@+1 {{expected 5 numbers each}}
  %0 = nn.max_roi_pool %x, %r {height = 2, width = 2, scale = 1.0} : (tensor<1x3x8x8xf32>, tensor<5x4xf32>) -> tensor<5x3x2x2xf32>
  return
}

// -----

func.func @max_roi_pool_c3(%x: tensor<1x3x8x8xf32>, %r: tensor<5x5xf32>) {
  // expected-error@+1 {{bins of 0 x 2}}
  %0 = nn.max_roi_pool %x, %r {height = 0, width = 2, scale = 1.0} : (tensor<1x3x8x8xf32>, tensor<5x5xf32>) -> tensor<5x3x2x2xf32>
  return
}

// -----

func.func @ngram_count_c1(%x: tensor<7xi64>) {
  // expected-error@+1 {{is not of integers in two dimensions}}
  %0 = nn.ngram_count %x {pool = array<i64: 2, 3>, starts = array<i64: 0>, columns = array<i64: 0, 1>, shortest = 1, longest = 2, skips = 0} : (tensor<7xi64>) -> tensor<1x2xf32>
  return
}

// -----

func.func @ngram_count_c2(%x: tensor<1x7xi64>) {
  // expected-error@+1 {{the pool does not divide into 2 n-grams}}
  %0 = nn.ngram_count %x {pool = array<i64: 2, 3>, starts = array<i64: 0, 1>, columns = array<i64: 0, 1>, shortest = 1, longest = 2, skips = 0} : (tensor<1x7xi64>) -> tensor<1x2xf32>
  return
}

// -----

func.func @ngram_count_c3(%x: tensor<1x7xi64>) {
  // expected-error@+1 {{columns are missing or negative}}
  %0 = nn.ngram_count %x {pool = array<i64: 2, 3>, starts = array<i64: 0>, columns = array<i64: 0, -1>, shortest = 1, longest = 2, skips = 0} : (tensor<1x7xi64>) -> tensor<1x2xf32>
  return
}

// -----

func.func @random_bits_c1() {
  // expected-error@+1 {{the shape has a negative number}}
  %0 = nn.random_bits {shape = array<i64: -1>, key = 7} : () -> tensor<?xui32>
  return
}
