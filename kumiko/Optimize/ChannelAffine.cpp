//===- ChannelAffine.cpp - ops that scale and shift each channel -----------===//
#include "kumiko/Optimize/ChannelAffine.h"
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Optimize/ConstantTensor.h"
#include "kumiko/Optimize/Copy.h"
#include "kumiko/Support/Convert.h"
#include <cmath>

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;
using eq::Expr;
using eq::Function;

bool ChannelAffine::scales() const {
  return llvm::any_of(scale, [](double factor) { return factor != 1; });
}
bool ChannelAffine::shifts() const {
  return llvm::any_of(shift, [](double amount) { return amount != 0; });
}

namespace {

/// factor * x + rest.
struct Linear {
  double factor = 0, rest = 0;
  bool isConstant() const { return factor == 0; }
};

class Evaluation {
public:
  Evaluation(const eq::Instance &instance, ArrayRef<Value> slots) : instance(instance), slots(slots) {}

  const eq::Instance &instance;
  ArrayRef<Value> slots;
  /// The loop that constants are read by; -1 before one has been met.
  int channelLoop = -1;
  std::optional<unsigned> unknown; ///< tensor number of x
  int64_t channel = 0;

  bool load() {
    tensors.resize(instance.tensors.size());
    for (auto [number, tensor] : llvm::enumerate(instance.tensors)) {
      if (tensor.role != eq::Tensor::Role::Operand || !tensor.present)
        continue;
      ElementsAttr constant = constantOf(slots[tensor.number]);
      if (!constant) {
        if (unknown)
          return false;
        unknown = number;
        continue;
      }
      llvm::Expected<Tensor> elements = constantTensor(constant);
      if (!elements)
        return llvm::consumeError(elements.takeError()), false;
      tensors[number] = std::move(*elements);
    }
    return unknown.has_value();
  }

  std::optional<Linear> value(const Expr &expr) {
    const eq::Statement &statement = instance.statements[0];
    switch (expr.kind) {
    case Expr::Kind::Real:
      return Linear{0, expr.real};
    case Expr::Kind::Integer:
      return Linear{0, double(expr.integer)};
    case Expr::Kind::Cast:
      // Between floats a cast is a rounding, which this rewrite may do elsewhere; other casts mean something.
      return isFloat(expr.type) && (isFloat(expr.operands[0]->type) || expr.operands[0]->kind == Expr::Kind::Integer)
                 ? value(*expr.operands[0])
                 : std::nullopt;
    case Expr::Kind::Read:
      if (expr.tensor == *unknown)
        return isPlainRead(instance, statement, expr) ? std::optional(Linear{1, 0}) : std::nullopt;
      return constantAt(expr);
    case Expr::Kind::Apply:
      return apply(expr);
    default:
      return std::nullopt;
    }
  }

private:
  /// An element of a constant, which may depend on the channel only.
  std::optional<Linear> constantAt(const Expr &expr) {
    if (expr.otherwise || instance.tensors[expr.tensor].role != eq::Tensor::Role::Operand)
      return std::nullopt;
    const Tensor &tensor = tensors[expr.tensor];
    int64_t position = 0;
    for (auto [index, extent] : llvm::zip_equal(expr.operands, tensor.shape())) {
      int64_t at = 0;
      if (index->kind == Expr::Kind::Integer) {
        at = index->integer;
      } else if (index->kind != Expr::Kind::Loop) {
        return std::nullopt;
      } else if (extent != 1) {
        if (channelLoop >= 0 && channelLoop != int(index->loop))
          return std::nullopt;
        channelLoop = index->loop;
        at = channel;
      }
      if (at < 0 || at >= extent)
        return std::nullopt;
      position = position * extent + at;
    }
    return Linear{0, valueAt(tensor, position)};
  }

  std::optional<Linear> apply(const Expr &expr) {
    std::optional<Linear> a = value(*expr.operands[0]);
    std::optional<Linear> b = expr.operands.size() > 1 ? value(*expr.operands[1]) : Linear{};
    if (!a || !b)
      return std::nullopt;
    switch (expr.function) {
    case Function::Neg:
      return Linear{-a->factor, -a->rest};
    case Function::Add:
      return Linear{a->factor + b->factor, a->rest + b->rest};
    case Function::Sub:
      return Linear{a->factor - b->factor, a->rest - b->rest};
    case Function::Mul:
      if (!a->isConstant())
        std::swap(a, b);
      return a->isConstant() ? std::optional(Linear{a->rest * b->factor, a->rest * b->rest}) : std::nullopt;
    case Function::Div:
      return b->isConstant() ? std::optional(Linear{a->factor / b->rest, a->rest / b->rest}) : std::nullopt;
    case Function::Sqrt:
      return a->isConstant() ? std::optional(Linear{0, std::sqrt(a->rest)}) : std::nullopt;
    default:
      return std::nullopt;
    }
  }

  SmallVector<Tensor, 8> tensors;
};

} // namespace

std::optional<ChannelAffine> optimize::channelAffineOf(Operation *op) {
  if (!isa<nn::EquationInterface>(op) || op->getNumResults() != 1 || op->getNumOperands() < 2)
    return std::nullopt;
  SmallVector<Value, 4> slots = nn::operandSlots(op);
  // Cheap test first: all operands but one are constants.
  if (llvm::count_if(slots, [](Value slot) { return slot && !constantOf(slot); }) != 1)
    return std::nullopt;
  llvm::Expected<eq::Instance> instance = nn::instantiate(op);
  if (!instance)
    return llvm::consumeError(instance.takeError()), std::nullopt;
  if (instance->statements.size() != 1)
    return std::nullopt;
  const eq::Statement &statement = instance->statements[0];
  const eq::Target &target = statement.targets[0];
  ElementType type = instance->tensors[target.tensor].type.element;
  Evaluation evaluation(*instance, slots);
  if (!isFloat(type) || isSmallFloat(type) || !evaluation.load())
    return std::nullopt;

  ChannelAffine affine;
  affine.x = slots[instance->tensors[*evaluation.unknown].number];
  int64_t channels = 1;
  for (evaluation.channel = 0; evaluation.channel < channels; ++evaluation.channel) {
    std::optional<Linear> linear = evaluation.value(*statement.values[0]);
    // Something that does not depend on x is for constant folding; what is not finite had better stay where it is.
    if (!linear || linear->isConstant() || !std::isfinite(linear->factor) || !std::isfinite(linear->rest))
      return std::nullopt;
    affine.scale.push_back(linear->factor);
    affine.shift.push_back(linear->rest);
    if (evaluation.channelLoop >= 0 && !statement.loops[evaluation.channelLoop].extent.isStatic())
      return std::nullopt;
    if (evaluation.channelLoop >= 0)
      channels = statement.loops[evaluation.channelLoop].extent.value();
  }
  if (evaluation.channelLoop >= 0)
    for (auto [dimension, index] : llvm::enumerate(target.indices))
      if (index->kind == Expr::Kind::Loop && int(index->loop) == evaluation.channelLoop)
        affine.dimension = dimension;
  if (affine.dimension.has_value() != (evaluation.channelLoop >= 0))
    return std::nullopt;
  return affine;
}
