//===- SymbolicRowsTest.cpp - rows whose number and length are symbols ------===//
#include "unittests/Codegen/CompiledKernel.h"
#include "unittests/Codegen/Sizes.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace kumiko;

/// A softmax over loop `k` of x; `place` is where x has (i, k), `outer` and `inner` are its extents.
static std::string softmax(const std::string &place, const std::string &outer, const std::string &inner) {
  std::string reduce = "{indexing_maps = [affine_map<(i, k) -> " + place +
                       ">, affine_map<(i, k) -> (i)>], iterator_types = [\"parallel\", \"reduction\"]}";
  std::string maps =
      "affine_map<(i, k) -> " + place + ">, affine_map<(i, k) -> (i)>, affine_map<(i, k) -> " + place + ">";
  std::string each = "{indexing_maps = [" + maps + "], iterator_types = [\"parallel\", \"parallel\"]}";
  std::string text = R"(
    func.func private @main() attributes {nn.symbols = [{name = "b"}, {name = "s"}]}
    nn.kernel @k(%x: tensor<?x?xf32> {nn.extents = #nn.extents<OUTER, INNER>})
        -> (tensor<?x?xf32> {nn.extents = #nn.extents<OUTER, INNER>}) {
      %zero = arith.constant 0.0 : f32
      %lowest = arith.constant 0xFF800000 : f32
      %b = nn.extent #nn.extent<"b">
      %p = nn.extent #nn.extent<OUTER>
      %q = nn.extent #nn.extent<INNER>
      %rows = tensor.empty(%b) : tensor<?xf32>
      %all = tensor.empty(%p, %q) : tensor<?x?xf32>
      %m0 = linalg.fill ins(%lowest : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
      %m = linalg.generic REDUCE ins(%x : tensor<?x?xf32>) outs(%m0 : tensor<?xf32>) {
      ^bb0(%v: f32, %o: f32):
        %0 = arith.maximumf %v, %o : f32
        linalg.yield %0 : f32
      } -> tensor<?xf32>
      %e = linalg.generic EACH ins(%x, %m : tensor<?x?xf32>, tensor<?xf32>) outs(%all : tensor<?x?xf32>) {
      ^bb0(%v: f32, %w: f32, %o: f32):
        %0 = arith.subf %v, %w : f32
        %1 = math.exp %0 : f32
        linalg.yield %1 : f32
      } -> tensor<?x?xf32>
      %s0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
      %s = linalg.generic REDUCE ins(%e : tensor<?x?xf32>) outs(%s0 : tensor<?xf32>) {
      ^bb0(%v: f32, %o: f32):
        %0 = arith.addf %v, %o : f32
        linalg.yield %0 : f32
      } -> tensor<?xf32>
      %y = linalg.generic EACH ins(%e, %s : tensor<?x?xf32>, tensor<?xf32>) outs(%all : tensor<?x?xf32>) {
      ^bb0(%v: f32, %w: f32, %o: f32):
        %0 = arith.divf %v, %w : f32
        linalg.yield %0 : f32
      } -> tensor<?x?xf32>
      nn.yield %y : tensor<?x?xf32>
    })";
  auto replace = [&](const std::string &what, const std::string &with) {
    for (size_t at; (at = text.find(what)) != std::string::npos;)
      text.replace(at, what.size(), with);
  };
  replace("REDUCE", reduce);
  replace("EACH", each);
  replace("OUTER", "\"" + outer + "\"");
  replace("INNER", "\"" + inner + "\"");
  return text;
}

static void checkSoftmax(const CompiledKernel &kernel, int64_t b, int64_t s, bool rowsLieAcross) {
  int64_t row = rowsLieAcross ? 1 : s, step = rowsLieAcross ? b : 1;
  std::vector<float> x = someFloats(b * s), y = kernel.run({b, s}, {x})[0];
  for (int64_t i = 0; i < b; ++i) {
    double largest = -INFINITY, sum = 0;
    for (int64_t k = 0; k < s; ++k)
      largest = std::max<double>(largest, x[i * row + k * step]);
    for (int64_t k = 0; k < s; ++k)
      sum += std::exp(x[i * row + k * step] - largest);
    for (int64_t k = 0; k < s; ++k)
      ASSERT_NEAR(y[i * row + k * step], std::exp(x[i * row + k * step] - largest) / sum, 1e-6)
          << b << " rows of " << s << " at " << i << ", " << k;
  }
}

TEST(SymbolicRows, LanesAlongRows) {
  auto kernel = CompiledKernel::create(softmax("(i, k)", "b", "s"));
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->schedule().kind, KernelKind::Rows);
  EXPECT_FALSE(kernel->schedule().scratchBytes.isStatic());
  for (int64_t b : {0, 1, 3})
    for (int64_t s : boundarySizes)
      checkSoftmax(*kernel, b, s, false);
  checkSoftmax(*kernel, 2, 1000, false);
  checkSoftmax(*kernel, 500, 301, false); // several chunks
}

// Rows that do not lie along memory: lanes run across rows, the last vector has fewer.
TEST(SymbolicRows, LanesAcrossRows) {
  auto kernel = CompiledKernel::create(softmax("(k, i)", "s", "b"));
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->schedule().kind, KernelKind::Rows);
  for (int64_t b : boundarySizes)
    for (int64_t s : {0, 1, 2, 9})
      checkSoftmax(*kernel, b, s, true);
}
