#include "kumiko/Import/Onnx/Ops/Counters.h"
#include "kumiko/Nn/Nn.h"

using namespace llvm;
using mlir::Value;

namespace kumiko::onnx {

/// Sums and conditions of more parts are no counters.
constexpr unsigned deepest = 4;

/// The value behind changes of type and shape, which keep a number what it is (docs/open-points.md on floats).
static Value bare(Value value) {
  while (mlir::Operation *op = value ? value.getDefiningOp() : nullptr) {
    if (!isa<nn::CastOp, nn::ReshapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

std::optional<Extent> Counters::sizeOf(Value value) const {
  const eq::KnownElements &known = GraphImporter::knownNumbers(n, value);
  bool isOne = known.size() == 1 && known[0] && known[0]->denominator == 1 && !known[0]->numerator.overflowed();
  return isOne ? std::optional(known[0]->numerator) : std::nullopt;
}

std::optional<int64_t> Counters::stepOf(Value argument) const {
  auto state = states.find(argument);
  if (state == states.end() || !isa<mlir::IntegerType>(n.elementOf(argument)) || !n.elementsOf(argument).is(1))
    return std::nullopt;
  auto sum = dyn_cast_or_null<nn::AddOp>(bare(state->second.second).getDefiningOp());
  if (!sum)
    return std::nullopt;
  for (auto [one, other] : {std::pair(0, 1), std::pair(1, 0)}) {
    std::optional<Extent> step = sizeOf(sum->getOperand(other));
    if (bare(sum->getOperand(one)) == argument && step && step->isStatic())
      return step->value();
  }
  return std::nullopt;
}

std::optional<Counters::Line> Counters::lineOf(Value value, unsigned depth) const {
  if (std::optional<Extent> size = sizeOf(value))
    return Line{*size, 0};
  value = bare(value);
  if (value == turn)
    return Line{0, 1};
  if (auto state = states.find(value); state != states.end()) {
    std::optional<int64_t> step = stepOf(value);
    std::optional<Extent> base = sizeOf(state->second.first);
    return step && base ? std::optional(Line{*base, *step}) : std::nullopt;
  }
  auto sum = dyn_cast_or_null<nn::AddOp>(value.getDefiningOp());
  if (!sum || depth == deepest)
    return std::nullopt;
  std::optional<Line> a = lineOf(sum->getOperand(0), depth + 1), b = lineOf(sum->getOperand(1), depth + 1);
  int64_t step = 0;
  if (!a || !b || AddOverflow(a->step, b->step, step))
    return std::nullopt;
  return Line{a->base + b->base, step};
}

std::optional<Counters::Turns> Counters::turnsWhile(Value more, Value first) const {
  more = bare(more);
  mlir::Operation *op = more ? more.getDefiningOp() : nullptr;
  mlir::Operation *before = first ? bare(first).getDefiningOp() : nullptr;
  if (!isa_and_nonnull<nn::LtOp, nn::LeOp, nn::AndOp>(op))
    return std::nullopt;
  bool isAlike = before && before->getName() == op->getName();
  if (isa<nn::AndOp>(op)) {
    auto part = [&](unsigned number) {
      return turnsWhile(op->getOperand(number), isAlike ? before->getOperand(number) : first);
    };
    std::optional<Turns> a = part(0), b = part(1);
    if (!a || !b || a->coversFirst != b->coversFirst)
      return std::nullopt;
    return Turns{min(a->count, b->count), a->coversFirst};
  }
  std::optional<Line> left = lineOf(op->getOperand(0)), right = lineOf(op->getOperand(1));
  int64_t closing = 0;
  if (!left || !right || SubOverflow(left->step, right->step, closing) || closing <= 0)
    return std::nullopt;
  // It holds in turn t while t * closing < room.
  Extent room = right->base - left->base + Extent(isa<nn::LeOp>(op) ? 1 : 0);
  bool coversFirst = false;
  if (isAlike) {
    std::optional<Extent> a = sizeOf(before->getOperand(0)), b = sizeOf(before->getOperand(1));
    coversFirst = a && b && *a == left->base - left->step && *b == right->base - right->step;
  }
  Extent holding = ceilDiv(room, closing);
  Extent count = coversFirst ? max(0, holding + 1) : max(0, holding) + 1;
  return count.overflowed() ? std::nullopt : std::optional(Turns{count, coversFirst});
}

} // namespace kumiko::onnx
