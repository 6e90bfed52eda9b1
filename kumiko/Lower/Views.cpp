//===- Views.cpp - slices, pads and reshapes -------------------------------===//
#include "kumiko/Lower/Views.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace kumiko;

static SmallVector<OpFoldResult> attributes(OpBuilder &builder, ArrayRef<int64_t> values) {
  return getAsIndexOpFoldResult(builder.getContext(), values);
}

Value lower::slice(OpBuilder &builder, Location loc, Value tensor, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes,
                   ArrayRef<int64_t> strides) {
  if (sizes == shapeOf(tensor))
    return tensor;
  return tensor::ExtractSliceOp::create(builder, loc, tensor, attributes(builder, offsets), attributes(builder, sizes),
                                        attributes(builder, strides));
}

Value lower::pad(OpBuilder &builder, Location loc, Value tensor, ArrayRef<int64_t> low, ArrayRef<int64_t> high,
                 llvm::function_ref<Value()> value) {
  auto isZero = [](int64_t amount) { return amount == 0; };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return tensor;
  SmallVector<int64_t> shape(shapeOf(tensor));
  for (auto [extent, before, after] : llvm::zip_equal(shape, low, high))
    extent += before + after;
  auto type = cast<RankedTensorType>(tensor.getType()).clone(shape);
  return tensor::PadOp::create(builder, loc, type, tensor, attributes(builder, low), attributes(builder, high),
                               value());
}

/// Groups of dimensions of `a` and `b` that hold the same elements, as small as possible.
static void commonGroups(ArrayRef<int64_t> a, ArrayRef<int64_t> b, SmallVectorImpl<ReassociationIndices> &groupsA,
                         SmallVectorImpl<ReassociationIndices> &groupsB) {
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    ReassociationIndices &groupA = groupsA.emplace_back(), &groupB = groupsB.emplace_back();
    int64_t sizeA = a[i], sizeB = b[j];
    groupA.push_back(i++);
    groupB.push_back(j++);
    while (sizeA != sizeB) {
      if (sizeA < sizeB && i < a.size()) {
        sizeA *= a[i];
        groupA.push_back(i++);
      } else if (sizeB < sizeA && j < b.size()) {
        sizeB *= b[j];
        groupB.push_back(j++);
      } else {
        break;
      }
    }
  }
  // What is left has extent 1 and belongs to the last group.
  if (groupsA.empty())
    return;
  for (; i < a.size(); ++i)
    groupsA.back().push_back(i);
  for (; j < b.size(); ++j)
    groupsB.back().push_back(j);
}

Value lower::reshape(OpBuilder &builder, Location loc, Value tensor, ArrayRef<int64_t> shape) {
  ArrayRef<int64_t> from = shapeOf(tensor);
  if (from == shape)
    return tensor;
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<ReassociationIndices> groupsFrom, groupsTo;
  if (llvm::is_contained(shape, 0)) // no elements, nothing to group by
    return tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
  commonGroups(from, shape, groupsFrom, groupsTo);
  SmallVector<int64_t> common;
  for (const ReassociationIndices &group : groupsFrom) {
    int64_t size = 1;
    for (int64_t dimension : group)
      size *= from[dimension];
    common.push_back(size);
  }
  if (common.size() < from.size())
    tensor = builder.createOrFold<tensor::CollapseShapeOp>(loc, type.clone(common), tensor, groupsFrom);
  if (common.size() < shape.size())
    tensor = builder.createOrFold<tensor::ExpandShapeOp>(loc, type.clone(shape), tensor, groupsTo);
  return tensor;
}
