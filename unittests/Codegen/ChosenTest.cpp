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

/// y(i, j) = -x(i, p(i, j), j) * w(p(i, j)), with 0.5 and 3 in their stead where the place does not exist: `rows`
/// planes of `length` rows.
static std::unique_ptr<CompiledKernel> guardedChooser(int64_t length, int64_t count) {
  return CompiledKernel::create(llvm::formatv(R"(
    func.func @main() attributes {{nn.symbols = []} {{ return }
    nn.kernel @k(%x: tensor<{0}x{1}x{2}xf32>, %p: tensor<{0}x{2}xi32>, %w: tensor<{1}xf32>) -> tensor<{0}x{2}xf32> {{
      %empty = tensor.empty() : tensor<{0}x{2}xf32>
      %y = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%p : tensor<{0}x{2}xi32>) outs(%empty : tensor<{0}x{2}xf32>) {{
      ^bb0(%place: i32, %out: f32):
        %i = linalg.index 0 : index
        %j = linalg.index 1 : index
        %zero = arith.constant 0 : index
        %n = arith.constant {1} : index
        %half = arith.constant 0.5 : f32
        %three = arith.constant 3.0 : f32
        %c = arith.index_cast %place : i32 to index
        %exists = arith.cmpi ult, %c, %n : index
        %at = arith.select %exists, %c, %zero : index
        %v = tensor.extract %x[%i, %at, %j] {{guarded} : tensor<{0}x{1}x{2}xf32>
        %value = arith.select %exists, %v, %half : f32
        %u = tensor.extract %w[%at] {{guarded} : tensor<{1}xf32>
        %weight = arith.select %exists, %u, %three : f32
        %minus = arith.negf %value : f32
        %product = arith.mulf %minus, %weight : f32
        linalg.yield %product : f32
      } -> tensor<{0}x{2}xf32>
      nn.yield %y : tensor<{0}x{2}xf32>
    })",
                                              rows, length, count)
                                    .str());
}

static void expectGuarded(int64_t length, int64_t count) {
  std::unique_ptr<CompiledKernel> kernel = guardedChooser(length, count);
  ASSERT_TRUE(kernel);
  std::vector<float> x(rows * length * count), w(length), places(rows * count);
  for (size_t n = 0; n < x.size(); ++n)
    x[n] = float(n % 4096);
  for (size_t n = 0; n < w.size(); ++n)
    w[n] = float(n + 1);
  std::vector<int32_t> numbers(places.size());
  for (size_t n = 0; n < numbers.size(); ++n)
    numbers[n] = int32_t((n * n * 7 + n) % length);
  auto check = [&] {
    for (size_t n = 0; n < places.size(); ++n)
      places[n] = llvm::bit_cast<float>(numbers[n]);
    std::vector<float> y = kernel->run({}, {x, places, w}, 0).front();
    for (int64_t n = 0; n < rows * count; ++n) {
      int64_t place = numbers[n];
      bool exists = place >= 0 && place < length;
      float expected = exists ? -x[(n / count * length + place) * count + n % count] * w[place] : -1.5f;
      ASSERT_EQ(y[n], expected) << length << " " << count << " " << n;
    }
  };
  check();
  for (size_t wrong = 0; wrong < numbers.size(); wrong += 1 + wrong / 8) {
    int32_t right = std::exchange(numbers[wrong], int32_t(wrong % 2 == 0 ? length : -1));
    check();
    numbers[wrong] = right;
  }
}

// Places are looked at together; where one does not exist, all around it are worked on with a choice for each.
TEST(Chosen, GuardedPlaces) {
  for (int64_t length : {3, 5, 8, 9})
    for (int64_t count : {1, 2, 3, 5, 8, 9, 15, 16, 17, 40})
      expectGuarded(length, count);
}
