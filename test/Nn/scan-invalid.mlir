// RUN: kumiko-opt %s --split-input-file --verify-diagnostics

func.func @scan_c1_none(%h: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{has no sequence}}
  %y = nn.scan states(%h) over() : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%s: tensor<2xf32>):
    nn.yield %s : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}

// -----

func.func @scan_c1_rank(%x: tensor<f32>) {
  // expected-error@+1 {{sequence 0 has no dimension to take apart: 'tensor<f32>'}}
  nn.scan states() over(%x) : (tensor<f32>) -> () {
  ^bb0(%i: tensor<f32>):
    nn.yield
  }
  return
}

// -----

func.func @scan_c1_lengths(%x: tensor<5xf32>, %z: tensor<4xf32>) {
  // expected-error@+1 {{sequence 1 has 4 positions, the first has 5}}
  nn.scan states() over(%x, %z) : (tensor<5xf32>, tensor<4xf32>) -> () {
  ^bb0(%i: tensor<f32>, %j: tensor<f32>):
    nn.yield
  }
  return
}

// -----

func.func @scan_c2_count(%x: tensor<5xf32>) {
  // expected-error@+1 {{number of arguments: 0 vs 1}}
  nn.scan states() over(%x) : (tensor<5xf32>) -> () {
    nn.yield
  }
  return
}

// -----

func.func @scan_c2_type(%x: tensor<5xf32>) {
  // expected-error@+1 {{argument 0: 'tensor<5xf32>' vs 'tensor<f32>'}}
  nn.scan states() over(%x) : (tensor<5xf32>) -> () {
  ^bb0(%i: tensor<5xf32>):
    nn.yield
  }
  return
}

// -----

func.func @scan_c3_yielded(%h: tensor<f32>, %x: tensor<5xi32>) -> tensor<f32> {
  // expected-error@+1 {{yielded state 0: 'tensor<i32>' vs 'tensor<f32>'}}
  %y = nn.scan states(%h) over(%x) : (tensor<f32>, tensor<5xi32>) -> tensor<f32> {
  ^bb0(%s: tensor<f32>, %i: tensor<i32>):
    nn.yield %i : tensor<i32>
  }
  return %y : tensor<f32>
}

// -----

func.func @scan_c3_missing(%h: tensor<f32>, %x: tensor<5xi32>) -> tensor<f32> {
  // expected-error@+1 {{has 1 states, but yields 0 values and has 1 results}}
  %y = nn.scan states(%h) over(%x) : (tensor<f32>, tensor<5xi32>) -> tensor<f32> {
  ^bb0(%s: tensor<f32>, %i: tensor<i32>):
    nn.yield
  }
  return %y : tensor<f32>
}

// -----

func.func @scan_c4(%x: tensor<5xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{stacked result 0: 'tensor<4xf32>' vs 'tensor<5xf32>'}}
  %y = nn.scan states() over(%x) : (tensor<5xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<f32>):
    nn.yield %i : tensor<f32>
  }
  return %y : tensor<4xf32>
}
