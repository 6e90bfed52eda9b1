#include "kumiko/Pipeline/MultiplyAdds.h"
#include "kumiko/Equation/Class.h"
#include "kumiko/Equation/Cost.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"
#include "llvm/Support/MathExtras.h"

using namespace kumiko;

uint64_t kumiko::countMultiplyAdds(mlir::ModuleOp module) {
  uint64_t total = 0;
  module.walk([&](nn::EquationInterface op) {
    auto instance = nn::instantiate(op, /*onlyUsedResults=*/true);
    if (!instance)
      return llvm::consumeError(instance.takeError());
    for (const eq::Statement &statement : instance->statements)
      if (eq::classify(statement) == eq::StatementClass::Contraction) {
        eq::Extent points = eq::pointsOf(statement);
        total = llvm::SaturatingAdd<uint64_t>(total, points.isStatic() ? points.value() : 0);
      }
  });
  return total;
}
