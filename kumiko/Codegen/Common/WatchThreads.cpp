#include "kumiko/Codegen/Common/WatchThreads.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Instrumentation/ThreadSanitizer.h"
#include "llvm/Transforms/Scalar/ScalarizeMaskedMemIntrin.h"

using namespace llvm;

/// What LLVM's pass has a function for.
static bool isSeen(uint64_t bytes) { return bytes <= 16 && isPowerOf2_64(bytes); }

static void tellRanges(Function &function) {
  Module &module = *function.getParent();
  const DataLayout &layout = module.getDataLayout();
  auto *type =
      FunctionType::get(Type::getVoidTy(module.getContext()),
                        {PointerType::get(module.getContext(), 0), layout.getIntPtrType(module.getContext())}, false);
  for (Instruction &instruction : instructions(function)) {
    Value *pointer = getLoadStorePointerOperand(&instruction);
    uint64_t bytes = pointer ? layout.getTypeStoreSize(getLoadStoreType(&instruction)).getFixedValue() : 0;
    if (!pointer || isSeen(bytes) || isa<AllocaInst>(pointer->stripPointerCasts()))
      continue;
    IRBuilder<> builder(&instruction);
    StringRef name = isa<StoreInst>(instruction) ? "__tsan_write_range" : "__tsan_read_range";
    builder.CreateCall(module.getOrInsertFunction(name, type), {pointer, builder.getInt64(bytes)});
  }
}

void kumiko::watchThreads(Module &module, ModuleAnalysisManager &analyses) {
  FunctionPassManager lanes;
  lanes.addPass(ScalarizeMaskedMemIntrinPass());
  ModulePassManager before;
  before.addPass(createModuleToFunctionPassAdaptor(std::move(lanes)));
  before.run(module, analyses);
  for (Function &function : module)
    if (!function.isDeclaration()) {
      function.addFnAttr(Attribute::SanitizeThread);
      tellRanges(function);
    }
  ModulePassManager after;
  after.addPass(ModuleThreadSanitizerPass());
  after.addPass(createModuleToFunctionPassAdaptor(ThreadSanitizerPass()));
  after.run(module, analyses);
}
