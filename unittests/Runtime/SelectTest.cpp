//===- SelectTest.cpp - functions of runtime/ops whose results data count ---------===//
#include "runtime/ops/ops.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <vector>

namespace {

using Numbers = std::vector<int64_t>;

/// Sums of what comes before each; the symbol.
int64_t total(const Numbers &counts, Numbers &before) {
  kumiko_total p = {int64_t(counts.size())};
  int64_t symbol = -1;
  before.assign(counts.size() + 1, -1);
  void *buffers[] = {const_cast<int64_t *>(counts.data()), before.data(), &symbol};
  EXPECT_EQ(kumiko_op_total(&p, buffers, 0, 1, nullptr), KUMIKO_OK);
  return symbol;
}

/// The positions as they are written, axis by axis, from pieces of three elements.
template <typename T> Numbers nonzero(uint32_t type, std::vector<T> x, Numbers shape) {
  int64_t count = int64_t(x.size()), pieces = (count + 2) / 3;
  struct {
    kumiko_nonzero p;
    int64_t shape[4];
  } all = {{int64_t(type), count, 3, pieces, int64_t(shape.size())}, {}};
  std::copy(shape.begin(), shape.end(), all.shape);
  Numbers counts(pieces), before;
  void *counting[] = {x.data(), counts.data()};
  EXPECT_EQ(kumiko_op_nonzero_count(&all.p, counting, 0, pieces, nullptr), KUMIKO_OK);
  Numbers index(total(counts, before) * shape.size());
  void *writing[] = {x.data(), before.data(), index.data()};
  for (int64_t piece = pieces; piece-- > 0;)
    EXPECT_EQ(kumiko_op_nonzero(&all.p, writing, piece, piece + 1, nullptr), KUMIKO_OK);
  return index;
}

TEST(Nonzero, EveryType) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(nonzero<float>(KUMIKO_F32, {0, -0.0f, 2, nan, 0, 1e-45f, 0}, {7}), (Numbers{2, 3, 5}));
  EXPECT_EQ(nonzero<double>(KUMIKO_F64, {0, -0.0, 2, 1e-320}, {2, 2}), (Numbers{1, 1, 0, 1}));
  EXPECT_EQ(nonzero<uint16_t>(KUMIKO_F16, {0, 0x8000, 1, 0x8001}, {4}), (Numbers{2, 3}));
  EXPECT_EQ(nonzero<uint16_t>(KUMIKO_U16, {0, 0x8000, 1}, {3}), (Numbers{1, 2}));
  EXPECT_EQ(nonzero<int8_t>(KUMIKO_I8, {0, -1, 0, 3, 4}, {5}), (Numbers{1, 3, 4}));
  EXPECT_EQ(nonzero<int32_t>(KUMIKO_I32, {0, 1 << 31, 0, 3}, {2, 1, 2}), (Numbers{0, 1, 0, 0, 1, 1}));
  EXPECT_EQ(nonzero<int64_t>(KUMIKO_I64, {int64_t(1) << 40, 0, 1}, {3}), (Numbers{0, 2}));
  EXPECT_EQ(nonzero<uint8_t>(KUMIKO_B1, {}, {0, 3}), Numbers());
}

/// Rows of (batch entry, class, box).
Numbers nms(kumiko_nms p, int64_t batch, std::vector<float> boxes, std::vector<float> scores) {
  int64_t items = batch * p.classes;
  Numbers counts(items), taken(items * p.most), before;
  std::vector<double> scratch(5 * p.most + p.boxes + 1);
  void *selecting[] = {boxes.data(), scores.data(), counts.data(), taken.data()};
  EXPECT_EQ(kumiko_op_nms_select(&p, selecting, 0, items, scratch.data()), KUMIKO_OK);
  Numbers rows(total(counts, before) * 3);
  void *writing[] = {before.data(), taken.data(), rows.data()};
  EXPECT_EQ(kumiko_op_nms(&p, writing, 0, items, nullptr), KUMIKO_OK);
  return rows;
}

TEST(Nms, DropsWhatOverlaps) {
  std::vector<float> boxes = {0, 0,  1, 1,  0, 0.1f,  1, 1.1f,  0, -0.1f, 1, 0.9f,
                              0, 10, 1, 11, 1, 11.1f, 0, 10.1f, 0, 100,   1, 101};
  std::vector<float> scores = {0.9f, 0.75f, 0.6f, 0.95f, 0.5f, 0.3f};
  EXPECT_EQ(nms({1, 6, 3, 0.5, 0, 0}, 1, boxes, scores), (Numbers{0, 0, 3, 0, 0, 0, 0, 0, 5}));
  EXPECT_EQ(nms({1, 6, 1, 0.5, 0, 0}, 1, boxes, scores), (Numbers{0, 0, 3}));
  EXPECT_EQ(nms({1, 6, 6, 0.5, 0.4, 0}, 1, boxes, scores), (Numbers{0, 0, 3, 0, 0, 0}));
  EXPECT_EQ(nms({1, 6, 0, 0.5, 0, 0}, 1, boxes, scores), Numbers());
}

// Of equal scores the first box comes first; scores that are no numbers are not above any threshold.
TEST(Nms, Ties) {
  std::vector<float> boxes, scores;
  for (int i = 0; i < 5; ++i) {
    boxes.insert(boxes.end(), {float(3 * i), 0, float(3 * i + 1), 1});
    scores.push_back(i == 2 ? std::numeric_limits<float>::quiet_NaN() : 1);
  }
  EXPECT_EQ(nms({1, 5, 5, 0.5, -HUGE_VAL, 0}, 1, boxes, scores), (Numbers{0, 0, 0, 0, 0, 1, 0, 0, 3, 0, 0, 4}));
  std::vector<float> centered = {0, 0, 2, 2, 0.1f, 0, 2, 2};
  EXPECT_EQ(nms({2, 2, 2, 0.5, 0, 1}, 1, centered, {1, 2, 2, 1}), (Numbers{0, 0, 1, 0, 1, 0}));
}

template <typename T> void checkUnique(uint32_t type, std::vector<T> x, int64_t outer, int64_t inner, bool sorted) {
  int64_t size = outer * inner ? int64_t(x.size()) / outer / inner : 0;
  kumiko_unique p = {int64_t(type), outer, size, inner, sorted, 0};
  Numbers firsts(size), which(size), counts(size);
  std::vector<double> scratch(6 * size + 16);
  int64_t symbol = -1;
  void *finding[] = {x.data(), firsts.data(), which.data(), counts.data(), &symbol};
  ASSERT_EQ(kumiko_op_unique_find(&p, finding, 0, 1, scratch.data()), KUMIKO_OK);
  // Results that nobody reads have no memory.
  Numbers others(size);
  void *partly[][5] = {{x.data(), nullptr, others.data(), nullptr, &symbol},
                       {x.data(), others.data(), nullptr, nullptr, &symbol}};
  for (int number = 0; number < 2; ++number) {
    ASSERT_EQ(kumiko_op_unique_find(&p, partly[number], 0, 1, scratch.data()), KUMIKO_OK);
    for (int64_t i = 0; i < (number ? symbol : size); ++i)
      EXPECT_EQ(others[i], (number ? firsts : which)[i]);
  }
  // By a map from slices to their positions.
  std::map<std::vector<T>, Numbers> groups;
  for (int64_t i = 0; i < size; ++i) {
    std::vector<T> slice;
    for (int64_t o = 0; o < outer; ++o)
      slice.insert(slice.end(), &x[(o * size + i) * inner], &x[(o * size + i) * inner] + inner);
    groups[slice].push_back(i);
  }
  std::vector<std::pair<std::vector<T>, Numbers>> order(groups.begin(), groups.end());
  if (!sorted)
    std::sort(order.begin(), order.end(), [](auto &a, auto &b) { return a.second[0] < b.second[0]; });
  ASSERT_EQ(symbol, int64_t(order.size()));
  p.groups = symbol;
  std::vector<T> y(outer * symbol * inner);
  Numbers first(symbol), count(symbol);
  void *writing[] = {x.data(), firsts.data(), counts.data(), y.data(), first.data(), count.data()};
  ASSERT_EQ(kumiko_op_unique(&p, writing, 0, 1, nullptr), KUMIKO_OK);
  for (int64_t g = 0; g < symbol; ++g) {
    EXPECT_EQ(first[g], order[g].second[0]);
    EXPECT_EQ(count[g], int64_t(order[g].second.size()));
    for (int64_t position : order[g].second)
      EXPECT_EQ(which[position], g);
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < inner; ++i)
        EXPECT_EQ(y[(o * symbol + g) * inner + i], order[g].first[o * inner + i]);
  }
}

TEST(Unique, SortedAndAsTheyCome) {
  std::mt19937 random(5);
  for (bool sorted : {false, true})
    for (int64_t size : {0, 1, 12, 300}) {
      std::vector<float> floats(size);
      std::vector<int64_t> integers(size);
      std::vector<uint8_t> bytes(size);
      for (int64_t i = 0; i < size; ++i) {
        floats[i] = float(random() % 40) / 4 - 5;
        integers[i] = int64_t(random() % 50) * -1000000000000;
        bytes[i] = uint8_t(random() % 2);
      }
      checkUnique<float>(KUMIKO_F32, floats, 1, 1, sorted);
      checkUnique<int64_t>(KUMIKO_I64, integers, 1, 1, sorted);
      checkUnique<uint8_t>(KUMIKO_U8, bytes, 1, 1, sorted);
      checkUnique<uint8_t>(KUMIKO_U8, bytes, 2, 3, sorted);
      checkUnique<uint8_t>(KUMIKO_U8, bytes, 1, 4, sorted);
    }
}

// A truth value that was only moved is still the byte that came in.
TEST(Unique, AnyByteButZeroIsSet) {
  kumiko_unique p = {KUMIKO_B1, 1, 4, 1, true, 0};
  uint8_t x[] = {2, 0, 1, 255};
  Numbers firsts(4), which(4), counts(4);
  std::vector<double> scratch(40);
  int64_t symbol = -1;
  void *finding[] = {x, firsts.data(), which.data(), counts.data(), &symbol};
  ASSERT_EQ(kumiko_op_unique_find(&p, finding, 0, 1, scratch.data()), KUMIKO_OK);
  EXPECT_EQ(symbol, 2);
  EXPECT_EQ(which, (Numbers{1, 0, 1, 1}));
}

TEST(SymbolRead, WrapsAndClamps) {
  auto read = [](uint32_t type, const void *x, kumiko_symbol_read p, int64_t &value) {
    p.type = type;
    void *buffers[] = {const_cast<void *>(x), &value};
    return kumiko_op_symbol(&p, buffers, 0, 1, nullptr);
  };
  int64_t x[] = {3, -2, INT64_MAX, INT64_MIN}, value = -1;
  EXPECT_EQ(read(KUMIKO_I64, x, {0, 0, 0, 0, INT64_MAX, 0}, value), KUMIKO_OK);
  EXPECT_EQ(value, 3);
  EXPECT_EQ(read(KUMIKO_I64, x, {0, 1, 10, 0, 10, 0}, value), KUMIKO_OK);
  EXPECT_EQ(value, 8);
  EXPECT_EQ(read(KUMIKO_I64, x, {0, 1, 0, 0, 10, 0}, value), KUMIKO_E_VALUE);
  EXPECT_EQ(read(KUMIKO_I64, x, {0, 2, 10, 0, 10, 1}, value), KUMIKO_OK);
  EXPECT_EQ(value, 10);
  EXPECT_EQ(read(KUMIKO_I64, x, {0, 3, 10, 0, 10, 1}, value), KUMIKO_OK);
  EXPECT_EQ(value, 0);
  uint8_t byte = 200;
  EXPECT_EQ(read(KUMIKO_U8, &byte, {0, 0, 0, 0, 255, 0}, value), KUMIKO_OK);
  EXPECT_EQ(value, 200);
  EXPECT_EQ(read(KUMIKO_B1, &byte, {0, 0, 0, 0, 255, 0}, value), KUMIKO_OK);
  EXPECT_EQ(value, 1);
  uint64_t large = UINT64_MAX;
  EXPECT_EQ(read(KUMIKO_U64, &large, {0, 0, 7, 0, 255, 0}, value), KUMIKO_E_VALUE);
}

} // namespace
