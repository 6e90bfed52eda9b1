//===- RoutineTest.cpp - irregular ops compiled, against the evaluator ------------===//
#include "kumiko/Support/Convert.h"
#include "unittests/Pipeline/Check.h"
#include "gtest/gtest.h"

using namespace kumiko;

namespace {

/// Small numbers with many ties, in any element type; `spread` different ones.
Tensor numbers(ElementType type, llvm::ArrayRef<int64_t> shape, int64_t spread = 7, double scale = 0.5) {
  Tensor tensor = llvm::cantFail(Tensor::zeros(ElementType::F64, shape));
  uint64_t state = 1;
  for (int64_t i = 0; i < tensor.count(); ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double value =
        double(int64_t(state >> 33) % spread - (isUnsigned(type) || type == ElementType::B1 ? 0 : spread / 2));
    value = isFloat(type) ? value * scale : value;
    std::memcpy(tensor.mutableData() + i * sizeof(double), &value, sizeof(double));
  }
  return type == ElementType::F64 ? std::move(tensor) : llvm::cantFail(convert(tensor, type));
}

Tensor integers(llvm::ArrayRef<int64_t> values) {
  Tensor tensor = llvm::cantFail(Tensor::zeros(ElementType::I64, {int64_t(values.size())}));
  std::memcpy(tensor.mutableData(), values.data(), values.size() * sizeof(int64_t));
  return tensor;
}

/// The type in MLIR's words.
const std::pair<ElementType, const char *> allTypes[] = {
    {ElementType::I8, "i8"},   {ElementType::I16, "i16"},   {ElementType::I32, "i32"},  {ElementType::I64, "i64"},
    {ElementType::U8, "ui8"},  {ElementType::U16, "ui16"},  {ElementType::U32, "ui32"}, {ElementType::U64, "ui64"},
    {ElementType::F16, "f16"}, {ElementType::BF16, "bf16"}, {ElementType::F32, "f32"},  {ElementType::F64, "f64"}};

std::string replaced(std::string text, llvm::StringRef type) {
  for (size_t at; (at = text.find("$T")) != std::string::npos;)
    text.replace(at, 2, type.str());
  return text;
}

TEST(Routine, TopkOfEveryType) {
  for (auto [type, name] : allTypes)
    check(replaced(R"(func.func @main(%x: tensor<3x50x2x$T>) -> (tensor<3x4x2x$T>, tensor<3x4x2xi64>) {
  %v, %i = nn.topk %x {axis = 1, k = 4, largest = true} : (tensor<3x50x2x$T>) -> (tensor<3x4x2x$T>, tensor<3x4x2xi64>)
  return %v, %i : tensor<3x4x2x$T>, tensor<3x4x2xi64>
})",
                   name),
          [&] {
            std::vector<Tensor> x;
            x.push_back(numbers(type, {3, 50, 2}));
            return x;
          }());
}

// Many rows make several chunks; only one of the results is read.
TEST(Routine, TopkOfManyRows) {
  std::vector<Tensor> x;
  x.push_back(numbers(ElementType::F32, {3000, 90}, 10000));
  check(R"(func.func @main(%x: tensor<3000x90xf32>) -> tensor<3000x40xi64> {
  %v, %i = nn.topk %x {axis = 1, k = 40, largest = false} : (tensor<3000x90xf32>) -> (tensor<3000x40xf32>, tensor<3000x40xi64>)
  return %i : tensor<3000x40xi64>
})",
        std::move(x));
}

TEST(Routine, NonzeroOfEveryType) {
  for (auto [type, name] : allTypes) {
    std::vector<Tensor> x;
    x.push_back(numbers(type, {3, 40}, 3));
    check(replaced(R"(func.func @main(%x: tensor<3x40x$T>) -> tensor<2x?xi64, #nn.extents<2, "n">>
    attributes {nn.symbols = [{data, name = "n"}]} {
  %i = nn.nonzero %x {symbols = ["n"]} : (tensor<3x40x$T>) -> tensor<2x?xi64, #nn.extents<2, "n">>
  return %i : tensor<2x?xi64, #nn.extents<2, "n">>
})",
                   name),
          std::move(x));
  }
}

TEST(Routine, UniqueOfEveryType) {
  for (auto [type, name] : allTypes)
    for (const char *sorted : {"true", "false"}) {
      std::vector<Tensor> x;
      x.push_back(numbers(type, {50}));
      check(
          replaced(
              R"(func.func @main(%x: tensor<50x$T>) -> (tensor<?x$T, #nn.extents<"u">>, tensor<?xi64, #nn.extents<"u">>, tensor<50xi64>, tensor<?xi64, #nn.extents<"u">>)
    attributes {nn.symbols = [{data, name = "u"}]} {
  %y, %f, %w, %c = nn.unique %x {axis = 0, sorted = )",
              name) +
              sorted +
              replaced(R"(, symbols = ["u"]}
      : (tensor<50x$T>) -> (tensor<?x$T, #nn.extents<"u">>, tensor<?xi64, #nn.extents<"u">>, tensor<50xi64>, tensor<?xi64, #nn.extents<"u">>)
  return %y, %f, %w, %c : tensor<?x$T, #nn.extents<"u">>, tensor<?xi64, #nn.extents<"u">>, tensor<50xi64>, tensor<?xi64, #nn.extents<"u">>
})",
                       name),
          std::move(x));
    }
}

TEST(Routine, Nms) {
  std::vector<Tensor> inputs;
  inputs.push_back(numbers(ElementType::F32, {2, 40, 4}, 9, 1.0));
  inputs.push_back(numbers(ElementType::F32, {2, 3, 40}, 100, 0.1));
  check(R"(func.func @main(%b: tensor<2x40x4xf32>, %s: tensor<2x3x40xf32>) -> tensor<?x3xi64, #nn.extents<"kept", 3>>
    attributes {nn.symbols = [{data, name = "kept"}]} {
  %i = nn.nms %b, %s {limit = 6, iou = 0.3, threshold = -1.0, centered = false, symbols = ["kept"]}
      : (tensor<2x40x4xf32>, tensor<2x3x40xf32>) -> tensor<?x3xi64, #nn.extents<"kept", 3>>
  return %i : tensor<?x3xi64, #nn.extents<"kept", 3>>
})",
        std::move(inputs));
}

TEST(Routine, DetOfFloats) {
  for (auto [type, name] : llvm::ArrayRef(allTypes).take_back(4)) {
    std::vector<Tensor> x;
    x.push_back(numbers(type, {5, 4, 4}));
    check(replaced(R"(func.func @main(%x: tensor<5x4x4x$T>) -> tensor<5x$T> {
  %y = nn.det %x : (tensor<5x4x4x$T>) -> tensor<5x$T>
  return %y : tensor<5x$T>
})",
                   name),
          std::move(x));
  }
}

TEST(Routine, Regions) {
  for (auto [type, name] : llvm::ArrayRef(allTypes).take_back(4)) {
    for (const char *mode : {"avg", "max"}) {
      std::vector<Tensor> inputs;
      inputs.push_back(numbers(type, {2, 3, 8, 9}, 100, 0.25));
      inputs.push_back(numbers(type, {6, 4}, 20, 0.5));
      inputs.push_back(integers({0, 1, 1, 0, 1, 0}));
      check(
          replaced(
              R"(func.func @main(%x: tensor<2x3x8x9x$T>, %r: tensor<6x4x$T>, %b: tensor<6xi64>) -> tensor<6x3x2x3x$T> {
  %y = nn.roi_align %x, %r, %b {height = 2, width = 3, sampling = 0, scale = 0.8, half_pixel = true, mode = ")",
              name) +
              mode +
              replaced(R"("} : (tensor<2x3x8x9x$T>, tensor<6x4x$T>, tensor<6xi64>) -> tensor<6x3x2x3x$T>
  return %y : tensor<6x3x2x3x$T>
})",
                       name),
          std::move(inputs),
          type == ElementType::BF16  ? 0.2
          : type == ElementType::F16 ? 0.03
                                     : 1e-5);
    }
    std::vector<Tensor> inputs;
    inputs.push_back(numbers(type, {2, 3, 8, 9}, 100, 0.25));
    inputs.push_back(numbers(ElementType::U8, {6, 5}, 2));
    inputs.back() = llvm::cantFail(convert(inputs.back(), type));
    check(replaced(R"(func.func @main(%x: tensor<2x3x8x9x$T>, %r: tensor<6x5x$T>) -> tensor<6x3x2x3x$T> {
  %y = nn.max_roi_pool %x, %r {height = 2, width = 3, scale = 5.0}
      : (tensor<2x3x8x9x$T>, tensor<6x5x$T>) -> tensor<6x3x2x3x$T>
  return %y : tensor<6x3x2x3x$T>
})",
                   name),
          std::move(inputs));
  }
}

TEST(Routine, NgramsAndRandomBits) {
  std::vector<Tensor> x;
  x.push_back(numbers(ElementType::I32, {4, 30}, 5));
  check(R"(func.func @main(%x: tensor<4x30xi32>) -> (tensor<4x4xf32>, tensor<3x7xui32>) {
  %y = nn.ngram_count %x {pool = array<i64: 1, 0, 0, 1, 1, 2>, starts = array<i64: 0, 2>, columns = array<i64: 3, 1, 0, 2>,
    shortest = 1, longest = 2, skips = 3} : (tensor<4x30xi32>) -> tensor<4x4xf32>
  %r = nn.random_bits {shape = array<i64: 3, 7>, key = 123456789012345} : () -> tensor<3x7xui32>
  return %y, %r : tensor<4x4xf32>, tensor<3x7xui32>
})",
        std::move(x));
}

} // namespace
