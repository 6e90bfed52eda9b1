#include "kumiko/Verify/Ulp.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace kumiko;

template <typename T> static Tensor tensorOf(ElementType type, std::initializer_list<T> values) {
  Tensor tensor = llvm::cantFail(Tensor::zeros(type, {int64_t(values.size())}));
  std::memcpy(tensor.mutableData(), values.begin(), values.size() * sizeof(T));
  return tensor;
}
static Tensor floats(std::initializer_list<float> values) { return tensorOf<float>(ElementType::F32, values); }
static Tensor doubles(std::initializer_list<double> values) { return tensorOf<double>(ElementType::F64, values); }

TEST(Ulp, SpacingOfNumbers) {
  EXPECT_EQ(ulpOf(ElementType::F32, 1.0), 0x1p-23);
  EXPECT_EQ(ulpOf(ElementType::F32, 1.99), 0x1p-23);
  EXPECT_EQ(ulpOf(ElementType::F32, 2.0), 0x1p-22);
  EXPECT_EQ(ulpOf(ElementType::F32, 0.0), 0x1p-149);
  EXPECT_EQ(ulpOf(ElementType::F32, 0x1p-140), 0x1p-149);
  EXPECT_EQ(ulpOf(ElementType::F16, 1.0), 0x1p-10);
  EXPECT_EQ(ulpOf(ElementType::BF16, 1.0), 0x1p-7);
  EXPECT_EQ(ulpOf(ElementType::F64, 1.0), 0x1p-52);
  EXPECT_EQ(ulpOf(ElementType::F8E4M3FN, 1.0), 0x1p-3);
}

TEST(Ulp, EqualIsZero) {
  Distance distance = compare(floats({1, -0.0f, 3}), doubles({1, 0.0, 3}));
  EXPECT_EQ(distance.ulp, 0);
  EXPECT_EQ(distance.worst, -1);
}

TEST(Ulp, CountsLastPlaces) {
  float next = std::nextafter(1.0f, 2.0f);
  Distance distance = compare(floats({1, next}), doubles({1, 1}));
  EXPECT_EQ(distance.ulp, 1);
  EXPECT_EQ(distance.worst, 1);
  EXPECT_EQ(distance.reference, 1);
  EXPECT_FLOAT_EQ(distance.relativeToLargest, 0x1p-23f);
}

// The reference is rounded first: a correctly rounded result is at distance zero.
TEST(Ulp, ReferenceIsRounded) { EXPECT_EQ(compare(floats({0.1f}), doubles({0.1})).ulp, 0); }

// Beside 1024, the smallest magnitude that counts is 1.
TEST(Ulp, TinyElementsAreMeasuredByTheirNeighbours) {
  EXPECT_EQ(compare(floats({1024, 0x1p-23f}), doubles({1024, 0})).ulp, 1);
  EXPECT_GT(compare(floats({0x1p-23f}), doubles({0})).ulp, 1e6);
}

TEST(Ulp, NonFiniteValuesMustAgree) {
  float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(compare(floats({nan, inf, -inf, 1}), doubles({std::nan(""), inf, -inf, 1})).ulp, 0);
  EXPECT_TRUE(std::isinf(compare(floats({nan}), doubles({1})).ulp));
  EXPECT_TRUE(std::isinf(compare(floats({1}), doubles({std::nan("")})).ulp));
  EXPECT_TRUE(std::isinf(compare(floats({inf}), doubles({-inf})).ulp));
  // What overflows the type is infinite there.
  EXPECT_EQ(compare(floats({inf}), doubles({1e300})).ulp, 0);
  // A NaN that comes first does not hide what follows, nor the other way round.
  EXPECT_EQ(compare(floats({5, nan}), doubles({1, 1})).worst, 1);
}

TEST(Ulp, IntegersDifferByUnits) {
  auto integers = [](std::initializer_list<int64_t> values) { return tensorOf<int64_t>(ElementType::I64, values); };
  EXPECT_EQ(compare(integers({1, 2}), integers({1, 2})).ulp, 0);
  EXPECT_EQ(compare(integers({1, 5}), integers({1, 2})).ulp, 3);
  EXPECT_GE(compare(integers({INT64_MAX}), integers({INT64_MAX - 1})).ulp, 1);
}

TEST(Ulp, ShapesMustAgree) { EXPECT_TRUE(std::isinf(compare(floats({1, 2}), doubles({1})).ulp)); }
