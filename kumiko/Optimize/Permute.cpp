//===- Permute.cpp - an op on operands in another order --------------------===//
#include "kumiko/Optimize/Permute.h"
#include "kumiko/Nn/Build.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Optimize/Applied.h"
#include "kumiko/Optimize/Match.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;

Permutation optimize::inverse(ArrayRef<int64_t> permutation) {
  Permutation result(permutation.size());
  for (auto [d, from] : llvm::enumerate(permutation))
    result[from] = d;
  return result;
}

Permutation optimize::compose(ArrayRef<int64_t> inner, ArrayRef<int64_t> outer) {
  return llvm::map_to_vector<6>(outer, [&](int64_t d) { return inner[d]; });
}

bool optimize::isIdentity(ArrayRef<int64_t> permutation) {
  return llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size()));
}

bool optimize::movesNothing(ArrayRef<int64_t> permutation, ArrayRef<int64_t> shape) {
  Permutation large;
  llvm::copy_if(permutation, std::back_inserter(large), [&](int64_t d) { return shape[d] != 1; });
  return llvm::is_sorted(large);
}

Value optimize::transposed(OpBuilder &builder, Location loc, Value x, ArrayRef<int64_t> permutation) {
  Permutation whole(permutation);
  while (auto before = x.getDefiningOp<nn::TransposeOp>()) {
    whole = compose(before.getPerm(), whole);
    x = before.getX();
  }
  if (isIdentity(whole))
    return x;
  auto type = cast<RankedTensorType>(x.getType());
  if (!movesNothing(whole, type.getShape()))
    return nn::TransposeOp::create(builder, loc, x, whole);
  SmallVector<Extent, 4> from = nn::extentsOf(type);
  auto shape = llvm::map_to_vector(whole, [&](int64_t d) { return from[d]; });
  return builder.createOrFold<nn::ReshapeOp>(loc, nn::tensorOf(shape, type.getElementType()), x);
}

/// Leading dimensions of 1, up to `rank`.
static SmallVector<Extent, 4> extended(RankedTensorType type, size_t rank) {
  SmallVector<Extent, 4> result(rank - type.getRank(), 1);
  llvm::append_range(result, nn::extentsOf(type));
  return result;
}

/// The attributes that say a position of a dimension: those after `at` somewhere in the text.
static llvm::BitVector positionAttributes(const eq::OpDef &def) {
  llvm::BitVector positions(def.attributes.size());
  auto look = [&](ArrayRef<eq::Item> items) {
    for (const eq::Item &item : items)
      if (item.at)
        eq::walk(*item.at, [&](const eq::Node &node) {
          if (node.binding == eq::Node::Binding::Attribute)
            positions.set(node.number);
        });
  };
  for (const eq::StatementDef &statement : def.statements) {
    for (const eq::TargetDef &target : statement.targets)
      look(target.items);
    eq::walk(statement, [&](const eq::Node &node) { look(node.items); });
  }
  return positions;
}

/// Positions renamed, lists with an entry per dimension reordered; everything else stays.
static NamedAttrList renamedAttributes(Operation *op, const eq::OpDef &def, ArrayRef<int64_t> permutation) {
  NamedAttrList attributes = equationAttributes(op, def);
  llvm::BitVector positions = positionAttributes(def);
  Builder builder(op->getContext());
  int64_t rank = permutation.size();
  auto moved = [&](int64_t d) { return d >= 0 && d < rank ? permutation[d] : d; };
  for (auto [number, attribute] : llvm::enumerate(def.attributes)) {
    Attribute value = attributes.get(attribute.name);
    if (!value)
      continue;
    if (positions.test(number)) {
      if (auto one = dyn_cast<IntegerAttr>(value))
        attributes.set(attribute.name, builder.getI64IntegerAttr(moved(one.getInt())));
      else if (auto list = dyn_cast<DenseI64ArrayAttr>(value))
        attributes.set(attribute.name, builder.getDenseI64ArrayAttr(llvm::map_to_vector(list.asArrayRef(), moved)));
    } else if (auto list = nn::extentsOf(value); list && int64_t(list->size()) == rank) {
      SmallVector<Extent, 4> reordered(rank);
      for (auto [d, entry] : llvm::enumerate(*list))
        reordered[permutation[d]] = entry;
      attributes.set(attribute.name, nn::numbersAttr(op->getContext(), reordered));
    }
  }
  return attributes;
}

/// One attempt: the operands in `moving` are reordered together, the others stay.
static std::optional<PermutedOp> attempt(Operation *op, const eq::OpDef &def, const eq::Instance &before,
                                         ArrayRef<int64_t> permutation, const llvm::BitVector &moving) {
  PermutedOp result;
  SmallVector<RankedTensorType, 4> types = slotTypes(op);
  unsigned rank = permutation.size();
  for (auto [slot, type] : llvm::enumerate(types)) {
    result.operands.emplace_back();
    if (!type || !moving.test(slot))
      continue;
    result.operands.back() = Permutation(permutation);
    SmallVector<Extent, 4> shape(rank);
    for (auto [d, extent] : llvm::enumerate(extended(type, rank)))
      shape[permutation[d]] = extent;
    type = nn::tensorOf(shape, type.getElementType());
  }
  NamedAttrList attributes = renamedAttributes(op, def, permutation);
  llvm::Expected<eq::Instance> after = instantiateOn(def, types, attributes, usedResults(op));
  if (!after) {
    llvm::consumeError(after.takeError());
    return std::nullopt;
  }
  if (after->tensors.size() != before.tensors.size())
    return std::nullopt;
  InstanceMatch match(before, *after);
  for (auto [number, tensor] : llvm::enumerate(before.tensors)) {
    if (tensor.role != eq::Tensor::Role::Operand || !tensor.present)
      continue;
    Placement placement;
    unsigned missing = rank - tensor.type.shape.size();
    for (unsigned d = 0; d < tensor.type.shape.size(); ++d)
      placement.push_back(moving.test(tensor.number) ? permutation[d + missing] : d);
    match.place(number, placement);
  }
  if (!match.everything())
    return std::nullopt;
  // A result that nobody reads has not been looked at, but the op that is made will have it.
  if (llvm::is_contained(usedResults(op), false))
    if (llvm::Error error = instantiateOn(def, types, attributes, {}).takeError())
      return llvm::consumeError(std::move(error)), std::nullopt;

  result.attributes.assign(attributes.begin(), attributes.end());
  result.rounds = match.reordersReductions();
  result.results.resize(op->getNumResults());
  for (auto [number, tensor] : llvm::enumerate(before.tensors))
    if (tensor.role == eq::Tensor::Role::Result && !op->getResult(tensor.number).use_empty()) {
      if (!match.placementOf(number))
        return std::nullopt;
      result.results[tensor.number] = Permutation(match.placementOf(number)->begin(), match.placementOf(number)->end());
    }
  return result;
}

std::optional<PermutedOp> optimize::permuted(Operation *op, unsigned slot, ArrayRef<int64_t> permutation) {
  const eq::OpDef *def = nn::definitionOf(op);
  if (!def)
    return std::nullopt;
  llvm::Expected<eq::Instance> before = nn::instantiate(op, /*onlyUsedResults=*/true);
  if (!before) {
    llvm::consumeError(before.takeError());
    return std::nullopt;
  }
  SmallVector<RankedTensorType, 4> types = slotTypes(op);
  llvm::BitVector alone(types.size()), together(types.size());
  alone.set(slot);
  unsigned rank = permutation.size();
  for (RankedTensorType type : types)
    if (type)
      rank = std::max<unsigned>(rank, type.getRank());
  if (rank == permutation.size())
    if (auto found = attempt(op, *def, *before, permutation, alone))
      return found;
  // Broadcasting aligns at the last dimension, so the operand of the highest rank says how many there are.
  Permutation whole = llvm::to_vector<6>(llvm::seq<int64_t>(0, rank - permutation.size()));
  for (int64_t d : permutation)
    whole.push_back(d + rank - permutation.size());
  for (auto [other, type] : llvm::enumerate(types))
    if (type && type.getRank() > 0)
      together.set(other);
  return attempt(op, *def, *before, whole, together);
}

SmallVector<Value, 2> optimize::createPermuted(OpBuilder &builder, Operation *op, const PermutedOp &permuted) {
  SmallVector<Value, 4> operands = nn::operandSlots(op);
  for (auto [operand, permutation] : llvm::zip_equal(operands, permuted.operands)) {
    if (permutation.empty())
      continue;
    auto type = cast<RankedTensorType>(operand.getType());
    if (type.getRank() < int64_t(permutation.size()))
      operand = builder.createOrFold<nn::ReshapeOp>(
          op->getLoc(), nn::tensorOf(extended(type, permutation.size()), type.getElementType()), operand);
    operand = transposed(builder, op->getLoc(), operand, inverse(permutation));
  }
  std::string why;
  FailureOr<Operation *> built =
      nn::buildEquationOp(builder, op->getLoc(), op->getName().getStringRef(), operands, permuted.attributes, why);
  assert(succeeded(built) && "the instance has been made and matched before");
  SmallVector<Value, 2> results(op->getNumResults());
  for (auto [result, value, permutation] : llvm::zip_equal(results, (*built)->getResults(), permuted.results))
    if (!permutation.empty() || cast<RankedTensorType>(value.getType()).getRank() == 0)
      result = transposed(builder, op->getLoc(), value, permutation);
  return results;
}
