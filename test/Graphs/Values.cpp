#include "test/Graphs/Values.h"
#include "kumiko/Support/Convert.h"
#include <cmath>
#include <limits>

using namespace kumiko;
using namespace kumiko::graphs;

int64_t graphs::randomExtent(Random &random) {
  return random.of<int64_t>({1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 7, 8, 9, 16, 17, random.chance(40) ? 0 : 2});
}

llvm::SmallVector<int64_t> graphs::randomShape(Random &random, int64_t mostElements) {
  llvm::SmallVector<int64_t> shape;
  int64_t elements = 1;
  for (int64_t rank = random.of({0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5}); rank > 0; --rank) {
    int64_t extent = randomExtent(random);
    if (elements * std::max<int64_t>(extent, 1) > mostElements)
      extent = 1;
    elements *= std::max<int64_t>(extent, 1);
    shape.push_back(extent);
  }
  return shape;
}

ElementType graphs::randomElement(Random &random) {
  using enum ElementType;
  return random.of(
      {F32, F32, F32, F32, F64, F64, F16, F16, BF16, I32, I32, I64, I64, I8, I8, U8, U8, B1, B1, I16, U16, U32, U64});
}

static double randomReal(Flavour flavour, bool exact, Random &random) {
  if (flavour == Flavour::Wild && random.chance(25)) {
    double inf = std::numeric_limits<double>::infinity();
    return random.of({double(NAN), inf, -inf, -0.0, 0.0, 65504.0, -65504.0, 6e-8, -6e-8, 3e38, 1e-40});
  }
  if (flavour == Flavour::Plain && random.chance(4))
    return -0.0;
  if (flavour == Flavour::Positive)
    return exact ? double(random.between(2, 24)) / 8 : 0.25 + 3 * random.share();
  return exact ? double(random.between(-16, 16)) / 8 : 4 * random.share() - 2;
}

static int64_t randomInteger(ElementType element, Flavour flavour, bool extreme, int64_t limit, Random &random) {
  if (element == ElementType::B1)
    return random.below(2);
  if (flavour == Flavour::Index)
    return random.between(isUnsigned(element) || random.chance(70) ? 0 : -limit, limit - 1);
  if (flavour == Flavour::Positive)
    return random.between(1, 9);
  if (extreme && random.chance(30))
    return random.of({lowestInteger(element), highestInteger(element), int64_t(0), int64_t(1)});
  return random.between(isUnsigned(element) ? 0 : -7, 9);
}

Tensor graphs::randomTensor(ElementType element, llvm::ArrayRef<int64_t> shape, Flavour flavour, Random &random,
                            int64_t limit) {
  Tensor tensor = llvm::cantFail(Tensor::zeros(element, shape));
  bool exact = random.chance(50), extreme = random.chance(15);
  for (int64_t i = 0; i < tensor.count(); ++i) {
    uint8_t *place = tensor.mutableData() + i * bytesOf(element);
    double real = isFloat(element) ? randomReal(flavour, exact, random) : 0;
    int64_t whole =
        isFloat(element) ? 0 : randomInteger(element, flavour, extreme, std::max<int64_t>(limit, 1), random);
    if (isFloat(element))
      convertElements(reinterpret_cast<const uint8_t *>(&real), ElementType::F64, place, element, 1);
    else
      convertElements(reinterpret_cast<const uint8_t *>(&whole), ElementType::I64, place, element, 1);
  }
  return tensor;
}

Tensor graphs::splat(ElementType element, llvm::ArrayRef<int64_t> shape, double value) {
  Tensor tensor = llvm::cantFail(Tensor::zeros(element, shape));
  for (int64_t i = 0; i < tensor.count(); ++i)
    convertElements(reinterpret_cast<const uint8_t *>(&value), ElementType::F64,
                    tensor.mutableData() + i * bytesOf(element), element, 1);
  return tensor;
}
