//===- Views.cpp - slices, pads and reshapes -------------------------------===//
#include "kumiko/Lower/Views.h"
#include "kumiko/Nn/Nn.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::lower;

OpFoldResult lower::indexOf(OpBuilder &builder, Location loc, const Extent &extent) {
  if (extent.isStatic())
    return builder.getIndexAttr(extent.value());
  return indexValue(builder, loc, extent);
}

Value lower::indexValue(OpBuilder &builder, Location loc, const Extent &extent) {
  if (extent.isStatic())
    return arith::ConstantIndexOp::create(builder, loc, extent.value());
  return nn::ExtentOp::create(builder, loc, builder.getIndexType(), nn::ExtentAttr::get(builder.getContext(), extent));
}

static SmallVector<OpFoldResult> indices(OpBuilder &builder, Location loc, ExtentList extents) {
  return llvm::map_to_vector(extents, [&](const Extent &extent) { return indexOf(builder, loc, extent); });
}

static SmallVector<int64_t> plainShape(ExtentList shape) {
  return llvm::map_to_vector(
      shape, [](const Extent &extent) { return extent.isStatic() ? extent.value() : ShapedType::kDynamic; });
}

RankedTensorType lower::plainType(ExtentList shape, Type element) {
  return RankedTensorType::get(plainShape(shape), element);
}

Value lower::emptyTensor(OpBuilder &builder, Location loc, ExtentList shape, Type element) {
  return tensor::EmptyOp::create(builder, loc, indices(builder, loc, shape), element);
}

ShapedValue lower::slice(OpBuilder &builder, Location loc, const ShapedValue &x, ExtentList offsets, ExtentList sizes,
                         ArrayRef<int64_t> strides) {
  if (sizes == ExtentList(x.shape))
    return x;
  // Nothing starts inside of a dimension without elements.
  if (llvm::any_of(x.shape, [](const Extent &extent) { return extent.is(0); }))
    return {emptyTensor(builder, loc, sizes, getElementTypeOrSelf(x.tensor.getType())), SmallVector<Extent, 4>(sizes)};
  Value part = tensor::ExtractSliceOp::create(builder, loc, x.tensor, indices(builder, loc, offsets),
                                              indices(builder, loc, sizes),
                                              getAsIndexOpFoldResult(builder.getContext(), strides));
  return {part, SmallVector<Extent, 4>(sizes)};
}

ShapedValue lower::pad(OpBuilder &builder, Location loc, const ShapedValue &x, ExtentList low, ExtentList high,
                       llvm::function_ref<Value()> value) {
  auto isZero = [](const Extent &amount) { return amount.is(0); };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return x;
  SmallVector<Extent, 4> shape(x.shape);
  for (auto [extent, before, after] : llvm::zip_equal(shape, low, high))
    extent = extent + before + after;
  auto type = plainType(shape, getElementTypeOrSelf(x.tensor.getType()));
  Value padded = tensor::PadOp::create(builder, loc, type, x.tensor, indices(builder, loc, low),
                                       indices(builder, loc, high), value());
  return {padded, shape};
}

Value lower::insert(OpBuilder &builder, Location loc, Value part, Value whole, ExtentList offsets, ExtentList sizes,
                    ArrayRef<int64_t> strides) {
  return tensor::InsertSliceOp::create(builder, loc, part, whole, indices(builder, loc, offsets),
                                       indices(builder, loc, sizes),
                                       getAsIndexOpFoldResult(builder.getContext(), strides));
}

using Groups = SmallVector<ReassociationIndices>;

/// The products of groups, `?` where a factor is.
static SmallVector<int64_t> products(ArrayRef<int64_t> shape, const Groups &groups) {
  SmallVector<int64_t> result;
  for (const ReassociationIndices &group : groups) {
    int64_t size = 1;
    for (int64_t dimension : group)
      size = ShapedType::isDynamic(size) || ShapedType::isDynamic(shape[dimension]) ? ShapedType::kDynamic
                                                                                    : size * shape[dimension];
    result.push_back(size);
  }
  return result;
}

/// As the type says and as `wanted` has it: `?` in one may be a number in the other.
static Value castTo(OpBuilder &builder, Location loc, Value tensor, ArrayRef<int64_t> wanted) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return type.getShape() == wanted ? tensor
                                   : tensor::CastOp::create(builder, loc, type.clone(wanted), tensor).getResult();
}

Value lower::reshape(OpBuilder &builder, Location loc, const ShapedValue &x, ExtentList shape) {
  if (ExtentList(x.shape) == shape)
    return x.tensor;
  Value tensor = x.tensor;
  auto type = cast<RankedTensorType>(tensor.getType());
  if (llvm::any_of(shape, [](const Extent &extent) { return extent.is(0); })) // no elements, nothing to group by
    return emptyTensor(builder, loc, shape, type.getElementType());
  SmallVector<int64_t> from = plainShape(x.shape), to = plainShape(shape);
  auto [groupsFrom, groupsTo] = nn::commonGroups(x.shape, shape);
  if (groupsFrom.size() < from.size())
    tensor =
        builder.createOrFold<tensor::CollapseShapeOp>(loc, type.clone(products(from, groupsFrom)), tensor, groupsFrom);
  tensor = castTo(builder, loc, tensor, products(to, groupsTo));
  if (groupsTo.size() < to.size()) {
    if (llvm::is_contained(to, ShapedType::kDynamic))
      tensor =
          tensor::ExpandShapeOp::create(builder, loc, type.clone(to), tensor, groupsTo, indices(builder, loc, shape));
    else
      tensor = builder.createOrFold<tensor::ExpandShapeOp>(loc, type.clone(to), tensor, groupsTo);
  }
  return tensor;
}
