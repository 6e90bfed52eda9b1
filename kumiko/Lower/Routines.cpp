#include "kumiko/Lower/Routines.h"
#include "kumiko/Nn/Extents.h"
#include "kumiko/Nn/Types.h"
#include "runtime/ops/ops.h"
#include "llvm/ADT/TypeSwitch.h"
#include <bit>
#include <map>

using namespace mlir;
using namespace kumiko;
using namespace kumiko::lower;

using Words = SmallVector<Extent, 12>;

// Parameters are written word by word, in the order of the fields.
static_assert(sizeof(kumiko_topk) == 5 * 8 && sizeof(kumiko_det) == 2 * 8 && sizeof(kumiko_roi) == 11 * 8 &&
              sizeof(kumiko_ngram_count) == 8 * 8 && sizeof(kumiko_random_bits) == 2 * 8 && sizeof(kumiko_total) == 8 &&
              sizeof(kumiko_nonzero) == 5 * 8 && sizeof(kumiko_nms) == 6 * 8 && sizeof(kumiko_unique) == 6 * 8 &&
              sizeof(kumiko_symbol_read) == 6 * 8);

static SmallVector<Extent, 4> shapeOf(Value value) { return nn::extentsOf(cast<RankedTensorType>(value.getType())); }
static Extent elementType(Value value) { return int64_t(nn::toEquation(getElementTypeOrSelf(value.getType()))); }
static Extent bitsOf(double number) { return std::bit_cast<int64_t>(number); }
static Extent productOf(ArrayRef<Extent> extents) { return product(extents); }

namespace {
/// What a call says besides its operands and results.
struct Call {
  StringRef function;
  Words parameters;
  Extent items = 1;
  /// Scalar operations of all items together, roughly.
  Extent work = 0;
  Extent scratchBytes = 0;
};

/// Puts calls before an op.
class Calls {
public:
  explicit Calls(Operation *op) : builder(op), loc(op->getLoc()) {}
  Calls(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  nn::RoutineOp add(const Call &call, ValueRange arguments, TypeRange results, StringRef symbol = {}) {
    MLIRContext *context = builder.getContext();
    // Only a hint; what cannot be counted is much.
    Extent work = call.work.overflowed() ? Extent(std::numeric_limits<int64_t>::max()) : call.work;
    return nn::RoutineOp::create(builder, loc, results, builder.getStringAttr(call.function), arguments,
                                 nn::numbersAttr(context, call.parameters), nn::numberAttr(context, call.items),
                                 nn::numberAttr(context, work), nn::numberAttr(context, call.scratchBytes),
                                 symbol.empty() ? ArrayAttr() : builder.getStrArrayAttr({symbol}));
  }
  Type integers(ArrayRef<Extent> shape) { return nn::tensorOf(shape, builder.getI64Type()); }

private:
  OpBuilder builder;
  Location loc;
};
} // namespace

/// The one symbol that an op finds.
static StringRef symbolOf(ArrayAttr symbols) { return cast<StringAttr>(symbols[0]).getValue(); }

//===----------------------------------------------------------------------===//
// Results of known size: one call
//===----------------------------------------------------------------------===//

static Call callOf(nn::TopkOp op) {
  SmallVector<Extent, 4> shape = shapeOf(op.getX());
  int64_t axis = op.getAxis();
  Extent k = *nn::extentOf(op.getKAttr()), inner = productOf(ArrayRef(shape).drop_front(axis + 1));
  Extent rows = productOf(ArrayRef(shape).take_front(axis)) * inner, scratch = 32 * max(shape[axis], k);
  bool sorts = true; // several passes; scanned for a few, a row costs hardly more than reading it
  if (k.isStatic() && shape[axis].isStatic()) {
    kumiko_topk p = {elementType(op.getX()).value(), shape[axis].value(), 1, k.value(), op.getLargest()};
    scratch = kumiko_op_topk_scratch(&p);
    sorts = p.k > p.size / 16;
  }
  return {"topk",
          {elementType(op.getX()), shape[axis], inner, k, int64_t(op.getLargest())},
          rows,
          productOf(shape) * (sorts ? 16 : 2),
          scratch};
}

static Call callOf(nn::DetOp op) {
  SmallVector<Extent, 4> shape = shapeOf(op.getX());
  Extent n = shape.back();
  return {"det", {elementType(op.getX()), n}, productOf(ArrayRef(shape).drop_back(2)), productOf(shape) * n, n * n * 8};
}

static Words regionsOf(Value x, int64_t height, int64_t width, double scale) {
  SmallVector<Extent, 4> shape = shapeOf(x);
  return {elementType(x), shape[0], shape[1], shape[2], shape[3], height, width, bitsOf(scale), 0, 0, 0};
}

static Call callOf(nn::RoiAlignOp op) {
  Words words = regionsOf(op.getX(), op.getHeight(), op.getWidth(), op.getScale());
  words[8] = op.getSampling();
  words[9] = int64_t(op.getHalfPixel());
  words[10] = int64_t(op.getMode() == "max");
  // As kumiko_op_roi_align_scratch counts: two taps of 24 bytes for each sample of an axis, and the ends of bins.
  auto samples = [&](const Extent &size, int64_t bins) {
    return op.getSampling() ? Extent(op.getSampling()) * bins : 2 * size + bins + 8;
  };
  Extent taps = samples(words[3], op.getHeight()) + samples(words[4], op.getWidth());
  Extent ends = Extent(op.getHeight()) + op.getWidth();
  // How many pixels a bin has is in the data; a few are usual.
  return {"roi_align", words, shapeOf(op.getRois())[0], productOf(shapeOf(op.getY())) * 16, 48 * taps + 8 * ends};
}

static Call callOf(nn::MaxRoiPoolOp op) {
  return {"max_roi_pool", regionsOf(op.getX(), op.getHeight(), op.getWidth(), op.getScale()), shapeOf(op.getRois())[0],
          productOf(shapeOf(op.getY())) * 16};
}

/// Pool and columns, sorted so that an n-gram is found by bisection; of equal ones the last counts.
static Call callOf(nn::NgramCountOp op) {
  ArrayRef<int64_t> pool = op.getPool(), starts = op.getStarts(), columns = op.getColumns();
  SmallVector<Extent, 4> shape = shapeOf(op.getX());
  int64_t lengths = starts.size(), number = 0;
  // With larger gaps even two words do not fit the row.
  Extent widest = min(std::max<int64_t>(op.getSkips(), 0), shape[1]) + 1;
  Words sizes, sortedColumns, sortedPool;
  for (int64_t length = 1; length <= lengths; ++length) {
    int64_t end = length < lengths ? starts[length] : pool.size();
    std::map<std::vector<int64_t>, int64_t> grams;
    for (int64_t start = starts[length - 1]; start < end; start += length)
      grams[std::vector<int64_t>(pool.begin() + start, pool.begin() + start + length)] = columns[number++];
    sizes.append({int64_t(grams.size()), int64_t(sortedPool.size())});
    for (const auto &[gram, column] : grams) {
      sortedPool.append(gram.begin(), gram.end());
      sortedColumns.push_back(column);
    }
  }
  Words words = {
      elementType(op.getX()),       shape[1], shapeOf(op.getY())[1], op.getShortest(), op.getLongest(), widest, lengths,
      int64_t(sortedColumns.size())};
  llvm::append_range(words, sizes);
  llvm::append_range(words, sortedColumns);
  llvm::append_range(words, sortedPool);
  return {"ngram_count", words, shape[0], productOf(shape) * widest * lengths * 8};
}

static Call callOf(nn::RandomBitsOp op) {
  Extent count = productOf(shapeOf(op.getY()));
  return {"random_bits", {op.getKey(), count}, ceilDiv(count, 4), count * 16};
}

template <typename Op> static void replace(Op op) {
  nn::RoutineOp call = Calls(op).add(callOf(op), op->getOperands(), op->getResultTypes());
  op->replaceAllUsesWith(call);
}

//===----------------------------------------------------------------------===//
// Results whose number data decide: several calls
//===----------------------------------------------------------------------===//

/// Sums of what comes before each of `count` items; finds the symbol.
static Value totalOf(Calls &calls, Value counts, const Extent &count, StringRef symbol) {
  return calls.add({"total", {count}, 1, count}, counts, calls.integers(count + 1), symbol).getResult(0);
}

static void replace(nn::NonzeroOp op) {
  constexpr int64_t piece = 16384;
  SmallVector<Extent, 4> shape = shapeOf(op.getX());
  Extent count = productOf(shape), pieces = ceilDiv(count, piece);
  Words words = {elementType(op.getX()), count, piece, pieces, int64_t(shape.size())};
  llvm::append_range(words, shape);
  Calls calls(op);
  Value counts = calls.add({"nonzero_count", words, pieces, count}, op.getX(), calls.integers(pieces)).getResult(0);
  Value before = totalOf(calls, counts, pieces, symbolOf(*op.getSymbols()));
  nn::RoutineOp write = calls.add({"nonzero", words, pieces, count * 8}, {op.getX(), before}, op.getType());
  op->replaceAllUsesWith(write);
}

static void replace(nn::NmsOp op) {
  SmallVector<Extent, 4> scores = shapeOf(op.getScores());
  Extent items = scores[0] * scores[1], boxes = scores[2], most = min(op.getLimit(), boxes);
  Words words = {scores[1], boxes, most, bitsOf(op.getIou()), bitsOf(op.getThreshold()), int64_t(op.getCentered())};
  Calls calls(op);
  nn::RoutineOp select =
      calls.add({"nms_select", words, items, items * boxes * 16, 40 * most + 8 * boxes},
                {op.getBoxes(), op.getScores()}, {calls.integers(items), calls.integers({items, most})});
  Value before = totalOf(calls, select.getResult(0), items, symbolOf(*op.getSymbols()));
  nn::RoutineOp write =
      calls.add({"nms", words, items, items * most}, {before, select.getResult(1)}, op.getIndex().getType());
  op->replaceAllUsesWith(write);
}

static void replace(nn::UniqueOp op) {
  SmallVector<Extent, 4> shape = shapeOf(op.getX());
  int64_t axis = op.getAxis();
  Extent size = shape[axis];
  StringRef symbol = symbolOf(*op.getSymbols());
  Words words = {elementType(op.getX()),
                 productOf(ArrayRef(shape).take_front(axis)),
                 size,
                 productOf(ArrayRef(shape).drop_front(axis + 1)),
                 int64_t(op.getSorted()),
                 0};
  Calls calls(op);
  Type list = calls.integers(size);
  nn::RoutineOp find = calls.add({"unique_find", words, 1, productOf(shape) * 16, 48 * size + 64}, op.getX(),
                                 {list, op.getWhich().getType(), list}, symbol);
  words[5] = Extent::symbol(symbol);
  nn::RoutineOp write =
      calls.add({"unique", words, 1, productOf(shape)}, {op.getX(), find.getResult(0), find.getResult(2)},
                {op.getY().getType(), op.getFirst().getType(), op.getCount().getType()});
  op.getY().replaceAllUsesWith(write.getResult(0));
  op.getFirst().replaceAllUsesWith(write.getResult(1));
  op.getWhich().replaceAllUsesWith(find.getResult(1));
  op.getCount().replaceAllUsesWith(write.getResult(2));
}

nn::RoutineOp lower::buildSymbolRoutine(OpBuilder &builder, nn::SymbolOp op, Value x) {
  auto number = [](Attribute attribute, int64_t otherwise) {
    return attribute ? *nn::extentOf(attribute) : Extent(otherwise);
  };
  Words words = {elementType(x),
                 op.getAt(),
                 number(op.getWrapAttr(), 0),
                 number(op.getLowerAttr(), 0),
                 number(op.getUpperAttr(), std::numeric_limits<int64_t>::max()),
                 int64_t(op.getClamp())};
  return Calls(builder, op.getLoc()).add({"symbol", words}, x, {}, op.getSymbol());
}

//===----------------------------------------------------------------------===//

/// Floats of less than 16 bits and integers of less than 8 have no function.
static bool isKnown(Type element) {
  ElementType type = nn::toEquation(element);
  return type >= ElementType::B1 && type <= ElementType::F64;
}

/// More scratch than any machine has: a parameter of the op is absurd.
static bool isTooMuch(Operation *op) {
  Extent scratch = llvm::TypeSwitch<Operation *, Extent>(op)
                       .Case<nn::TopkOp, nn::DetOp, nn::RoiAlignOp>([](auto op) { return callOf(op).scratchBytes; })
                       .Default(Extent(0));
  return scratch.overflowed() || (scratch.isStatic() && scratch.value() > int64_t(1) << 40);
}

Decision lower::hasRoutine(Operation *op) {
  for (Value value : llvm::concat<Value>(llvm::to_vector(op->getOperands()), llvm::to_vector(op->getResults()))) {
    auto type = cast<RankedTensorType>(value.getType());
    if (llvm::any_of(nn::extentsOf(type), [](const Extent &extent) { return extent.overflowed(); }))
      return Decision::forbid(cast<nn::IrregularInterface>(op).whyIrregular());
    if (!isKnown(type.getElementType()))
      return Decision::forbid("there is no function for elements of " +
                              nameOf(nn::toEquation(type.getElementType())).str());
    if (isa<nn::NmsOp>(op) && !type.getElementType().isF32() && !type.getElementType().isInteger(64))
      return Decision::forbid("there is no function for boxes that are not f32");
    if (productOf(nn::extentsOf(type)).overflowed())
      return Decision::forbid("a size does not fit 64 bits");
  }
  if (isTooMuch(op))
    return Decision::forbid("it would need more than a terabyte of scratch");
  return Decision::allow();
}

void lower::replaceByRoutines(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<nn::TopkOp, nn::DetOp, nn::RoiAlignOp, nn::MaxRoiPoolOp, nn::NgramCountOp, nn::RandomBitsOp, nn::NonzeroOp,
            nn::NmsOp, nn::UniqueOp>([](auto op) { replace(op); });
  op->erase();
}
