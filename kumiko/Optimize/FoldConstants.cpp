//===- FoldConstants.cpp - computes what is known --------------------------===//
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Symbols.h"
#include "kumiko/Optimize/ConstantTensor.h"
#include "kumiko/Optimize/Copy.h"
#include "kumiko/Optimize/Erase.h"
#include "kumiko/Optimize/Passes.h"
#include "kumiko/Optimize/Remark.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kumiko {
#define GEN_PASS_DEF_FOLDCONSTANTSPASS
#include "kumiko/Optimize/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;

constexpr llvm::StringLiteral rule = "FoldConstants";

/// Results of computations.
constexpr uint64_t computedLimit = uint64_t(1) << 20;
/// Results of moves: as large as a model's largest weight.
constexpr uint64_t movedLimit = uint64_t(1) << 30;
/// Points that one op may take; a hostile model must not keep the compiler busy.
constexpr uint64_t pointLimit = uint64_t(1) << 28;

static uint64_t bytesOfValues(ValueRange values) {
  uint64_t bytes = 0;
  for (Value value : values) {
    auto type = cast<RankedTensorType>(value.getType());
    // Saturates: an extent is below 2^63 and so is their product, which the equation engine has checked.
    uint64_t count = type.getNumElements(), width = (type.getElementTypeBitWidth() + 7) / 8;
    bytes += count > UINT64_MAX / 16 ? UINT64_MAX / 2 : count * width;
  }
  return bytes;
}

/// Nothing when the op is above the bounds or refuses its operands; `why` says so.
static std::optional<SmallVector<Tensor, 2>> compute(Operation *op, std::string &why) {
  llvm::Expected<eq::Instance> instance = nn::instantiate(op);
  if (!instance) {
    why = llvm::toString(instance.takeError());
    return std::nullopt;
  }
  uint64_t size = bytesOfValues(op->getResults());
  bool moves = onlyMoves(*instance) && size <= bytesOfValues(op->getOperands());
  if (size > (moves ? movedLimit : computedLimit)) {
    why = "its results take " + std::to_string(size) + " bytes, more than is computed at compile time";
    return std::nullopt;
  }
  SmallVector<Tensor, 4> tensors;
  SmallVector<const Tensor *, 4> operands;
  SmallVector<Value, 4> slots = nn::operandSlots(op);
  tensors.reserve(slots.size());
  for (Value slot : slots) {
    if (!slot) {
      operands.push_back(nullptr);
      continue;
    }
    llvm::Expected<Tensor> tensor = constantTensor(constantOf(slot));
    if (!tensor) {
      why = llvm::toString(tensor.takeError());
      return std::nullopt;
    }
    tensors.push_back(std::move(*tensor));
    operands.push_back(&tensors.back());
  }
  Limits limits;
  limits.bytes = 2 * movedLimit;
  limits.points = pointLimit;
  llvm::Expected<SmallVector<Tensor, 2>> results = evaluate(*instance, operands, Precision::Declared, limits);
  if (results)
    return std::move(*results);
  why = llvm::toString(results.takeError());
  return std::nullopt;
}

namespace {

struct FoldConstants final : kumiko::impl::FoldConstantsPassBase<FoldConstants> {
  void runOnOperation() override {
    // In order, so that what has just become a constant counts as one for its readers.
    getOperation()->walk([&](Operation *op) {
      if (op->getNumResults() == 0 || op->use_empty() || nn::usesSymbols(op))
        return;
      if (op->getNumOperands() == 0 && !isa<nn::EquationInterface>(op))
        return;
      if (!llvm::all_of(op->getOperands(), [](Value operand) { return bool(constantOf(operand)); }))
        return;
      if (isa<nn::EquationInterface>(op))
        foldEquation(op);
      else if (isa<nn::ReshapeOp, nn::BitcastOp>(op))
        foldView(op);
    });
  }

private:
  void foldEquation(Operation *op) {
    std::string why;
    std::optional<SmallVector<Tensor, 2>> results = compute(op, why);
    if (!results)
      return declined(op, rule, why);
    applied(op, rule, "exact");
    OpBuilder builder(op);
    for (auto [result, tensor] : llvm::zip_equal(op->getResults(), *results))
      result.replaceAllUsesWith(createConstant(builder, op->getLoc(), std::move(tensor), "folded"));
    ++folded;
    eraseDead(op);
  }

  void foldView(Operation *op) {
    SmallVector<OpFoldResult, 1> results;
    OpBuilder builder(op);
    if (failed(op->fold({constantOf(op->getOperand(0))}, results)) || results.empty())
      return;
    auto value = dyn_cast_or_null<ElementsAttr>(dyn_cast<Attribute>(results[0]));
    if (!value || value.getType() != op->getResult(0).getType())
      return;
    op->getResult(0).replaceAllUsesWith(
        nn::ConstantOp::create(builder, op->getLoc(), cast<RankedTensorType>(value.getType()), value));
    ++folded;
    eraseDead(op);
  }
};

} // namespace
