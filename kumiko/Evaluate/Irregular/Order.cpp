#include "kumiko/Evaluate/Irregular/Order.h"
#include "kumiko/Support/Convert.h"
#include <bit>
#include <cmath>

namespace kumiko {

static constexpr uint64_t sign = uint64_t(1) << 63;

static uint64_t keyOf(double value) {
  if (std::isnan(value))
    return ~uint64_t(0);
  uint64_t bits = std::bit_cast<uint64_t>(value == 0 ? 0.0 : value);
  // Negative numbers grow with their bits, so all of them are turned around.
  return bits & sign ? ~bits : bits | sign;
}

std::vector<uint64_t> orderKeys(const Tensor &tensor) {
  std::vector<uint64_t> keys(tensor.count());
  bool floats = isFloat(tensor.element()), natural = isUnsigned(tensor.element());
  for (int64_t i = 0; i < tensor.count(); ++i)
    keys[i] = floats ? keyOf(valueAt(tensor, i)) : uint64_t(integerAt(tensor, i)) ^ (natural ? 0 : sign);
  return keys;
}

AroundAxis::AroundAxis(llvm::ArrayRef<int64_t> shape, int64_t axis) : size(shape[axis]) {
  for (int64_t extent : shape.take_front(axis))
    outer *= extent;
  for (int64_t extent : shape.drop_front(axis + 1))
    inner *= extent;
}

} // namespace kumiko
