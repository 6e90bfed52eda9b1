//===- TurnedTest.cpp - sequences that are reversed up to their ends ---------===//
#include "CompiledKernel.h"
#include "kumiko/kumiko.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace kumiko;

namespace {
/// y(t, b, c) = 2 * x(t < length(b) ? length(b) - 1 - t : t, b, c), or with b before t.
struct Sequences {
  int64_t times, batches, inner;
  bool timeFirst;

  std::string shape() const {
    return llvm::formatv("{0}x{1}x{2}xf32", timeFirst ? times : batches, timeFirst ? batches : times, inner);
  }
  size_t offset(int64_t t, int64_t b, int64_t c) const {
    return size_t((timeFirst ? t * batches + b : b * times + t) * inner + c);
  }
};
} // namespace

static std::unique_ptr<CompiledKernel> reverser(const Sequences &given) {
  return CompiledKernel::create(llvm::formatv(R"(
    func.func @main() attributes {{nn.symbols = []} {{ return }
    nn.kernel @k(%x: tensor<{0}>, %length: tensor<{1}xi64>) -> tensor<{0}> {{
      %empty = tensor.empty() : tensor<{0}>
      %y = linalg.generic {{indexing_maps = [affine_map<(i, j, c) -> ({2})>, affine_map<(i, j, c) -> (i, j, c)>],
                           iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%length : tensor<{1}xi64>) outs(%empty : tensor<{0}>) {{
      ^bb0(%n: i64, %out: f32):
        %t = linalg.index {3} : index
        %number = arith.index_cast %t : index to i64
        %below = arith.cmpi slt, %number, %n : i64
        %one = arith.constant 1 : i64
        %last = arith.subi %n, %one : i64
        %back = arith.subi %last, %number : i64
        %chosen = arith.select %below, %back, %number : i64
        %place = arith.index_cast %chosen : i64 to index
        %b = linalg.index {4} : index
        %c = linalg.index 2 : index
        %v = tensor.extract %x[{5}, %c] {{checked = array<i64: {3}>} : tensor<{0}>
        %w = arith.addf %v, %v : f32
        linalg.yield %w : f32
      } -> tensor<{0}>
      nn.yield %y : tensor<{0}>
    })",
                                              given.shape(), given.batches, given.timeFirst ? "j" : "i",
                                              given.timeFirst ? 0 : 1, given.timeFirst ? 1 : 0,
                                              given.timeFirst ? "%place, %b" : "%b, %place")
                                    .str());
}

static void expectReversed(const Sequences &given, const CompiledKernel &kernel, llvm::ArrayRef<int64_t> lengths) {
  std::vector<float> x(size_t(given.times * given.batches * given.inner)), places(2 * lengths.size());
  for (size_t n = 0; n < x.size(); ++n)
    x[n] = float(n % 65536);
  std::memcpy(places.data(), lengths.data(), lengths.size() * sizeof(int64_t));
  bool wrong = llvm::any_of(lengths, [&](int64_t length) { return length > given.times; });
  std::vector<float> y = kernel.run({}, {x, places}, wrong ? KUMIKO_E_INDEX : 0).front();
  for (int64_t t = 0; t < given.times; ++t)
    for (int64_t b = 0; b < given.batches; ++b)
      for (int64_t c = 0; c < given.inner; ++c) {
        int64_t place = t < lengths[b] ? lengths[b] - 1 - t : t;
        ASSERT_EQ(y[given.offset(t, b, c)], 2 * x[given.offset(place < given.times ? place : 0, b, c)])
            << given.shape() << " " << t << " " << b << " " << c << " of " << lengths[b];
      }
}

/// Ends inside, at and before the ends of the loop; then one behind it, which is an error.
static void expectReversed(const Sequences &given) {
  std::unique_ptr<CompiledKernel> kernel = reverser(given);
  ASSERT_TRUE(kernel);
  std::vector<int64_t> lengths(given.batches);
  for (int64_t turn = 0; turn < 3; ++turn) {
    const int64_t ends[] = {given.times, 0, 1, given.times / 2, given.times - 1, -5, 17, given.times / 3};
    for (int64_t b = 0; b < given.batches; ++b)
      lengths[b] = std::min(ends[(b + 3 * turn) % std::size(ends)], given.times);
    expectReversed(given, *kernel, lengths);
  }
  for (int64_t length : {given.times + 1, 3 * given.times, INT64_MAX}) {
    lengths[given.batches / 2] = length;
    expectReversed(given, *kernel, lengths);
  }
}

// Lanes run along the sequence, in which they are turned round.
TEST(Turned, TimeInside) {
  for (int64_t times : {5, 16, 31, 32, 33, 64, 100, 1000})
    for (int64_t batches : {1, 3, 70})
      expectReversed({times, batches, 1, /*timeFirst=*/false});
}

// Rows of a few elements are read at places that move on by one.
TEST(Turned, RowsInside) {
  for (int64_t times : {5, 33, 300})
    for (int64_t inner : {2, 3, 17, 65})
      expectReversed({times, 7, inner, /*timeFirst=*/false});
}

// Sequences beside each other: their loop is exchanged with that along them, or it is not.
TEST(Turned, TimeOutside) {
  for (int64_t times : {5, 33, 500, 5000})
    for (int64_t batches : {1, 2, 3, 7, 8, 15, 17, 40})
      for (int64_t inner : {1, 3})
        expectReversed({times, batches, inner, /*timeFirst=*/true});
  for (int64_t batches : {128, 129, 250})
    expectReversed({150, batches, 1, /*timeFirst=*/true});
}
