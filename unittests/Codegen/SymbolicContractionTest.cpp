//===- SymbolicContractionTest.cpp - products over sizes known at run time --===//
#include "unittests/Codegen/CompiledKernel.h"
#include "unittests/Codegen/Sizes.h"
#include "gtest/gtest.h"

using namespace kumiko;

// Rows are a symbol; weights are constants, packed; the epilogue adds a bias.
TEST(SymbolicContraction, AnyNumberOfRows) {
  auto kernel = CompiledKernel::create(R"(
    func.func private @main() attributes {nn.symbols = [{name = "b"}, {name = "s"}]}
    nn.kernel @k(%x: tensor<?x?x13xf32> {nn.extents = #nn.extents<"b", "s", 13>}, %w: tensor<13x185xf32> {nn.constant},
                 %c: tensor<185xf32>) -> (tensor<?x?x185xf32> {nn.extents = #nn.extents<"b", "s", 185>}) {
      %zero = arith.constant 0.0 : f32
      %b = nn.extent #nn.extent<"b">
      %s = nn.extent #nn.extent<"s">
      %e = tensor.empty(%b, %s) : tensor<?x?x185xf32>
      %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x185xf32>) -> tensor<?x?x185xf32>
      %p = linalg.generic {indexing_maps = [affine_map<(i, j, n, k) -> (i, j, k)>, affine_map<(i, j, n, k) -> (k, n)>,
                                            affine_map<(i, j, n, k) -> (i, j, n)>],
                           iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
          ins(%x, %w : tensor<?x?x13xf32>, tensor<13x185xf32>) outs(%z : tensor<?x?x185xf32>) {
      ^bb0(%l: f32, %r: f32, %o: f32):
        %0 = arith.mulf %l, %r : f32
        %1 = arith.addf %o, %0 : f32
        linalg.yield %1 : f32
      } -> tensor<?x?x185xf32>
      %y = linalg.generic {indexing_maps = [affine_map<(i, j, n) -> (i, j, n)>, affine_map<(i, j, n) -> (n)>,
                                            affine_map<(i, j, n) -> (i, j, n)>],
                           iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%p, %c : tensor<?x?x185xf32>, tensor<185xf32>) outs(%e : tensor<?x?x185xf32>) {
      ^bb0(%l: f32, %r: f32, %o: f32):
        %0 = arith.addf %l, %r : f32
        linalg.yield %0 : f32
      } -> tensor<?x?x185xf32>
      nn.yield %y : tensor<?x?x185xf32>
    })");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->schedule().kind, KernelKind::Contraction);
  EXPECT_TRUE(kernel->schedule().packed);
  std::vector<float> w = someFloats(13 * 185, 2), c = someFloats(185, 3);
  auto check = [&](int64_t b, int64_t s) {
    std::vector<float> x = someFloats(b * s * 13), y = kernel->run({b, s}, {x, w, c})[0];
    for (int64_t i = 0; i < b * s; ++i)
      for (int64_t n = 0; n < 185; ++n) {
        double sum = c[n];
        for (int64_t k = 0; k < 13; ++k)
          sum += double(x[i * 13 + k]) * w[k * 185 + n];
        ASSERT_NEAR(y[i * 185 + n], sum, 1e-5) << b << " x " << s << " rows at " << i << ", " << n;
      }
  };
  for (int64_t rows = 0; rows < 50; ++rows)
    check(1, rows);
  for (int64_t b : boundarySizes)
    check(b, 3);
  check(7, 1000);
}

// Blocks of few rows overlap; a row is written by one chunk all the same, also where a block is worth a chunk.
TEST(SymbolicContraction, OverlappingBlocksShareAChunk) {
  auto kernel = CompiledKernel::create(R"(
    func.func private @main() attributes {nn.symbols = [{name = "s"}]}
    nn.kernel @k(%x: tensor<?x4096xf32> {nn.extents = #nn.extents<"s", 4096>}, %w: tensor<4096x512xf32> {nn.constant})
        -> (tensor<?x512xf32> {nn.extents = #nn.extents<"s", 512>}) {
      %zero = arith.constant 0.0 : f32
      %s = nn.extent #nn.extent<"s">
      %e = tensor.empty(%s) : tensor<?x512xf32>
      %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x512xf32>) -> tensor<?x512xf32>
      %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                            affine_map<(m, n, k) -> (m, n)>],
                           iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%x, %w : tensor<?x4096xf32>, tensor<4096x512xf32>) outs(%z : tensor<?x512xf32>) {
      ^bb0(%l: f32, %r: f32, %o: f32):
        %0 = arith.mulf %l, %r : f32
        %1 = arith.addf %o, %0 : f32
        linalg.yield %1 : f32
      } -> tensor<?x512xf32>
      nn.yield %y : tensor<?x512xf32>
    })");
  ASSERT_TRUE(kernel);
  const Schedule &schedule = kernel->schedule();
  int64_t most = schedule.tileRows, rowsOfChunk = most * schedule.chunkRowBlocks;
  for (int64_t rows = rowsOfChunk + 1; rows < 4 * rowsOfChunk; ++rows)
    EXPECT_GE(rows, (rows + most - 1) / most * (most - 1)) << "blocks of several chunks overlap at " << rows << " rows";
}

/// Scores of attention, y[b, m, n] = sum x[b, m, k] * w, where every size is a symbol; `place` is where w has (b, n,
/// k).
static std::string scores(const std::string &place, const std::string &extents) {
  std::string text = R"(
    func.func private @main() attributes {nn.symbols = [{name = "b"}, {name = "m"}, {name = "n"}, {name = "k"}]}
    nn.kernel @k(%x: tensor<?x?x?xf32> {nn.extents = #nn.extents<"b", "m", "k">},
                 %w: tensor<?x?x?xf32> {nn.extents = #nn.extents<EXTENTS>})
        -> (tensor<?x?x?xf32> {nn.extents = #nn.extents<"b", "m", "n">}) {
      %zero = arith.constant 0.0 : f32
      %b = nn.extent #nn.extent<"b">
      %m = nn.extent #nn.extent<"m">
      %n = nn.extent #nn.extent<"n">
      %e = tensor.empty(%b, %m, %n) : tensor<?x?x?xf32>
      %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
      %y = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> PLACE>,
                                            affine_map<(b, m, n, k) -> (b, m, n)>],
                           iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
          ins(%x, %w : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%z : tensor<?x?x?xf32>) {
      ^bb0(%l: f32, %r: f32, %o: f32):
        %0 = arith.mulf %l, %r : f32
        %1 = arith.addf %o, %0 : f32
        linalg.yield %1 : f32
      } -> tensor<?x?x?xf32>
      nn.yield %y : tensor<?x?x?xf32>
    })";
  text.replace(text.find("PLACE"), 5, place);
  text.replace(text.find("EXTENTS"), 7, extents);
  return text;
}

static void checkScores(const CompiledKernel &kernel, int64_t b, int64_t m, int64_t n, int64_t k, bool transposed) {
  std::vector<float> x = someFloats(b * m * k), w = someFloats(b * n * k, 2);
  std::vector<float> y = kernel.run({b, m, n, k}, {x, w})[0];
  for (int64_t i = 0; i < b; ++i)
    for (int64_t r = 0; r < m; ++r)
      for (int64_t c = 0; c < n; ++c) {
        double sum = 0;
        for (int64_t d = 0; d < k; ++d)
          sum += double(x[(i * m + r) * k + d]) * w[i * n * k + (transposed ? c * k + d : d * n + c)];
        ASSERT_NEAR(y[(i * m + r) * n + c], sum, 1e-5) << b << " x " << m << " x " << n << " x " << k;
      }
}

TEST(SymbolicContraction, EverySizeIsOpen) {
  auto kernel = CompiledKernel::create(scores("(b, k, n)", R"("b", "k", "n")"));
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->schedule().kind, KernelKind::Contraction);
  for (int64_t n : boundarySizes)
    for (int64_t m : boundarySizes)
      for (int64_t k : {0, 1, 6})
        checkScores(*kernel, 2, m, n, k, false);
  for (int64_t k : boundarySizes)
    checkScores(*kernel, 3, 7, 19, k, false);
  checkScores(*kernel, 2, 300, 200, 9, false);
}

// Columns that do not lie along memory are gathered, those beyond the last one are not read.
TEST(SymbolicContraction, GatheredColumns) {
  auto kernel = CompiledKernel::create(scores("(b, n, k)", R"("b", "n", "k")"));
  ASSERT_TRUE(kernel);
  for (int64_t n : boundarySizes)
    for (int64_t m : {1, 4, 9})
      checkScores(*kernel, 2, m, n, 5, true);
}

// A convolution over a picture of any size: rows are found by division, the result gets a border.
TEST(SymbolicContraction, Convolution) {
  auto kernel = CompiledKernel::create(R"(
    func.func private @main() attributes {nn.symbols = [{name = "b"}, {name = "h"}, {name = "w"}]}
    nn.kernel @k(%x: tensor<?x?x?x3xf32> {nn.extents = #nn.extents<"b", "2*h + 1", "2*w + 1", 3>},
                 %f: tensor<3x3x3x10xf32> {nn.constant})
        -> (tensor<?x?x?x10xf32> {nn.extents = #nn.extents<"b", "h + 1", "w + 2", 10>}) {
      %zero = arith.constant 0.0 : f32
      %b = nn.extent #nn.extent<"b">
      %h = nn.extent #nn.extent<"h">
      %w = nn.extent #nn.extent<"w">
      %e = tensor.empty(%b, %h, %w) : tensor<?x?x?x10xf32>
      %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?x10xf32>) -> tensor<?x?x?x10xf32>
      %y = linalg.generic {
          indexing_maps = [affine_map<(n, i, j, o, p, q, c) -> (n, i * 2 + p, j * 2 + q, c)>,
                           affine_map<(n, i, j, o, p, q, c) -> (p, q, c, o)>,
                           affine_map<(n, i, j, o, p, q, c) -> (n, i, j, o)>],
          iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
          ins(%x, %f : tensor<?x?x?x3xf32>, tensor<3x3x3x10xf32>) outs(%z : tensor<?x?x?x10xf32>) {
      ^bb0(%l: f32, %r: f32, %o: f32):
        %0 = arith.mulf %l, %r : f32
        %1 = arith.addf %o, %0 : f32
        linalg.yield %1 : f32
      } -> tensor<?x?x?x10xf32>
      %p = tensor.pad %y low[0, 1, 1, 0] high[0, 0, 1, 0] {
      ^bb0(%i: index, %j: index, %k: index, %l: index):
        tensor.yield %zero : f32
      } : tensor<?x?x?x10xf32> to tensor<?x?x?x10xf32>
      nn.yield %p : tensor<?x?x?x10xf32>
    })");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->schedule().kind, KernelKind::Contraction);
  std::vector<float> f = someFloats(3 * 3 * 3 * 10, 2);
  for (int64_t b : {0, 1, 2})
    for (int64_t h : {0, 1, 2, 5, 9})
      for (int64_t w : {0, 1, 2, 3, 7, 8, 17}) {
        int64_t height = 2 * h + 1, width = 2 * w + 1;
        std::vector<float> x = someFloats(b * height * width * 3), y = kernel->run({b, h, w}, {x, f})[0];
        for (int64_t n = 0; n < b; ++n)
          for (int64_t i = 0; i < h + 1; ++i)
            for (int64_t j = 0; j < w + 2; ++j)
              for (int64_t o = 0; o < 10; ++o) {
                double sum = 0;
                bool inside = i > 0 && j > 0 && j <= w;
                for (int64_t t = 0; inside && t < 27; ++t) {
                  int64_t row = (i - 1) * 2 + t / 9, column = (j - 1) * 2 + t / 3 % 3;
                  sum += double(x[((n * height + row) * width + column) * 3 + t % 3]) * f[t * 10 + o];
                }
                ASSERT_NEAR(y[((n * (h + 1) + i) * (w + 2) + j) * 10 + o], sum, 1e-5)
                    << b << " x " << h << " x " << w << " at " << n << ", " << i << ", " << j << ", " << o;
              }
      }
}

// The result is written over the residual: no row may be added twice, though blocks of few rows overlap.
TEST(SymbolicContraction, OverTheResidual) {
  auto kernel = CompiledKernel::create(R"(
    func.func private @main() attributes {nn.symbols = [{name = "s"}]}
    nn.kernel @k(%x: tensor<?x13xf32> {nn.extents = #nn.extents<"s", 13>}, %w: tensor<13x40xf32> {nn.constant},
                 %c: tensor<?x40xf32> {nn.extents = #nn.extents<"s", 40>})
        -> (tensor<?x40xf32> {nn.extents = #nn.extents<"s", 40>}) {
      %zero = arith.constant 0.0 : f32
      %s = nn.extent #nn.extent<"s">
      %e = tensor.empty(%s) : tensor<?x40xf32>
      %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x40xf32>) -> tensor<?x40xf32>
      %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                            affine_map<(m, n, k) -> (m, n)>],
                           iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%x, %w : tensor<?x13xf32>, tensor<13x40xf32>) outs(%z : tensor<?x40xf32>) {
      ^bb0(%l: f32, %r: f32, %o: f32):
        %0 = arith.mulf %l, %r : f32
        %1 = arith.addf %o, %0 : f32
        linalg.yield %1 : f32
      } -> tensor<?x40xf32>
      %y = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>,
                                            affine_map<(m, n) -> (m, n)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%p, %c : tensor<?x40xf32>, tensor<?x40xf32>) outs(%e : tensor<?x40xf32>) {
      ^bb0(%l: f32, %r: f32, %o: f32):
        %0 = arith.addf %l, %r : f32
        linalg.yield %0 : f32
      } -> tensor<?x40xf32>
      nn.yield %y : tensor<?x40xf32>
    })");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->schedule().kind, KernelKind::Contraction);
  EXPECT_EQ(kernel->layouts().mayOverwrite, (llvm::SmallVector<int64_t>{2, 0}));
  std::vector<float> w = someFloats(13 * 40, 2);
  for (int64_t rows = 0; rows < 60; ++rows) {
    std::vector<float> x = someFloats(rows * 13), c = someFloats(rows * 40, 3), y = kernel->run({rows}, {x, w, c})[0];
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t n = 0; n < 40; ++n) {
        double sum = c[i * 40 + n];
        for (int64_t k = 0; k < 13; ++k)
          sum += double(x[i * 13 + k]) * w[k * 40 + n];
        ASSERT_NEAR(y[i * 40 + n], sum, 1e-5) << rows << " rows at " << i << ", " << n;
      }
  }
}
