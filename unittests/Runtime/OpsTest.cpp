//===- OpsTest.cpp - functions of runtime/ops against plain ones -----------------===//
#include "runtime/ops/ops.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace {

/// Sorts all of each row; NaN above everything.
template <typename T> std::vector<int64_t> sortedIndices(const T *row, int64_t size, int64_t stride, bool largest) {
  std::vector<int64_t> order(size);
  std::iota(order.begin(), order.end(), 0);
  auto less = [](T a, T b) { return a == a && (b != b || a < b); };
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    T left = row[(largest ? b : a) * stride], right = row[(largest ? a : b) * stride];
    return less(left, right) || (!less(right, left) && a < b);
  });
  return order;
}

template <typename T> void checkTopk(uint32_t type, std::vector<T> x, int64_t outer, int64_t inner, int64_t k) {
  int64_t size = int64_t(x.size()) / outer / inner;
  for (bool largest : {false, true}) {
    kumiko_topk p = {int64_t(type), size, inner, k, largest};
    std::vector<T> values(outer * k * inner);
    std::vector<int64_t> index(values.size());
    std::vector<char> scratch(kumiko_op_topk_scratch(&p) + 64);
    auto aligned = reinterpret_cast<void *>((reinterpret_cast<uintptr_t>(scratch.data()) + 63) & ~uintptr_t(63));
    void *buffers[] = {x.data(), values.data(), index.data()};
    int64_t rows = outer * inner;
    // In two chunks, the later one first.
    ASSERT_EQ(kumiko_op_topk(&p, buffers, rows / 2, rows, aligned), KUMIKO_OK);
    ASSERT_EQ(kumiko_op_topk(&p, buffers, 0, rows / 2, aligned), KUMIKO_OK);
    for (int64_t row = 0; row < rows; ++row) {
      const T *start = x.data() + row / inner * size * inner + row % inner;
      std::vector<int64_t> order = sortedIndices(start, size, inner, largest);
      for (int64_t i = 0; i < k; ++i) {
        int64_t at = (row / inner * k + i) * inner + row % inner;
        ASSERT_EQ(index[at], order[i]) << "row " << row << ", place " << i << ", k " << k << " of " << size;
        ASSERT_EQ(std::memcmp(&values[at], &start[order[i] * inner], sizeof(T)), 0);
      }
    }
  }
}

template <typename T> void checkTopkSizes(uint32_t type) {
  std::mt19937_64 random(7);
  for (int64_t size : {1, 2, 17, 257, 600})
    for (int64_t k : {int64_t(0), int64_t(1), size / 20, size / 2, size}) {
      // Few different values, so that places decide; then many.
      for (uint64_t range : {uint64_t(4), ~uint64_t(0)}) {
        std::vector<T> x(6 * size);
        for (T &value : x)
          value = std::is_floating_point_v<T> ? T(double(int64_t(random() % range)) / 3 - 1) : T(random() % range);
        checkTopk<T>(type, x, 6, 1, k);
        checkTopk<T>(type, x, 2, 3, k);
      }
    }
}

TEST(Topk, Integers) {
  checkTopkSizes<int8_t>(KUMIKO_I8);
  checkTopkSizes<uint8_t>(KUMIKO_U8);
  checkTopkSizes<int16_t>(KUMIKO_I16);
  checkTopkSizes<uint16_t>(KUMIKO_U16);
  checkTopkSizes<int32_t>(KUMIKO_I32);
  checkTopkSizes<uint32_t>(KUMIKO_U32);
  checkTopkSizes<int64_t>(KUMIKO_I64);
  checkTopkSizes<uint64_t>(KUMIKO_U64);
}

TEST(Topk, Floats) {
  checkTopkSizes<float>(KUMIKO_F32);
  checkTopkSizes<double>(KUMIKO_F64);
}

// Both zeros are equal, infinities are at the ends, NaN of either sign above them.
TEST(Topk, SpecialNumbers) {
  float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  std::vector<float> x = {0.0f, -0.0f, nan, inf, -inf, -nan, 1e-45f, -1e-45f, 0.0f};
  for (int64_t k = 0; k <= int64_t(x.size()); ++k)
    checkTopk<float>(KUMIKO_F32, x, 1, 1, k);
  std::vector<float> many(400, 2.0f);
  std::copy(x.begin(), x.end(), many.begin() + 300);
  checkTopk<float>(KUMIKO_F32, many, 1, 1, 9);
}

/// f16 and bf16 by their bits: the order of the numbers that they stand for.
TEST(Topk, SmallFloats) {
  for (uint32_t type : {KUMIKO_F16, KUMIKO_BF16}) {
    uint16_t infinity = type == KUMIKO_F16 ? 0x7c00 : 0x7f80;
    std::vector<uint16_t> x = {0x3c00, 0xbc00, 0x8000, 0x0000, infinity, uint16_t(infinity | 0x8000), 0xffff, 0x0001};
    kumiko_topk p = {int64_t(type), int64_t(x.size()), 1, int64_t(x.size()), 0};
    std::vector<int64_t> index(x.size());
    alignas(64) char scratch[1024];
    void *buffers[] = {x.data(), nullptr, index.data()};
    ASSERT_EQ(kumiko_op_topk(&p, buffers, 0, 1, scratch), KUMIKO_OK);
    EXPECT_EQ(index, (std::vector<int64_t>{5, 1, 2, 3, 7, 0, 4, 6}));
  }
}

TEST(Det, Matrices) {
  std::vector<double> x = {1, 2, 3, 4, 0, 1, 1, 0, 2, 4, 1, 2};
  double y[3], scratch[4];
  kumiko_det p = {KUMIKO_F64, 2};
  void *buffers[] = {x.data(), y};
  ASSERT_EQ(kumiko_op_det(&p, buffers, 0, 3, scratch), KUMIKO_OK);
  EXPECT_DOUBLE_EQ(y[0], -2);
  EXPECT_DOUBLE_EQ(y[1], -1);
  EXPECT_DOUBLE_EQ(y[2], 0);
  kumiko_det none = {KUMIKO_F64, 0};
  ASSERT_EQ(kumiko_op_det(&none, buffers, 0, 3, nullptr), KUMIKO_OK);
  EXPECT_EQ(y[2], 1);
}

// Results of f16 and bf16 are rounded once, ties to even, also below the normal numbers and to infinity.
TEST(Det, SmallFloats) {
  auto rounded = [](uint32_t type, std::vector<uint16_t> diagonal) {
    size_t n = diagonal.size();
    std::vector<uint16_t> x(n * n);
    for (size_t i = 0; i < n; ++i)
      x[i * n + i] = diagonal[i];
    std::vector<double> scratch(n * n);
    uint16_t y = 0;
    kumiko_det p = {int64_t(type), int64_t(n)};
    void *buffers[] = {x.data(), &y};
    EXPECT_EQ(kumiko_op_det(&p, buffers, 0, 1, scratch.data()), KUMIKO_OK);
    return y;
  };
  EXPECT_EQ(rounded(KUMIKO_F16, {0x4000, 0xc200}), 0xc600);          // 2 * -3
  EXPECT_EQ(rounded(KUMIKO_F16, {0x3c01, 0x3c01}), 0x3c02);          // (1 + u)^2: u^2 is lost
  EXPECT_EQ(rounded(KUMIKO_F16, {0x3c01, 0x3e00}), 0x3e02);          // 1.5 + 1.5 u: the tie goes to even
  EXPECT_EQ(rounded(KUMIKO_F16, {0x7bff, 0x4000}), 0x7c00);          // overflow
  EXPECT_EQ(rounded(KUMIKO_F16, {0x0400, 0x3800}), 0x0200);          // below the normal numbers
  EXPECT_EQ(rounded(KUMIKO_F16, {0x0001, 0x3800}), 0x0000);          // half of the smallest: the tie goes to 0
  EXPECT_EQ(rounded(KUMIKO_F16, {0x0003, 0x3800}), 0x0002);          // one and a half of it: to even
  EXPECT_EQ(rounded(KUMIKO_BF16, {0x4000, 0xc040}), 0xc0c0);         // 2 * -3
  EXPECT_EQ(rounded(KUMIKO_BF16, {0x7f7f, 0x4000}), 0x7f80);         // overflow
  EXPECT_EQ(rounded(KUMIKO_F16, {0x7e00, 0x3c00}) & 0x7e00, 0x7e00); // NaN
}

struct Regions {
  kumiko_roi p = {KUMIKO_F32, 2, 3, 6, 5, 2, 2, 1.0, 0, 1, 0};
  std::vector<float> x, rois;
  std::vector<int64_t> batch;

  Regions() : x(2 * 3 * 6 * 5) {
    std::mt19937 random(3);
    for (float &value : x)
      value = float(random() % 1000) / 100 - 5;
  }
  int run(std::vector<float> &y) {
    int64_t count = int64_t(rois.size()) / 4;
    y.assign(count * p.channels * p.height * p.width, -1);
    std::vector<double> scratch(kumiko_op_roi_align_scratch(&p) / 8 + 1);
    void *buffers[] = {x.data(), rois.data(), batch.data(), y.data()};
    return kumiko_op_roi_align(&p, buffers, 0, count, scratch.data());
  }
  /// One bin, sample by sample.
  double bin(int64_t region, int64_t channel, int64_t row, int64_t column) {
    double offset = p.half_pixel ? 0.5 : 0, start[2], bin[2], sum = 0, best = -HUGE_VAL;
    int64_t samples[2], sizes[2] = {p.rows, p.columns}, bins[2] = {p.height, p.width}, at[2] = {row, column};
    for (int axis = 0; axis < 2; ++axis) {
      double from = rois[4 * region + 1 - axis] * p.scale - offset, to = rois[4 * region + 3 - axis] * p.scale - offset;
      start[axis] = from;
      bin[axis] = (p.half_pixel ? to - from : std::max(to - from, 1.0)) / double(bins[axis]);
      samples[axis] = p.sampling ? p.sampling : std::max<int64_t>(int64_t(std::ceil(bin[axis])), 0);
    }
    const float *image = x.data() + (batch[region] * p.channels + channel) * p.rows * p.columns;
    for (int64_t i = 0; i < samples[0]; ++i)
      for (int64_t j = 0; j < samples[1]; ++j) {
        int64_t low[2], number[2] = {i, j};
        double weight[2], parts[4] = {};
        bool outside = false;
        for (int axis = 0; axis < 2; ++axis) {
          double position = start[axis] + at[axis] * bin[axis] + (number[axis] + 0.5) * bin[axis] / samples[axis];
          outside |= position < -1 || position > double(sizes[axis]);
          position = std::clamp(position, 0.0, double(sizes[axis] - 1));
          low[axis] = std::min(int64_t(position), sizes[axis] - 1);
          weight[axis] = position - double(low[axis]);
        }
        for (int corner = 0; corner < 4 && !outside; ++corner) {
          int64_t r = std::min(low[0] + corner / 2, sizes[0] - 1), c = std::min(low[1] + corner % 2, sizes[1] - 1);
          parts[corner] = (corner / 2 ? weight[0] : 1 - weight[0]) * (corner % 2 ? weight[1] : 1 - weight[1]) *
                          image[r * p.columns + c];
        }
        for (double part : parts) {
          sum += part;
          best = std::max(best, part);
        }
      }
    double count = double(samples[0]) * double(samples[1]);
    return count == 0 ? 0 : p.maximum ? best : sum / count;
  }
};

TEST(RoiAlign, AgainstSamples) {
  Regions regions;
  regions.rois = {0, 0, 4, 5, 1.2f, 0.7f, 3.9f, 5.1f, -3, -2, 9, 11, 2, 2, 2, 2, 4, 4, 1, 1, 100, 100, 120, 130};
  regions.batch = {0, 1, 1, 0, 1, 0};
  std::vector<float> y;
  for (int64_t sampling : {0, 1, 2, 5})
    for (int64_t half : {0, 1})
      for (int64_t maximum : {0, 1})
        for (double scale : {1.0, 0.37, 2.5}) {
          regions.p.sampling = sampling;
          regions.p.half_pixel = half;
          regions.p.maximum = maximum;
          regions.p.scale = scale;
          ASSERT_EQ(regions.run(y), KUMIKO_OK);
          for (size_t i = 0; i < y.size(); ++i)
            ASSERT_NEAR(y[i], regions.bin(i / 12, i / 4 % 3, i / 2 % 2, i % 2), 1e-5)
                << "element " << i << ", sampling " << sampling << ", half " << half << ", max " << maximum;
        }
}

// Numbers that no region has must not make it run for ever or read outside of the image.
TEST(RoiAlign, HostileRegions) {
  float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN(), far = 3e38f;
  Regions regions;
  for (float a : {0.0f, -far, far, inf, -inf, nan})
    for (float b : {0.0f, -far, far, inf, -inf, nan}) {
      regions.rois.insert(regions.rois.end(), {a, b, b, a});
      regions.batch.push_back(1);
    }
  std::vector<float> y;
  for (int64_t maximum : {0, 1})
    for (int64_t half : {0, 1}) {
      regions.p.maximum = maximum;
      regions.p.half_pixel = half;
      EXPECT_EQ(regions.run(y), KUMIKO_OK);
    }
  regions.batch[3] = 2;
  EXPECT_EQ(regions.run(y), KUMIKO_E_INDEX);
  regions.batch[3] = -1;
  EXPECT_EQ(regions.run(y), KUMIKO_E_INDEX);
  regions.p.sampling = INT64_MAX;
  EXPECT_EQ(kumiko_op_roi_align_scratch(&regions.p), INT64_MAX);
}

TEST(MaxRoiPool, Regions) {
  std::vector<float> x(16), y(4);
  std::iota(x.begin(), x.end(), 0.0f);
  std::vector<float> rois = {0, 0, 0, 3, 3};
  kumiko_roi p = {KUMIKO_F32, 1, 1, 4, 4, 2, 2, 1.0, 0, 0, 0};
  void *buffers[] = {x.data(), rois.data(), y.data()};
  ASSERT_EQ(kumiko_op_max_roi_pool(&p, buffers, 0, 1, nullptr), KUMIKO_OK);
  EXPECT_EQ(y, (std::vector<float>{5, 7, 13, 15}));
  rois = {0, 9, 9, 12, 12}; // beside the image
  ASSERT_EQ(kumiko_op_max_roi_pool(&p, buffers, 0, 1, nullptr), KUMIKO_OK);
  EXPECT_EQ(y, (std::vector<float>{0, 0, 0, 0}));
  rois[0] = 1;
  EXPECT_EQ(kumiko_op_max_roi_pool(&p, buffers, 0, 1, nullptr), KUMIKO_E_INDEX);
  rois[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(kumiko_op_max_roi_pool(&p, buffers, 0, 1, nullptr), KUMIKO_E_INDEX);
}

TEST(NgramCount, SkipsAndColumns) {
  struct {
    kumiko_ngram_count p = {KUMIKO_I32, 6, 3, 1, 2, 3, 2, 3};
    int64_t tables[4 + 3 + 5] = {1, 0, 2, 1, /*columns*/ 2, 0, 1, /*pool*/ 7, 5, 6, 5, 7};
  } all;
  std::vector<int32_t> x = {5, 7, 6, 5, 5, 7};
  std::vector<float> y(3);
  void *buffers[] = {x.data(), y.data()};
  ASSERT_EQ(kumiko_op_ngram_count(&all.p, buffers, 0, 1, nullptr), KUMIKO_OK);
  // 7 twice; (5,6) once with a step of 2; (5,7) twice side by side and once with a step of 2
  EXPECT_EQ(y, (std::vector<float>{1, 3, 2}));
}

TEST(RandomBits, KnownAnswers) {
  // Philox 4x32-10 with counter and key 0, from the authors' list of known answers.
  std::vector<uint32_t> y(6, 1);
  kumiko_random_bits p = {0, 6};
  void *buffers[] = {y.data()};
  ASSERT_EQ(kumiko_op_random_bits(&p, buffers, 0, 2, nullptr), KUMIKO_OK);
  EXPECT_EQ(std::vector<uint32_t>(y.begin(), y.begin() + 4),
            (std::vector<uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
}

} // namespace
