#include "unittests/VectorMath/Jit.h"
#include "kumiko/Codegen/Common/Math/Passes.h"
#include "kumiko/Codegen/Common/Math/VectorMath.h"
#include "kumiko/Target/TargetAttr.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace kumiko;

/// The loop around a place for the function; arrays are bare pointers.
static std::string sourceOf(const LoopShape &shape) {
  std::string memory = "memref<1024x" + shape.element() + ">", flat = shape.flatType();
  std::string read = "memref.load %a[%i] : " + memory, readB = "memref.load %b[%i] : " + memory;
  std::string write = "memref.store %r, %y[%i] : " + memory;
  if (flat != shape.element()) {
    read = "vector.load %a[%i] : " + memory + ", " + flat;
    readB = "vector.load %b[%i] : " + memory + ", " + flat;
    write = "vector.store %r, %y[%i] : " + memory + ", " + flat;
  }
  return "func.func @entry(%a: " + memory + ", %b: " + memory + ", %y: " + memory +
         ") {\n  %zero = arith.constant 0 : index\n  %end = arith.constant 1024 : index\n  %step = arith.constant " +
         std::to_string(shape.elements) + " : index\n  scf.for %i = %zero to %end step %step {\n    %p = " + read +
         "\n    %q = " + readB + "\n    %r = \"test.function\"(%p, %q) : (F, F) -> F\n    " + write +
         "\n  }\n  return\n}\n";
}

/// Puts the function where the source has `test.function`; vectors of other shapes are cast around it.
static void placeFunction(ModuleOp module, MathFunction function, Type type, std::optional<double> second) {
  module.walk([&](Operation *op) {
    if (op->getName().getStringRef() != "test.function")
      return;
    OpBuilder builder(op);
    SmallVector<Value> arguments(op->getOperands().take_front(argumentCount(function)));
    Type flat = op->getResult(0).getType();
    if (type != flat)
      for (Value &argument : arguments)
        argument = vector::ShapeCastOp::create(builder, op->getLoc(), type, argument);
    if (second) {
      Attribute number = builder.getFloatAttr(getElementTypeOrSelf(type), *second);
      if (auto vector = dyn_cast<VectorType>(type))
        number = DenseElementsAttr::get(vector, number);
      arguments[1] = arith::ConstantOp::create(builder, op->getLoc(), cast<TypedAttr>(number));
    }
    Value result = emitVectorMath(builder, op->getLoc(), function, arguments);
    if (type != flat)
      result = vector::ShapeCastOp::create(builder, op->getLoc(), flat, result);
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  });
}

static LogicalResult lower(ModuleOp module, bool fma) {
  PassManager pm(module.getContext());
  pm.addPass(createCallMathPass());
  if (!fma)
    setTarget(module, llvm::cantFail(rowNamed("x86-64-v2")));
  pm.addPass(createExpandFmaPass());
  pm.addPass(createCSEPass());
  pm.addPass(createConvertVectorToSCFPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  ConvertFuncToLLVMPassOptions bare;
  bare.useBarePtrCallConv = true;
  pm.addPass(createConvertFuncToLLVMPass(bare));
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  return pm.run(module);
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PassBuilder builder(&machine);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O1).run(module, modules);
}

static llvm::Error broken(const llvm::Twine &what) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), what);
}

static OwningOpRef<ModuleOp> build(MLIRContext &context, MathFunction function, const LoopShape &shape) {
  std::string source = sourceOf(shape), flat = shape.flatType();
  for (size_t at; (at = source.find("(F, F) -> F")) != std::string::npos;)
    source.replace(at, 11, "(" + flat + ", " + flat + ") -> " + flat);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
  Type type = parseType(shape.type, &context);
  if (!module || !type)
    return nullptr;
  placeFunction(*module, function, type, shape.second);
  return failed(lower(*module, shape.fma)) ? nullptr : std::move(module);
}

llvm::Expected<CompiledMath> CompiledMath::create(llvm::StringRef name, const LoopShape &shape) {
  static bool ready = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)ready;
  std::optional<MathFunction> function = mathFunctionNamed(name);
  if (!function)
    return broken("no function '" + name + "'");
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect, math::MathDialect,
                  memref::MemRefDialect, scf::SCFDialect, ub::UBDialect, vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  context.allowUnregisteredDialects();
  OwningOpRef<ModuleOp> module = build(context, *function, shape);
  if (!module)
    return broken("'" + name + "' does not lower");
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(*module, *llvmContext);
  auto target = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!code || !target)
    return broken("'" + name + "' does not translate");
  target->setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  auto machine = target->createTargetMachine();
  if (!machine)
    return machine.takeError();
  code->setDataLayout((*machine)->createDataLayout());
  code->setTargetTriple((*machine)->getTargetTriple());
  // Kernels are written for 256 bits also where registers are wider.
  for (llvm::Function &each : *code)
    each.addFnAttr("prefer-vector-width", "256");
  optimize(*code, **machine);
  auto jit = llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(*target)).create();
  if (!jit)
    return jit.takeError();
  if (llvm::Error error = (*jit)->addIRModule({std::move(code), std::move(llvmContext)}))
    return error;
  auto entry = (*jit)->lookup("entry");
  if (!entry)
    return entry.takeError();
  return CompiledMath(std::move(*jit), entry->toPtr<Entry>());
}
