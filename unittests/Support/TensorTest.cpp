#include "kumiko/Support/Tensor.h"
#include <gtest/gtest.h>

using namespace kumiko;

static std::string message(llvm::Error error) { return llvm::toString(std::move(error)); }

TEST(Tensor, CountsElements) {
  EXPECT_EQ(llvm::cantFail(elementCount({})), 1);
  EXPECT_EQ(llvm::cantFail(elementCount({2, 3, 5})), 30);
  EXPECT_EQ(llvm::cantFail(elementCount({0, 7})), 0);
}

// A file may claim any extents; their product must not wrap around to something small.
TEST(Tensor, RefusesOverflow) {
  EXPECT_NE(message(elementCount({int64_t(1) << 32, int64_t(1) << 32}).takeError()).find("63 bits"), std::string::npos);
  EXPECT_NE(message(elementCount({4, -1}).takeError()).find("negative extent -1"), std::string::npos);
  EXPECT_FALSE(bool(byteSize(ElementType::F64, {int64_t(1) << 61}, UINT64_MAX)) && "2^64 bytes do not fit");
}

// Zero elements are zero elements in whatever order the extents stand.
TEST(Tensor, EmptyBeatsOverflow) {
  EXPECT_EQ(llvm::cantFail(elementCount({INT64_MAX, INT64_MAX, 0})), 0);
  EXPECT_EQ(llvm::cantFail(elementCount({0, INT64_MAX, INT64_MAX})), 0);
}

TEST(Tensor, KeepsTheLimit) {
  EXPECT_EQ(llvm::cantFail(byteSize(ElementType::F32, {4}, 16)), 16u);
  EXPECT_NE(message(byteSize(ElementType::F32, {5}, 16).takeError()).find("above the limit of 16 bytes"),
            std::string::npos);
  EXPECT_NE(message(Tensor::zeros(ElementType::U8, {int64_t(1) << 50}).takeError()).find("limit"), std::string::npos);
}

TEST(Tensor, OwnsZeros) {
  Tensor tensor = llvm::cantFail(Tensor::zeros(ElementType::I32, {2, 3}));
  EXPECT_EQ(tensor.count(), 6);
  EXPECT_EQ(tensor.bytes().size(), 24u);
  EXPECT_TRUE(tensor.owns());
  for (int64_t i = 0; i < 6; ++i)
    EXPECT_EQ(tensor.at<int32_t>(i), 0);
}

// Weights lie in a file at any address.
TEST(Tensor, ViewsUnalignedMemory) {
  uint8_t bytes[9] = {0xff, 1, 0, 0, 0, 2, 0, 0, 0};
  Tensor view = llvm::cantFail(Tensor::view(ElementType::I32, {2}, llvm::ArrayRef(bytes).drop_front(1)));
  EXPECT_EQ(view.at<int32_t>(0), 1);
  EXPECT_EQ(view.at<int32_t>(1), 2);
  EXPECT_FALSE(view.owns());
  EXPECT_EQ(view.mutableData(), nullptr);
  Tensor copy = llvm::cantFail(view.copy());
  bytes[1] = 9;
  EXPECT_EQ(view.at<int32_t>(0), 9);
  EXPECT_EQ(copy.at<int32_t>(0), 1);
  EXPECT_NE(message(Tensor::view(ElementType::I32, {3}, bytes).takeError()).find("takes 12 bytes, 9 are given"),
            std::string::npos);
}

TEST(Tensor, Reinterprets) {
  Tensor tensor = llvm::cantFail(Tensor::zeros(ElementType::F32, {2, 2}));
  float one = 1;
  std::memcpy(tensor.mutableData(), &one, 4);
  const uint8_t *before = tensor.data();
  Tensor bits = llvm::cantFail(Tensor::reinterpret(std::move(tensor), ElementType::U32, {4}));
  EXPECT_EQ(bits.at<uint32_t>(0), 0x3f800000u);
  EXPECT_EQ(bits.data(), before);
  EXPECT_NE(message(Tensor::reinterpret(std::move(bits), ElementType::U32, {5}).takeError()).find("takes 20 bytes"),
            std::string::npos);
}
