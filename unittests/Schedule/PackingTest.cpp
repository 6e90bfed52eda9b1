//===- PackingTest.cpp - constants in the order their readers want ---------===//
#include "kumiko/Schedule/Packing.h"
#include "gtest/gtest.h"
#include <cstring>
#include <numeric>

using namespace kumiko;

static std::vector<float> packed(const Packing &packing, llvm::ArrayRef<float> source) {
  std::vector<float> target(packing.elementCount(), -1);
  packing.pack(reinterpret_cast<const char *>(source.data()), reinterpret_cast<char *>(target.data()));
  return target;
}

static std::vector<float> counting(size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

// A 3 x 5 matrix in panels of 4 columns: depth inside a panel, zeros beyond the columns.
TEST(Packing, PanelsOfAMatrix) {
  Packing packing;
  packing.shape = {3, 5};
  packing.depth = {0};
  packing.columns = {1};
  packing.panelColumns = 4;
  std::vector<float> expected = {0, 1, 2, 3, 5, 6, 7, 8, 10, 11, 12, 13, 4, 0, 0, 0, 9, 0, 0, 0, 14, 0, 0, 0};
  EXPECT_EQ(packed(packing, counting(15)), expected);
}

// Two parts of 3 columns: a panel has the same columns of both, one after the other.
TEST(Packing, PanelsHaveAllParts) {
  Packing packing;
  packing.shape = {2, 6};
  packing.depth = {0};
  packing.columns = {1};
  packing.panelColumns = 2;
  packing.parts = 2;
  std::vector<float> expected = {0, 1, 3, 4, 6, 7, 9, 10, 2, 0, 5, 0, 8, 0, 11, 0};
  EXPECT_EQ(packed(packing, counting(12)), expected);
}

// Convolution weights f,c,i,j with depth in the order i, j, c: element (f, c, i, j) is found at depth (i*2 + j)*3 + c.
TEST(Packing, DepthFollowsTheWindow) {
  Packing packing;
  packing.shape = {2, 3, 2, 2};
  packing.columns = {0};
  packing.depth = {2, 3, 1};
  packing.panelColumns = 8;
  std::vector<float> target = packed(packing, counting(24));
  for (int f = 0; f < 2; ++f)
    for (int c = 0; c < 3; ++c)
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
          EXPECT_EQ(target[((i * 2 + j) * 3 + c) * 8 + f], ((f * 3 + c) * 2 + i) * 2 + j);
}

// One panel as wide as the columns is a transposition, and its strides say so.
TEST(Packing, LanesLast) {
  Packing packing;
  packing.shape = {4, 3};
  packing.columns = {0};
  packing.depth = {1};
  packing.panelColumns = 4;
  std::vector<float> expected = {0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11};
  EXPECT_EQ(packed(packing, counting(12)), expected);
  EXPECT_EQ(packing.strides(), (llvm::SmallVector<int64_t>{1, 4}));
}

// The source is a mapped file: any alignment.
TEST(Packing, UnalignedSource) {
  Packing packing;
  packing.shape = {2, 2};
  packing.depth = {0};
  packing.columns = {1};
  packing.panelColumns = 2;
  std::vector<float> values = counting(4), target(4);
  std::vector<char> bytes(17);
  std::memcpy(bytes.data() + 1, values.data(), 16);
  packing.pack(bytes.data() + 1, reinterpret_cast<char *>(target.data()));
  EXPECT_EQ(target, values);
}

/// Columns of a 5 x 3 matrix of bytes, packed as words.
static std::vector<int32_t> packedWords(IntegerLayout layout, llvm::ArrayRef<int8_t> source) {
  Packing packing;
  packing.shape = {5, 3};
  packing.depth = {0};
  packing.columns = {1};
  packing.panelColumns = layout.panelColumns = 2;
  packing.elementBytes = 1;
  layout.depth = 5;
  packing.integers = layout;
  std::vector<int32_t> target(packing.elementCount(), 99);
  EXPECT_EQ(packing.storedBytes(), int64_t(4 * target.size()));
  packing.pack(reinterpret_cast<const char *>(source.data()), reinterpret_cast<char *>(target.data()));
  return target;
}

static const int8_t matrix[15] = {-1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, -128};

// Two halves to a word, with their signs; the last word of a column and the last column are filled up with zeros.
TEST(Packing, PairsOfHalves) {
  IntegerLayout layout;
  layout.group = 2;
  auto pair = [](int16_t low, int16_t high) { return int32_t(uint32_t(uint16_t(high)) << 16 | uint16_t(low)); };
  std::vector<int32_t> expected = {pair(-1, 4), pair(2, 5), pair(7, 10), pair(8, 11), pair(13, 0),   pair(14, 0),
                                   pair(3, 6),  0,          pair(9, 12), 0,           pair(-128, 0), 0};
  EXPECT_EQ(packedWords(layout, matrix), expected);
}

// Without a sign 128 is 128.
TEST(Packing, HalvesWithoutASign) {
  IntegerLayout layout;
  layout.group = 2;
  layout.columnSigned = false;
  EXPECT_EQ(packedWords(layout, matrix)[10], 128);
}

// Four bytes to a word behind what the sums of the columns begin with: here rows have a sign as the columns have, are
// read without one as 128 more, and -128 times the sum of a column makes up for it.
TEST(Packing, FourBytesAndTheirStart) {
  IntegerLayout layout;
  layout.group = 4;
  layout.turnsRows = true;
  auto word = [](int8_t a, int8_t b, int8_t c, int8_t d) {
    return int32_t(uint8_t(a) | uint32_t(uint8_t(b)) << 8 | uint32_t(uint8_t(c)) << 16 | uint32_t(uint8_t(d)) << 24);
  };
  std::vector<int32_t> expected = {-128 * 33,           -128 * 40,
                                   word(-1, 4, 7, 10),  word(2, 5, 8, 11),
                                   word(13, 0, 0, 0),   word(14, 0, 0, 0),
                                   -128 * (30 - 128),   0,
                                   word(3, 6, 9, 12),   0,
                                   word(-128, 0, 0, 0), 0};
  EXPECT_EQ(packedWords(layout, matrix), expected);
}
