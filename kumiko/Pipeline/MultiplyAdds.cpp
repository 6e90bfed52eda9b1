#include "kumiko/Pipeline/MultiplyAdds.h"
#include "kumiko/Equation/Class.h"
#include "kumiko/Equation/Cost.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"
#include "llvm/Support/MathExtras.h"

using namespace kumiko;

/// How often the op is computed; a loop that data end, or symbols, counts as one turn.
static uint64_t turnsAround(mlir::Operation *op) {
  uint64_t turns = 1;
  for (auto scan = op->getParentOfType<nn::ScanOp>(); scan; scan = scan->getParentOfType<nn::ScanOp>())
    if (Extent steps = scan.getSteps(); steps.isStatic())
      turns = llvm::SaturatingMultiply<uint64_t>(turns, steps.value());
  return turns;
}

std::optional<uint64_t> kumiko::countMultiplyAdds(mlir::ModuleOp module) {
  uint64_t total = 0;
  bool isNumber = true;
  module.walk([&](nn::EquationInterface op) {
    auto instance = nn::instantiate(op, /*onlyUsedResults=*/true);
    if (!instance)
      return llvm::consumeError(instance.takeError());
    uint64_t turns = turnsAround(op);
    for (const eq::Statement &statement : instance->statements)
      if (eq::classify(statement) == eq::StatementClass::Contraction) {
        Extent points = eq::pointsOf(statement);
        isNumber &= points.isStatic();
        total = llvm::SaturatingMultiplyAdd<uint64_t>(turns, points.isStatic() ? points.value() : 0, total);
      }
  });
  return isNumber ? std::optional(total) : std::nullopt;
}
