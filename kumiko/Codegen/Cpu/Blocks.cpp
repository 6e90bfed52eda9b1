//===- Blocks.cpp - lanes across memory, a square of elements at a time -----===//
#include "kumiko/Codegen/Cpu/Blocks.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

void Blocks::begin(unsigned slot, const Extent &lanesOfBlock, const Extent &linesOfBlock, int64_t sideOfSquares,
                   int64_t linesPerNumber) {
  active = true;
  line = slot;
  laneCount = lanesOfBlock;
  lineCount = linesOfBlock;
  side = sideOfSquares;
  perNumber = linesPerNumber;
  current = 0;
  blocks.clear();
}

static bool isSame(const Form &a, const Form &b) {
  return a.constant == b.constant && a.lane == b.lane && a.terms == b.terms;
}

Value Blocks::at(Value memref, const Form &offset, llvm::function_ref<Value(const Form &)> indexOf) {
  if (!active || !offset.coefficientOf(line).is(perNumber))
    return Value();
  Form first = offset + Form(-current);
  for (const Block &block : blocks)
    if (block.memref == memref && isSame(block.offset, first))
      return block.lines[current];
  Type stored = cast<MemRefType>(memref.getType()).getElementType();
  auto type = VectorType::get({side}, stored);
  Value nothing = entry.constantOf(DenseElementsAttr::get(type, b.getZeroAttr(stored)));
  SmallVector<Value> rows;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    // A lane that is not real has no elements.
    Extent real = laneCount.is(lanes) ? Extent(1) : min(max(laneCount - lane, 0), 1);
    Extent elements = real.isStatic() ? Extent(real.value()) * lineCount : real * lineCount;
    if (elements.is(0)) {
      rows.push_back(nothing);
      continue;
    }
    // Lane 0 is always real, so a place for each lane exists.
    Value index = indexOf(first.atLane(lane));
    if (elements.is(side))
      rows.push_back(vector::LoadOp::create(b, loc, type, memref, index));
    else
      rows.push_back(vector::MaskedLoadOp::create(b, loc, type, memref, index, entry.maskOf(elements, side), nothing));
  }
  SmallVector<Value> lines = turn(SmallVector<Value>(ArrayRef(rows).take_front(side)));
  if (side != lanes)
    lines = join(lines, turn(SmallVector<Value>(ArrayRef(rows).drop_front(side))));
  blocks.push_back({memref, first, std::move(lines)});
  return blocks.back().lines[current];
}

SmallVector<Value> Blocks::join(ArrayRef<Value> left, ArrayRef<Value> right) {
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, lanes));
  return llvm::map_to_vector(llvm::zip_equal(left, right), [&](auto both) -> Value {
    return vector::ShuffleOp::create(b, loc, std::get<0>(both), std::get<1>(both), all);
  });
}

/// In each round a row is woven with the one half of all rows further on. x86 weaves 16 bytes by one instruction.
SmallVector<Value> Blocks::weave(SmallVector<Value> rows) {
  int64_t count = rows.size(), half = count / 2;
  SmallVector<int64_t> low, high;
  for (int64_t lane = 0; lane < count; ++lane) {
    low.push_back(lane / 2 + (lane % 2) * count);
    high.push_back(low.back() + half);
  }
  for (int64_t left = count; left > 1; left /= 2) {
    SmallVector<Value> woven;
    for (int64_t i = 0; i < half; ++i)
      for (const auto &choice : {low, high})
        woven.push_back(vector::ShuffleOp::create(b, loc, rows[i], rows[i + half], choice));
    rows = std::move(woven);
  }
  return rows;
}

/// In each round neighbours at half the distance of the last one swap the halves that lie on the wrong side.
SmallVector<Value> Blocks::turn(SmallVector<Value> rows) {
  int64_t count = rows.size();
  if (count * cast<VectorType>(rows.front().getType()).getElementTypeBitWidth() == bitsWoven)
    return weave(std::move(rows));
  for (int64_t distance = count / 2; distance >= 1; distance /= 2)
    for (int64_t i = 0; i < count; ++i) {
      if (i & distance)
        continue;
      SmallVector<int64_t> low, high;
      for (int64_t lane = 0; lane < count; ++lane) {
        bool upper = lane & distance;
        low.push_back(upper ? count + lane - distance : lane);
        high.push_back(upper ? count + lane : lane + distance);
      }
      Value a = rows[i], c = rows[i + distance];
      rows[i] = vector::ShuffleOp::create(b, loc, a, c, low);
      rows[i + distance] = vector::ShuffleOp::create(b, loc, a, c, high);
    }
  return rows;
}
