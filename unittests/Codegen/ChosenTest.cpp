//===- ChosenTest.cpp - elements at places that data say ---------------------===//
#include "CompiledKernel.h"
#include "kumiko/kumiko.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"
#include <gtest/gtest.h>

using namespace kumiko;

constexpr int64_t rows = 37;

/// y(i, j) = x(i, p(i, j)), or x(i, p(j)) with places that serve all rows: `rows` rows of `length` elements, of which
/// `count` are chosen each.
static std::unique_ptr<CompiledKernel> chooser(int64_t length, int64_t count, bool shared) {
  std::string places = llvm::formatv("tensor<{0}{1}xi32>", shared ? "" : std::to_string(rows) + "x", count).str();
  return CompiledKernel::create(llvm::formatv(R"(
    func.func @main() attributes {{nn.symbols = []} {{ return }
    nn.kernel @k(%x: tensor<{0}x{1}xf32>, %p: {3}) -> tensor<{0}x{2}xf32> {{
      %empty = tensor.empty() : tensor<{0}x{2}xf32>
      %y = linalg.generic {{indexing_maps = [affine_map<(i, j) -> ({4})>, affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%p : {3}) outs(%empty : tensor<{0}x{2}xf32>) {{
      ^bb0(%place: i32, %out: f32):
        %i = linalg.index 0 : index
        %zero = arith.constant 0 : i32
        %n = arith.constant {1} : i32
        %below = arith.cmpi slt, %place, %zero : i32
        %sum = arith.addi %place, %n : i32
        %wrapped = arith.select %below, %sum, %place : i32
        %j = arith.index_cast %wrapped : i32 to index
        %v = tensor.extract %x[%i, %j] {{checked = array<i64: 1>} : tensor<{0}x{1}xf32>
        linalg.yield %v : f32
      } -> tensor<{0}x{2}xf32>
      nn.yield %y : tensor<{0}x{2}xf32>
    })",
                                              rows, length, count, places, shared ? "j" : "i, j")
                                    .str());
}

/// All elements with places from `lowest` on; then with one that does not exist, which gives element 0 and an error.
static void expectChosen(const CompiledKernel &kernel, int64_t length, int64_t count, bool shared, int64_t lowest) {
  std::vector<float> x(rows * length), places(shared ? count : rows * count);
  for (size_t n = 0; n < x.size(); ++n)
    x[n] = float(n);
  std::vector<int32_t> numbers(places.size());
  for (size_t n = 0; n < numbers.size(); ++n)
    numbers[n] = int32_t(lowest + int64_t(n * n * 7 + n) % (length - lowest));
  auto check = [&](int status) {
    for (size_t n = 0; n < places.size(); ++n)
      places[n] = llvm::bit_cast<float>(numbers[n]);
    std::vector<float> y = kernel.run({}, {x, places}, status).front();
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < count; ++j) {
        int64_t place = numbers[shared ? j : i * count + j];
        place = place < 0 ? place + length : place;
        ASSERT_EQ(y[i * count + j], x[i * length + (place < 0 || place >= length ? 0 : place)])
            << length << " " << count << " " << i << " " << j;
      }
  };
  check(0);
  for (size_t wrong = 0; wrong < numbers.size(); wrong += 1 + wrong / 8) {
    int32_t right = numbers[wrong];
    for (int64_t place : {length, -length - 1}) {
      numbers[wrong] = int32_t(place);
      check(KUMIKO_E_INDEX);
    }
    numbers[wrong] = right;
  }
}

static void expectChosen(int64_t length, int64_t count, bool shared) {
  std::unique_ptr<CompiledKernel> kernel = chooser(length, count, shared);
  ASSERT_TRUE(kernel);
  for (int64_t lowest : {int64_t(0), -length})
    expectChosen(*kernel, length, count, shared, lowest);
}

// Rows of a few elements are moved several together, longer ones vector by vector.
TEST(Chosen, PlacesOfTheirOwn) {
  for (int64_t length : {2, 3, 8, 9})
    for (int64_t count : {1, 2, 3, 5, 8, 9, 15, 16, 40})
      expectChosen(length, count, /*shared=*/false);
}

// Places that serve all rows are looked at once.
TEST(Chosen, PlacesForAllRows) {
  for (int64_t length : {2, 3, 8, 9})
    for (int64_t count : {1, 2, 5, 9, 15, 16, 40})
      expectChosen(length, count, /*shared=*/true);
}
