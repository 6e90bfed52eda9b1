//===- TypicalSize.cpp - a number to decide by -----------------------------===//
#include "kumiko/Nn/TypicalSize.h"

using namespace kumiko;

/// Symbols of large inputs: the sides of an image, or words.
constexpr int64_t large = 1024, largeBatch = 8;

/// What is smaller for typical inputs is looked at with larger ones.
constexpr int64_t fewElements = 16;

/// The extent where symbols are `open`, and those that look like a number of examples are `batch`; nothing below 1.
static int64_t sizeWith(const Extent &extent, int64_t open, int64_t batch) {
  auto symbol = [&](llvm::StringRef name) -> std::optional<int64_t> {
    return name.contains_insensitive("batch") || name.ends_with("[0]") || name == "N" ? batch : open;
  };
  return std::max<int64_t>(extent.evaluate(symbol).value_or(1), 0);
}

int64_t kumiko::typicalSize(const Extent &extent) {
  if (extent.isStatic())
    return extent.value();
  // Many models leave their first dimension open and are mostly used with one of it. Where that leaves nothing the
  // dimension is something else, such as the samples of a recording. Sizes behind several strides are nothing for
  // small inputs; then inputs are larger.
  int64_t size = 0;
  for (bool examples : {true, false}) {
    for (int64_t open : {128, 4096, 131072})
      if ((size = sizeWith(extent, open, examples ? 1 : open)) >= fewElements)
        return size;
    if (size > 0)
      break;
  }
  return std::max<int64_t>(size, 1);
}

int64_t kumiko::largeSize(const Extent &extent) {
  return extent.isStatic() ? extent.value() : std::max(sizeWith(extent, large, largeBatch), typicalSize(extent));
}
