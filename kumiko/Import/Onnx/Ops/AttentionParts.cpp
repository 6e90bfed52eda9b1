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
  Extent depth = shape.size() != 3 || heads < 1 ? Extent(0) : floorDiv(shape[2], heads);
  if (shape.size() != 3 || heads < 1 || !n.agree(depth * Extent(heads), shape[2], "heads divide the last dimension")) {
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

Value positions(NodeContext &n, const Extent &count, int64_t axis, int64_t rank) {
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
  auto same = [&](const Extent &a, const Extent &b) { return n.agree(a, b, "query, key and value fit together"); };
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
static bool checkMask(NodeContext &n, Value mask, ArrayRef<Extent> target) {
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
  Extent depth = shape[3], part = rotated ? Extent(rotated) : depth;
  Sizes angles{shape[0], shape[2], floorDiv(part, 2)};
  bool fits = rotated >= 0 && (!part.isStatic() || !depth.isStatic() || part.value() <= depth.value()) &&
              n.agree(floorDiv(part, 2) * Extent(2), part, "an even number of each head is rotated");
  n.atMost(part, depth, "what is rotated is part of a head");
  auto fit = [&](Value x) {
    return llvm::equal(n.sizesOf(x), angles, [&](const Extent &a, const Extent &b) {
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

namespace {

/// Query heads in groups that share a head of keys and values: (batch, groups, each, ...), or (batch, heads, ...) where
/// each has its own.
struct HeadGroups {
  Extent groups, each;

  bool areNeeded() const { return !each.is(1); }

  /// Queries or masks (batch, heads or 1, a, b) by groups.
  Value split(NodeContext &n, Value x) const {
    if (n.failed() || !areNeeded())
      return x;
    Sizes shape = n.sizesOf(x);
    bool isOne = shape[1].is(1);
    return n.reshape(x, {shape[0], isOne ? Extent(1) : groups, isOne ? Extent(1) : each, shape[2], shape[3]});
  }
  /// Keys or values (batch, groups, a, b), one for all of a group.
  Value share(NodeContext &n, Value x) const {
    if (n.failed() || !areNeeded())
      return x;
    Sizes shape = n.sizesOf(x);
    return n.reshape(x, {shape[0], shape[1], 1, shape[2], shape[3]});
  }
  Value join(NodeContext &n, Value x) const {
    if (n.failed() || !areNeeded())
      return x;
    Sizes shape = n.sizesOf(x);
    return n.reshape(x, {shape[0], groups * each, shape[3], shape[4]});
  }
};

} // namespace

/// A mask with as many dimensions as the scores; one whose heads only a run tells is repeated for all of them.
static Value fullMask(NodeContext &n, Value mask, const Sizes &scores) {
  if (!mask || n.failed())
    return mask;
  Sizes shape = n.sizesOf(mask);
  shape.insert(shape.begin(), scores.size() - shape.size(), Extent(1));
  if (shape[1].is(1) || shape[1] == scores[1])
    return n.reshape(mask, shape);
  return n.make("expand", {mask}, {n.is("shape", scores)});
}

/// scores * scale, where a depth that is an expression gives the scale while the model runs.
static Value scaled(NodeContext &n, Value scores, std::optional<double> scale, const Extent &depth) {
  if (n.failed())
    return {};
  mlir::Type acc = n.elementOf(scores);
  if (scale || depth.isStatic())
    return n.make("mul", {scores, n.scalar(scale ? *scale : 1 / std::sqrt(double(depth.value())), acc)});
  Value root = n.make("sqrt", {n.cast(n.numbersOf({depth}, {}), acc)});
  return n.make("div", {scores, root});
}

std::optional<AttentionStages> makeAttention(NodeContext &n, AttentionOperands operands) {
  if (!attentionFits(n, operands.q, operands.k, operands.v))
    return std::nullopt;
  mlir::Type type = n.elementOf(operands.q), f32 = n.builder().getF32Type();
  mlir::Type acc = type.isF64() ? type : f32;
  Sizes query = n.sizesOf(operands.q), key = n.sizesOf(operands.k), scores{query[0], query[1], query[2], key[2]};
  Value bias = operands.bias ? n.cast(operands.bias, acc) : Value();
  if ((bias && !checkMask(n, bias, scores)) || (operands.allowed && !checkMask(n, operands.allowed, scores)))
    return std::nullopt;
  if (operands.allowed)
    bias = n.make("select", {operands.allowed, bias ? bias : n.scalar(0, acc), n.scalar(-INFINITY, acc)});
  HeadGroups heads{key[1], floorDiv(query[1], key[1])};
  Value mask = bias ? heads.split(n, fullMask(n, bias, scores)) : bias;
  auto wide = [&](Value x) { return n.cast(n.cast(x, type), acc); };
  if (n.failed())
    return std::nullopt;

  Value q = heads.split(n, wide(operands.q)), k = heads.share(n, n.transpose(wide(operands.k), {0, 1, 3, 2}));
  Value raw = scaled(n, n.make("matmul", {q, k}), operands.scale, query[3]), capped = raw;
  if (operands.softcap > 0) {
    Value cap = n.scalar(operands.softcap, acc);
    capped = n.make("mul", {n.make("tanh", {n.make("div", {raw, cap})}), cap});
  }
  Value biased = mask ? n.make("add", {capped, mask}) : capped;
  if (n.failed())
    return std::nullopt;
  int64_t last = n.rankOf(biased) - 1;
  Value soft = n.cast(biased, operands.soft ? operands.soft : acc);
  Value probabilities = n.make("softmax", {soft}, {n.is("axis", last)});
  if (mask && !n.failed()) {
    // Whether a row is masked is decided on the mask: scores may be NaN or infinite.
    Sizes shape = n.sizesOf(biased);
    Value all = n.make("expand", {mask}, {n.is("shape", shape)});
    Value best = n.make("reduce", {all}, {n.is("kind", "max"), n.is("axes", Ints{last})});
    shape.back() = 1;
    Value dead = n.make("eq", {best, n.scalar(-INFINITY, acc)});
    if (!n.failed())
      probabilities = n.make("select", {n.reshape(dead, shape), n.scalar(0, probabilities), probabilities});
  }
  probabilities = n.failed() ? Value() : n.cast(probabilities, acc);
  Value y = n.make("matmul", {probabilities, heads.share(n, wide(operands.v))});
  auto shown = [&](Value x) { return n.failed() ? Value() : n.cast(heads.join(n, x), type); };
  AttentionStages stages{shown(y), shown(raw), shown(capped), shown(biased), shown(probabilities)};
  return n.failed() ? std::nullopt : std::optional(stages);
}

} // namespace kumiko::onnx
