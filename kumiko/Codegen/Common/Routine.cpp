//===- Routine.cpp - kernels that call a function of the runtime -----------===//
//
//   static const int64_t parameters[] = {...};          // or a local array, where expressions are among them
//   int k(void *const *buffers, const int64_t *symbols, int64_t chunk, void *scratch) {
//     void *all[] = {buffers[0], buffers[1], 0, &symbols[3]};   // null for a result that nobody reads
//     return kumiko_op_NAME(parameters, all, chunk * size, min(chunk * size + size, items), scratch);
//   }
//
//===----------------------------------------------------------------------===//
#include "kumiko/Codegen/Common/Routine.h"
#include "kumiko/Codegen/Common/Entry.h"
#include "kumiko/Nn/Extents.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace kumiko;

namespace {
class RoutineEmitter {
public:
  RoutineEmitter(OpBuilder &b, func::FuncOp function, nn::RoutineOp routine, ArrayRef<std::string> symbols)
      : b(b), loc(function.getLoc()), module(function->getParentOfType<ModuleOp>()), block(&function.getBody().front()),
        routine(routine), symbols(symbols), entry(block, loc, block->getArgument(1), symbols),
        pointer(LLVM::LLVMPointerType::get(b.getContext())), i64(b.getI64Type()) {}

  void emit(ValueRange results, const Extent &chunks) {
    // Everything that is computed stands before the last op.
    Value address = buffersOf(results);
    LLVM::LLVMFuncOp callee = declare();
    auto chunk = arith::IndexCastOp::create(b, loc, b.getIndexType(), block->getArgument(2));
    entry.anchor = chunk;
    Value parameters = parametersOf(*nn::extentsOf(routine.getParametersAttr()));
    Extent items = *nn::extentOf(routine.getItemsAttr());
    Value size = entry.valueOf(ceilDiv(items, chunks));
    Value first = arith::MulIOp::create(b, loc, chunk, size);
    Value end = arith::AddIOp::create(b, loc, first, size);
    Value last = arith::MinSIOp::create(b, loc, end, entry.valueOf(items));
    auto call = LLVM::CallOp::create(b, loc, callee,
                                     ValueRange{parameters, address, word(first), word(last), block->getArgument(3)});
    func::ReturnOp::create(b, loc, call.getResult());
  }

private:
  Value number(int64_t value) { return LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(value)); }
  Value word(Value index) { return arith::IndexCastOp::create(b, loc, i64, index); }
  Value slot(Type type, Value array, size_t place) {
    return LLVM::GEPOp::create(b, loc, pointer, type, array, LLVM::GEPArg(int32_t(place)));
  }

  /// Operands, results, and places for the symbols that are found.
  Value buffersOf(ValueRange results) {
    size_t arguments = routine->getBlock()->getNumArguments(), place = 0;
    ArrayAttr found = routine.getSymbolsAttr();
    Value all = LLVM::AllocaOp::create(
        b, loc, pointer, pointer,
        number(routine->getNumOperands() + routine->getNumResults() + (found ? found.size() : 0)));
    auto pass = [&](Value buffer) { LLVM::StoreOp::create(b, loc, buffer, slot(pointer, all, place++)); };
    auto load = [&](size_t from) -> Value {
      return LLVM::LoadOp::create(b, loc, pointer, slot(pointer, block->getArgument(0), from));
    };
    for (Value operand : routine.getArgs())
      pass(load(cast<BlockArgument>(operand).getArgNumber()));
    for (Value value : routine.getValues()) {
      auto read = llvm::find(results, value);
      pass(read != results.end() ? load(arguments + (read - results.begin()))
                                 : LLVM::ZeroOp::create(b, loc, pointer).getResult());
    }
    if (found)
      for (auto name : found.getAsRange<StringAttr>())
        pass(slot(i64, block->getArgument(1), llvm::find(symbols, name.getValue()) - symbols.begin()));
    return all;
  }

  Value parametersOf(ArrayRef<Extent> words) {
    if (!llvm::all_of(words, [](const Extent &each) { return each.isStatic(); })) {
      Value array = LLVM::AllocaOp::create(b, loc, pointer, i64, number(words.size()));
      for (auto [place, extent] : llvm::enumerate(words))
        LLVM::StoreOp::create(b, loc, word(entry.valueOf(extent)), slot(i64, array, place));
      return array;
    }
    OpBuilder atTop = OpBuilder::atBlockBegin(module.getBody());
    auto values = llvm::map_to_vector(words, [](const Extent &each) { return each.value(); });
    auto constant = LLVM::GlobalOp::create(atTop, loc, LLVM::LLVMArrayType::get(i64, words.size()), /*isConstant=*/true,
                                           LLVM::Linkage::Private, "parameters", b.getI64TensorAttr(values));
    return LLVM::AddressOfOp::create(b, loc, constant);
  }

  LLVM::LLVMFuncOp declare() {
    OpBuilder atTop = OpBuilder::atBlockBegin(module.getBody());
    auto type = LLVM::LLVMFunctionType::get(b.getI32Type(), {pointer, pointer, i64, i64, pointer});
    auto function = LLVM::LLVMFuncOp::create(atTop, loc, ("kumiko_op_" + routine.getFunction()).str(), type);
    function.setVisibility_(LLVM::Visibility::Hidden);
    return function;
  }

  OpBuilder &b;
  Location loc;
  ModuleOp module;
  Block *block;
  nn::RoutineOp routine;
  ArrayRef<std::string> symbols;
  Entry entry;
  Type pointer, i64;
};
} // namespace

void kumiko::emitRoutine(OpBuilder &b, func::FuncOp function, nn::RoutineOp routine, ValueRange results,
                         const Extent &chunks, ArrayRef<std::string> symbols) {
  RoutineEmitter(b, function, routine, symbols).emit(results, chunks);
}
