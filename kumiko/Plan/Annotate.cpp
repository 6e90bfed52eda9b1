//===- Annotate.cpp - the plan, written into the module for people ---------===//
#include "kumiko/Plan/Joins.h"
#include "kumiko/Plan/Plan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace kumiko;

static std::string textOf(const BufferRef &buffer) {
  constexpr StringRef spaces[] = {"input", "output", "weights", "arena", "planned"};
  std::string text = spaces[uint32_t(buffer.space)].str();
  bool numbered = buffer.space != Space::Weights && buffer.space != Space::Arena;
  if (numbered)
    text += std::to_string(buffer.number);
  constexpr StringRef turns[] = {"turn", "turn", "odd", "even"};
  auto textOf = [](const Extent &extent) { return extent.isStatic() ? extent.str() : "(" + extent.str() + ")"; };
  if (!buffer.offset.is(0) || !numbered)
    text += "+" + textOf(buffer.offset);
  for (const LoopStep &step : buffer.steps)
    text += (step.kind == LoopStep::Kind::Backward ? "-" : "+") + textOf(step.bytes) + "*" +
            turns[uint32_t(step.kind)].str() + std::to_string(step.loop);
  return text;
}

void kumiko::annotate(ModuleOp module, const Program &program) {
  Builder b(module.getContext());
  auto main = module.lookupSymbol<func::FuncOp>("main");
  main->setAttr("nn.arena_bytes", b.getI64IntegerAttr(program.arenaBytes));
  main->setAttr("nn.weights_bytes", b.getI64IntegerAttr(program.weightsBytes));
  SmallVector<nn::CallOp> calls;
  main->walk<WalkOrder::PreOrder>([&](nn::CallOp call) {
    if (isRun(call))
      calls.push_back(call);
  });
  auto kernels = llvm::make_filter_range(program.calls, std::mem_fn(&ProgramCall::isKernel));
  for (auto [call, planned] : llvm::zip(calls, kernels)) {
    SmallVector<std::string> texts;
    for (const BufferRef &buffer : planned.buffers)
      texts.push_back(textOf(buffer));
    call->setAttr("buffers", b.getStrArrayAttr(llvm::to_vector_of<StringRef>(texts)));
  }
}
