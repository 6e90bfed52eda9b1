//===- Weights.cpp - constants laid out for their readers ------------------===//
#include "kumiko/Plan/Weights.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace kumiko;

constexpr uint64_t weightAlignment = 64;

FailureOr<ArrayRef<char>> kumiko::bytesOf(nn::ConstantOp constant, std::vector<char> &owned) {
  auto type = cast<RankedTensorType>(constant.getType());
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue())) {
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      return blob->getData();
    return constant.emitError("the bytes of this constant are gone");
  }
  auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!dense)
    return constant.emitError("a constant is dense or a resource");
  // Truth values are packed bits in the attribute and bytes in memory; splats are one element.
  if (type.getElementType().isInteger(1)) {
    for (bool bit : dense.getValues<bool>())
      owned.push_back(bit);
    return ArrayRef<char>(owned);
  }
  if (!dense.isSplat())
    return dense.getRawData();
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    llvm::append_range(owned, dense.getRawData());
  return ArrayRef<char>(owned);
}

/// What makes two stored constants the same: the attribute and the packing.
static std::string keyOf(nn::ConstantOp constant, const Packing *packing) {
  std::string key;
  llvm::raw_string_ostream stream(key);
  stream << constant.getValue().getAsOpaquePointer();
  if (!packing)
    return key;
  stream << '/' << packing->panelColumns << '/' << packing->parts;
  if (packing->integers)
    stream << '/' << packing->integers->group << '/' << packing->integers->startFactor();
  for (ArrayRef<unsigned> dims : {ArrayRef(packing->batch), ArrayRef(packing->columns), ArrayRef(packing->depth)}) {
    stream << '/';
    llvm::interleave(dims, stream, ",");
  }
  stream << '/';
  llvm::interleave(packing->shape, stream, ",");
  return key;
}

FailureOr<uint64_t> WeightsBuilder::place(nn::ConstantOp constant, const Packing *packing) {
  std::string key = keyOf(constant, packing);
  if (auto found = placed.find(key); found != placed.end())
    return found->second;
  WeightSegment segment;
  FailureOr<ArrayRef<char>> bytes = bytesOf(constant, segment.owned);
  if (failed(bytes))
    return failure();
  if (packing) {
    std::vector<char> packed(packing->storedBytes());
    packing->pack(bytes->data(), packed.data());
    segment.owned = std::move(packed);
  } else if (segment.owned.empty()) {
    segment.view = *bytes;
  }
  segment.offset = llvm::alignTo(total, weightAlignment);
  total = segment.offset + segment.bytes().size();
  placed[key] = segment.offset;
  segments.push_back(std::move(segment));
  return segments.back().offset;
}

void WeightsBuilder::finish(Program &program) {
  program.weights = std::move(segments);
  program.weightsBytes = llvm::alignTo(total, weightAlignment);
}
