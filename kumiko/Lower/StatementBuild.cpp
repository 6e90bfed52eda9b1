//===- StatementBuild.cpp - the generic of a statement ---------------------===//
#include "kumiko/Lower/Body.h"
#include "kumiko/Lower/Exact.h"
#include "kumiko/Lower/Names.h"
#include "kumiko/Lower/Statement.h"
#include "kumiko/Lower/Views.h"
#include "kumiko/Support/Convert.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::lower;
using eq::Combine;
using eq::Expr;

/// Sums and products of f16 and smaller come together in f32 and are rounded once, when stored; exact ones in f64.
ElementType StatementLowering::accumulatorType(unsigned target) const {
  ElementType stored = lowering.instance.tensors[statement.targets[target].tensor].type.element;
  bool accumulates = statement.combine == Combine::Sum || statement.combine == Combine::Product;
  if (!isFloat(stored) || !accumulates || stored == ElementType::F64)
    return stored;
  bool wide = lowering.exact || statement.values[target]->type == ElementType::F64;
  return wide ? ElementType::F64 : ElementType::F32;
}

Value StatementLowering::padValue(const MappedRead &read) {
  Body body(lowering.builder, lowering);
  Value value = body.emit(*read.read->otherwise);
  if (!body.error.empty())
    bodyError = body.error;
  return value;
}

MappedOperand StatementLowering::operandOf(const MappedRead &read) {
  OpBuilder &b = lowering.builder;
  ShapedValue tensor{lowering.values[read.read->tensor], Extents(shapeOfTensor(read.read->tensor))};
  if (read.padded) {
    SmallVector<int64_t> ones(read.low.size(), 1);
    tensor = slice(b, lowering.loc, tensor, read.cutOffset, read.cutSize, ones);
    tensor = pad(b, lowering.loc, tensor, read.low, read.high, [&] { return padValue(read); });
  }
  Extents offsets, sizes, split;
  SmallVector<int64_t> strides;
  SmallVector<AffineExpr> results;
  for (auto [dimension, extent] : llvm::zip_equal(read.dimensions, tensor.shape)) {
    bool sliced = dimension.kind == Dimension::Kind::Loops;
    offsets.push_back(sliced ? dimension.offset : Extent(0));
    sizes.push_back(sliced ? dimension.size : extent);
    strides.push_back(sliced && !dimension.size.is(1) && !dimension.size.is(0) ? dimension.stride : 1);
    if (sliced) {
      for (unsigned loop : dimension.loops) {
        split.push_back(extents[loop]);
        results.push_back(b.getAffineDimExpr(*dimensionOf[loop]));
      }
      continue;
    }
    split.push_back(extent);
    AffineExpr expr = b.getAffineConstantExpr(0);
    for (auto [loop, coefficient] : llvm::zip(dimension.loops, dimension.coefficients))
      expr = expr + b.getAffineDimExpr(*dimensionOf[loop]) * coefficient;
    results.push_back(expr + dimension.offset.value());
  }
  tensor = slice(b, lowering.loc, tensor, offsets, sizes, strides);
  return {reshape(b, lowering.loc, tensor, split), AffineMap::get(order.size(), 0, results, b.getContext())};
}

/// With a condition there may be no first point.
bool StatementLowering::marksFirst() const {
  return targets == 2 && accumulatorType(1) == ElementType::I64 && statement.conditions.empty() && !statement.into &&
         !statement.continues;
}

/// The tensor the generic starts from. A reduction starts from the identity, from the tensor named by `into`, or from
/// what the statement before it wrote.
Value StatementLowering::initialValue(unsigned target, bool visits) {
  OpBuilder &b = lowering.builder;
  ElementType type = accumulatorType(target);
  Extents shape = loopShape(ArrayRef(order).take_front(parallel));
  if ((reduces() || overwrites()) && (statement.into || statement.continues)) {
    unsigned tensor = statement.targets[target].tensor;
    unsigned source = statement.continues ? tensor : *statement.into;
    Value start = reshape(b, lowering.loc, {lowering.values[source], Extents(shapeOfTensor(source))}, shape);
    return rounded(start, shape, lowering.instance.tensors[tensor].type.element, type);
  }
  Value empty = emptyTensor(b, lowering.loc, shape, signlessType(b.getContext(), type));
  if (!reduces() && !overwrites())
    return empty;
  Scalar scalar(b, lowering.loc);
  Value identity = target == 0 ? scalar.identity(statement.combine, type)
                               : scalar.number(type, visits && marksFirst() ? nothingYet : 0);
  return linalg::FillOp::create(b, lowering.loc, identity, empty).getResult(0);
}

/// The first value decides: a larger one wins, the first of equals stays, a NaN wins and the first NaN stays. Where the
/// first point counts in any case, it wins also when it is no better than the identity.
SmallVector<Value, 2> StatementLowering::pickBest(Body &body, ArrayRef<Value> values, Value taken, ValueRange old) {
  OpBuilder &b = lowering.builder;
  Location loc = lowering.loc;
  ElementType type = accumulatorType(0);
  bool largest = statement.combine == Combine::Max;
  Value wins;
  if (isFloat(type)) {
    auto predicate = largest ? arith::CmpFPredicate::UGT : arith::CmpFPredicate::ULT;
    Value oldIsNumber = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, old[0], old[0]);
    wins = arith::AndIOp::create(b, loc, arith::CmpFOp::create(b, loc, predicate, values[0], old[0]), oldIsNumber);
  } else {
    wins = body.scalars().apply(largest ? eq::Function::Gt : eq::Function::Lt, type, {values[0], old[0]});
  }
  if (taken)
    wins = arith::AndIOp::create(b, loc, wins, taken);
  if (marksFirst()) {
    Value mark = body.scalars().number(accumulatorType(1), nothingYet);
    wins = arith::OrIOp::create(b, loc, wins, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, old[1], mark));
  }
  return {arith::SelectOp::create(b, loc, wins, values[0], old[0]),
          arith::SelectOp::create(b, loc, wins, values[1], old[1])};
}

SmallVector<Value, 2> StatementLowering::buildBody(OpBuilder &inside, ValueRange arguments) {
  OpBuilder::InsertionGuard guard(lowering.builder);
  lowering.builder.restoreInsertionPoint(inside.saveInsertionPoint());
  OpBuilder &b = lowering.builder;
  Body body(b, lowering, dimensionOf, extents);
  for (auto [number, read] : llvm::enumerate(reads))
    body.define(read.read, arguments[number]);
  for (auto [read, number] : sameReads)
    body.define(read, arguments[number]);

  // First, because values count only where the conditions hold.
  Value taken;
  auto alsoWhere = [&](Value holds) {
    taken = taken ? Value(arith::AndIOp::create(b, lowering.loc, taken, holds)) : holds;
  };
  for (const RequiredIndex &place : required)
    alsoWhere(body.checked(*place.index, place.extent));
  for (const Expr *condition : statement.conditions)
    alsoWhere(body.emit(*condition));
  body.onlyWhere(taken);

  SmallVector<Value> values;
  for (unsigned target = 0; target < targets; ++target) {
    const Expr &value = *statement.values[target];
    ElementType type = accumulatorType(target);
    Value result = body.scalars().cast(body.emit(value), value.type, type);
    if (!result) {
      body.error = ("conversion from " + nameOf(value.type) + " to " + nameOf(type)).str();
      result = body.scalars().number(type, 0);
    }
    values.push_back(result);
  }
  ValueRange old = arguments.take_back(targets);
  SmallVector<Value, 2> results;
  ElementType type = accumulatorType(0);
  if (targets == 2 && isSmallFloat(type)) {
    body.error = ("the best of " + nameOf(type) + " values").str();
    results.assign(old.begin(), old.end());
  } else if (targets == 2) {
    results = pickBest(body, values, taken, old);
  } else {
    if (taken) {
      Value otherwise = overwrites() ? old[0] : body.scalars().identity(statement.combine, type);
      values[0] = arith::SelectOp::create(b, lowering.loc, taken, values[0], otherwise);
    }
    results.push_back(body.scalars().combine(statement.combine, type, old[0], values[0]));
  }
  if (!results[0]) {
    body.error = ("combination of " + nameOf(type) + " values").str();
    results[0] = old[0];
  }
  if (!body.error.empty())
    bodyError = body.error;
  return results;
}

/// Nothing is computed and the elements already lie as the target wants them.
bool StatementLowering::isCopy(const MappedOperand &operand) const {
  return !reduces() && !overwrites() && targets == 1 && statement.conditions.empty() && reads.size() == 1 &&
         statement.values[0] == reads[0].read && operand.map.isIdentity() &&
         statement.values[0]->type == accumulatorType(0);
}

/// Where the statement comes from, and what its equation calls its parts.
Location StatementLowering::named() const {
  auto nameOf = [&](unsigned tensor) -> StringRef { return lowering.instance.tensors[tensor].name; };
  SmallVector<StringRef> loops, tensors;
  for (unsigned loop : order)
    loops.push_back(statement.loops[loop].name);
  for (const MappedRead &read : reads)
    tensors.push_back(nameOf(read.read->tensor));
  return withNames(lowering.loc, nameOf(statement.targets[0].tensor), loops, tensors);
}

llvm::Error StatementLowering::buildGeneric(SmallVectorImpl<Value> &results) {
  OpBuilder &b = lowering.builder;
  MLIRContext *context = b.getContext();
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> maps;
  for (const MappedRead &read : reads) {
    MappedOperand operand = operandOf(read);
    if (isCopy(operand)) {
      results.push_back(operand.tensor);
      return bodyError.empty() ? llvm::Error::success() : llvm::createStringError(bodyError);
    }
    inputs.push_back(operand.tensor);
    maps.push_back(operand.map);
  }
  // A loop must stand alone in some map for its range to be known; an operand that nobody reads says it.
  llvm::BitVector alone(order.size());
  alone.set(0, parallel);
  for (AffineMap map : maps)
    for (AffineExpr expr : map.getResults())
      if (auto dimension = dyn_cast<AffineDimExpr>(expr))
        alone.set(dimension.getPosition());
  SmallVector<AffineExpr> window;
  Extents windowShape;
  for (unsigned dimension = 0; dimension < order.size(); ++dimension)
    if (!alone.test(dimension)) {
      window.push_back(b.getAffineDimExpr(dimension));
      windowShape.push_back(extents[order[dimension]]);
    }
  if (!window.empty()) {
    Type type = signlessType(context, accumulatorType(0));
    inputs.push_back(emptyTensor(b, lowering.loc, windowShape, type));
    maps.push_back(AffineMap::get(order.size(), 0, window, context));
  }
  for (unsigned target = 0; target < targets; ++target) {
    inits.push_back(initialValue(target, /*visits=*/true));
    SmallVector<AffineExpr> dims;
    for (const Dimension &dimension : targetDimensions[target])
      for (unsigned loop : dimension.loops)
        dims.push_back(b.getAffineDimExpr(*dimensionOf[loop]));
    maps.push_back(AffineMap::get(order.size(), 0, dims, context));
  }
  SmallVector<utils::IteratorType> iterators(parallel, utils::IteratorType::parallel);
  iterators.resize(order.size(), utils::IteratorType::reduction);
  auto generic = linalg::GenericOp::create(b, named(), TypeRange(ValueRange(inits)), inputs, inits, maps, iterators,
                                           [&](OpBuilder &inside, Location loc, ValueRange arguments) {
                                             linalg::YieldOp::create(inside, loc, buildBody(inside, arguments));
                                           });
  if (lowering.exact)
    generic->setAttr(exactAttribute, b.getUnitAttr());
  llvm::append_range(results, generic.getResults());
  return bodyError.empty() ? llvm::Error::success() : llvm::createStringError(bodyError);
}
