//===- StatementTarget.cpp - from what was computed to the target ----------===//
#include "kumiko/Lower/Body.h"
#include "kumiko/Lower/Invert.h"
#include "kumiko/Lower/Statement.h"
#include "kumiko/Lower/Views.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::lower;

bool Lowering::isWanted(unsigned tensor) const {
  const eq::Tensor &info = instance.tensors[tensor];
  if (info.role != eq::Tensor::Role::Result)
    return true;
  return info.present && wanted[info.number];
}

/// A generic that only converts; the tensor itself when there is nothing to convert.
Value StatementLowering::rounded(Value tensor, ExtentList shape, ElementType from, ElementType to) {
  if (from == to)
    return tensor;
  OpBuilder &b = lowering.builder;
  Value empty = emptyTensor(b, lowering.loc, shape, signlessType(b.getContext(), to));
  AffineMap identity = b.getMultiDimIdentityMap(shape.size());
  SmallVector<utils::IteratorType> iterators(shape.size(), utils::IteratorType::parallel);
  auto convert = [&](OpBuilder &inside, Location loc, ValueRange arguments) {
    Value value = Scalar(inside, loc).cast(arguments[0], from, to);
    if (!value) {
      bodyError = ("conversion from " + nameOf(from) + " to " + nameOf(to)).str();
      value = arguments[1];
    }
    linalg::YieldOp::create(inside, loc, value);
  };
  return linalg::GenericOp::create(b, lowering.loc, TypeRange{empty.getType()}, ValueRange{tensor}, ValueRange{empty},
                                   {identity, identity}, iterators, convert)
      .getResult(0);
}

/// 0 where no point was visited.
Value StatementLowering::withoutMark(Value tensor) {
  OpBuilder &b = lowering.builder;
  Extents shape = loopShape(ArrayRef(order).take_front(parallel));
  Value empty = emptyTensor(b, lowering.loc, shape, b.getI64Type());
  AffineMap identity = b.getMultiDimIdentityMap(shape.size());
  SmallVector<utils::IteratorType> iterators(shape.size(), utils::IteratorType::parallel);
  auto choose = [](OpBuilder &inside, Location loc, ValueRange arguments) {
    Scalar scalar(inside, loc);
    Value mark = scalar.number(ElementType::I64, nothingYet), zero = scalar.number(ElementType::I64, 0);
    Value none = arith::CmpIOp::create(inside, loc, arith::CmpIPredicate::eq, arguments[0], mark);
    linalg::YieldOp::create(inside, loc, arith::SelectOp::create(inside, loc, none, zero, arguments[0]).getResult());
  };
  return linalg::GenericOp::create(b, lowering.loc, TypeRange{empty.getType()}, ValueRange{tensor}, ValueRange{empty},
                                   {identity, identity}, iterators, choose)
      .getResult(0);
}

/// True when this statement and those that continue it write every element of the target exactly once, as concat does:
/// blocks without gaps inside, no two of which meet, with as many elements together as the target has.
bool StatementLowering::tilesWholeTarget() const {
  using Box = SmallVector<std::pair<Extent, Extent>>; // from, to, per dimension
  SmallVector<Box> boxes;
  unsigned tensor = statement.targets[0].tensor;
  Extent written = 0;
  for (const eq::Statement &part : ArrayRef(lowering.instance.statements).drop_front(number)) {
    bool first = &part == &lowering.instance.statements[number];
    if (!first && !(part.continues && part.targets[0].tensor == tensor))
      break;
    Extents partExtents;
    for (const eq::Loop &loop : part.loops)
      partExtents.push_back(loop.extent);
    if (!part.conditions.empty())
      return false;
    Box box;
    Extent points = 1;
    for (const eq::Expr *index : part.targets[0].indices) {
      std::optional<LinearIndex> linear = linearIndex(*index, partExtents);
      if (!linear || linear->terms.size() > 1 || (linear->terms.size() == 1 && !linear->terms[0].second.is(1)))
        return false;
      box.push_back({linear->lowest(partExtents), linear->highest(partExtents) + Extent(1)});
      points *= box.back().second - box.back().first;
    }
    for (const Box &other : boxes)
      // Two blocks are apart when one ends before the other begins in some dimension.
      if (llvm::all_of(llvm::zip_equal(box, other), [&](auto pair) {
            auto [a, b] = pair;
            return !isAtMost(lowering.instance, b.second, a.first) && !isAtMost(lowering.instance, a.second, b.first);
          }))
        return false;
    written += points;
    boxes.push_back(std::move(box));
  }
  return written == product(shapeOfTensor(tensor));
}

/// What the elements are that this statement does not write.
Value StatementLowering::destination(unsigned target) {
  OpBuilder &b = lowering.builder;
  unsigned tensor = statement.targets[target].tensor;
  if (statement.continues)
    return lowering.values[tensor];
  if (statement.into)
    return lowering.values[*statement.into];
  ElementType type = lowering.instance.tensors[tensor].type.element;
  Value empty = emptyTensor(b, lowering.loc, shapeOfTensor(tensor), signlessType(b.getContext(), type));
  if (tilesWholeTarget())
    return empty;
  Value rest = Scalar(b, lowering.loc).identity(statement.combine, type);
  return linalg::FillOp::create(b, lowering.loc, rest, empty).getResult(0);
}

llvm::Error StatementLowering::finishTarget(unsigned target, Value computed) {
  OpBuilder &b = lowering.builder;
  unsigned tensor = statement.targets[target].tensor;
  Extents made = loopShape(ArrayRef(order).take_front(parallel)), offsets, sizes;
  computed = rounded(computed, made, accumulatorType(target), lowering.instance.tensors[tensor].type.element);
  SmallVector<int64_t> strides;
  bool whole = true;
  for (auto [dimension, extent] : llvm::zip_equal(targetDimensions[target], shapeOfTensor(tensor))) {
    offsets.push_back(dimension.offset);
    sizes.push_back(dimension.size);
    strides.push_back(dimension.size.is(1) || dimension.size.is(0) ? 1 : dimension.stride);
    whole &= dimension.size == extent;
  }
  computed = reshape(b, lowering.loc, {computed, made}, sizes);
  if (whole) {
    lowering.values[tensor] = computed;
    return llvm::Error::success();
  }
  lowering.values[tensor] = insert(b, lowering.loc, computed, destination(target), offsets, sizes, strides);
  return llvm::Error::success();
}

llvm::Error StatementLowering::run() {
  bool nothing = llvm::any_of(order, [&](unsigned loop) { return extents[loop].is(0); });
  bool onlyIdentity =
      llvm::any_of(llvm::seq<unsigned>(statement.kept, extents.size()), [&](unsigned l) { return extents[l].is(0); });
  for (unsigned target = 0; target < targets; ++target)
    if (!statement.conditions.empty() && !reduces() && !overwrites() && (statement.into || statement.continues))
      return llvm::createStringError("keeps elements by a condition");

  SmallVector<Value> results;
  if (nothing || onlyIdentity) {
    for (unsigned target = 0; target < targets; ++target)
      results.push_back(initialValue(target, /*visits=*/false));
  } else {
    for (const eq::Expr *value : ArrayRef(statement.values).take_front(targets))
      planReads(*value);
    for (const eq::Expr *condition : statement.conditions)
      planReads(*condition);
    planDimensions();
    if (llvm::Error error = buildGeneric(results))
      return error;
    auto mayBeEmpty = [&](unsigned loop) { return !(extents[loop] - 1).knownNonNegative(); };
    if (marksFirst() && llvm::any_of(llvm::seq<unsigned>(statement.kept, extents.size()), mayBeEmpty))
      results[1] = withoutMark(results[1]);
  }
  for (auto [target, result] : llvm::enumerate(results)) {
    unsigned tensor = statement.targets[target].tensor;
    if (nothing)
      lowering.values[tensor] = destination(target);
    else if (llvm::Error error = finishTarget(target, result))
      return error;
  }
  return bodyError.empty() ? llvm::Error::success() : llvm::createStringError(bodyError);
}

llvm::Error lower::lowerStatement(Lowering &lowering, unsigned number) {
  const eq::Statement &statement = lowering.instance.statements[number];
  StatementLowering direct(lowering, statement, number);
  llvm::Error refused = direct.planTargets();
  if (!refused)
    return direct.run();
  if (!statement.computedLeft)
    return refused;
  llvm::consumeError(std::move(refused));
  ExprStorage storage;
  llvm::Expected<Inverted> inverted = invert(lowering.instance, statement, storage);
  if (!inverted)
    return inverted.takeError();
  StatementLowering turned(lowering, inverted->statement, number, inverted->required);
  if (llvm::Error error = turned.planTargets())
    return error;
  return turned.run();
}
