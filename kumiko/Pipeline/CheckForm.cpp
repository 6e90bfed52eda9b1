#include "kumiko/Nn/Nn.h"
#include "kumiko/Pipeline/Passes.h"
#include "kumiko/Pipeline/Stage.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kumiko {
#define GEN_PASS_DEF_CHECKFORMPASS
#include "kumiko/Pipeline/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;

namespace {
using Names = llvm::ArrayRef<llvm::StringLiteral>;

/// What may remain after a stage, by what it stands in. An entry is a dialect (`linalg`) or one op (`nn.call`). Where
/// nothing may stand, there is no such function, kernel or module.
struct Form {
  Names functions;
  Names kernels;
  /// Modules inside the module: a kernel's code.
  Names modules = {};
  /// Attributes that every kernel must have.
  Names kernelAttributes = {};
};
} // namespace

static constexpr llvm::StringLiteral graph[] = {"func", "nn"};
static constexpr llvm::StringLiteral calls[] = {"func",       "nn.call",   "nn.constant", "nn.reshape",
                                                "nn.bitcast", "nn.scan",   "nn.if",       "nn.loop",
                                                "nn.yield",   "nn.symbol", "nn.check"};
static constexpr llvm::StringLiteral nnBody[] = {"nn"};
static constexpr llvm::StringLiteral linalgBody[] = {"nn.yield", "nn.extent", "nn.routine", "linalg",
                                                     "tensor",   "arith",     "math",       "affine"};
static constexpr llvm::StringLiteral machineCode[] = {"llvm"};
static constexpr llvm::StringLiteral scheduled[] = {"schedule"};

static Form formAfter(Stage stage) {
  switch (stage) {
  case Stage::Import:
  case Stage::Optimize:
    return {graph, {}};
  case Stage::Fuse:
    return {calls, nnBody};
  case Stage::Lower:
    return {calls, linalgBody};
  case Stage::Schedule:
  case Stage::Plan:
    return {calls, linalgBody, {}, scheduled};
  case Stage::Codegen:
  case Stage::Emit:
    return {{}, {}, machineCode};
  }
  llvm_unreachable("a stage without a form");
}

static bool isAllowed(Operation *op, Names allowed) {
  llvm::StringRef dialect = op->getName().getDialectNamespace(), name = op->getName().getStringRef();
  return llvm::any_of(allowed, [&](llvm::StringRef entry) { return entry == dialect || entry == name; });
}

namespace {
struct CheckForm : public kumiko::impl::CheckFormPassBase<CheckForm> {
  using CheckFormPassBase::CheckFormPassBase;

  void refuse(Operation *op, const llvm::Twine &what) {
    op->emitError() << "form after " << stage << ": " << what;
    signalPassFailure();
  }

  /// Checks everything inside `top`.
  void check(Operation *top, Names allowed) {
    if (allowed.empty())
      return refuse(top, "no '" + top->getName().getStringRef() + "' may be left");
    top->walk([&](Operation *op) {
      if (op != top && !isAllowed(op, allowed))
        refuse(op, "'" + op->getName().getStringRef() + "' may not remain in '" + top->getName().getStringRef() + "'");
    });
  }

  void runOnOperation() override {
    std::optional<Stage> which = stageNamed(stage);
    if (!which) {
      getOperation()->emitError() << "no stage is called '" << stage << "'";
      return signalPassFailure();
    }
    Form form = formAfter(*which);
    for (Operation &op : *getOperation().getBody()) {
      if (isa<func::FuncOp>(op))
        check(&op, form.functions);
      else if (isa<ModuleOp>(op))
        check(&op, form.modules);
      else if (isa<nn::KernelOp>(op))
        checkKernel(&op, form);
      else
        refuse(&op, "'" + op.getName().getStringRef() + "' stands beside functions and kernels");
    }
  }

  void checkKernel(Operation *kernel, const Form &form) {
    check(kernel, form.kernels);
    for (llvm::StringRef attribute : form.kernelAttributes)
      if (!kernel->hasAttr(attribute))
        refuse(kernel, "a kernel has no '" + attribute + "'");
  }
};
} // namespace
