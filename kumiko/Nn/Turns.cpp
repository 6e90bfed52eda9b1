#include "kumiko/Nn/Turns.h"
#include "kumiko/Extents/ExtentCode.h"

using namespace mlir;
using namespace kumiko;

constexpr llvm::StringLiteral turnsAttrName = "nn.turns";

StringAttr nn::turnsOf(LoopOp loop) { return loop->getAttrOfType<StringAttr>(turnsAttrName); }

void nn::setTurns(LoopOp loop, llvm::StringRef symbol) {
  loop->setAttr(turnsAttrName, StringAttr::get(loop->getContext(), symbol));
}

static Extent combine(ExtentStep::Kind kind, const Extent &a, const Extent &b) {
  switch (kind) {
  case ExtentStep::Kind::Add:
    return a + b;
  case ExtentStep::Kind::Multiply:
    return a * b;
  case ExtentStep::Kind::FloorDiv:
    return floorDiv(a, b);
  case ExtentStep::Kind::Max:
    return max(a, b);
  case ExtentStep::Kind::Min:
    return min(a, b);
  case ExtentStep::Kind::Broadcast:
    return Extent::broadcast(a, b);
  default:
    llvm_unreachable("constants and symbols combine nothing");
  }
}

Extent nn::withSymbol(const Extent &extent, llvm::StringRef symbol, const Extent &value) {
  llvm::SmallVector<Extent> stack;
  for (const ExtentStep &step : codeOf(extent)) {
    if (step.kind == ExtentStep::Kind::Constant) {
      stack.push_back(step.value);
    } else if (step.kind == ExtentStep::Kind::Symbol) {
      stack.push_back(step.name == symbol ? value : Extent::symbol(step.name));
    } else {
      Extent b = stack.pop_back_val();
      stack.back() = combine(step.kind, stack.back(), b);
    }
  }
  return stack.back();
}
