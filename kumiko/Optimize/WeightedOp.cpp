//===- WeightedOp.cpp - sums of products with constant weights -------------===//
#include "kumiko/Optimize/WeightedOp.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Extents.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Optimize/Applied.h"
#include "kumiko/Optimize/ConstantTensor.h"
#include "kumiko/Optimize/Copy.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;
using eq::Expr;
using eq::Function;

static bool isApply(const Expr &expr, Function function) {
  return expr.kind == Expr::Kind::Apply && expr.function == function;
}

static bool isZero(const Expr &expr) {
  if (expr.kind == Expr::Kind::Cast)
    return isZero(*expr.operands[0]);
  return (expr.kind == Expr::Kind::Integer && expr.integer == 0) || (expr.kind == Expr::Kind::Real && expr.real == 0);
}

/// y = s, y = s + 0 or y = s + bias[c]: whether it is one of them, and the bias.
static bool isSumPlusBias(const eq::Instance &instance, const eq::Statement &statement, unsigned sum,
                          unsigned dimension, const Expr *&bias) {
  const Expr &value = *statement.values[0];
  auto readsSum = [&](const Expr &expr) {
    return expr.kind == Expr::Kind::Read && expr.tensor == sum && isPlainRead(instance, statement, expr);
  };
  bias = nullptr;
  if (readsSum(value))
    return true;
  if (!isApply(value, Function::Add) || !readsSum(*value.operands[0]))
    return false;
  const Expr &other = *value.operands[1];
  if (isZero(other))
    return true;
  bias = &other;
  const Expr *channel = statement.targets[0].indices[dimension];
  return other.kind == Expr::Kind::Read && !other.otherwise && other.operands.size() == 1 &&
         instance.tensors[other.tensor].role == eq::Tensor::Role::Operand && channel->kind == Expr::Kind::Loop &&
         other.operands[0]->kind == Expr::Kind::Loop && other.operands[0]->loop == channel->loop;
}

/// The absent optional operand that would be the bias.
static std::optional<unsigned> freeBiasSlot(Operation *op, int64_t channels, unsigned sum, unsigned dimension) {
  const eq::OpDef *def = nn::definitionOf(op);
  SmallVector<RankedTensorType, 4> types = slotTypes(op);
  if (!def || def->variadicOperand())
    return std::nullopt;
  types.resize(def->operands.size());
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  for (auto [slot, operand] : llvm::enumerate(def->operands)) {
    if (types[slot] || !operand.optional)
      continue;
    SmallVector<RankedTensorType, 4> trial = types;
    trial[slot] = RankedTensorType::get(channels, result.getElementType());
    llvm::Expected<eq::Instance> instance = instantiateOn(*def, trial, equationAttributes(op, *def), {});
    if (!instance) {
      llvm::consumeError(instance.takeError());
      continue;
    }
    const Expr *bias = nullptr;
    if (isSumPlusBias(*instance, instance->statements.back(), sum, dimension, bias) && bias &&
        instance->tensors[bias->tensor].number == slot)
      return slot;
  }
  return std::nullopt;
}

/// The statement that sums products of two reads into `tensor`.
static const eq::Statement *sumInto(const eq::Instance &instance, std::optional<unsigned> tensor) {
  for (const eq::Statement &statement : instance.statements)
    if (statement.combine == eq::Combine::Sum && (!tensor || statement.targets[0].tensor == *tensor) &&
        statement.conditions.empty() && !statement.into && !statement.continues && !statement.computedLeft &&
        isApply(*statement.values[0], Function::Mul))
      return &statement;
  return nullptr;
}

std::optional<WeightedOp> optimize::weightedOp(Operation *op, unsigned dimension) {
  if (!isa<nn::EquationInterface>(op) || op->getNumResults() != 1)
    return std::nullopt;
  llvm::Expected<eq::Instance> instance = nn::instantiate(op);
  if (!instance)
    return llvm::consumeError(instance.takeError()), std::nullopt;
  SmallVector<Value, 4> slots = nn::operandSlots(op);
  const eq::Statement *sum = sumInto(*instance, std::nullopt);
  if (!sum)
    return std::nullopt;
  const eq::Target &target = sum->targets[0];
  if (dimension >= target.indices.size())
    return std::nullopt;

  WeightedOp weighted;
  bool found = false;
  for (const Expr *factor : sum->values[0]->operands) {
    if (factor->kind != Expr::Kind::Read || factor->otherwise || found)
      continue;
    const eq::Tensor &tensor = instance->tensors[factor->tensor];
    if (tensor.role != eq::Tensor::Role::Operand || !constantOf(slots[tensor.number]))
      continue;
    for (auto [d, index] : llvm::enumerate(factor->operands))
      if (!found && sameTree(*index, *target.indices[dimension]) &&
          tensor.type.shape[d] == instance->tensors[target.tensor].type.shape[dimension]) {
        weighted.weightSlot = tensor.number;
        weighted.weightDimension = d;
        found = true;
      }
  }
  const eq::Statement &last = instance->statements.back();
  if (!found || instance->tensors[last.targets[0].tensor].role != eq::Tensor::Role::Result)
    return std::nullopt;
  if (&last == sum)
    return weighted;
  // Between the sum and the last statement nothing may read the sum.
  const Expr *bias = nullptr;
  if (sum + 1 != &last || !isSumPlusBias(*instance, last, target.tensor, dimension, bias))
    return std::nullopt;
  if (bias) {
    weighted.biasSlot = instance->tensors[bias->tensor].number;
    return constantOf(slots[*weighted.biasSlot]) ? std::optional(weighted) : std::nullopt;
  }
  int64_t channels = cast<RankedTensorType>(op->getResult(0).getType()).getDimSize(dimension);
  if (ShapedType::isDynamic(channels))
    return std::nullopt;
  weighted.biasSlot = freeBiasSlot(op, channels, target.tensor, dimension);
  return weighted;
}

/// Whether tensor `data` is operand `slot` itself, or that with zeros around it, and the position there of a dimension
/// of the operand.
static bool isPadded(const eq::Instance &instance, unsigned data, unsigned slot, std::optional<unsigned> &dimension) {
  const eq::Tensor &tensor = instance.tensors[data];
  if (tensor.role == eq::Tensor::Role::Operand)
    return tensor.number == slot;
  const eq::Statement *pad =
      llvm::find_if(instance.statements, [&](const eq::Statement &each) { return each.targets[0].tensor == data; });
  if (pad == instance.statements.end() || pad->combine != eq::Combine::Set || pad->computedLeft || pad->into ||
      !pad->conditions.empty() || pad->targets.size() != 1)
    return false;
  const Expr &read = *pad->values[0];
  if (read.kind != Expr::Kind::Read || (read.otherwise && !isZero(*read.otherwise)) ||
      instance.tensors[read.tensor].role != eq::Tensor::Role::Operand || instance.tensors[read.tensor].number != slot)
    return false;
  if (!dimension)
    return true;
  const Expr &index = *read.operands[*dimension];
  for (auto [d, target] : llvm::enumerate(pad->targets[0].indices))
    if (index.kind == Expr::Kind::Loop && target->kind == Expr::Kind::Loop && index.loop == target->loop) {
      dimension = d;
      return true;
    }
  return false;
}

std::optional<WeightedOp> optimize::weightsBehind(Operation *op, unsigned slot, std::optional<unsigned> dimension) {
  llvm::Expected<eq::Instance> instance = nn::instantiate(op);
  if (!instance)
    return llvm::consumeError(instance.takeError()), std::nullopt;
  SmallVector<Value, 4> slots = nn::operandSlots(op);
  const eq::Statement *sum = sumInto(*instance, std::nullopt);
  if (!sum || sum->values[0]->operands.size() != 2)
    return std::nullopt;
  for (unsigned side : {0u, 1u}) {
    const Expr &data = *sum->values[0]->operands[side], &weights = *sum->values[0]->operands[1 - side];
    if (data.kind != Expr::Kind::Read || data.otherwise || weights.kind != Expr::Kind::Read || weights.otherwise)
      continue;
    const eq::Tensor &tensor = instance->tensors[weights.tensor];
    std::optional<unsigned> along = dimension;
    if (tensor.role != eq::Tensor::Role::Operand || tensor.number == slot || !constantOf(slots[tensor.number]) ||
        !isPadded(*instance, data.tensor, slot, along))
      continue;
    for (auto [d, index] : llvm::enumerate(weights.operands))
      if (!along || (sameTree(*index, *data.operands[*along]) &&
                     tensor.type.shape[d] == instance->tensors[data.tensor].type.shape[*along]))
        return WeightedOp{tensor.number, unsigned(d), std::nullopt};
  }
  return std::nullopt;
}

bool optimize::hasGroups(Operation *conv, int64_t count) {
  Attribute attribute = conv->getAttr("group");
  std::optional<Extent> groups = attribute ? nn::extentOf(attribute) : Extent(1);
  return groups && groups->is(count);
}
