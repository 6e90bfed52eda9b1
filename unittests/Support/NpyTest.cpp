#include "kumiko/Support/Npy.h"
#include "kumiko/Support/Convert.h"
#include "kumiko/Support/NpyHeader.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include <gtest/gtest.h>
#include <random>

using namespace kumiko;
using E = ElementType;

/// A file as NumPy would write it, with any dictionary.
static std::vector<uint8_t> npy(const std::string &dictionary, std::vector<uint8_t> data, unsigned version = 1) {
  std::vector<uint8_t> file = {0x93, 'N', 'U', 'M', 'P', 'Y', uint8_t(version), 0};
  size_t length = dictionary.size();
  for (unsigned i = 0; i < (version == 1 ? 2u : 4u); ++i)
    file.push_back(uint8_t(length >> 8 * i));
  file.insert(file.end(), dictionary.begin(), dictionary.end());
  file.insert(file.end(), data.begin(), data.end());
  return file;
}

static std::string refusal(const std::vector<uint8_t> &file, uint64_t limit = defaultTensorLimit) {
  llvm::Expected<NpyArray> array = readNpy(file, limit);
  return array ? "accepted" : llvm::toString(array.takeError());
}

static const char *bytes3 = "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }\n";

TEST(Npy, ReadsAllVersions) {
  for (unsigned version : {1, 2, 3}) {
    NpyArray array = llvm::cantFail(readNpy(npy(bytes3, {7, 8, 9}, version)));
    EXPECT_EQ(array.tensor.element(), E::U8);
    EXPECT_EQ(array.tensor.shape(), llvm::ArrayRef<int64_t>({3}));
    EXPECT_EQ(array.tensor.at<uint8_t>(2), 9);
  }
  EXPECT_NE(refusal(npy(bytes3, {1, 2, 3}, 4)).find("version 4"), std::string::npos);
}

TEST(Npy, SwapsBigEndian) {
  NpyArray array = llvm::cantFail(readNpy(npy("{'descr': '>i4', 'fortran_order': False, 'shape': ()}", {0, 0, 1, 2})));
  EXPECT_EQ(array.tensor.rank(), 0u);
  EXPECT_EQ(array.tensor.at<int32_t>(0), 258);
}

// Column-major (2, 3): the file holds columns one after the other.
TEST(Npy, TransposesFortranOrder) {
  NpyArray array =
      llvm::cantFail(readNpy(npy("{'shape': (2, 3), 'fortran_order': True, 'descr': '|i1'}", {0, 3, 1, 4, 2, 5})));
  for (int8_t i = 0; i < 6; ++i)
    EXPECT_EQ(array.tensor.at<int8_t>(i), i);
}

TEST(Npy, KnowsTheTypes) {
  std::pair<const char *, E> types[] = {{"|b1", E::B1},  {"|i1", E::I8},  {"<i2", E::I16}, {"<i4", E::I32},
                                        {"<i8", E::I64}, {"|u1", E::U8},  {"<u2", E::U16}, {"<u4", E::U32},
                                        {"<u8", E::U64}, {"<f2", E::F16}, {"<f4", E::F32}, {"<f8", E::F64}};
  for (auto &[name, type] : types) {
    std::string header = "{'descr': '" + std::string(name) + "', 'fortran_order': False, 'shape': (1,), }";
    EXPECT_EQ(llvm::cantFail(readNpy(npy(header, std::vector<uint8_t>(8)))).tensor.element(), type);
  }
  for (const char *name : {"<c8", "<U3", "|O", "<M8[ns]", "<f16", ""}) {
    std::string header = "{'descr': '" + std::string(name) + "', 'fortran_order': False, 'shape': (1,), }";
    EXPECT_NE(refusal(npy(header, std::vector<uint8_t>(16))).find("not supported"), std::string::npos) << name;
  }
  EXPECT_NE(
      refusal(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", {0, 0, 0, 0})).find("structured"),
      std::string::npos);
}

TEST(Npy, RefusesDamage) {
  std::vector<uint8_t> good = npy(bytes3, {7, 8, 9});
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_NE(refusal(std::vector<uint8_t>(good.begin(), good.begin() + length)), "accepted") << length;
  const char *dictionaries[] = {
      "",
      "{",
      "{}",
      "{'descr': '<f4'}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
      "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}",
      "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} and more",
      "{'descr: '<f4', 'fortran_order': False, 'shape': (1,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': ([1],)}",
  };
  for (const char *dictionary : dictionaries)
    EXPECT_NE(refusal(npy(dictionary, std::vector<uint8_t>(64))), "accepted") << dictionary;
}

// The sizes in a header are claims; nothing is allocated for them.
TEST(Npy, RefusesImpossibleSizes) {
  auto claim = [](const char *shape) {
    return npy(std::string("{'descr': '<f8', 'fortran_order': False, 'shape': ") + shape + "}",
               std::vector<uint8_t>(64));
  };
  EXPECT_NE(refusal(claim("(1000000000,)")).find("the file has 64"), std::string::npos);
  EXPECT_NE(refusal(claim("(4294967296, 4294967296)")).find("63 bits"), std::string::npos);
  EXPECT_NE(refusal(claim("(9223372036854775807,)")).find("limit"), std::string::npos);
  EXPECT_NE(refusal(claim("(8,)"), 32).find("limit of 32"), std::string::npos);
  EXPECT_NE(refusal(claim("(9,)")).find("takes 72 bytes"), std::string::npos);
  std::string many = "(";
  for (int i = 0; i < 65; ++i)
    many += "1,";
  EXPECT_NE(refusal(claim((many + ")").c_str())).find("more than 64"), std::string::npos);
  std::vector<uint8_t> longHeader = npy(bytes3, {1, 2, 3}, 2);
  longHeader[11] = 0x7f; // two gigabytes of header
  EXPECT_NE(refusal(longHeader).find("not plausible"), std::string::npos);
  EXPECT_EQ(llvm::cantFail(readNpy(claim("(0, 9223372036854775807)"))).tensor.count(), 0);
}

// No byte may make the reader crash; what it says does not matter here.
TEST(Npy, SurvivesRandomBytes) {
  std::vector<uint8_t> good = npy(bytes3, {7, 8, 9});
  std::mt19937 random(3);
  for (int round = 0; round < 20000; ++round) {
    std::vector<uint8_t> bad = good;
    for (int i = 0; i < 3; ++i)
      bad[random() % bad.size()] = uint8_t(random());
    if (llvm::Expected<NpyArray> array = readNpy(bad, 1 << 20))
      EXPECT_LE(array->tensor.bytes().size(), 1u << 20);
    else
      llvm::consumeError(array.takeError());
  }
}

static llvm::SmallString<128> temporaryPath(const char *suffix) {
  llvm::SmallString<128> path;
  EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("kumiko-npy", suffix, path));
  return path;
}

TEST(Npy, WritesWhatItReads) {
  llvm::SmallString<128> path = temporaryPath("npy");
  llvm::FileRemover remover(path);
  for (unsigned type = 1; type <= unsigned(E::F4E2M1); ++type)
    for (llvm::SmallVector<int64_t, 6> shape :
         {llvm::SmallVector<int64_t, 6>{}, {0}, {5}, {2, 3}, {1, 1, 1, 1, 1, 1, 1, 1}}) {
      Tensor tensor = llvm::cantFail(Tensor::zeros(E(type), shape));
      for (size_t i = 0; i < tensor.bytes().size(); ++i)
        tensor.mutableData()[i] = uint8_t(i % 2); // fits every type
      ASSERT_FALSE(bool(writeNpyFile(path, tensor)));
      llvm::Expected<NpyArray> back = readNpyFile(path);
      ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
      bool isRaw = E(type) == E::BF16 || isSmallFloat(E(type));
      EXPECT_EQ(back->raw, isRaw);
      llvm::Expected<Tensor> same = asElementType(std::move(*back), E(type));
      ASSERT_TRUE(bool(same)) << llvm::toString(same.takeError());
      EXPECT_EQ(same->shape(), tensor.shape());
      EXPECT_EQ(same->bytes(), tensor.bytes());
    }
}

TEST(Npy, HeaderIsAligned) {
  for (int64_t extent : {1, 1000000, 123456789})
    EXPECT_EQ(makeNpyHeader(E::F32, {extent, extent}).size() % 64, 0u);
}

TEST(Npy, NeverConvertsSilently) {
  auto array = [](E type, uint8_t value) {
    Tensor tensor = llvm::cantFail(Tensor::zeros(type, {1}));
    tensor.mutableData()[0] = value;
    return NpyArray{std::move(tensor), false};
  };
  EXPECT_TRUE(bool(asElementType(array(E::I8, 7), E::I4)));
  EXPECT_EQ(llvm::toString(asElementType(array(E::I8, 8), E::I4).takeError()),
            "element 0 is 8, outside the range of i4");
  EXPECT_EQ(llvm::toString(asElementType(array(E::F64, 0), E::F32).takeError()),
            "expected elements of type f32, found f64");
  EXPECT_EQ(llvm::toString(asElementType(array(E::U16, 0), E::BF16).takeError()),
            "expected elements of type bf16, found u16");
}

// A target that cannot be written leaves an error and no half file.
TEST(Npy, ReportsFailedWrites) {
  Tensor tensor = llvm::cantFail(Tensor::zeros(E::F32, {4}));
  EXPECT_TRUE(llvm::errorToBool(writeNpyFile("/nonexistent-folder/x.npy", tensor)));
  EXPECT_TRUE(llvm::errorToBool(writeNpyFile("/", tensor)));
  EXPECT_FALSE(llvm::errorToBool(writeNpyFile("/dev/null", tensor)));
  EXPECT_TRUE(llvm::errorToBool(writeNpyFile("/dev/full", llvm::cantFail(Tensor::zeros(E::F32, {100000})))));
  EXPECT_TRUE(llvm::errorToBool(readNpyFile("/dev/zero").takeError()));
  EXPECT_TRUE(llvm::errorToBool(readNpyFile("/nonexistent.npy").takeError()));
}
