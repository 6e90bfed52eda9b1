//===- FoldBatchNorm.cpp - scales and shifts per channel go into weights ---===//
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Nn/Build.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Optimize/Applied.h"
#include "kumiko/Optimize/ChannelAffine.h"
#include "kumiko/Optimize/ConstantTensor.h"
#include "kumiko/Optimize/Erase.h"
#include "kumiko/Optimize/Passes.h"
#include "kumiko/Optimize/Remark.h"
#include "kumiko/Optimize/WeightedOp.h"
#include "kumiko/Support/Convert.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kumiko {
#define GEN_PASS_DEF_FOLDBATCHNORMPASS
#include "kumiko/Optimize/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;

constexpr llvm::StringLiteral rule = "fold_batch_norm";

/// Elements of weights that are copied for the sake of a factor before them; larger ones stay those of the file.
constexpr int64_t scaledBeforeLimit = int64_t(1) << 18;

/// The number for channel c, also when there is one for all.
static double at(ArrayRef<double> list, int64_t c) { return list.size() == 1 ? list[0] : list[c]; }

/// Slice c along `dimension` times scale(c), computed in f64 and rounded once.
static llvm::Expected<Tensor> scaled(const Tensor &tensor, unsigned dimension, ArrayRef<double> scale) {
  llvm::Expected<Tensor> result = Tensor::zeros(tensor.element(), tensor.shape());
  if (!result)
    return result;
  int64_t channels = tensor.shape()[dimension], run = 1;
  for (int64_t extent : tensor.shape().drop_front(dimension + 1))
    run *= extent;
  SmallVector<double, 0> values(run);
  uint8_t *buffer = reinterpret_cast<uint8_t *>(values.data());
  int64_t bytes = run * bytesOf(tensor.element());
  for (int64_t slice = 0; slice * run < tensor.count(); ++slice) {
    convertElements(tensor.data() + slice * bytes, tensor.element(), buffer, ElementType::F64, run);
    for (double &value : values)
      value *= at(scale, slice % channels);
    convertElements(buffer, ElementType::F64, result->mutableData() + slice * bytes, tensor.element(), run);
  }
  return result;
}

namespace {

struct FoldBatchNorm final : kumiko::impl::FoldBatchNormPassBase<FoldBatchNorm> {
  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      for (Operation &op : llvm::make_early_inc_range(block))
        if (std::optional<ChannelAffine> affine = channelAffineOf(&op))
          rewrite(&op, *affine);
    for (Block &block : getOperation().getBody())
      for (Operation &op : llvm::make_early_inc_range(block))
        if (isa<nn::EquationInterface>(op) && op.getNumResults() == 1 && op.getNumOperands() > 1)
          foldScalesBefore(&op);
  }

private:
  void rewrite(Operation *op, const ChannelAffine &affine) {
    if (succeeded(foldIntoWeights(op, affine))) {
      ++folded;
      return;
    }
    // A multiplication or an addition already is what this would make of it.
    if (op->getNumOperands() > 2) {
      applied(op, "split_batch_norm");
      OpBuilder builder(op);
      ElementType element = nn::toEquation(cast<RankedTensorType>(affine.x.getType()).getElementType());
      bool narrow = bytesOf(element) < 4;
      // The mean is taken off at the end here: where it is large beside what is left of x, a product of 8 or 11 bits
      // would leave little of the result, or be too large for its type.
      Value y = narrow ? converted(builder, op, affine.x, ElementType::F32) : affine.x;
      y = combine(builder, op, y, affine, affine.scale, 1, "mul");
      y = combine(builder, op, y, affine, affine.shift, 0, "add");
      replace(op, narrow ? converted(builder, op, y, element) : y);
      ++split;
    }
  }

  static void replace(Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    eraseDead(op);
  }

  static Value converted(OpBuilder &builder, Operation *op, Value x, ElementType to) {
    NamedAttribute type = builder.getNamedAttr("to", TypeAttr::get(nn::fromEquation(builder.getContext(), to)));
    std::string why;
    FailureOr<Operation *> built = nn::buildEquationOp(builder, op->getLoc(), "cast", {x}, type, why);
    assert(succeeded(built) && "floats become floats");
    return (*built)->getResult(0);
  }

  /// y * numbers or y + numbers, as a constant that broadcasts along the channel dimension; y when that does nothing.
  static Value combine(OpBuilder &builder, Operation *op, Value y, const ChannelAffine &affine,
                       ArrayRef<double> numbers, double neutral, StringRef name) {
    if (llvm::all_of(numbers, [&](double number) { return number == neutral; }))
      return y;
    auto type = cast<RankedTensorType>(y.getType());
    SmallVector<int64_t> shape;
    if (affine.dimension) {
      shape.assign(type.getRank() - *affine.dimension, 1);
      shape[0] = numbers.size();
    }
    ElementType element = nn::toEquation(type.getElementType());
    llvm::Expected<Tensor> tensor = tensorOfDoubles(element, shape, numbers);
    if (!tensor)
      return llvm::consumeError(tensor.takeError()), y;
    Value constant = createConstant(builder, op->getLoc(), std::move(*tensor), name);
    std::string why;
    FailureOr<Operation *> built = nn::buildEquationOp(builder, op->getLoc(), name, {y, constant}, {}, why);
    assert(succeeded(built) && "a constant that broadcasts");
    return (*built)->getResult(0);
  }

  LogicalResult foldIntoWeights(Operation *op, const ChannelAffine &affine) {
    Operation *producer = affine.x.getDefiningOp();
    auto type = cast<RankedTensorType>(affine.x.getType());
    if (!producer || !isa<nn::EquationInterface>(producer) || type.getRank() == 0 || type != op->getResult(0).getType())
      return failure();
    std::optional<WeightedOp> weighted = findWeights(producer, affine);
    if (!weighted)
      return failure();
    if (!affine.x.hasOneUse())
      return declined(op, rule, "what it scales has other readers"), failure();
    bool shiftsInside = weighted->biasSlot.has_value();
    if (!affine.scales() && !shiftsInside)
      return failure();

    const eq::OpDef *def = nn::definitionOf(producer);
    SmallVector<Value, 4> operands = nn::operandSlots(producer);
    operands.resize(std::max(operands.size(), def->operands.size()));
    OpBuilder builder(op);
    if (failed(scaleOperands(builder, op->getLoc(), operands, *weighted, affine)))
      return failure();
    std::string why;
    Location loc = builder.getFusedLoc({producer->getLoc(), op->getLoc()});
    FailureOr<Operation *> built = nn::buildEquationOp(builder, loc, producer->getName().getStringRef(), operands,
                                                       equationAttributes(producer, *def), why);
    if (failed(built))
      return declined(op, rule, why), failure();
    applied(op, rule);
    Value y = (*built)->getResult(0);
    if (!shiftsInside)
      y = combine(builder, op, y, affine, affine.shift, 0, "add");
    replace(op, y);
    return success();
  }

  /// A factor before a product scales the weights; a term before it cannot, where there is padding.
  void foldScalesBefore(Operation *op) {
    for (auto [slot, operand] : llvm::enumerate(nn::operandSlots(op))) {
      auto scale = operand ? operand.getDefiningOp<nn::MulOp>() : nn::MulOp();
      std::optional<ChannelAffine> affine = scale ? channelAffineOf(scale) : std::nullopt;
      if (!affine || affine->shifts() || affine->x.getType() != operand.getType())
        continue;
      std::optional<WeightedOp> weighted = weightsBehind(op, slot, affine->dimension);
      if (!weighted)
        continue;
      if (!operand.hasOneUse()) {
        declined(op, "scale_before_product", "the scaled tensor has other readers");
        continue;
      }
      SmallVector<Value, 4> slots = nn::operandSlots(op);
      if (constantOf(slots[weighted->weightSlot]).getNumElements() > scaledBeforeLimit) {
        declined(op, "scale_before_product",
                 "the weights are large, and a factor costs little where its operand is made");
        continue;
      }
      OpBuilder builder(op);
      if (failed(scaleOperands(builder, op->getLoc(), slots, *weighted, *affine)))
        continue;
      applied(op, "scale_before_product", 1);
      Operation *dead = scale;
      for (OpOperand &use : op->getOpOperands()) {
        if (use.get() == operand)
          use.set(affine->x);
        else if (use.get() == nn::operandSlots(op)[weighted->weightSlot])
          use.set(slots[weighted->weightSlot]);
      }
      op->setLoc(builder.getFusedLoc({op->getLoc(), dead->getLoc()}));
      eraseDead(dead);
      ++folded;
      return;
    }
  }

  /// The dimension of the channels; when all are alike, whichever the weights can be scaled along.
  static std::optional<WeightedOp> findWeights(Operation *producer, const ChannelAffine &affine) {
    if (affine.dimension)
      return weightedOp(producer, *affine.dimension);
    for (int64_t d = cast<RankedTensorType>(affine.x.getType()).getRank(); d-- > 0;)
      if (std::optional<WeightedOp> weighted = weightedOp(producer, d))
        return weighted;
    return std::nullopt;
  }

  static LogicalResult scaleOperands(OpBuilder &builder, Location loc, SmallVectorImpl<Value> &operands,
                                     const WeightedOp &weighted, const ChannelAffine &affine) {
    llvm::Expected<Tensor> weights = constantTensor(constantOf(operands[weighted.weightSlot]));
    if (!weights)
      return llvm::consumeError(weights.takeError()), failure();
    int64_t channels = weights->shape()[weighted.weightDimension];
    if (weighted.biasSlot) {
      SmallVector<double, 0> bias(channels, 0.0);
      Value &slot = operands[*weighted.biasSlot];
      if (slot) {
        llvm::Expected<Tensor> old = constantTensor(constantOf(slot));
        if (!old)
          return llvm::consumeError(old.takeError()), failure();
        bias = doublesOf(*old);
      }
      for (int64_t c = 0; c < channels; ++c)
        bias[c] = bias[c] * at(affine.scale, c) + at(affine.shift, c);
      llvm::Expected<Tensor> tensor = tensorOfDoubles(weights->element(), {channels}, bias);
      if (!tensor)
        return llvm::consumeError(tensor.takeError()), failure();
      if (slot || affine.shifts())
        slot = createConstant(builder, loc, std::move(*tensor), "bias");
    }
    if (affine.scales()) {
      llvm::Expected<Tensor> tensor = scaled(*weights, weighted.weightDimension, affine.scale);
      if (!tensor)
        return llvm::consumeError(tensor.takeError()), failure();
      operands[weighted.weightSlot] = createConstant(builder, loc, std::move(*tensor), "weights");
    }
    return success();
  }
};

} // namespace
