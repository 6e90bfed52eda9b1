#include "kumiko/Import/Onnx/Ops/AttentionParts.h"
#include "kumiko/Import/Onnx/Ops/RecurrentLayer.h"
#include <cmath>

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {

Value splitHeads(NodeContext &n, Value x, int64_t heads) {
  if (n.failed())
    return {};
  Sizes shape = n.sizesOf(x);
  eq::Extent depth = shape.size() != 3 || heads < 1 ? eq::Extent(0) : floorDiv(shape[2], heads);
  if (shape.size() != 3 || heads < 1 ||
      !n.agree(depth * eq::Extent(heads), shape[2], "heads divide the last dimension")) {
    if (n.failed())
      return {};
    n.fail(Code::OperandShape, describe(x.getType()) + " cannot be split into " + Twine(heads) + " heads")
        .helped("it must be (batch, sequence, heads * depth)");
    return {};
  }
  Value split = n.reshape(x, {shape[0], shape[1], heads, depth});
  return split ? n.transpose(split, {0, 2, 1, 3}) : split;
}

Value joinHeads(NodeContext &n, Value x) {
  if (n.failed())
    return {};
  Sizes shape = n.sizesOf(x);
  Value turned = n.transpose(x, {0, 2, 1, 3});
  return turned ? n.reshape(turned, {shape[0], shape[2], shape[1] * shape[3]}) : turned;
}

Value positions(NodeContext &n, const eq::Extent &count, int64_t axis, int64_t rank) {
  mlir::Type i64 = n.builder().getI64Type();
  Value list = n.make("range", {n.scalar(0, i64), n.scalar(1, i64)}, {n.is("n", count)});
  Sizes shape(rank, 1);
  shape[axis] = count;
  return list ? n.reshape(list, shape) : list;
}

bool attentionFits(NodeContext &n, Value query, Value key, Value value) {
  if (n.failed())
    return false;
  Sizes q = n.sizesOf(query), k = n.sizesOf(key), v = n.sizesOf(value);
  auto same = [&](const eq::Extent &a, const eq::Extent &b) {
    return n.agree(a, b, "query, key and value fit together");
  };
  bool fits = q.size() == 4 && k.size() == 4 && v.size() == 4 && same(q[0], k[0]) && same(q[0], v[0]) &&
              same(k[1], v[1]) && same(q[3], k[3]) && same(k[2], v[2]) && !k[1].is(0) &&
              same(floorDiv(q[1], k[1]) * k[1], q[1]);
  if (fits || n.failed())
    return fits;
  n.fail(Code::OperandShape, "query " + describe(query.getType()) + ", key " + describe(key.getType()) + " and value " +
                                 describe(value.getType()) + " do not fit together")
      .helped("(batch, heads, sequence, depth): batch and key heads agree, query heads are a multiple of them, query "
              "and key have the same depth, key and value the same sequence");
  return false;
}

/// Fails unless the mask broadcasts to `target`.
static bool checkMask(NodeContext &n, Value mask, ArrayRef<eq::Extent> target) {
  Sizes shape = n.sizesOf(mask);
  bool fits = shape.size() <= target.size();
  for (auto [have, want] : zip(reverse(shape), reverse(target)))
    fits = fits && (!have.isStatic() || !want.isStatic() || have == want || have.is(1));
  if (!fits)
    n.fail(Code::OperandShape, "a mask of " + describe(mask.getType()) + " does not broadcast to the scores")
        .helped("they are (batch, heads, query sequence, key sequence)");
  return fits;
}

Value rotatedHeads(NodeContext &n, Value x, Value cos, Value sin, int64_t rotated, bool interleaved) {
  if (n.failed())
    return {};
  Sizes shape = n.sizesOf(x);
  eq::Extent depth = shape[3], part = rotated ? eq::Extent(rotated) : depth;
  Sizes angles{shape[0], shape[2], floorDiv(part, 2)};
  bool fits = rotated >= 0 && (!part.isStatic() || !depth.isStatic() || part.value() <= depth.value()) &&
              n.agree(floorDiv(part, 2) * eq::Extent(2), part, "an even number of each head is rotated");
  n.atMost(part, depth, "what is rotated is part of a head");
  auto fit = [&](Value x) {
    return llvm::equal(n.sizesOf(x), angles, [&](const eq::Extent &a, const eq::Extent &b) {
      return n.agree(a, b, "there is one angle for each position");
    });
  };
  if (!fits || !fit(cos) || !fit(sin)) {
    n.fail(Code::OperandShape, "cannot rotate " + part.str() + " numbers of each head of " + depth.str() +
                                   " by angles of " + describe(cos.getType()))
        .helped("an even number, with one sine and cosine for each two of them, per batch entry and position");
    return {};
  }
  Value y =
      n.make("rotary", {part == depth ? x : partOf(n, x, 3, 0, part), cos, sin}, {n.is("interleaved", interleaved)});
  if (part != depth)
    y = n.make("concat", {y, partOf(n, x, 3, part, depth - part)}, {n.is("axis", 3)});
  return y;
}

std::optional<AttentionStages> makeAttention(NodeContext &n, AttentionOperands operands) {
  if (!attentionFits(n, operands.q, operands.k, operands.v))
    return std::nullopt;
  Value q = operands.q;
  mlir::Type type = n.elementOf(q), f32 = n.builder().getF32Type();
  mlir::Type acc = type.isF64() ? type : f32;
  Sizes query = n.sizesOf(q), scores{query[0], query[1], query[2], n.sizesOf(operands.k)[2]};
  double scale = operands.scale ? *operands.scale : query[3].isStatic() ? 1 / std::sqrt(double(query[3].value())) : 1;
  if (!operands.scale && !query[3].isStatic()) {
    // A depth that is an expression: the scale is computed while the model runs, and the queries take it along.
    Value depth = n.numbersOf({query[3]}, {});
    Value root = depth ? n.make("sqrt", {n.cast(depth, acc)}) : depth;
    Value wide = n.make("div", {n.cast(q, acc), root});
    q = wide ? n.cast(wide, type) : wide;
  }
  Value bias = operands.bias ? n.cast(operands.bias, acc) : Value(), dead;
  if ((bias && !checkMask(n, bias, scores)) || (operands.allowed && !checkMask(n, operands.allowed, scores)))
    return std::nullopt;
  if (operands.allowed)
    bias = n.make("select", {operands.allowed, bias ? bias : n.scalar(0, acc), n.scalar(-INFINITY, acc)});
  if (bias && !n.failed()) {
    // Whether a row is masked is decided on the mask: scores may be NaN or infinite.
    Value all = n.make("expand", {bias}, {n.is("shape", scores)});
    Value best = n.make("reduce", {all}, {n.is("kind", "max"), n.is("axes", Ints{3})});
    dead = n.make("eq", {best, n.scalar(-INFINITY, acc)});
    if (!n.failed())
      dead = n.reshape(dead, {scores[0], scores[1], scores[2], 1});
  }
  Results made = n.makeAll("attention", {q, n.cast(operands.k, type), n.cast(operands.v, type), bias},
                           {n.is("scale", scale), n.is("softcap", operands.softcap), n.is("acc", acc),
                            n.is("soft", operands.soft ? operands.soft : acc)});
  if (n.failed())
    return std::nullopt;
  AttentionStages stages{made[0], made[1], made[2], made[3], made[4]};
  if (dead) {
    stages.y = n.make("select", {dead, n.scalar(0, type), stages.y});
    stages.probabilities = n.make("select", {dead, n.scalar(0, type), stages.probabilities});
  }
  return n.failed() ? std::nullopt : std::optional(stages);
}

} // namespace kumiko::onnx
