#include "kumiko/Evaluate/Stacks.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Support/Convert.h"

using namespace kumiko;

llvm::Expected<Stacks> Stacks::create(mlir::ValueRange values, const GraphOptions &options) {
  Stacks made;
  for (mlir::Value value : values) {
    auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
    ElementType element = storedAs(nn::toEquation(type.getElementType()), options.precision);
    llvm::Expected<Tensor> stack = Tensor::zeros(element, type.getShape(), options.limits.bytes);
    if (!stack)
      return stack.takeError();
    made.stacks.push_back(std::move(*stack));
  }
  return made;
}

llvm::Error Stacks::put(int64_t position, llvm::ArrayRef<SharedTensor> slices) {
  for (auto [stack, slice] : llvm::zip_equal(stacks, slices)) {
    if (position >= stack.shape()[0] || stack.shape().drop_front() != slice.tensor.shape())
      return llvm::createStringError("a turn does not fit what the loop collects");
    uint64_t size = stack.bytes().size() / stack.shape()[0];
    convertElements(slice.tensor.data(), slice.tensor.element(), stack.mutableData() + position * size, stack.element(),
                    slice.tensor.count());
  }
  return llvm::Error::success();
}

void Stacks::moveTo(SharedTensors &results) {
  for (Tensor &stack : stacks)
    results.push_back(SharedTensor::own(std::move(stack)));
}
