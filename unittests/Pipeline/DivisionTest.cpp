//===- DivisionTest.cpp - integers divided in vectors, against the evaluator --------===//
#include "unittests/Pipeline/Check.h"
#include "gtest/gtest.h"
#include <random>

using namespace kumiko;

namespace {

struct Integer {
  ElementType type;
  const char *name;
  unsigned bits;
};
constexpr Integer integers[] = {{ElementType::I8, "i8", 8},    {ElementType::U8, "ui8", 8},
                                {ElementType::I16, "i16", 16}, {ElementType::U16, "ui16", 16},
                                {ElementType::I32, "i32", 32}, {ElementType::U32, "ui32", 32},
                                {ElementType::I64, "i64", 64}, {ElementType::U64, "ui64", 64}};

/// Numbers by their bits: what the type has no room for is cut off.
Tensor tensorOf(ElementType type, const std::vector<uint64_t> &values) {
  Tensor tensor = llvm::cantFail(Tensor::zeros(type, {int64_t(values.size())}));
  unsigned width = bytesOf(type);
  for (size_t i = 0; i < values.size(); ++i)
    std::memcpy(tensor.mutableData() + i * width, &values[i], width);
  return tensor;
}

/// All three kinds of division of one number by the other.
void checkDivisions(const Integer &integer, const std::vector<uint64_t> &x, const std::vector<uint64_t> &y) {
  std::string type = "tensor<" + std::to_string(x.size()) + "x" + integer.name + ">";
  std::string types = " : (" + type + ", " + type + ") -> " + type + "\n";
  std::vector<Tensor> inputs;
  inputs.push_back(tensorOf(integer.type, x));
  inputs.push_back(tensorOf(integer.type, y));
  check("func.func @main(%x: " + type + ", %y: " + type + ") -> (" + type + ", " + type + ", " + type + ") {\n" +
            "  %a = nn.div %x, %y" + types + "  %b = nn.mod %x, %y" + types + "  %c = nn.rem %x, %y" + types +
            "  return %a, %b, %c : " + type + ", " + type + ", " + type + "\n}",
        std::move(inputs));
}

TEST(Division, EveryPairOfBytes) {
  std::vector<uint64_t> x, y;
  for (uint64_t pair = 0; pair < 1 << 16; ++pair) {
    x.push_back(pair & 255);
    y.push_back(pair >> 8);
  }
  for (const Integer &integer : integers)
    if (integer.bits == 8)
      checkDivisions(integer, x, y);
}

// Where the float quotient could be rounded to the next whole number, and where numbers get too long for floats.
TEST(Division, BesideMultiplesAndPowers) {
  std::mt19937_64 random(1);
  std::vector<uint64_t> x, y;
  for (unsigned bits = 0; bits < 64; ++bits)
    for (unsigned other = 0; other < 64; ++other)
      for (int64_t near : {-1, 0, 1}) {
        uint64_t divisor = random() >> bits, factor = random() >> other;
        x.push_back(divisor * factor + near);
        y.push_back(divisor);
        x.push_back((uint64_t(1) << bits) + near);
        y.push_back((uint64_t(1) << other) - near);
        x.push_back(-(uint64_t(1) << bits) - near);
        y.push_back(near);
      }
  for (const Integer &integer : integers)
    checkDivisions(integer, x, y);
}

// Vectors in which nothing is too long for floats, for the 64-bit integers: those above rarely are.
TEST(Division, BesideMultiplesOf51Bits) {
  std::mt19937_64 random(2);
  std::vector<uint64_t> x, y;
  for (unsigned bits = 1; bits < 50; ++bits)
    for (int64_t near = -64; near < 64; ++near) {
      uint64_t divisor = (random() & ((uint64_t(1) << bits) - 1)) + 1, largest = ((uint64_t(1) << 51) - 2) / divisor;
      uint64_t multiple = divisor * (near % 3 == 0 ? largest : random() % (largest + 1)) + near % 2;
      x.push_back(near % 5 == 0 ? -multiple : multiple);
      y.push_back(near % 7 == 0 ? -divisor : divisor);
    }
  for (const Integer &integer : integers)
    if (integer.bits == 64)
      checkDivisions(integer, x, y);
  for (uint64_t &number : x)
    number &= (uint64_t(1) << 51) - 1;
  for (uint64_t &number : y)
    number &= (uint64_t(1) << 51) - 1;
  for (const Integer &integer : integers)
    checkDivisions(integer, x, y);
}

// A place in a circular cache is what is left of a single number divided by a constant, of either sign and any length.
TEST(Division, ByConstantsOneByOne) {
  std::vector<uint64_t> starts;
  for (unsigned bits = 0; bits < 64; ++bits)
    for (int64_t near = -7; near <= 7; ++near)
      for (uint64_t power : {uint64_t(1) << bits, -(uint64_t(1) << bits)})
        starts.push_back(power + near);
  std::string count = std::to_string(starts.size());
  for (int64_t extent : {1, 2, 3, 5, 6, 7, 8, 10, 11, 641}) {
    std::string cache = "tensor<" + count + "x" + std::to_string(extent) + "xf32>",
                places = "tensor<" + count + "xi64>";
    std::string update = "tensor<" + count + "x1xf32>";
    std::vector<Tensor> inputs;
    inputs.push_back(llvm::cantFail(Tensor::zeros(ElementType::F32, {int64_t(starts.size()), extent})));
    inputs.push_back(llvm::cantFail(Tensor::zeros(ElementType::F32, {int64_t(starts.size()), 1})));
    inputs.push_back(tensorOf(ElementType::I64, starts));
    for (size_t i = 0; i < starts.size(); ++i)
      reinterpret_cast<float *>(inputs[1].mutableData())[i] = float(i + 1);
    check("func.func @main(%x: " + cache + ", %u: " + update + ", %s: " + places + ") -> " + cache + " {\n" +
              "  %y = nn.tensor_scatter %x, %u, %s {axis = 1, circular = true} : (" + cache + ", " + update + ", " +
              places + ") -> " + cache + "\n  return %y : " + cache + "\n}",
          std::move(inputs));
  }
}

} // namespace
