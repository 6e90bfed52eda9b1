#include "kumiko/Import/Build/Describe.h"
#include "kumiko/Nn/Extents.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Support/Tensor.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace mlir;

std::string kumiko::describe(mlir::Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return "?";
  if (tensor.hasStaticShape())
    return describe(nn::toEquation(tensor.getElementType()), tensor.getShape());
  std::string text = nameOf(nn::toEquation(tensor.getElementType())).str() + "[";
  ListSeparator comma(",");
  for (const Extent &extent : nn::extentsOf(tensor))
    text += (StringRef(comma) + (extent.overflowed() ? "?" : extent.str())).str();
  return text + "]";
}
