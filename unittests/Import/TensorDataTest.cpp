#include "kumiko/Import/Onnx/TensorData.h"
#include "Imported.h"
#include "kumiko/Import/Onnx/Fields.h"
#include "kumiko/Support/Convert.h"
#include "gtest/gtest.h"

using namespace kumiko;
using namespace kumiko::onnx;
using namespace kumiko::onnx::test;

namespace {

namespace f = field::tensor;

struct Loaded {
  Folder folder;
  ProblemList problems;
  std::optional<kumiko::Tensor> tensor;
  explicit Loaded(const Message &message) { tensor = readTensorFile(folder.write("t.pb", message.bytes), problems); }
  int code() const { return problems.all().empty() ? 0 : int(problems.all()[0].code); }
  std::vector<double> values() const {
    std::vector<double> list;
    for (int64_t i = 0; tensor && i < tensor->count(); ++i)
      list.push_back(valueAt(*tensor, i));
    return list;
  }
};

Message typed(DataType type, std::vector<int64_t> shape) {
  Message result;
  for (int64_t size : shape)
    result.varint(f::Dims, size);
  return result.varint(f::DataType, static_cast<uint64_t>(type));
}

using Values = std::vector<double>;

TEST(TensorData, TypedIntegers) {
  EXPECT_EQ(Loaded(typed(DataType::Int64, {2}).varint(f::Int64Data, -5).varint(f::Int64Data, 7)).values(),
            Values({-5, 7}));
  EXPECT_EQ(Loaded(typed(DataType::Int8, {2}).text(f::Int32Data, varintBytes(-5) + varintBytes(7))).values(),
            Values({-5, 7}));
  EXPECT_EQ(Loaded(typed(DataType::Uint32, {1}).varint(f::Uint64Data, 4000000000u)).values(), Values({4e9}));
  EXPECT_EQ(Loaded(typed(DataType::Float16, {1}).varint(f::Int32Data, 0x3c00)).values(), Values({1}));
  EXPECT_EQ(Loaded(typed(DataType::Bool, {2}).varint(f::Int32Data, 1).varint(f::Int32Data, 0)).values(),
            Values({1, 0}));
}

TEST(TensorData, TypedFloatsInPieces) {
  Message pieces = typed(DataType::Float, {3});
  pieces.real(f::FloatData, 1.5f).text(f::FloatData, std::string("\0\0\0\x40", 4)).real(f::FloatData, -1);
  EXPECT_EQ(Loaded(pieces).values(), Values({1.5, 2, -1}));
}

TEST(TensorData, SmallTypes) {
  // Lowest bits first; odd lengths fill the last byte.
  EXPECT_EQ(Loaded(typed(DataType::Int4, {3}).text(f::RawData, "\x8f\x07")).values(), Values({-1, -8, 7}));
  EXPECT_EQ(Loaded(typed(DataType::Uint4, {3}).text(f::RawData, "\x8f\x07")).values(), Values({15, 8, 7}));
  EXPECT_EQ(Loaded(typed(DataType::Uint4, {3}).varint(f::Int32Data, 0x8f).varint(f::Int32Data, 7)).values(),
            Values({15, 8, 7}));
  EXPECT_EQ(Loaded(typed(DataType::Int2, {5}).text(f::RawData, "\xe4\x01")).values(), Values({0, 1, -2, -1, 1}));
  EXPECT_EQ(Loaded(typed(DataType::Float4E2M1, {2}).text(f::RawData, "\xa2")).values(), Values({1, -1}));
  // Four elements of six bits in three bytes: 8 is 1.0 in f6e2m3, 40 is -1.0.
  EXPECT_EQ(Loaded(typed(DataType::Float6E2M3, {4}).text(f::RawData, std::string("\x08\x8a\x00", 3))).values(),
            Values({1, -1, 1, 0}));
}

TEST(TensorData, BoolsAreZeroOrOne) {
  Loaded loaded(typed(DataType::Bool, {3}).text(f::RawData, std::string("\0\x02\xff", 3)));
  ASSERT_TRUE(loaded.tensor);
  EXPECT_EQ(loaded.tensor->bytes(), (llvm::ArrayRef<uint8_t>{0, 1, 1}));
}

TEST(TensorData, ScalarsAndEmptyTensors) {
  EXPECT_EQ(Loaded(typed(DataType::Int64, {}).varint(f::Int64Data, 3)).values(), Values({3}));
  EXPECT_EQ(Loaded(typed(DataType::Float, {0, 5})).code(), 0);
  EXPECT_EQ(Loaded(typed(DataType::Float, {0}).text(f::RawData, "")).code(), 0);
}

TEST(TensorData, WrongSizes) {
  EXPECT_EQ(Loaded(typed(DataType::Float, {2}).text(f::RawData, "1234567")).code(), 203);
  EXPECT_EQ(Loaded(typed(DataType::Float, {2})).code(), 203);
  EXPECT_EQ(Loaded(typed(DataType::Float, {2}).real(f::FloatData, 1)).code(), 203);
  EXPECT_EQ(Loaded(typed(DataType::Int64, {2}).varint(f::Int64Data, 1)).code(), 203);
  EXPECT_EQ(Loaded(typed(DataType::Int4, {3}).text(f::RawData, "1")).code(), 203);
  EXPECT_EQ(Loaded(typed(DataType::Float, {1}).varint(f::Int64Data, 1)).code(), 203); // another type's field
}

TEST(TensorData, HostileShapes) {
  EXPECT_EQ(Loaded(typed(DataType::Float, {-1})).code(), 202);
  int64_t huge = int64_t(1) << 40;
  EXPECT_EQ(Loaded(typed(DataType::Float, {huge, huge})).code(), 202);
  EXPECT_EQ(Loaded(typed(DataType::Float, {huge})).code(), 507); // nothing is allocated
  EXPECT_EQ(Loaded(typed(DataType::Float, {0, int64_t(1) << 60})).code(), 507);
  EXPECT_EQ(Loaded(typed(DataType::Float, std::vector<int64_t>(1000, 1))).code(), 507);
}

TEST(TensorData, TypesOutsideTheList) {
  EXPECT_EQ(Loaded(typed(static_cast<DataType>(99), {1})).code(), 201);
  EXPECT_EQ(Loaded(typed(DataType::Undefined, {1})).code(), 201);
  EXPECT_EQ(Loaded(typed(DataType::String, {1}).text(f::StringData, "a")).code(), 504);
  EXPECT_EQ(Loaded(typed(DataType::Complex64, {1})).code(), 504);
}

TEST(TensorData, TwoKindsOfData) {
  EXPECT_EQ(Loaded(typed(DataType::Float, {1}).real(f::FloatData, 1).text(f::RawData, "1234")).code(), 204);
}

} // namespace
