#include "kumiko/Codegen/Common/Objects.h"
#include "kumiko/Codegen/Common/TargetMachine.h"
#include "kumiko/Codegen/Common/WatchThreads.h"
#include "kumiko/Support/EmitError.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include <chrono>

using namespace kumiko;
using Bytes = llvm::SmallVector<char, 0>;

/// Vectorisers and unrolling stay off: kernels arrive in vectors of the right width and unrolled where it pays; what is
/// scalar or a loop in them is so on purpose. On whole networks unrolling costs a quarter of the time spent here; run
/// time stayed within noise but for ShuffleNet, which is 2 % slower without it.
static void optimize(llvm::Module &module, llvm::TargetMachine &machine, bool watched) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.LoopInterleaving = false;
  tuning.SLPVectorization = false;
  tuning.LoopUnrolling = false;
  tuning.MergeFunctions = false;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O1).run(module, modules);
  if (watched)
    watchThreads(module, modules);
}

namespace {
/// LLVM makes jumps of choices in loops whose condition takes long to compute. Which of two elements is the larger one
/// nobody foresees, and what can be foreseen is chosen by vectors or not at all. `!unpredictable` does not reach
/// choices of 8 and 16 bits, and the option of LLVM holds for the whole process, which may be somebody else's.
class KeepChoices final : public llvm::OptPassGate {
public:
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef) const override { return pass != "X86 cmov Conversion"; }
  bool isEnabled() const override { return true; }
};

/// While it lives, what LLVM asks and says in this context comes to us. Without it an error would be a line on the
/// terminal and the end of the process.
class HeldContext {
public:
  explicit HeldContext(llvm::LLVMContext &context) : context(context) {
    context.setOptPassGate(gate);
    context.setDiagnosticHandlerCallBack(take, &errors);
  }
  ~HeldContext() {
    context.setOptPassGate(llvm::getGlobalPassGate());
    context.setDiagnosticHandlerCallBack(nullptr);
  }

  std::string errors;

private:
  static void take(const llvm::DiagnosticInfo *info, void *errors) {
    if (info->getSeverity() != llvm::DS_Error)
      return;
    llvm::raw_string_ostream stream(*static_cast<std::string *>(errors));
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info->print(printer);
  }

  llvm::LLVMContext &context;
  KeepChoices gate;
};
} // namespace

static llvm::Expected<Bytes> assembleOn(llvm::Module &module, const Target &target, llvm::TargetMachine &machine,
                                        bool watched) {
  applyTarget(module, target, machine);
  HeldContext held(module.getContext());
  optimize(module, machine, watched);
  Bytes bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    return defectError("the code generator cannot write objects for " + target.describe());
  passes.run(module);
  if (!held.errors.empty())
    return defectError("the code generator refuses a module: " + held.errors);
  return bytes;
}

llvm::Expected<Bytes> kumiko::assemble(llvm::Module &module, const Target &target, bool watched) {
  auto machine = createTargetMachine(target);
  if (!machine)
    return machine.takeError();
  return assembleOn(module, target, **machine, watched);
}

/// The kernel is called through the artefact's table, never by name from outside.
static void hideFunctions(llvm::Module &module) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && function.hasExternalLinkage())
      function.setVisibility(llvm::GlobalValue::HiddenVisibility);
}

static llvm::StringRef kernelSymbol(mlir::ModuleOp kernel) {
  for (auto function : kernel.getOps<mlir::LLVM::LLVMFuncOp>())
    if (!function.isExternal() && function.getLinkage() == mlir::LLVM::Linkage::External)
      return function.getSymName();
  return {};
}

llvm::Expected<Object> kumiko::compileKernel(mlir::ModuleOp kernel, const Target &target, bool watched) {
  auto start = std::chrono::steady_clock::now();
  Object object;
  object.name = kernelSymbol(kernel).str();
  llvm::LLVMContext context;
  // Named after the kernel, not after a file: the name reaches the object's symbol table.
  auto module = mlir::translateModuleToLLVMIR(kernel, context, object.name);
  if (!module)
    return defectError("kernel '" + object.name + "' does not translate to LLVM IR");
  hideFunctions(*module);
  auto bytes = assemble(*module, target, watched);
  if (!bytes)
    return bytes.takeError();
  object.bytes = std::move(*bytes);
  object.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return object;
}

void kumiko::registerTranslations(mlir::DialectRegistry &registry) {
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
}
