//===- SymbolicPointsTest.cpp - elements over sizes known at run time -------===//
#include "unittests/Codegen/CompiledKernel.h"
#include "unittests/Codegen/Sizes.h"
#include "gtest/gtest.h"
#include <algorithm>

using namespace kumiko;

/// A kernel over x[b, s].
static std::string kernelOver(const std::string &result, const std::string &extents, const std::string &body) {
  return R"(
    func.func private @main() attributes {nn.symbols = [{name = "b"}, {name = "s"}]}
    nn.kernel @k(%x: tensor<?x?xf32> {nn.extents = #nn.extents<"b", "s">}) -> ()" +
         result + " {nn.extents = #nn.extents<" + extents + R"(>}) {
      %zero = arith.constant 0.0 : f32
      %b = nn.extent #nn.extent<"b">
      %s = nn.extent #nn.extent<"s">
)" + body +
         "}";
}

TEST(SymbolicPoints, ElementwiseIsOneLoop) {
  auto kernel = CompiledKernel::create(kernelOver("tensor<?x?xf32>", R"("b", "s")", R"(
      %e = tensor.empty(%b, %s) : tensor<?x?xf32>
      %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
      ^bb0(%p: f32, %o: f32):
        %0 = arith.negf %p : f32
        linalg.yield %0 : f32
      } -> tensor<?x?xf32>
      nn.yield %y : tensor<?x?xf32>)"));
  ASSERT_TRUE(kernel);
  for (int64_t b : {0, 1, 3})
    for (int64_t s : boundarySizes) {
      std::vector<float> x = someFloats(b * s), y = kernel->run({b, s}, {x})[0];
      for (int64_t i = 0; i < b * s; ++i)
        ASSERT_EQ(y[i], -x[i]) << b << " x " << s << " at " << i;
    }
}

// Enough for several chunks: each has its share, and the last one the rest.
TEST(SymbolicPoints, ChunksCoverEverything) {
  auto kernel = CompiledKernel::create(kernelOver("tensor<?x?xf32>", R"("b", "s")", R"(
      %e = tensor.empty(%b, %s) : tensor<?x?xf32>
      %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
      ^bb0(%p: f32, %o: f32):
        %0 = arith.addf %p, %p : f32
        linalg.yield %0 : f32
      } -> tensor<?x?xf32>
      nn.yield %y : tensor<?x?xf32>)"));
  ASSERT_TRUE(kernel);
  for (int64_t s : {100'000, 123'457}) {
    std::vector<float> x = someFloats(5 * s), y = kernel->run({5, s}, {x})[0];
    for (int64_t i = 0; i < 5 * s; ++i)
      ASSERT_EQ(y[i], 2 * x[i]) << s << " at " << i;
  }
}

// Lanes run along b, which is not how x lies: blocks of lanes and lines, of which nothing beyond the last may be read.
TEST(SymbolicPoints, Transpose) {
  auto kernel = CompiledKernel::create(kernelOver("tensor<?x?xf32>", R"("s", "b")", R"(
      %e = tensor.empty(%s, %b) : tensor<?x?xf32>
      %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
      ^bb0(%p: f32, %o: f32):
        linalg.yield %p : f32
      } -> tensor<?x?xf32>
      nn.yield %y : tensor<?x?xf32>)"));
  ASSERT_TRUE(kernel);
  for (int64_t b : boundarySizes)
    for (int64_t s : {0, 1, 5, 9, 16, 17, 40, 150}) {
      std::vector<float> x = someFloats(b * s), y = kernel->run({b, s}, {x})[0];
      for (int64_t i = 0; i < s; ++i)
        for (int64_t j = 0; j < b; ++j)
          ASSERT_EQ(y[i * b + j], x[j * s + i]) << b << " x " << s << " at " << i << ", " << j;
    }
}

static float padded(const std::vector<float> &x, int64_t b, int64_t s, int64_t i, int64_t j, float outside) {
  return i < 1 || i > b || j < 2 || j >= s + 2 ? outside : x[(i - 1) * s + j - 2];
}

// A pad at the end is a box and its border.
TEST(SymbolicPoints, BorderAroundTheResult) {
  auto kernel = CompiledKernel::create(kernelOver("tensor<?x?xf32>", R"("b + 1", "s + 5")", R"(
      %e = tensor.empty(%b, %s) : tensor<?x?xf32>
      %n = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
      ^bb0(%p: f32, %o: f32):
        %0 = arith.negf %p : f32
        linalg.yield %0 : f32
      } -> tensor<?x?xf32>
      %y = tensor.pad %n low[1, 2] high[0, 3] {
      ^bb0(%i: index, %j: index):
        tensor.yield %zero : f32
      } : tensor<?x?xf32> to tensor<?x?xf32>
      nn.yield %y : tensor<?x?xf32>)"));
  ASSERT_TRUE(kernel);
  for (int64_t b : {0, 1, 4})
    for (int64_t s : boundarySizes) {
      std::vector<float> x = someFloats(b * s), y = kernel->run({b, s}, {x})[0];
      for (int64_t i = 0; i < b + 1; ++i)
        for (int64_t j = 0; j < s + 5; ++j)
          ASSERT_EQ(y[i * (s + 5) + j], -padded(x, b, s, i, j, 0)) << b << " x " << s << " at " << i << ", " << j;
    }
}

// A pad whose result is read asks for each position whether it lies inside.
TEST(SymbolicPoints, PadThatIsRead) {
  auto kernel = CompiledKernel::create(kernelOver("tensor<?x?xf32>", R"("b + 1", "s + 5")", R"(
      %one = arith.constant 1.0 : f32
      %b1 = nn.extent #nn.extent<"b + 1">
      %s5 = nn.extent #nn.extent<"s + 5">
      %e = tensor.empty(%b1, %s5) : tensor<?x?xf32>
      %n = tensor.pad %x low[1, 2] high[0, 3] {
      ^bb0(%i: index, %j: index):
        tensor.yield %one : f32
      } : tensor<?x?xf32> to tensor<?x?xf32>
      %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%n : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
      ^bb0(%p: f32, %o: f32):
        %0 = arith.negf %p : f32
        linalg.yield %0 : f32
      } -> tensor<?x?xf32>
      nn.yield %y : tensor<?x?xf32>)"));
  ASSERT_TRUE(kernel);
  for (int64_t b : {0, 1, 4})
    for (int64_t s : boundarySizes) {
      std::vector<float> x = someFloats(b * s), y = kernel->run({b, s}, {x})[0];
      for (int64_t i = 0; i < b + 1; ++i)
        for (int64_t j = 0; j < s + 5; ++j)
          ASSERT_EQ(y[i * (s + 5) + j], -padded(x, b, s, i, j, 1)) << b << " x " << s << " at " << i << ", " << j;
    }
}

// The amount of padding is an expression, too: x is shifted right by b.
TEST(SymbolicPoints, PadByAnExpression) {
  auto kernel = CompiledKernel::create(kernelOver("tensor<?x?xf32>", R"("b", "b + s")", R"(
      %y = tensor.pad %x low[0, %b] high[0, 0] {
      ^bb0(%i: index, %j: index):
        tensor.yield %zero : f32
      } : tensor<?x?xf32> to tensor<?x?xf32>
      nn.yield %y : tensor<?x?xf32>)"));
  ASSERT_TRUE(kernel);
  for (int64_t b : {0, 1, 9})
    for (int64_t s : boundarySizes) {
      std::vector<float> x = someFloats(b * s), y = kernel->run({b, s}, {x})[0];
      for (int64_t i = 0; i < b; ++i)
        for (int64_t j = 0; j < b + s; ++j)
          ASSERT_EQ(y[i * (b + s) + j], j < b ? 0 : x[i * s + j - b]) << b << " x " << s << " at " << i << ", " << j;
    }
}

// The last s/2 columns of x, twice, side by side: slices and inserts whose places are expressions.
TEST(SymbolicPoints, SlicesAndInserts) {
  auto kernel = CompiledKernel::create(kernelOver("tensor<?x?xf32>", R"x("b", "2*(s floordiv 2)")x", R"x(
      %half = nn.extent #nn.extent<"s floordiv 2">
      %start = nn.extent #nn.extent<"s - (s floordiv 2)">
      %two = nn.extent #nn.extent<"2*(s floordiv 2)">
      %part = tensor.extract_slice %x[0, %start] [%b, %half] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
      %e = tensor.empty(%b, %two) : tensor<?x?xf32>
      %y0 = tensor.insert_slice %part into %e[0, 0] [%b, %half] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
      %y1 = tensor.insert_slice %part into %y0[0, %half] [%b, %half] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
      nn.yield %y1 : tensor<?x?xf32>)x"));
  ASSERT_TRUE(kernel);
  for (int64_t b : {0, 1, 4})
    for (int64_t s : boundarySizes) {
      int64_t half = s / 2;
      std::vector<float> x = someFloats(b * s), y = kernel->run({b, s}, {x})[0];
      for (int64_t i = 0; i < b; ++i)
        for (int64_t j = 0; j < 2 * half; ++j)
          ASSERT_EQ(y[i * 2 * half + j], x[i * s + s - half + j % std::max<int64_t>(half, 1)]) << b << " x " << s;
    }
}

// Row number i of the flat tensor, read behind an elementwise body, is divided by sizes known at run time; and the
// index itself is a value.
TEST(SymbolicPoints, ReshapesAndIndices) {
  auto kernel = CompiledKernel::create(kernelOver("tensor<?xf32>", R"("b*s")", R"(
      %all = nn.extent #nn.extent<"b*s">
      %e = tensor.empty(%b, %s) : tensor<?x?xf32>
      %n = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
      ^bb0(%p: f32, %o: f32):
        %i = linalg.index 0 : index
        %j = linalg.index 1 : index
        %m = arith.muli %i, %s : index
        %a = arith.addi %m, %j : index
        %c = arith.index_cast %a : index to i64
        %f = arith.sitofp %c : i64 to f32
        %0 = arith.addf %p, %f : f32
        linalg.yield %0 : f32
      } -> tensor<?x?xf32>
      %c = tensor.collapse_shape %n [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
      %f = tensor.empty(%all) : tensor<?xf32>
      %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                           iterator_types = ["parallel"]}
          ins(%c : tensor<?xf32>) outs(%f : tensor<?xf32>) {
      ^bb0(%p: f32, %o: f32):
        %0 = arith.negf %p : f32
        linalg.yield %0 : f32
      } -> tensor<?xf32>
      nn.yield %y : tensor<?xf32>)"));
  ASSERT_TRUE(kernel);
  for (int64_t b : {0, 1, 5})
    for (int64_t s : boundarySizes) {
      std::vector<float> x = someFloats(b * s), y = kernel->run({b, s}, {x})[0];
      for (int64_t i = 0; i < b * s; ++i)
        ASSERT_EQ(y[i], -(x[i] + float(i))) << b << " x " << s << " at " << i;
    }
}

// A border whose width follows from a symbol.
TEST(SymbolicPoints, PaddingUpToANumber) {
  auto kernel = CompiledKernel::create(R"x(
    func.func private @main() attributes {nn.symbols = [{name = "b"}, {name = "s"}]}
    nn.kernel @k(%x: tensor<?xf32> {nn.extents = #nn.extents<"s">}) -> tensor<40xf32> {
      %low = nn.extent #nn.extent<"((40 - s) floordiv 2)">
      %high = nn.extent #nn.extent<"40 - s - ((40 - s) floordiv 2)">
      %zero = arith.constant 0.0 : f32
      %y = tensor.pad %x low[%low] high[%high] {
      ^bb0(%i: index):
        tensor.yield %zero : f32
      } : tensor<?xf32> to tensor<40xf32>
      nn.yield %y : tensor<40xf32>
    })x");
  ASSERT_TRUE(kernel);
  for (int64_t s : {0, 1, 7, 8, 17, 33, 40}) {
    std::vector<float> x = someFloats(s), y = kernel->run({1, s}, {x})[0];
    for (int64_t i = 0, low = (40 - s) / 2; i < 40; ++i)
      ASSERT_EQ(y[i], i < low || i >= low + s ? 0 : x[i - low]) << s << " at " << i;
  }
}

// Tiles of columns whose number is open: none, less than a vector, a whole tile and more.
TEST(SymbolicPoints, LongSumsAcrossMemory) {
  auto kernel = CompiledKernel::create(R"(
    func.func private @main() attributes {nn.symbols = [{name = "b"}, {name = "s"}]}
    nn.kernel @k(%x: tensor<70x?xf32> {nn.extents = #nn.extents<70, "s">}) -> (tensor<?xf32> {nn.extents = #nn.extents<"s">}) {
      %zero = arith.constant 0.0 : f32
      %s = nn.extent #nn.extent<"s">
      %e = tensor.empty(%s) : tensor<?xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
      %y = linalg.generic {indexing_maps = [affine_map<(i, k) -> (k, i)>, affine_map<(i, k) -> (i)>],
                           iterator_types = ["parallel", "reduction"]}
          ins(%x : tensor<70x?xf32>) outs(%f : tensor<?xf32>) {
      ^bb0(%p: f32, %o: f32):
        %0 = arith.addf %o, %p : f32
        linalg.yield %0 : f32
      } -> tensor<?xf32>
      nn.yield %y : tensor<?xf32>
    })");
  ASSERT_TRUE(kernel);
  for (int64_t s : {0, 1, 7, 8, 9, 127, 128, 129, 1024, 2055}) {
    std::vector<float> x = someFloats(70 * s), y = kernel->run({1, s}, {x})[0];
    for (int64_t i = 0; i < s; ++i) {
      float sum = 0;
      for (int64_t row = 0; row < 70; ++row)
        sum += x[row * s + i];
      ASSERT_EQ(y[i], sum) << s << " at " << i;
    }
  }
}
