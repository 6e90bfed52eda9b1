#include "kumiko/Codegen/Common/TargetMachine.h"
#include "kumiko/Support/EmitError.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include <mutex>

using namespace kumiko;

static void initializeBackends() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    LLVMInitializeRISCVTargetInfo();
    LLVMInitializeRISCVTarget();
    LLVMInitializeRISCVTargetMC();
    LLVMInitializeRISCVAsmPrinter();
  });
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> kumiko::createTargetMachine(const Target &target) {
  initializeBackends();
  std::string message;
  const llvm::Target *backend = llvm::TargetRegistry::lookupTarget(target.triple, message);
  if (!backend)
    return emitError(Code::UnsupportedForm, "no code generator for " + target.triple.str() + ": " + message,
                     "kumiko compile --target=help lists the targets");
  llvm::TargetOptions options;
  // Contraction is written out by the code generator; the backend adds none of its own. Not Strict: vector.fma becomes
  // llvm.fmuladd, which Strict would split.
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  options.FunctionSections = true;
  // Elsewhere the triple says it.
  if (target.triple.isRISCV())
    options.MCOptions.ABIName = target.abi;
  std::unique_ptr<llvm::TargetMachine> machine(
      backend->createTargetMachine(target.triple, target.cpu, target.features, options, llvm::Reloc::PIC_,
                                   llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
  if (!machine)
    return defectError("cannot create a code generator for " + target.describe());
  return machine;
}

void kumiko::applyTarget(llvm::Module &module, const Target &target, const llvm::TargetMachine &machine) {
  module.setTargetTriple(target.triple);
  module.setDataLayout(machine.createDataLayout());
  module.setPICLevel(llvm::PICLevel::BigPIC);
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.setDoesNotThrow();
    function.addFnAttr("target-cpu", target.cpu);
    function.addFnAttr("target-features", target.features);
    if (target.triple.isX86()) {
      // Without both, an AVX-512 machine would turn two 8-lane values into one of 16 and lose clock speed for it.
      function.addFnAttr("prefer-vector-width", std::to_string(target.vectorBits));
      function.addFnAttr("min-legal-vector-width", "0");
    }
  }
}
