//===- StatementPlan.cpp - which loops, maps and views a statement needs ---===//
#include "kumiko/Lower/Body.h"
#include "kumiko/Lower/Statement.h"

using namespace llvm;
using namespace kumiko;
using namespace kumiko::lower;
using eq::Expr;

StatementLowering::StatementLowering(Lowering &lowering, const eq::Statement &statement, unsigned number,
                                     ArrayRef<RequiredIndex> required)
    : lowering(lowering), statement(statement), number(number), required(required) {
  for (const eq::Loop &loop : statement.loops)
    extents.push_back(loop.extent);
  dropped.resize(extents.size());
  targets = statement.targets.size();
  if (targets == 2 && !lowering.isWanted(statement.targets[1].tensor))
    targets = 1;
}

Extents StatementLowering::loopShape(ArrayRef<unsigned> loops) const {
  return map_to_vector<4>(loops, [&](unsigned loop) { return extents[loop]; });
}

Error StatementLowering::planTargets() {
  auto refuse = [](const Twine &why) { return createStringError(why); };
  BitVector used(extents.size());
  bool visitsNothing =
      any_of(ArrayRef(extents).take_front(statement.kept), [](const Extent &extent) { return extent.is(0); });
  for (const eq::Target &target : ArrayRef(statement.targets).take_front(targets)) {
    auto &dimensions = targetDimensions.emplace_back();
    bool first = targetDimensions.size() == 1;
    for (auto [index, extent] : zip_equal(target.indices, shapeOfTensor(target.tensor))) {
      std::optional<LinearIndex> linear = linearIndex(*index, extents);
      if (!linear) {
        auto isLong = [](const Extent &each) { return each.isStatic() && each.value() > largestNumber; };
        if (const auto *longest = find_if(extents, isLong); longest != extents.end())
          return refuse("has " + Twine(longest->value()) + " elements along one dimension, at most " +
                        Twine(largestNumber) + " are numbered");
        return refuse("writes at an index that is computed from data");
      }
      if (!visitsNothing && (!isAtMost(lowering.instance, 0, linear->lowest(extents)) ||
                             !isAtMost(lowering.instance, linear->highest(extents), extent - Extent(1))))
        return refuse("writes partly outside its result");
      std::optional<Dimension> dimension = reach(lowering.instance, *linear, extent, extents, dropped);
      if (!dimension || dimension->kind == Dimension::Kind::Window)
        return refuse("several points write to one element of its result");
      // Code generation asks for elements of the result and knows blocks of them, not every other one.
      if (!dimension->size.is(1) && !dimension->size.is(0) && dimension->stride != 1)
        return refuse("leaves gaps between the elements it writes");
      for (unsigned loop : dimension->loops) {
        if (first && used.test(loop))
          return refuse("writes along a diagonal");
        used.set(loop);
      }
      bool combinesWithOld = (reduces() || overwrites()) && (statement.into || statement.continues);
      if (combinesWithOld && !dimension->covers(extent))
        return refuse("combines with a part of what is there");
      dimensions.push_back(std::move(*dimension));
    }
    SmallVector<unsigned> loops;
    for (const Dimension &dimension : dimensions)
      append_range(loops, dimension.loops);
    if (first)
      order = loops;
    else if (order != loops)
      return refuse("has results with their dimensions in different orders");
  }
  parallel = order.size();
  for (unsigned loop = 0; loop < statement.kept; ++loop)
    if (!used.test(loop)) {
      if (!extents[loop].is(1))
        return refuse("several points write to one element of its result");
      dropped.set(loop);
    }
  return Error::success();
}

void StatementLowering::planReads(const Expr &expr) {
  if (expr.kind == Expr::Kind::Read && lowering.values[expr.tensor]) {
    for (auto [number, read] : enumerate(reads))
      if (sameExpr(*read.read, expr)) {
        if (read.read != &expr)
          sameReads.push_back({&expr, unsigned(number)});
        return;
      }
    // A number needs no operand, except where it is a factor of a sum: contractions are recognised by their operands.
    if (!reduces() && Body::uniformValue(lowering, expr))
      return;
    if (auto mapped = mapRead(lowering.instance, expr, shapeOfTensor(expr.tensor), extents, dropped)) {
      reads.push_back(std::move(*mapped));
      return;
    }
  }
  for (const Expr *operand : expr.operands)
    planReads(*operand);
  if (expr.otherwise)
    planReads(*expr.otherwise);
}

/// A reduced loop of one point is only worth a dimension where a map has it alone; there it keeps the operand's rank.
void StatementLowering::planDimensions() {
  BitVector alone(extents.size());
  for (const MappedRead &read : reads)
    for (const Dimension &dimension : read.dimensions)
      if (dimension.kind == Dimension::Kind::Loops)
        for (unsigned loop : dimension.loops)
          alone.set(loop);
  for (unsigned loop = statement.kept; loop < extents.size(); ++loop) {
    if (extents[loop].is(1) && !alone.test(loop))
      dropped.set(loop);
    else
      order.push_back(loop);
  }
  dimensionOf.resize(extents.size());
  for (auto [dimension, loop] : enumerate(order))
    dimensionOf[loop] = dimension;
}
