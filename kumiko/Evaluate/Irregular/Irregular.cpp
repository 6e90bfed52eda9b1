#include "kumiko/Evaluate/Irregular/Irregular.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Support/Convert.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace kumiko {

llvm::Expected<Tensor> IrregularRun::result(Type declared, llvm::ArrayRef<int64_t> shape) const {
  ElementType element = storedAs(nn::toEquation(getElementTypeOrSelf(declared)), options.precision);
  return Tensor::zeros(element, shape, options.limits.bytes);
}

llvm::Expected<Tensor> IrregularRun::result(Type declared, llvm::ArrayRef<int64_t> shape,
                                            llvm::ArrayRef<double> numbers) const {
  llvm::Expected<Tensor> tensor = result(declared, shape);
  if (tensor)
    convertElements(reinterpret_cast<const uint8_t *>(numbers.data()), ElementType::F64, tensor->mutableData(),
                    tensor->element(), tensor->count());
  return tensor;
}

llvm::Expected<Tensor> IrregularRun::indices(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> numbers) const {
  llvm::Expected<Tensor> tensor = Tensor::zeros(ElementType::I64, shape, options.limits.bytes);
  if (tensor && !numbers.empty())
    std::memcpy(tensor->mutableData(), numbers.data(), tensor->bytes().size());
  return tensor;
}

llvm::Error IrregularRun::checkWork(double points) const {
  const Limits &limits = options.limits;
  double total = points + (limits.spent ? double(*limits.spent) : 0);
  if (!(total <= double(limits.points)))
    return llvm::createStringError("%g steps are more than the limit of %g", total, double(limits.points));
  if (limits.spent)
    *limits.spent = uint64_t(total);
  return llvm::Error::success();
}

llvm::Expected<Tensors> only(llvm::Expected<Tensor> result) {
  if (!result)
    return result.takeError();
  Tensors results;
  results.push_back(std::move(*result));
  return results;
}

llvm::Expected<Tensors> evaluateIrregular(Operation *op, const IrregularRun &run) {
  auto compute = [&](auto op) { return evaluate(op, run); };
  return llvm::TypeSwitch<Operation *, llvm::Expected<Tensors>>(op)
      .Case<nn::TopkOp, nn::NonzeroOp, nn::UniqueOp, nn::NmsOp, nn::DetOp, nn::RoiAlignOp, nn::MaxRoiPoolOp,
            nn::NgramCountOp, nn::RandomBitsOp>(compute)
      .Default([](Operation *op) -> llvm::Expected<Tensors> {
        return llvm::createStringError("there is no function for this op");
      });
}

} // namespace kumiko
