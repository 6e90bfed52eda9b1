//===- RunningTest.cpp - running sums, from either end -------------------------===//
#include "CompiledKernel.h"
#include "llvm/Support/FormatVariadic.h"
#include <gtest/gtest.h>

using namespace kumiko;

namespace {
/// y(a, i, c) = sum of x(a, j, c) over the j that compare with i as `predicate` says.
struct Sums {
  int64_t planes, rows, columns;
  const char *predicate;
};
} // namespace

static std::unique_ptr<CompiledKernel> kernelOf(const Sums &given) {
  return CompiledKernel::create(llvm::formatv(R"(
    func.func @main() attributes {{nn.symbols = []} {{ return }
    nn.kernel @k(%x: tensor<{0}>) -> tensor<{0}> {{
      %zero = arith.constant 0.0 : f32
      %empty = tensor.empty() : tensor<{0}>
      %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<{0}>) -> tensor<{0}>
      %y = linalg.generic {{indexing_maps = [affine_map<(a, i, c, j) -> (a, j, c)>, affine_map<(a, i, c, j) -> (a, i, c)>],
                           iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
          ins(%x : tensor<{0}>) outs(%start : tensor<{0}>) {{
      ^bb0(%p: f32, %sum: f32):
        %j = linalg.index 3 : index
        %i = linalg.index 1 : index
        %counts = arith.cmpi {1}, %j, %i : index
        %term = arith.select %counts, %p, %zero : f32
        %next = arith.addf %sum, %term : f32
        linalg.yield %next : f32
      } -> tensor<{0}>
      nn.yield %y : tensor<{0}>
    })",
                                              llvm::formatv("{0}x{1}x{2}xf32", given.planes, given.rows, given.columns),
                                              given.predicate)
                                    .str());
}

static void expectSums(const Sums &given) {
  std::unique_ptr<CompiledKernel> kernel = kernelOf(given);
  ASSERT_TRUE(kernel);
  std::vector<float> x(size_t(given.planes * given.rows * given.columns));
  for (size_t n = 0; n < x.size(); ++n)
    x[n] = float(int64_t(n * 7 % 31) - 15); // sums are exact
  std::vector<float> y = kernel->run({}, {x}).front();
  bool fromEnd = given.predicate[1] == 'g', exclusive = given.predicate[2] == 't';
  for (int64_t plane = 0; plane < given.planes; ++plane)
    for (int64_t column = 0; column < given.columns; ++column) {
      float sum = 0;
      for (int64_t n = 0; n < given.rows; ++n) {
        int64_t row = fromEnd ? given.rows - 1 - n : n;
        size_t place = size_t((plane * given.rows + row) * given.columns + column);
        float before = sum;
        sum += x[place];
        ASSERT_EQ(y[place], exclusive ? before : sum) << plane << " " << row << " " << column;
      }
    }
}

// Lanes along the columns, of which the last vector is masked.
TEST(Running, Columns) {
  for (const char *predicate : {"sle", "slt", "sge", "sgt"})
    expectSums({3, 40, 330, predicate});
}

// Rows that begin anywhere in a cache line.
TEST(Running, OddRows) {
  expectSums({7, 50, 127, "sle"});
  expectSums({7, 50, 127, "sge"});
}

// Sums along memory.
TEST(Running, Rows) {
  for (const char *predicate : {"sle", "slt", "sge", "sgt"})
    expectSums({5, 70, 1, predicate});
}
