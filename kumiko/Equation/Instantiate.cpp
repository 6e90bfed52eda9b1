#include "kumiko/Equation/Instantiate.h"
#include "kumiko/Equation/Instantiate/Emit.h"
#include "kumiko/Equation/Instantiate/Live.h"

namespace kumiko::eq {

static Need needOf(const StatementDef &statement, llvm::ArrayRef<Need> needs) {
  Need need = Need::No;
  for (const TargetDef &target : statement.targets)
    need = std::max(need, needs[target.tensor]);
  return need;
}

/// Tensors that only lent their shape, and results that nobody asked for, hold no elements.
static void hideUnassigned(Instance &instance) {
  llvm::SmallVector<bool, 16> assigned(instance.tensors.size(), false);
  for (const Statement &statement : instance.statements)
    for (const Target &target : statement.targets)
      assigned[target.tensor] = true;
  for (auto [tensor, isAssigned] : llvm::zip_equal(instance.tensors, assigned))
    if (tensor.role != Tensor::Role::Operand)
      tensor.present = isAssigned;
}

llvm::Expected<Instance> instantiate(const OpDef &op, const Application &application) {
  OpContext context(op, application, application.resultsWanted);
  if (!context.bind())
    return context.takeError();
  llvm::SmallVector<Need, 8> needs = findNeeds(context);
  for (const StatementDef &statement : op.statements) {
    Need need = needOf(statement, needs);
    if (need == Need::No)
      continue;
    EmitOptions options;
    options.values = need == Need::Value;
    options.firstTargetOnly = statement.targets.size() == 2 && needs[statement.targets[1].tensor] == Need::No;
    if (!emitStatement(context, statement, options))
      return context.takeError();
  }
  hideUnassigned(context.instance);
  return std::move(context.instance);
}

llvm::Expected<llvm::SmallVector<TensorType, 2>> inferResults(const OpDef &op, const Application &application) {
  OpContext context(op, application, /*resultsWanted=*/{});
  if (!context.bind())
    return context.takeError();
  llvm::SmallVector<Need, 8> needs = findNeeds(context);
  for (const StatementDef &statement : op.statements) {
    if (needOf(statement, needs) == Need::No)
      continue;
    EmitOptions options;
    options.values = false;
    if (!emitStatement(context, statement, options))
      return context.takeError();
  }
  llvm::SmallVector<TensorType, 2> types;
  for (const Tensor &tensor : context.instance.tensors)
    if (tensor.role == Tensor::Role::Result)
      types.push_back(tensor.type);
  return types;
}

} // namespace kumiko::eq
