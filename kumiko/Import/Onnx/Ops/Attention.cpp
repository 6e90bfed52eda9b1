//===- Attention.cpp - attention, linear attention, rotary embeddings ----------===//
#include "kumiko/Import/Onnx/Ops/AttentionParts.h"
#include "kumiko/Import/Onnx/Ops/RecurrentLayer.h"
#include "kumiko/Import/Onnx/Real.h"
#include "kumiko/Import/Onnx/Registry.h"
#include "kumiko/Import/Onnx/TensorData.h"
#include "kumiko/Nn/Types.h"
#include <cmath>

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

/// A mask that is shorter than the keys is continued with "not allowed".
Value lengthened(NodeContext &n, Value mask, const Extent &keys) {
  if (n.failed() || n.rankOf(mask) == 0)
    return mask;
  Extent length = n.sizesOf(mask).back();
  if ((length - keys).knownNonNegative())
    return mask;
  n.atMost(length, keys, "the mask is not longer than the keys");
  Sizes lo(n.rankOf(mask), 0), hi(n.rankOf(mask), 0);
  hi.back() = keys - length;
  bool flags = n.elementOf(mask).isInteger(1);
  return n.make("pad", {mask, n.scalar(flags ? 0 : -INFINITY, mask)}, {n.is("lo", lo), n.is("hi", hi)});
}

Value both(NodeContext &n, Value a, Value b) { return a && b ? n.make("and", {a, b}) : a ? a : b; }

/// Which keys a query may see by its position: causal, in a window, not padding. Null when all.
Value visibleKeys(NodeContext &n, const Extent &queries, const Extent &keys, const Extent &past) {
  bool causal = n.flag("is_causal");
  int64_t left = n.integer("left_window_size", -1), right = n.integer("right_window_size", -1);
  if (n.failed())
    return {};
  if (left < -1 || right < -1 || std::max(left, right) > (int64_t(1) << 40)) {
    n.fail(Code::AttributeValue, "window sizes are " + Twine(left) + " and " + Twine(right))
        .helped("-1 for no bound, or how many positions before and after may be seen");
    return {};
  }
  mlir::Type i64 = n.builder().getI64Type();
  Value filled = n.input(6);
  if (filled && (n.rankOf(filled) != 1 || n.elementOf(filled) != i64 ||
                 !n.agree(n.sizesOf(filled)[0], n.sizesOf(n.input(0))[0], "nonpad_kv_seqlen has the batch's size"))) {
    n.fail(Code::OperandShape, "nonpad_kv_seqlen is not one i64 for each entry of the batch");
    return {};
  }
  Value key = positions(n, keys, 3, 4), allowed;
  if (filled) {
    filled = n.reshape(filled, {n.sizesOf(filled)[0], 1, 1, 1});
    allowed = n.make("lt", {key, filled});
  }
  // The queries are the last of what the cache holds.
  Value offset = filled ? n.make("sub", {filled, n.numbersOf({queries}, {})}) : n.numbersOf({past}, {});
  Value query = n.make("add", {positions(n, queries, 2, 4), offset});
  auto noFurther = [&](int64_t distance) { return n.make("add", {query, n.scalar(distance, i64)}); };
  if (causal)
    allowed = both(n, allowed, n.make("le", {key, query}));
  if (left >= 0)
    allowed = both(n, allowed, n.make("le", {noFurther(-left), key}));
  if (right >= 0)
    allowed = both(n, allowed, n.make("le", {key, noFurther(right)}));
  return allowed;
}

/// Past and new keys or values, in this order. Null `past`: only the new ones.
Value withPast(NodeContext &n, Value past, Value now) {
  return past && !n.failed() ? n.make("concat", {past, now}, {n.is("axis", 2)}) : now;
}

Results importAttention(NodeContext &n) {
  std::optional<int64_t> queryHeads = n.integer("q_num_heads"), keyHeads = n.integer("kv_num_heads");
  int64_t mode = n.integer("qk_matmul_output_mode", 0), rank = n.rankOf(n.input(0));
  std::optional<int64_t> precision = n.integer("softmax_precision");
  AttentionOperands operands{.q = n.input(0),
                             .k = n.input(1),
                             .v = n.input(2),
                             .bias = {},
                             .allowed = {},
                             .scale = n.real("scale"),
                             .softcap = n.real("softcap", 0)};
  if (!n.expectRank(0, 3, 4) || !n.expectRank(1, rank, rank) || !n.expectRank(2, rank, rank))
    return {};
  if (mode < 0 || mode > 3 || bool(n.input(4)) != bool(n.input(5)) || (n.input(4) && n.input(6))) {
    n.fail(Code::AttributeValue, "past_key, past_value, nonpad_kv_seqlen and qk_matmul_output_mode do not fit together")
        .helped("both of past_key and past_value or none, not with nonpad_kv_seqlen; the mode is 0 to 3");
    return {};
  }
  if (precision) {
    std::optional<ElementType> soft = elementTypeOf(static_cast<DataType>(*precision));
    if (!soft || !isFloat(*soft)) {
      n.fail(Code::AttributeValue, "softmax_precision is " + Twine(*precision) + ", which is no float type");
      return {};
    }
    operands.soft = nn::fromEquation(n.context(), *soft);
  }
  if (rank == 3) {
    if (!queryHeads || !keyHeads) {
      n.fail(Code::AttributeMissing, "inputs of three dimensions need q_num_heads and kv_num_heads");
      return {};
    }
    operands.q = splitHeads(n, operands.q, *queryHeads);
    operands.k = splitHeads(n, operands.k, *keyHeads);
    operands.v = splitHeads(n, operands.v, *keyHeads);
  }
  operands.k = withPast(n, n.input(4), operands.k);
  operands.v = withPast(n, n.input(5), operands.v);
  if (n.failed())
    return {};
  Extent queries = n.sizesOf(operands.q)[2], keys = n.sizesOf(operands.k)[2];
  operands.allowed = visibleKeys(n, queries, keys, n.input(4) ? n.sizesOf(n.input(4))[2] : Extent(0));
  if (Value mask = n.input(3)) {
    mask = lengthened(n, mask, keys);
    if (n.failed())
      return {};
    if (n.elementOf(mask).isInteger(1))
      operands.allowed = both(n, operands.allowed, mask);
    else
      operands.bias = mask;
  }
  std::optional<AttentionStages> stages = makeAttention(n, operands);
  if (!stages)
    return {};
  Value shown[] = {stages->raw, stages->capped, stages->biased, stages->probabilities};
  return {rank == 3 ? joinHeads(n, stages->y) : stages->y, operands.k, operands.v, shown[mode]};
}

//===----------------------------------------------------------------------===//
// Attention with parts of the model inside
//===----------------------------------------------------------------------===//

/// The subgraph of attribute `name` in place of a step; `x` itself without one. It must keep the type of `x`.
Value modified(NodeContext &n, StringRef name, Value x) {
  if (n.failed() || !n.has(name))
    return x;
  const Graph *body = n.graph(name);
  x = n.known(x);
  std::optional<Results> made = body && !n.failed() ? n.run(*body, {x}) : std::nullopt;
  if (!made)
    return {};
  if (made->size() == 1 && made->front().getType() == x.getType())
    return made->front();
  n.fail(Code::OperandShape, "the subgraph " + name + " does not keep " + describe(x.getType()))
      .helped("it has one input and one output of the same shape and type");
  return {};
}

/// softmax(score_mod(q k' scale)) v, with prob_mod before v. Each head of k and v serves a group of heads of q.
Results importFlexAttention(NodeContext &n) {
  std::optional<double> scale = n.real("scale");
  std::optional<int64_t> precision = n.integer("softmax_precision");
  if (!n.expectRank(0, 4, 4) || !n.expectRank(1, 4, 4) || !n.expectRank(2, 4, 4))
    return {};
  Value q = n.input(0), k = n.input(1), v = n.input(2);
  if (!attentionFits(n, q, k, v))
    return {};
  std::optional<ElementType> named = precision
                                         ? elementTypeOf(static_cast<DataType>(*precision))
                                         : std::optional(n.elementOf(q).isF64() ? ElementType::F64 : ElementType::F32);
  if (!named || !isFloat(*named)) {
    n.fail(Code::AttributeValue, "softmax_precision is " + Twine(*precision) + ", which is no float type");
    return {};
  }
  mlir::Type type = n.elementOf(q), acc = nn::fromEquation(n.context(), *named);
  Sizes from = n.sizesOf(q), to = n.sizesOf(k);
  Extent batch = from[0], groups = to[1], each = floorDiv(from[1], groups), queries = from[2], keys = to[2];
  Extent depth = from[3], width = n.sizesOf(v)[3];
  Value left = n.reshape(n.cast(q, acc), {batch, groups, each, queries, depth});
  Value right = n.reshape(n.transpose(n.cast(k, acc), {0, 1, 3, 2}), {batch, groups, 1, depth, keys});
  Value scores = n.make("matmul", {left, right});
  Real factor = scale ? Real(*scale) : 1 / sqrt(Real(n, depth));
  scores = n.failed() ? Value() : n.make("mul", {scores, factor.as(n, acc)});
  scores = scores ? modified(n, "score_mod", n.reshape(scores, {batch, from[1], queries, keys})) : scores;
  Value odds = n.make("softmax", {scores}, {n.is("axis", 3)});
  odds = modified(n, "prob_mod", odds);
  if (n.failed())
    return {};
  Value y = n.make("matmul", {n.reshape(odds, {batch, groups, each, queries, keys}),
                              n.reshape(n.cast(v, acc), {batch, groups, 1, keys, width})});
  return {y ? n.cast(n.reshape(y, {batch, from[1], queries, width}), type) : y};
}

//===----------------------------------------------------------------------===//
// Attention with a recurrent state
//===----------------------------------------------------------------------===//

/// (batch, time, heads * depth) -> (time, batch, heads, depth) in f32. Null for null.
Value timeFirst(NodeContext &n, Value x, int64_t heads) {
  if (!x || n.failed())
    return {};
  Sizes shape = n.sizesOf(x);
  Extent depth = shape.size() == 3 && heads > 0 ? floorDiv(shape[2], heads) : Extent(0);
  if (shape.size() != 3 || heads < 1 || !n.agree(shape[2], heads * depth, "the depth is the same for all heads")) {
    n.fail(Code::OperandShape, describe(x.getType()) + " is not (batch, time, " + Twine(heads) + " heads * depth)");
    return {};
  }
  Value wide = n.cast(x, n.builder().getF32Type());
  return n.transpose(n.reshape(wide, {shape[0], shape[1], heads, depth}), {1, 0, 2, 3});
}

/// `x` broadcast to this shape, also where only a run can tell which of its extents are 1.
Value widened(NodeContext &n, Value x, const SizeList &shape) {
  auto isClear = [](auto pair) { return std::get<0>(pair) == std::get<1>(pair) || std::get<0>(pair).isStatic(); };
  if (!x || n.failed() || all_of(zip_equal(n.sizesOf(x), shape.list()), isClear))
    return broadcastTo(n, x, shape);
  Value zeros = n.make("expand", {n.scalar(0, x)}, {n.is("shape", shape.list())});
  Value sum = n.make("add", {x, zeros});
  return sum ? n.reshape(sum, shape) : sum;
}

Results importLinearAttention(NodeContext &n) {
  StringRef rule = n.text("update_rule", "gated_delta");
  int64_t queryHeads = n.requiredInteger("q_num_heads"), heads = n.requiredInteger("kv_num_heads");
  double scale = n.real("scale", 0);
  n.ignore("chunk_size");
  bool gated = rule.starts_with("gated"), delta = rule.ends_with("delta");
  if (n.failed())
    return {};
  if (!is_contained({"linear", "gated", "delta", "gated_delta"}, rule)) {
    n.fail(Code::AttributeValue, "update_rule is \"" + rule.take_front(64) + "\"")
        .helped("linear, gated, delta or gated_delta");
    return {};
  }
  if ((gated && !n.input(4)) || (delta && !n.input(5))) {
    n.fail(Code::Arity, "update_rule " + rule + " needs the input " + (gated && !n.input(4) ? "decay" : "beta"));
    return {};
  }
  Value q = timeFirst(n, n.input(0), queryHeads), k = timeFirst(n, n.input(1), heads),
        v = timeFirst(n, n.input(2), heads);
  if (n.failed())
    return {};
  Sizes shape = n.sizesOf(k), asked = n.sizesOf(q), held = n.sizesOf(v);
  Extent time = shape[0], batch = shape[1], depth = shape[3], width = held[3];
  auto same = [&](const Extent &a, const Extent &b) { return n.agree(a, b, "query, key and value fit together"); };
  if (queryHeads % heads != 0 || !same(asked[3], depth) || !same(asked[1], batch) || !same(held[1], batch)) {
    n.fail(Code::OperandShape, "query, key and value do not fit together")
        .helped("the same batch, time and depth; query heads are a multiple of key heads");
    return {};
  }
  mlir::Type stateType = n.elementOf(n.input(3) ? n.input(3) : n.input(0)), f32 = n.builder().getF32Type();
  Sizes stateShape{batch, heads, depth, width};
  Value past = inputOf(n, 3, "past_state", stateShape);
  if (n.failed())
    return {};
  if (scale == 0 && !depth.isStatic())
    q = n.make("div", {q, n.make("sqrt", {n.cast(n.numbersOf({depth}, {}), f32)})});
  ScanOperands operands;
  operands.states = {past ? n.cast(past, f32) : broadcastTo(n, n.scalar(0, f32), stateShape)};
  operands.sequences = {n.reshape(q, {asked[0], batch, queryHeads, depth}), k,
                        n.reshape(v, {held[0], batch, heads, width})};
  if (gated)
    operands.sequences.push_back(widened(n, timeFirst(n, n.input(4), heads), {time, batch, heads, depth}));
  if (delta) {
    if (!n.expectRank(5, 3, 3))
      return {};
    Value beta = n.transpose(n.cast(n.input(5), f32), {1, 0, 2});
    operands.sequences.push_back(widened(n, beta, {time, batch, heads}));
  }
  double factor = scale != 0 ? scale : depth.isStatic() ? 1 / std::sqrt(double(depth.value())) : 1;
  Results ends = makeScan(n, operands, [&](ArrayRef<Value> arguments) -> ValueList {
    Value decay = gated ? arguments[4] : Value(), beta = delta ? arguments.back() : Value();
    Results step =
        n.makeAll("linear_attention_step", {arguments[1], arguments[2], arguments[3], decay, beta, arguments[0]},
                  {n.is("scale", factor)});
    return n.failed() ? ValueList() : ValueList{step[1], step[0]};
  });
  if (n.failed())
    return {};
  Value y = n.reshape(n.transpose(ends[1], {1, 0, 2, 3}), {batch, time, queryHeads * width});
  return {n.cast(y, n.elementOf(n.input(0))), n.cast(ends[0], stateType)};
}

//===----------------------------------------------------------------------===//
// What stands before attention
//===----------------------------------------------------------------------===//

/// The part of each head up to `rotary_embedding_dim` is rotated, the rest stays.
Results importRotaryEmbedding(NodeContext &n) {
  Value x = n.input(0), cos = n.input(1), sin = n.input(2), ids = n.input(3);
  bool interleaved = n.flag("interleaved");
  int64_t rotated = n.integer("rotary_embedding_dim", 0), heads = n.integer("num_heads", 0);
  if (!n.expectRank(0, 3, 4) || !n.expectRank(1, ids ? 2 : 3, ids ? 2 : 3) ||
      !n.expectRank(2, n.rankOf(cos), n.rankOf(cos)))
    return {};
  bool packed = n.rankOf(x) == 3;
  if (packed)
    x = splitHeads(n, x, heads);
  if (ids) {
    cos = n.make("gather", {cos, ids}, {n.is("axis", 0)});
    sin = n.make("gather", {sin, ids}, {n.is("axis", 0)});
  }
  Value y = rotatedHeads(n, x, cos, sin, rotated, interleaved);
  return {packed ? joinHeads(n, y) : y};
}

/// A depthwise convolution that looks back only; the state is the end of what was seen before.
Results importCausalConv(NodeContext &n) {
  StringRef activation = n.text("activation", "none");
  if (!n.expectRank(0, 3, 3) || !n.expectRank(1, 3, 3))
    return {};
  Value x = n.input(0), w = n.input(1), past = n.input(3);
  Extent batch = n.sizesOf(x)[0], channels = n.sizesOf(x)[1], taps = n.sizesOf(w)[2];
  if (taps.is(0) || channels.is(0)) {
    n.fail(Code::OperandShape, "the weight or the input is empty");
    return {};
  }
  w = inputOf(n, 1, "the weight", {channels, 1, taps});
  Value bias = inputOf(n, 2, "the bias", {channels});
  past = inputOf(n, 3, "past_state", {batch, channels, taps - 1});
  n.atMost(1, taps, "the weight is not empty");
  if (n.failed())
    return {};
  if (!is_contained({"none", "silu", "swish"}, activation)) {
    n.fail(Code::AttributeValue, "activation is \"" + activation.take_front(64) + "\"").helped("none, silu or swish");
    return {};
  }
  if (!past)
    past = n.make("expand", {n.scalar(0, x)}, {n.is("shape", Sizes{batch, channels, taps - 1})});
  Value seen = n.make("concat", {past, x}, {n.is("axis", 2)});
  Ints one{1}, zero{0};
  Value y =
      n.make("conv", {seen, w, bias},
             {n.is("stride", one), n.is("dilation", one), n.is("lo", zero), n.is("hi", zero), n.is("group", channels)});
  if (activation != "none")
    y = n.make("swish", {y});
  return {y, partOf(n, seen, 2, n.sizesOf(x)[2], taps - 1)};
}

constexpr OpCode codes[] = {
    {"Attention", 3, 7, 4, importAttention},
    {"CausalConvWithState", 2, 4, 2, importCausalConv},
    {"LinearAttention", 3, 6, 2, importLinearAttention},
    {"RotaryEmbedding", 3, 4, 1, importRotaryEmbedding},
};

constexpr OpCode preview[] = {
    {"FlexAttention", 3, 3, 1, importFlexAttention},
};

} // namespace

ArrayRef<OpCode> attentionOps() { return codes; }
ArrayRef<OpCode> previewOps() { return preview; }

} // namespace kumiko::onnx
