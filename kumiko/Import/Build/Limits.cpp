#include "kumiko/Import/Build/Limits.h"
#include "kumiko/Nn/StepAction.h"
#include "kumiko/Support/Tensor.h"
#include "kumiko/Support/Watch.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

std::string kumiko::refusalOf(ElementType element, ArrayRef<int64_t> shape, uint64_t limit) {
  constexpr size_t mostDimensions = 64;
  constexpr int64_t largestExtent = int64_t(1) << 47;
  if (shape.size() > mostDimensions)
    return ("rank " + Twine(shape.size()) + " is above " + Twine(mostDimensions)).str();
  for (int64_t extent : shape)
    if (extent > largestExtent)
      return ("a dimension of " + Twine(extent) + " elements is too large").str();
  auto size = byteSize(element, shape, limit);
  return size ? "" : toString(size.takeError());
}

bool kumiko::mayGoOn(mlir::MLIRContext &context, ProblemList &problems) {
  if (nn::mayGoOn(context))
    return true;
  problems.add(cancelledProblem());
  return false;
}
