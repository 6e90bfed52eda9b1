//===- WidenKernels.cpp - what may cancel is computed in f64 ---------------===//
//
// Inside a kernel nothing is stored between its arguments and its results, so a value on the way may be as wide as it
// likes: it lives in registers. Two kinds of values lose digits in f32, sums of many and sums of what has been rounded
// before (x * scale + bias near 0). These, and the arithmetic that leads to them, are done in f64 and rounded once:
//
//   s = sum of x;  m = s / n;  c = x - m;  v = sum of c * c;  y = c * r * scale + bias       all f64, y rounded to f32
//   e = exp(x - m);  s = sum of e;  y = e / s                                                only s is f64
//
// Products in large contractions and in windows are bound by arithmetic, not by memory, and stay in f32.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Kernel/SplitKernels.h"
#include "kumiko/Lower/Exact.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Numerics/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace kumiko {
#define GEN_PASS_DEF_WIDENKERNELSPASS
#include "kumiko/Numerics/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;

/// A contraction of at most this many products takes a microsecond or two in f64, which a call costs anyway.
constexpr int64_t fewProducts = 1 << 13;

/// A sum of at most this many terms, those of a window of three by three, loses a bit or two by itself; for many of
/// them that is not worth converting each term.
constexpr int64_t fewTerms = 9;

static bool areFew(const Extent &products) {
  // A dimension that is left open, a batch, may be larger than it typically is; then f64 would cost much.
  auto open = [](StringRef) { return std::optional<int64_t>(16); };
  return typicalSize(products) <= fewProducts && products.evaluate(open).value_or(INT64_MAX) <= fewProducts;
}

static bool isF32(Value value) { return getElementTypeOrSelf(value.getType()).isF32(); }

/// Arithmetic that is worth doing in f64 when its result is wanted so.
static bool isArithmetic(Operation *op) {
  return isa_and_nonnull<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::NegFOp, arith::MaximumFOp,
                         arith::MinimumFOp, arith::SelectOp, math::SqrtOp, math::AbsFOp>(op) &&
         isF32(op->getResult(0));
}

/// The operation that makes one partial result of two, if the generic reduces to one result by a sum or a product.
static Operation *runningSum(linalg::GenericOp op) {
  if (op.getNumReductionLoops() == 0 || op.getNumResults() != 1)
    return nullptr;
  Operation *combiner = op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  bool combines = isa_and_nonnull<arith::AddFOp, arith::MulFOp>(combiner) &&
                  llvm::is_contained(combiner->getOperands(), Value(op.getRegionOutputArgs()[0]));
  return combines && isF32(op->getResult(0)) ? combiner : nullptr;
}

/// What the init of a generic is made of, where that can be made anew in f64.
static tensor::EmptyOp emptyBehind(Value init, TypedAttr &filled) {
  if (auto fill = init.getDefiningOp<linalg::FillOp>()) {
    filled = constantScalar(fill.getInputs()[0]);
    return filled ? fill.getOutputs()[0].getDefiningOp<tensor::EmptyOp>() : tensor::EmptyOp();
  }
  return init.getDefiningOp<tensor::EmptyOp>();
}

static bool isView(Operation *op) { return isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op); }

namespace {

/// Which values of a kernel are to be f64.
class Widening {
public:
  Widening(Block &body, const KernelShape &shape, KernelExtents &extents)
      : body(body), shape(shape), extents(extents) {}

  /// Operations inside bodies, and tensors, that become f64.
  DenseSet<Operation *> ops;
  DenseSet<Value> tensors;

  void find() {
    for (auto op : body.getOps<linalg::GenericOp>()) {
      Operation *combiner = runningSum(op);
      if (combiner && !hasFewTerms(op) && isCheap(op) && canBeWide(op->getResult(0))) {
        tensors.insert(op->getResult(0));
        widen(combiner->getResult(0));
      }
      // Around two products there is a great deal of arithmetic, and little memory.
      if ((op.getNumReductionLoops() != 0 && !isCheap(op)) || shape.kind == KernelKind::Attention)
        continue;
      // A running sum that is kept in f32 is rounded with every term anyway.
      bool roundsEach = combiner && !tensors.contains(op->getResult(0));
      for (Operation &inner : op.getBody()->without_terminator())
        if (isa<arith::AddFOp, arith::SubFOp>(inner) && isF32(inner.getResult(0)) &&
            !(roundsEach && &inner == combiner) &&
            (takesWide(inner) || (sumsRounded(inner) && matters(inner.getResult(0)))))
          widen(inner.getResult(0));
    }
  }

private:
  /// Whether f64 costs nothing that matters: arithmetic waits for memory, or there is little of it.
  bool isCheap(linalg::GenericOp op) {
    Extent all = product(extents.loopsOf(op));
    if (shape.kind == KernelKind::Attention && (op == shape.attention.scores.op || op == shape.attention.values.op))
      return false;
    bool inParts = shape.kind == KernelKind::Contraction && shape.contraction.parts > 1; // which only a tile can do
    if (!isSumOfProducts(op) || (areFew(all) && !inParts))
      return true;
    // Other kernels are cut around what deserves a tile, too.
    if (shape.kind == KernelKind::Contraction || (shape.kind == KernelKind::Points && deservesTile(op, extents)))
      return false;
    int64_t points = typicalSize(all), read = 0;
    for (Value input : op.getDpsInputs())
      read = std::max(read, typicalSize(extents.elementsOf(input)));
    return points / 2 <= read;
  }

  /// Many sums of few terms each. What is made of such a sum may still want it in f64.
  bool hasFewTerms(linalg::GenericOp op) {
    SmallVector<unsigned> reduced;
    op.getReductionDims(reduced);
    Extent terms = 1;
    for (unsigned loop : reduced)
      terms *= extents.loopsOf(op)[loop];
    return terms.isStatic() && terms.value() <= fewTerms && !areFew(product(extents.loopsOf(op)));
  }

  static bool canBeWide(Value tensor) {
    TypedAttr filled;
    auto result = cast<OpResult>(tensor);
    auto op = dyn_cast<linalg::GenericOp>(result.getOwner());
    return op && isF32(tensor) && (op.getNumReductionLoops() == 0 || runningSum(op)) &&
           emptyBehind(op.getDpsInits()[result.getResultNumber()], filled);
  }

  /// The scalar that a body computes for the tensor behind a block argument; null for what is only loaded.
  static Value scalarBehind(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument)
      return value;
    auto reader = cast<linalg::GenericOp>(argument.getOwner()->getParentOp());
    if (argument.getArgNumber() >= reader.getNumDpsInputs())
      return Value();
    Value tensor = reader->getOperand(argument.getArgNumber());
    while (isView(tensor.getDefiningOp()))
      tensor = tensor.getDefiningOp()->getOperand(0);
    auto writer = tensor.getDefiningOp<linalg::GenericOp>();
    if (!writer)
      return Value();
    return writer.getBody()->getTerminator()->getOperand(cast<OpResult>(tensor).getResultNumber());
  }

  /// Whether the value has been rounded on its way. A product that a sum takes up is not: they become one operation.
  static bool isRounded(Value value, bool intoSum = false) {
    value = scalarBehind(value);
    Operation *op = value ? value.getDefiningOp() : nullptr;
    if (!isArithmetic(op))
      return false;
    if (isa<arith::MulFOp>(op) && intoSum)
      return isRounded(op->getOperand(0)) || isRounded(op->getOperand(1));
    if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, math::SqrtOp>(op))
      return true;
    return llvm::any_of(op->getOperands(), [](Value operand) { return isRounded(operand); });
  }

  static bool sumsRounded(Operation &op) {
    return isRounded(op.getOperand(0), true) || isRounded(op.getOperand(1), true) ||
           (isRounded(op.getOperand(0)) && isRounded(op.getOperand(1)));
  }

  /// A sum that is there in f64 is rounded after what is added to it: the addition costs the same.
  bool takesWide(Operation &op) const {
    return llvm::any_of(op.getOperands(), [&](Value operand) {
      auto argument = dyn_cast<BlockArgument>(operand);
      return argument && tensors.contains(op.getParentOp()->getOperand(argument.getArgNumber()));
    });
  }

  /// Whether digits of the value reach a result or a sum: functions and comparisons do not pass them on.
  bool matters(Value value) {
    auto [known, isNew] = reaches.try_emplace(value, false);
    if (!isNew)
      return known->second;
    bool answer = llvm::any_of(value.getUses(), [&](OpOperand &use) { return passesOn(use); });
    return reaches[value] = answer;
  }

  bool passesOn(OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<nn::YieldOp>(user))
      return true;
    if (auto generic = dyn_cast<linalg::GenericOp>(user))
      return use.getOperandNumber() < generic.getNumDpsInputs() &&
             matters(generic.getBody()->getArgument(use.getOperandNumber()));
    if (isa<linalg::YieldOp>(user))
      return matters(user->getParentOp()->getResult(use.getOperandNumber()));
    bool moves =
        isa<tensor::PadOp, tensor::InsertSliceOp, tensor::ExtractSliceOp, tensor::ExtractOp>(user) || isView(user);
    return (moves || isArithmetic(user)) && matters(user->getResult(0));
  }

  void widen(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto reader = cast<linalg::GenericOp>(argument.getOwner()->getParentOp());
      if (argument.getArgNumber() < reader.getNumDpsInputs())
        widenTensor(reader->getOperand(argument.getArgNumber()));
      return;
    }
    Operation *op = value.getDefiningOp();
    if (!isArithmetic(op) || !ops.insert(op).second)
      return;
    for (Value operand : op->getOperands())
      if (isF32(operand))
        widen(operand);
  }

  /// Makes a tensor of the kernel f64 where its producer can be; false for what stays as it is.
  bool widenTensor(Value tensor) {
    if (tensors.contains(tensor))
      return true;
    Operation *op = tensor.getDefiningOp();
    if (isView(op) && widenTensor(op->getOperand(0)))
      return tensors.insert(tensor).second;
    auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
    if (!generic || !canBeWide(tensor) || (generic.getNumReductionLoops() != 0 && !isCheap(generic)))
      return false;
    // A function gives f32 anyway, which readers widen: wide, its row would take twice the room.
    Value made = generic.getBody()->getTerminator()->getOperand(cast<OpResult>(tensor).getResultNumber());
    if (!isa<BlockArgument>(made) && !isArithmetic(made.getDefiningOp()))
      return false;
    tensors.insert(tensor);
    widen(made);
    return true;
  }

  Block &body;
  const KernelShape &shape;
  KernelExtents &extents;
  DenseMap<Value, bool> reaches;
};

/// Writes the body of one generic anew; a value may be there narrow, wide or both.
class BodyWriter {
public:
  BodyWriter(OpBuilder &b, const Widening &widening) : b(b), widening(widening) {}

  void bind(Value old, Value value) { (old.getType() != value.getType() ? wides : narrows)[old] = value; }

  void write(Operation &op) {
    if (!widening.ops.contains(&op)) {
      IRMapping mapping;
      for (Value operand : op.getOperands())
        mapping.map(operand, narrow(operand));
      for (auto [old, result] : llvm::zip_equal(op.getResults(), b.clone(op, mapping)->getResults()))
        narrows[old] = result;
      return;
    }
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(isF32(operand) ? wide(operand) : narrow(operand));
    OperationState state(op.getLoc(), op.getName(), operands, {Type(b.getF64Type())}, op.getAttrs());
    wides[op.getResult(0)] = b.create(state)->getResult(0);
  }

  Value wide(Value old) {
    Value &value = wides[old];
    FloatAttr constant;
    if (!value && matchPattern(old, m_Constant(&constant)))
      value = arith::ConstantOp::create(b, old.getLoc(), b.getF64FloatAttr(constant.getValue().convertToDouble()));
    else if (!value)
      value = arith::ExtFOp::create(b, old.getLoc(), b.getF64Type(), narrows.lookup(old));
    return value;
  }

  Value narrow(Value old) {
    Value &value = narrows[old];
    if (!value && wides.contains(old))
      value = arith::TruncFOp::create(b, old.getLoc(), b.getF32Type(), wides.lookup(old));
    return value ? value : old; // a constant outside of the body
  }

private:
  OpBuilder &b;
  const Widening &widening;
  DenseMap<Value, Value> narrows, wides;
};

/// Carries out what `Widening` has found. A wide tensor stands beside its f32 form, which is made when somebody other
/// than a body reads it.
class Rewriter {
public:
  Rewriter(Block &body, const Widening &widening) : body(body), widening(widening), b(body.getParentOp()) {}

  void run() {
    for (Operation &op : llvm::make_early_inc_range(body)) {
      b.setInsertionPoint(&op);
      if (auto generic = dyn_cast<linalg::GenericOp>(op); generic && isTouched(generic))
        rewrite(generic);
      else if (isView(&op) && widening.tensors.contains(op.getResult(0)))
        rewriteView(&op);
    }
    for (Operation *op : llvm::reverse(dead))
      op->erase();
  }

private:
  bool isTouched(linalg::GenericOp op) const {
    auto isWide = [&](Value tensor) { return widening.tensors.contains(tensor); };
    return llvm::any_of(op->getOperands(), isWide) || llvm::any_of(op->getResults(), isWide) ||
           llvm::any_of(*op.getBody(), [&](Operation &inner) { return widening.ops.contains(&inner); });
  }

  Value wideOf(Value tensor) const {
    Value wide = wideForms.lookup(tensor);
    return wide ? wide : tensor;
  }

  Value emptyLike(tensor::EmptyOp empty, Type element) {
    return tensor::EmptyOp::create(b, empty.getLoc(), empty.getType().getShape(), element, empty.getDynamicSizes());
  }

  Value wideInit(Value init) {
    TypedAttr filled;
    Value empty = emptyLike(emptyBehind(init, filled), b.getF64Type());
    if (!filled)
      return empty;
    double number = cast<FloatAttr>(filled).getValue().convertToDouble();
    Value constant = arith::ConstantOp::create(b, init.getLoc(), b.getF64FloatAttr(number));
    return linalg::FillOp::create(b, init.getLoc(), constant, empty).getResult(0);
  }

  void rewrite(linalg::GenericOp op) {
    SmallVector<Value> inputs, inits;
    for (Value input : op.getDpsInputs())
      inputs.push_back(wideOf(input));
    for (auto [result, init] : llvm::zip_equal(op->getResults(), op.getDpsInits()))
      inits.push_back(widening.tensors.contains(result) ? wideInit(init) : init);
    auto build = [&](OpBuilder &inside, Location loc, ValueRange arguments) {
      BodyWriter writer(inside, widening);
      for (auto [old, argument] : llvm::zip_equal(op.getBody()->getArguments(), arguments))
        writer.bind(old, argument);
      for (Operation &inner : op.getBody()->without_terminator())
        writer.write(inner);
      SmallVector<Value> results;
      for (auto [value, result] : llvm::zip_equal(op.getBody()->getTerminator()->getOperands(), op->getResults()))
        results.push_back(widening.tensors.contains(result) ? writer.wide(value) : writer.narrow(value));
      linalg::YieldOp::create(inside, loc, results);
    };
    auto wide = linalg::GenericOp::create(b, op.getLoc(), TypeRange(ValueRange(inits)), inputs, inits,
                                          op.getIndexingMapsArray(), op.getIteratorTypesArray(), build);
    for (auto [old, result, init] : llvm::zip_equal(op->getResults(), wide->getResults(), op.getDpsInits()))
      replace(old, result, init);
    dead.push_back(op);
  }

  /// The narrow view stays for those who read it.
  void rewriteView(Operation *op) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    OperationState state(op->getLoc(), op->getName(), op->getOperands(), {type.clone(b.getF64Type())}, op->getAttrs());
    state.operands[0] = wideForms.lookup(op->getOperand(0));
    wideForms[op->getResult(0)] = b.create(state)->getResult(0);
    if (!hasNarrowReader(op->getResult(0)))
      dead.push_back(op);
  }

  /// Bodies find the wide form when it is their turn; so do views that nobody but bodies looks through.
  bool readsNarrow(OpOperand &use) const {
    Operation *user = use.getOwner();
    if (isView(user) && widening.tensors.contains(user->getResult(0)))
      return hasNarrowReader(user->getResult(0));
    return !isa<linalg::GenericOp>(user);
  }
  bool hasNarrowReader(Value tensor) const {
    return llvm::any_of(tensor.getUses(), [&](OpOperand &use) { return readsNarrow(use); });
  }

  void replace(Value old, Value now, Value init) {
    if (old.getType() == now.getType())
      return old.replaceAllUsesWith(now);
    wideForms[old] = now;
    if (!hasNarrowReader(old))
      return;
    TypedAttr filled;
    Value narrow = rounded(now, emptyLike(emptyBehind(init, filled), b.getF32Type()));
    old.replaceUsesWithIf(narrow, [&](OpOperand &use) { return readsNarrow(use); });
    wideForms[narrow] = now; // for views that have both kinds of readers
  }

  Value rounded(Value wide, Value empty) {
    int64_t rank = cast<RankedTensorType>(wide.getType()).getRank();
    AffineMap identity = b.getMultiDimIdentityMap(rank);
    SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
    auto round = [](OpBuilder &inside, Location loc, ValueRange arguments) {
      Value value = arith::TruncFOp::create(inside, loc, inside.getF32Type(), arguments[0]);
      linalg::YieldOp::create(inside, loc, value);
    };
    return linalg::GenericOp::create(b, wide.getLoc(), TypeRange{empty.getType()}, ValueRange{wide}, ValueRange{empty},
                                     {identity, identity}, iterators, round)
        .getResult(0);
  }

  Block &body;
  const Widening &widening;
  OpBuilder b;
  DenseMap<Value, Value> wideForms;
  SmallVector<Operation *> dead;
};

struct WidenKernels final : kumiko::impl::WidenKernelsPassBase<WidenKernels> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<nn::KernelOp>()) {
      Block &body = kernel.getBody().front();
      auto isExact = [](linalg::GenericOp op) { return op->hasAttr(exactAttribute); };
      if (llvm::any_of(body.getOps<linalg::GenericOp>(), isExact))
        continue;
      KernelExtents extents;
      KernelShape shape = shapeOfKernel(body, body.getTerminator()->getOperands(), extents);
      if (shape.kind == KernelKind::Contraction && !areFew(product(shape.contraction.extents)))
        continue;
      Widening widening(body, shape, extents);
      widening.find();
      Rewriter(body, widening).run();
    }
  }
};
} // namespace
