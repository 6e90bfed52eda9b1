#include "kumiko/Codegen/Common/KernelFunction.h"
#include "kumiko/Nn/Symbols.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace kumiko;

SmallVector<std::string> kumiko::symbolsOfProgram(ModuleOp module) {
  // A unit has the symbols itself.
  auto main = module.lookupSymbol<func::FuncOp>("main");
  SmallVector<std::string> symbols;
  for (nn::Symbol &symbol : nn::symbolsOf(main ? main.getOperation() : module.getOperation()))
    symbols.push_back(std::move(symbol.name));
  return symbols;
}

/// A bare pointer as a flat memref. The descriptor is written out, so that the memref lowering finds just what it would
/// have made itself.
Value kumiko::memrefFromPointer(OpBuilder &b, Location loc, Value pointer, MemRefType type) {
  MLIRContext *context = b.getContext();
  Type pointerType = LLVM::LLVMPointerType::get(context), i64 = b.getI64Type();
  Type one = LLVM::LLVMArrayType::get(i64, 1);
  auto descriptor = LLVM::LLVMStructType::getLiteral(context, {pointerType, pointerType, i64, one, one});
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(value));
  };
  Value built = LLVM::PoisonOp::create(b, loc, descriptor);
  auto insert = [&](Value value, ArrayRef<int64_t> place) {
    built = LLVM::InsertValueOp::create(b, loc, built, value, place);
  };
  insert(pointer, {0});
  insert(pointer, {1});
  insert(constant(0), {2});
  insert(constant(type.isDynamicDim(0) ? std::numeric_limits<int64_t>::max() : type.getDimSize(0)), {3, 0});
  insert(constant(1), {4, 0});
  return UnrealizedConversionCastOp::create(b, loc, type, built).getResult(0);
}

/// Flat storage of a tensor; truth values take a byte, unsigned numbers lose their sign in arith's eyes.
MemRefType kumiko::storageOf(Type tensor, const Extent &elements) {
  auto type = cast<RankedTensorType>(tensor);
  Type element = type.getElementType();
  if (element.isInteger(1))
    element = IntegerType::get(element.getContext(), 8);
  if (auto integer = dyn_cast<IntegerType>(element); integer && !integer.isSignless())
    element = IntegerType::get(element.getContext(), integer.getWidth());
  return MemRefType::get({elements.isStatic() ? elements.value() : ShapedType::kDynamic}, element);
}

/// LLVM would turn loops that copy into calls of the C library, once per row: its way to copy depends on the processor
/// and on where the row lies, and is often slower than the vectors at hand.
void kumiko::keepCopies(func::FuncOp function) {
  function->setAttr("passthrough", Builder(function).getStrArrayAttr({"no-builtin-memcpy"}));
}

func::FuncOp kumiko::createFunction(OpBuilder &b, nn::KernelOp kernel) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto type = b.getFunctionType({pointer, pointer, b.getI64Type(), pointer}, {b.getI32Type()});
  auto module = ModuleOp::create(b, kernel.getLoc(), kernel.getName());
  b.setInsertionPointToStart(module.getBody());
  auto function = func::FuncOp::create(b, kernel.getLoc(), kernel.getName(), type);
  keepCopies(function);
  b.setInsertionPointToStart(function.addEntryBlock());
  return function;
}

/// Entry `number` of the table of buffers.
Value kumiko::bufferPointer(OpBuilder &b, Location loc, Value table, int32_t number) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value slot = LLVM::GEPOp::create(b, loc, pointer, pointer, table, LLVM::GEPArg(number));
  return LLVM::LoadOp::create(b, loc, pointer, slot);
}

/// Every size is a number or an expression over symbols of the program.
LogicalResult kumiko::checkSizes(nn::KernelOp kernel, KernelExtents &extents, ArrayRef<std::string> symbols) {
  Block &body = kernel.getBody().front();
  SmallVector<Value> tensors(body.getArguments().begin(), body.getArguments().end());
  for (Operation &op : body)
    llvm::append_range(tensors, op.getResults());
  for (Value tensor : tensors)
    if (isa<RankedTensorType>(tensor.getType()))
      for (const Extent &extent : extents.of(tensor)) {
        if (extent.overflowed())
          return emitError(tensor.getLoc()) << "the size of a tensor is not known: " << tensor.getType();
        SmallVector<StringRef> names;
        extent.symbols(names);
        for (StringRef name : names)
          if (!llvm::is_contained(symbols, name))
            return emitError(tensor.getLoc())
                   << "a size depends on '" << name << "', which is no symbol of the program";
      }
  return success();
}

/// The same for the parameters of a routine, whose results may have any size, and for the symbols that it finds.
LogicalResult kumiko::checkRoutine(nn::KernelOp kernel, ArrayRef<std::string> symbols) {
  auto routine = dyn_cast<nn::RoutineOp>(kernel.getBody().front().front());
  if (!routine)
    return kernel.emitError("has no routine to call");
  SmallVector<StringRef> names;
  auto numbers = *nn::extentsOf(routine.getParametersAttr());
  numbers.push_back(*nn::extentOf(routine.getItemsAttr()));
  for (const Extent &number : numbers)
    number.symbols(names);
  if (ArrayAttr found = routine.getSymbolsAttr())
    for (auto symbol : found.getAsRange<StringAttr>())
      names.push_back(symbol.getValue());
  for (StringRef name : names)
    if (!llvm::is_contained(symbols, name))
      return routine.emitError() << "'" << name << "' is no symbol of the program";
  return success();
}

Value kumiko::constantTable(OpBuilder &b, ModuleOp module, DenseElementsAttr elements) {
  auto type = MemRefType::get(elements.getType().getShape(), storageOf(elements.getType(), 1).getElementType());
  Attribute value = elements;
  if (elements.getElementType().isInteger(1)) // a byte each
    value = elements.mapValues(type.getElementType(), [](const APInt &bit) { return bit.zext(8); });
  OpBuilder atTop = OpBuilder::atBlockBegin(module.getBody());
  std::string name = "table" + std::to_string(llvm::range_size(module.getOps<memref::GlobalOp>()));
  Location loc = module.getLoc();
  memref::GlobalOp::create(atTop, loc, name, b.getStringAttr("private"), type, value, /*constant=*/true, IntegerAttr());
  return memref::GetGlobalOp::create(b, loc, type, name);
}

void kumiko::addKernelToLlvm(OpPassManager &kernelModules) {
  kernelModules.addPass(createConvertMathToLLVMPass());
  kernelModules.addPass(createArithToLLVMConversionPass());
  kernelModules.addPass(createFinalizeMemRefToLLVMConversionPass());
  kernelModules.addPass(createConvertFuncToLLVMPass());
  kernelModules.addPass(createConvertControlFlowToLLVMPass());
  kernelModules.addPass(createReconcileUnrealizedCastsPass());
}
