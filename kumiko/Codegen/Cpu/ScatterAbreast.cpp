//===- ScatterAbreast.cpp - points that would wait for each other ---------===//
//
// A point that changes what one shortly before has changed waits for it, and a load that the machine begins too soon is
// repeated. Where elements are few most points do. So a point of each of several outer points comes in turn; or, where
// there is but one, points go to several copies of its elements in turn, which are combined in the end.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Codegen/Cpu/Math/VectorMath.h"
#include "kumiko/Codegen/Cpu/ScatterEmitter.h"
#include "kumiko/Lower/Exact.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// Elements of which there are as many copies as points in turn, and points for each of them from which on copies are
/// worth it.
constexpr int64_t mostInCopies = 256, fewestPointsInCopies = 8;

/// Outer points whose points come in turn, and places of one of them up to which they do.
constexpr int64_t rowsAbreast = 4, mostAbreast = 64;

bool ScatterEmitter::isAbreast() {
  return shape.neutral && !share.inside && share.takesWholeRows() && !share.byPlaces() && shape.bounds.empty() &&
         shape.rows().isStatic() && shape.rows().value() <= mostAbreast &&
         typicalSize(shape.loops.outerExtent()) >= 2 * rowsAbreast * typicalSize(k.schedule.chunks) &&
         looksAhead(points.back());
}

void ScatterEmitter::abreast() {
  share.outerTogether(rowsAbreast, [&](std::vector<Position> positions) {
    for (Position &position : positions) {
      share.point = position;
      copyStart();
    }
    outerPoints = std::move(positions);
    eachPoint(memref, [&] { return here(); });
    outerPoints.clear();
  });
}

void ScatterEmitter::eachAbreast(llvm::function_ref<void()> body) {
  if (outerPoints.empty())
    return body();
  Position here = share.point;
  for (const Position &position : outerPoints) {
    share.point = position;
    for (unsigned loop : points)
      share.point[loop] = here[loop];
    body();
  }
  share.point = here;
}

bool ScatterEmitter::hasCopies() {
  Extent elements = shape.elements();
  bool areFew = elements.isStatic() && elements.value() <= mostInCopies &&
                typicalSize(shape.points()) >= fewestPointsInCopies * elements.value();
  return shape.neutral && (!op->hasAttr(exactAttribute) || isExact()) && !share.inside && share.takesWholeRows() &&
         !share.byPlaces() && (areFew || shape.isSingleMeanwhile()) && looksAhead(points.back());
}

bool ScatterEmitter::isExact() { return isa<IntegerType>(getElementTypeOrSelf(start.getType())) || shape.choice(); }

Value ScatterEmitter::toSingle(Value value) {
  return arith::ExtFOp::create(k.b, k.loc, withElement(value.getType(), k.b.getF32Type()), value);
}

void ScatterEmitter::inCopies() {
  SmallVector<unsigned> elements = rows;
  if (shape.loops.lane)
    elements.push_back(*shape.loops.lane);
  llvm::sort(elements);
  int64_t length = shape.elements().value(), count = length <= mostInCopies ? together : 1;
  bool single = shape.isSingleMeanwhile();
  Type element = getElementTypeOrSelf(start.getType()), stored = cast<MemRefType>(memref.getType()).getElementType();
  auto type = MemRefType::get({count * length}, single ? k.b.getF32Type() : stored);
  Value copies = count == 1 ? memref::ViewOp::create(k.b, k.loc, type, k.scratch, k.index(0), ValueRange()).getResult()
                            : memref::AllocaOp::create(k.b, k.loc, type).getResult();
  auto inCopy = [&] {
    Form place;
    for (unsigned loop : elements)
      place = place * shape.loops.extents[loop] + share.point[loop];
    return place + Form(copy % count * length);
  };
  auto eachCopy = [&](llvm::function_ref<void()> body) {
    for (copy = 0; copy < count; ++copy)
      body();
    copy = 0;
  };
  TypedAttr neutral = changesNothing(shape.neutral);
  share.outer([&] {
    share.everywhere(rows, innermost, [&] {
      eachCopy([&] {
        Value value = copy == 0 ? k.demand.at(start, applyMap(result, share.point)) : k.demand.constantOf(neutral);
        k.demand.store(single ? toSingle(value) : value, copies, inCopy());
      });
    });
    eachPoint(copies, inCopy);
    share.everywhere(rows, innermost, [&] {
      Value sum;
      eachCopy([&] {
        Value part = k.demand.load(copies, inCopy(), single ? type.getElementType() : element);
        if (single)
          part = arith::TruncFOp::create(k.b, k.loc, withElement(part.getType(), element), part);
        sum = sum ? k.demand.combine(op, sum, part)[0] : part;
      });
      k.demand.store(sum, memref, here());
    });
  });
}
