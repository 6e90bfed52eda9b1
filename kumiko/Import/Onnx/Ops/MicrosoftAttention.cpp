//===- MicrosoftAttention.cpp - com.microsoft: attention -----------------------===//
#include "kumiko/Import/Onnx/Ops/AttentionParts.h"
#include "kumiko/Import/Onnx/Ops/Contraction.h"
#include "kumiko/Import/Onnx/Ops/QuantizeParts.h"
#include "kumiko/Import/Onnx/Ops/RecurrentLayer.h"
#include "kumiko/Import/Onnx/Registry.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

Value added(NodeContext &n, Value a, Value b) { return a && b ? n.make("add", {a, b}) : a ? a : b; }

/// What the mask (an input of integers) adds to scores: 0, or `filter` where a key is masked. Its forms, by shape:
/// (batch): the keys' number; (2 batch): the ends, then the starts; (batch, keys) and (batch, queries, keys): flags.
Value maskBias(NodeContext &n, Value mask, const Extent &batch, const Extent &queries, const Extent &keys,
               double filter) {
  if (!mask || n.failed())
    return {};
  mlir::Type i64 = n.builder().getI64Type(), f32 = n.builder().getF32Type();
  Sizes shape = n.sizesOf(mask);
  // Sizes that are other expressions are taken to be those of the form with this rank.
  auto like = [&](const Sizes &form) {
    return shape == form ||
           (shape.size() == form.size() && llvm::equal(shape, form, [&](auto &a, auto &b) {
              return !(a.isStatic() && b.isStatic()) && n.agree(a, b, "the mask fits batch and sequence");
            }));
  };
  Extent twice = batch * Extent(2);
  Value whole = n.cast(mask, i64), seen;
  if (shape.size() == 1 && (shape[0] == twice || like({batch}))) {
    Value key = positions(n, keys, 3, 4);
    auto bound = [&](const Extent &from) { return n.reshape(partOf(n, whole, 0, from, batch), {batch, 1, 1, 1}); };
    seen = n.make("lt", {key, bound(0)});
    if (shape[0] == twice && shape[0] != batch && !n.failed())
      seen = n.make("and", {seen, n.make("le", {bound(batch), key})});
  } else if (like({batch, keys})) {
    seen = n.make("lt", {n.scalar(0, i64), n.reshape(whole, {batch, 1, 1, keys})});
  } else if (like({batch, queries, keys})) {
    seen = n.make("lt", {n.scalar(0, i64), n.reshape(whole, {batch, 1, queries, keys})});
  } else if (!n.failed()) {
    n.fail(Code::UnsupportedForm, "a mask of " + describe(mask.getType()) + " is not supported")
        .helped("lengths (batch) or (2 batch), or flags (batch, keys) or (batch, queries, keys)");
  }
  return n.failed() ? Value() : n.make("select", {seen, n.scalar(0, f32), n.scalar(filter, f32)});
}

/// Keys up to the query's own position, which is `past` behind its number.
Value causalKeys(NodeContext &n, const Extent &queries, const Extent &keys, const Extent &past) {
  Value query = positions(n, queries, 2, 4);
  query = query ? n.make("add", {query, n.numbersOf({past}, {})}) : query;
  return n.make("le", {positions(n, keys, 3, 4), query});
}

/// 0 means "not given" for these attributes.
std::optional<double> scaleOf(NodeContext &n) {
  double scale = n.real("scale", 0);
  return scale == 0 ? std::nullopt : std::optional(scale);
}

/// Attention whose query, key and value stand side by side in `all` (batch, sequence, width). Reads the attributes.
Results attend(NodeContext &n, Value all, Value mask, Value cache, Value bias) {
  int64_t heads = n.requiredInteger("num_heads");
  bool causal = n.flag("unidirectional"), rotary = n.flag("do_rotary"), shared = n.flag("past_present_share_buffer");
  double filter = n.real("mask_filter_value", -10000);
  std::optional<Ints> sizes = n.integers("qkv_hidden_sizes");
  n.ignore("rotary_embedding_dim");
  AttentionOperands operands;
  operands.scale = scaleOf(n);
  if (n.failed())
    return {};
  if (rotary || shared) {
    n.fail(Code::UnsupportedForm, "do_rotary=1 and past_present_share_buffer=1 are not supported");
    return {};
  }
  if (!n.sizesOf(all)[2].isStatic()) {
    n.fail(Code::UnsupportedForm, "the number of columns, " + n.sizesOf(all)[2].str() + ", must be a number");
    return {};
  }
  int64_t width = n.sizesOf(all)[2].value();
  if (!sizes)
    sizes = Ints{width / 3, width / 3, width / 3};
  if (sizes->size() != 3 || any_of(*sizes, [&](int64_t size) { return size < 0 || size > width; }) ||
      (*sizes)[0] + (*sizes)[1] + (*sizes)[2] != width) {
    n.fail(Code::OperandShape, Twine(width) + " columns cannot be split into query, key and value");
    return {};
  }
  auto part = [&](int64_t from, int64_t size) { return splitHeads(n, partOf(n, all, 2, from, size), heads); };
  operands.q = part(0, (*sizes)[0]);
  operands.k = part((*sizes)[0], (*sizes)[1]);
  operands.v = part((*sizes)[0] + (*sizes)[1], (*sizes)[2]);
  Extent past = 0;
  if (cache) {
    if (n.failed() || n.rankOf(cache) != 5 || !n.agree(n.sizesOf(cache)[0], 2, "past is keys and values")) {
      if (!n.failed())
        n.fail(Code::OperandShape, "past is not (2, batch, heads, sequence, depth)");
      return {};
    }
    past = n.sizesOf(cache)[3];
    operands.k = n.make("concat", {entryOf(n, cache, 0), operands.k}, {n.is("axis", 2)});
    operands.v = n.make("concat", {entryOf(n, cache, 1), operands.v}, {n.is("axis", 2)});
  }
  if (n.failed())
    return {};
  Extent batch = n.sizesOf(operands.q)[0], queries = n.sizesOf(operands.q)[2], keys = n.sizesOf(operands.k)[2];
  operands.bias = added(n, maskBias(n, mask, batch, queries, keys, filter), bias);
  if (causal)
    operands.allowed = causalKeys(n, queries, keys, past);
  std::optional<AttentionStages> stages = makeAttention(n, operands);
  if (!stages)
    return {};
  Value present;
  if (n.wants(1)) {
    Sizes one{1};
    append_range(one, n.sizesOf(operands.k));
    if (n.sizesOf(operands.k) != n.sizesOf(operands.v))
      n.fail(Code::OperandShape, "present needs keys and values of the same size");
    present = n.make("concat", {n.reshape(operands.k, one), n.reshape(operands.v, one)}, {n.is("axis", 0)});
  }
  return {joinHeads(n, stages->y), present};
}

/// Query, key and value are one product of the input.
Results importAttention(NodeContext &n) {
  if (!n.expectRank(0, 3, 3) || !n.expectRank(1, 2, 2))
    return {};
  Value all = matrixProduct(n, n.input(0), n.input(1));
  if (n.input(2))
    all = n.make("add", {all, n.input(2)});
  return n.failed() ? Results() : attend(n, all, n.input(3), n.input(4), n.input(5));
}

/// The same from integers.
Results importQAttention(NodeContext &n) {
  if (!n.expectRank(0, 3, 3) || !n.expectRank(1, 2, 2))
    return {};
  Value product = integerProduct(n, n.input(0), n.input(6), n.input(1), n.input(7));
  Value scale = n.make("mul", {n.input(3), n.input(4)});
  if (n.failed())
    return {};
  Sizes shape = n.sizesOf(product);
  Value all = n.make("mul", {n.cast(product, n.elementOf(scale)), scale});
  all = n.make("add", {all, n.input(2)});
  if (all && !llvm::equal(n.sizesOf(all), shape, [&](const Extent &a, const Extent &b) {
        return n.agree(a, b, "scales and bias fit the product");
      })) {
    n.fail(Code::OperandShape, "scales or bias do not fit the product")
        .helped("a scale is one number or one per column, the bias one per column");
    return {};
  }
  return n.failed() ? Results() : attend(n, all, n.input(5), n.input(8), Value());
}

/// A key or value as (batch, heads, sequence, depth), with its part of the bias.
Value headed(NodeContext &n, Value x, int64_t heads, const Extent &biasFrom) {
  if (n.failed() || n.rankOf(x) == 4)
    return x;
  if (Value bias = n.input(3); bias && n.rankOf(x) == 3) {
    Extent size = n.sizesOf(x)[2];
    Extent left = n.rankOf(bias) != 1 ? Extent(-1) : n.sizesOf(bias)[0] - biasFrom - size;
    if (!left.knownNonNegative()) {
      n.fail(Code::OperandShape, "the bias does not have one number for each column of query, key and value");
      return {};
    }
    x = n.make("add", {x, partOf(n, bias, 0, biasFrom, size)});
  }
  return splitHeads(n, x, heads);
}

Results importMultiHeadAttention(NodeContext &n) {
  int64_t heads = n.requiredInteger("num_heads");
  bool causal = n.flag("unidirectional");
  double filter = n.real("mask_filter_value", -10000);
  AttentionOperands operands;
  operands.scale = scaleOf(n);
  if (!n.expectRank(0, 3, 5))
    return {};
  if (!n.input(1) || !n.input(2) || n.rankOf(n.input(0)) != 3 || n.input(8) || n.input(9)) {
    n.fail(Code::UnsupportedForm, "query, key and value in one tensor, past_sequence_length and cache_indirection are "
                                  "not supported")
        .helped("give query (batch, sequence, width), key and value by themselves");
    return {};
  }
  Extent width = n.sizesOf(n.input(0))[2], keyWidth = n.rankOf(n.input(1)) == 3 ? n.sizesOf(n.input(1))[2] : width;
  operands.q = headed(n, n.input(0), heads, 0);
  operands.k = headed(n, n.input(1), heads, width);
  operands.v = headed(n, n.input(2), heads, width + keyWidth);
  Extent past = 0;
  if (n.input(6) && n.input(7)) {
    if (!n.expectRank(6, 4, 4) || !n.expectRank(7, 4, 4))
      return {};
    past = n.sizesOf(n.input(6))[2];
    operands.k = n.make("concat", {n.input(6), operands.k}, {n.is("axis", 2)});
    operands.v = n.make("concat", {n.input(7), operands.v}, {n.is("axis", 2)});
  }
  if (n.failed() || n.rankOf(operands.k) != 4) {
    if (!n.failed())
      n.fail(Code::OperandRank, "the key has rank " + Twine(n.rankOf(operands.k)) + ", expected 3 or 4");
    return {};
  }
  Extent batch = n.sizesOf(operands.q)[0], queries = n.sizesOf(operands.q)[2], keys = n.sizesOf(operands.k)[2];
  operands.bias = added(n, maskBias(n, n.input(4), batch, queries, keys, filter), n.input(5));
  if (causal)
    operands.allowed = causalKeys(n, queries, keys, past);
  std::optional<AttentionStages> stages = makeAttention(n, operands);
  return stages ? Results{joinHeads(n, stages->y), operands.k, operands.v} : Results();
}

//===----------------------------------------------------------------------===//
// GroupQueryAttention
//===----------------------------------------------------------------------===//

/// Query, key and value (batch, heads, sequence, depth): inputs of their own, or all in the first.
bool readGrouped(NodeContext &n, int64_t heads, int64_t keyHeads, AttentionOperands &operands) {
  Value q = n.input(0), k = n.input(1), v = n.input(2);
  if (heads < 1 || keyHeads < 1 || heads > (1 << 20) || keyHeads > (1 << 20) || !n.expectRank(0, 3, 3) ||
      bool(k) != bool(v)) {
    if (!n.failed())
      n.fail(Code::OperandShape, "num_heads, kv_num_heads, query, key and value do not fit together");
    return false;
  }
  if (!k) {
    int64_t parts = heads + 2 * keyHeads;
    Extent all = n.sizesOf(q)[2], depth = floorDiv(all, parts);
    if (!n.agree(depth * Extent(parts), all, "query, key and value have heads of one size")) {
      n.fail(Code::OperandShape, all.str() + " columns cannot be split into the heads of query, key and value");
      return false;
    }
    Extent wide = depth * Extent(heads), narrow = depth * Extent(keyHeads);
    k = partOf(n, q, 2, wide, narrow);
    v = partOf(n, q, 2, wide + narrow, narrow);
    q = partOf(n, q, 2, 0, wide);
  }
  operands.q = splitHeads(n, q, heads);
  operands.k = splitHeads(n, k, keyHeads);
  operands.v = splitHeads(n, v, keyHeads);
  return !n.failed();
}

/// The cache with the new keys or values written behind the `start` old ones of each batch entry; behind those, zeros.
Value updatedCache(NodeContext &n, Value past, Value now, Value start, const Extent &length) {
  if (n.failed())
    return {};
  Sizes shape = n.sizesOf(now);
  shape[2] = length;
  Value cache;
  if (past) {
    Sizes lo(4, 0), hi{0, 0, length - n.sizesOf(past)[2], 0}, each{shape[0], 1, 1, 1};
    cache = n.make("pad", {past, Value()}, {n.is("lo", lo), n.is("hi", hi)});
    Value old = n.make("lt", {positions(n, length, 2, 4), n.reshape(start, each)});
    cache = n.make("select", {old, cache, n.scalar(0, now)});
  } else {
    cache = n.make("expand", {n.scalar(0, now)}, {n.is("shape", shape)});
  }
  return n.make("tensor_scatter", {cache, now, start}, {n.is("axis", 2), n.is("circular", false)});
}

/// seqlens_k is the number of valid keys less one, new ones included, for each entry of the batch.
Results importGroupQueryAttention(NodeContext &n) {
  int64_t heads = n.requiredInteger("num_heads"), keyHeads = n.requiredInteger("kv_num_heads");
  int64_t window = n.integer("local_window_size", -1);
  bool rotary = n.flag("do_rotary"), interleaved = n.flag("rotary_interleaved");
  AttentionOperands operands;
  operands.scale = scaleOf(n);
  operands.softcap = n.real("softcap", 0);
  bool plain = !n.flag("smooth_softmax") && n.integer("qk_output", 0) <= 0 && n.flag("causal", true);
  for (size_t number = 9; number < n.inputCount(); ++number)
    plain &= number == 10 || !n.input(number);
  std::optional<Sizes> given = expectInputs(n, {5, 6}) ? n.sizes(6, "total_sequence_length", nullptr, 1) : std::nullopt;
  if (!given || !readGrouped(n, heads, keyHeads, operands))
    return {};
  if (!plain) {
    n.fail(Code::UnsupportedForm, "position_ids, head_sink, quantised caches, norms, smooth_softmax, qk_output and "
                                  "causal=0 are not supported");
    return {};
  }
  Extent batch = n.sizesOf(operands.q)[0], queries = n.sizesOf(operands.q)[2];
  Value past = n.input(3);
  if (past && (!n.expectRank(3, 4, 4) || !expectInputs(n, {4}) || !n.expectRank(4, 4, 4)))
    return {};
  Extent held = past ? n.sizesOf(past)[2] : Extent(0), total = given->size() == 1 ? given->front() : -1;
  Extent length = max(total, held);
  bool isShort = total.isStatic() && (total.value() < 0 || (queries.isStatic() && total.value() < queries.value()));
  n.atMost(queries, total, "total_sequence_length is at least the query's");
  if (isShort || !n.agree(n.elementsOf(n.input(5)), batch, "seqlens_k has one number for each entry of the batch") ||
      window < -1 || window > (int64_t(1) << 40)) {
    n.fail(Code::OperandShape, "total_sequence_length, seqlens_k or local_window_size does not fit the query")
        .helped("one number that is at least the query's length, and one number for each entry of the batch");
    return {};
  }
  mlir::Type i64 = n.builder().getI64Type();
  Value valid = n.make("add", {n.reshape(n.cast(n.input(5), i64), {batch}), n.scalar(1, i64)});
  // The first call has nothing in the cache, whatever the lengths say.
  Value none = n.make("expand", {n.scalar(0, i64)}, {n.is("shape", Sizes{batch})}), start = none;
  if (total != queries) {
    start = n.make("sub", {valid, n.numbersOf({queries}, {})});
    if (!total.isStatic() || !queries.isStatic())
      start = n.make("select", {n.make("eq", {n.numbersOf({total}, {}), n.numbersOf({queries}, {})}), none, start});
  }
  if (n.failed())
    return {};
  Value position = n.make("add", {n.reshape(start, {batch, 1, 1, 1}), positions(n, queries, 2, 4)});
  if (rotary) {
    if (!expectInputs(n, {7, 8}) || !n.expectRank(7, 2, 2) || !n.expectRank(8, 2, 2))
      return {};
    auto angles = [&](size_t number) {
      return n.make("gather", {n.input(number), n.reshape(position, {batch, queries})}, {n.is("axis", 0)});
    };
    Value cos = angles(7), sin = angles(8);
    operands.q = n.make("rotary", {operands.q, cos, sin}, {n.is("interleaved", interleaved)});
    operands.k = n.make("rotary", {operands.k, cos, sin}, {n.is("interleaved", interleaved)});
  }
  operands.k = updatedCache(n, past, operands.k, start, length);
  operands.v = updatedCache(n, n.input(4), operands.v, start, length);
  Value key = positions(n, length, 3, 4);
  operands.allowed = n.make("le", {key, position});
  if (window >= 0 && !n.failed())
    operands.allowed =
        n.make("and", {operands.allowed, n.make("lt", {position, n.make("add", {key, n.scalar(window, i64)})})});
  operands.bias = n.input(10);
  std::optional<AttentionStages> stages = makeAttention(n, operands);
  return stages ? Results{joinHeads(n, stages->y), operands.k, operands.v} : Results();
}

/// Positions are inputs: one for each token, or that of the first one.
Results importRotaryEmbedding(NodeContext &n) {
  Value x = n.input(0), ids = n.input(1);
  bool interleaved = n.flag("interleaved"), packed = n.flag("is_packed_batching");
  int64_t rotated = n.integer("rotary_embedding_dim", 0), heads = n.integer("num_heads", 0);
  double scale = n.real("scale", 1);
  if (!n.expectRank(0, 3, 4) || !n.expectRank(1, 1, 2) || !n.expectRank(2, 2, 2) || !n.expectRank(3, 2, 2))
    return {};
  if (packed || scale != 1) {
    n.fail(Code::UnsupportedForm, "is_packed_batching=1 and a scale are not supported");
    return {};
  }
  bool flat = n.rankOf(x) == 3;
  // Without a number of heads the angles say how large one is.
  Extent depth = n.sizesOf(n.input(2))[1] * Extent(2), most = flat ? n.sizesOf(x)[2] : 0;
  Extent many = heads > 0 || depth.is(0) ? Extent(heads) : floorDiv(most, depth);
  if (flat && !many.isStatic()) {
    n.fail(Code::UnsupportedForm, "how many heads there are must be a number, and is " + many.str())
        .helped("give the node num_heads, or say how large the dimensions are, with --dim NAME=N");
    return {};
  }
  if (flat)
    x = splitHeads(n, x, many.value());
  if (n.failed())
    return {};
  Extent batch = n.sizesOf(x)[0], length = n.sizesOf(x)[2];
  mlir::Type i64 = n.builder().getI64Type();
  ids = n.cast(ids, i64);
  if (n.rankOf(n.input(1)) == 1)
    ids = n.make("add", {ids, positions(n, length, 1, 2)});
  Value index = broadcastTo(n, ids, {batch, length});
  Results angles;
  for (size_t number : {2, 3})
    angles.push_back(n.failed() ? Value() : n.make("gather", {n.input(number), index}, {n.is("axis", 0)}));
  Value y = rotatedHeads(n, x, angles[0], angles[1], rotated, interleaved);
  return {flat ? joinHeads(n, y) : y};
}

constexpr OpCode codes[] = {
    {"Attention", 2, 7, 2, importAttention},
    {"GroupQueryAttention", 1, 16, 4, importGroupQueryAttention},
    {"MultiHeadAttention", 1, 10, 4, importMultiHeadAttention},
    {"QAttention", 5, 9, 2, importQAttention},
    {"RotaryEmbedding", 4, 4, 1, importRotaryEmbedding},
};

} // namespace

ArrayRef<OpCode> microsoftAttentionOps() { return codes; }

} // namespace kumiko::onnx
