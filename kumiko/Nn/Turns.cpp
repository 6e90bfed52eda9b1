#include "kumiko/Nn/Turns.h"
#include "kumiko/Equation/ExtentCode.h"

using namespace mlir;
using namespace kumiko;

constexpr llvm::StringLiteral turnsAttrName = "nn.turns";

StringAttr nn::turnsOf(LoopOp loop) { return loop->getAttrOfType<StringAttr>(turnsAttrName); }

void nn::setTurns(LoopOp loop, llvm::StringRef symbol) {
  loop->setAttr(turnsAttrName, StringAttr::get(loop->getContext(), symbol));
}

static eq::Extent combine(eq::ExtentStep::Kind kind, const eq::Extent &a, const eq::Extent &b) {
  switch (kind) {
  case eq::ExtentStep::Kind::Add:
    return a + b;
  case eq::ExtentStep::Kind::Multiply:
    return a * b;
  case eq::ExtentStep::Kind::FloorDiv:
    return floorDiv(a, b);
  case eq::ExtentStep::Kind::Max:
    return max(a, b);
  case eq::ExtentStep::Kind::Min:
    return min(a, b);
  case eq::ExtentStep::Kind::Broadcast:
    return eq::Extent::broadcast(a, b);
  default:
    llvm_unreachable("constants and symbols combine nothing");
  }
}

eq::Extent nn::withSymbol(const eq::Extent &extent, llvm::StringRef symbol, const eq::Extent &value) {
  llvm::SmallVector<eq::Extent> stack;
  for (const eq::ExtentStep &step : eq::codeOf(extent)) {
    if (step.kind == eq::ExtentStep::Kind::Constant) {
      stack.push_back(step.value);
    } else if (step.kind == eq::ExtentStep::Kind::Symbol) {
      stack.push_back(step.name == symbol ? value : eq::Extent::symbol(step.name));
    } else {
      eq::Extent b = stack.pop_back_val();
      stack.back() = combine(step.kind, stack.back(), b);
    }
  }
  return stack.back();
}
