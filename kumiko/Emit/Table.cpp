#include "kumiko/Emit/Table.h"
#include "runtime/include/kumiko/artefact.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include <cstddef>

using namespace kumiko;
using llvm::Constant;

// The tables are written as LLVM structs with natural alignment; these hold them to the C header.
static_assert(sizeof(kumiko_buffer) == 16 && offsetof(kumiko_buffer, offset) == 8);
static_assert(sizeof(kumiko_call) == 56 && offsetof(kumiko_call, chunks) == 24 && offsetof(kumiko_call, nodes) == 48);
static_assert(sizeof(kumiko_value) == 24 && offsetof(kumiko_value, rank) == 12 && offsetof(kumiko_value, shape) == 16);
static_assert(sizeof(kumiko_artefact) == 136 && offsetof(kumiko_artefact, input_count) == 32 &&
              offsetof(kumiko_artefact, calls) == 72 && offsetof(kumiko_artefact, weights_file) == 96 &&
              offsetof(kumiko_artefact, symbol_count) == 120 && offsetof(kumiko_artefact, dynamics) == 128);
static_assert(uint32_t(Space::Input) == KUMIKO_SPACE_INPUT && uint32_t(Space::Output) == KUMIKO_SPACE_OUTPUT &&
              uint32_t(Space::Weights) == KUMIKO_SPACE_WEIGHTS && uint32_t(Space::Arena) == KUMIKO_SPACE_ARENA);

TableTypes::TableTypes(llvm::LLVMContext &context) {
  auto *i32 = llvm::Type::getInt32Ty(context);
  auto *i64 = llvm::Type::getInt64Ty(context);
  auto *ptr = llvm::PointerType::get(context, 0);
  buffer = llvm::StructType::get(context, {i32, i32, i64});
  call = llvm::StructType::get(context, {ptr, ptr, i64, i64, i64, ptr, ptr});
  value = llvm::StructType::get(context, {ptr, i32, i32, ptr});
  artefact = llvm::StructType::get(
      context, {i32, i32, ptr, ptr, ptr, i64, ptr, i64, ptr, i64, ptr, ptr, i64, ptr, i64, i64, i64, ptr});
  kernel = llvm::FunctionType::get(i32, {ptr, ptr, i64, ptr}, /*isVarArg=*/false);
}

namespace {
/// Writes the tables into a module. Everything is private but the entries: a reader comes in through a function.
class TableWriter {
public:
  TableWriter(llvm::Module &module, const Program &program)
      : module(module), program(program), context(module.getContext()), types(context),
        i32(llvm::Type::getInt32Ty(context)), i64(llvm::Type::getInt64Ty(context)),
        ptr(llvm::PointerType::get(context, 0)) {}

  Constant *values(llvm::ArrayRef<ProgramValue> list, llvm::StringRef name);
  Constant *calls();
  /// Null without weights in the module.
  Constant *weights();
  Constant *artefact(Constant *calls, Constant *weights, llvm::StringRef weightsFile);
  void addGetter(const llvm::Twine &name, Constant *artefact, bool exported);

private:
  Constant *number32(uint64_t value) { return llvm::ConstantInt::get(i32, value); }
  Constant *number64(uint64_t value) { return llvm::ConstantInt::get(i64, value); }
  Constant *text(llvm::StringRef text);
  llvm::GlobalVariable *constant(Constant *initializer, const llvm::Twine &name);
  /// An array, or null when it is empty: C has no arrays of nothing.
  Constant *array(llvm::Type *element, llvm::ArrayRef<Constant *> elements, const llvm::Twine &name);
  Constant *shape(llvm::ArrayRef<int64_t> shape);
  Constant *buffers(const KernelCall &call);

  llvm::Module &module;
  const Program &program;
  llvm::LLVMContext &context;
  TableTypes types;
  llvm::Type *i32, *i64;
  llvm::PointerType *ptr;
  llvm::StringMap<Constant *> texts;
};
} // namespace

llvm::GlobalVariable *TableWriter::constant(Constant *initializer, const llvm::Twine &name) {
  return new llvm::GlobalVariable(module, initializer->getType(), /*isConstant=*/true,
                                  llvm::GlobalValue::PrivateLinkage, initializer, name);
}

Constant *TableWriter::text(llvm::StringRef text) {
  Constant *&known = texts[text];
  if (!known) {
    auto *global = constant(llvm::ConstantDataArray::getString(context, text), "text");
    global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    global->setAlignment(llvm::Align(1));
    known = global;
  }
  return known;
}

Constant *TableWriter::array(llvm::Type *element, llvm::ArrayRef<Constant *> elements, const llvm::Twine &name) {
  if (elements.empty())
    return llvm::ConstantPointerNull::get(ptr);
  return constant(llvm::ConstantArray::get(llvm::ArrayType::get(element, elements.size()), elements), name);
}

Constant *TableWriter::shape(llvm::ArrayRef<int64_t> shape) {
  auto extents = llvm::map_to_vector(shape, [&](int64_t extent) -> Constant * { return number64(extent); });
  return array(i64, extents, "shape");
}

Constant *TableWriter::values(llvm::ArrayRef<ProgramValue> list, llvm::StringRef name) {
  auto entries = llvm::map_to_vector(list, [&](const ProgramValue &value) -> Constant * {
    return llvm::ConstantStruct::get(types.value, {text(value.name), number32(uint32_t(value.type)),
                                                   number32(value.shape.size()), shape(value.shape)});
  });
  return array(types.value, entries, name);
}

Constant *TableWriter::buffers(const KernelCall &call) {
  auto entries = llvm::map_to_vector(call.buffers, [&](const BufferRef &buffer) -> Constant * {
    return llvm::ConstantStruct::get(
        types.buffer, {number32(uint32_t(buffer.space)), number32(buffer.number), number64(buffer.offset)});
  });
  return array(types.buffer, entries, "buffers");
}

Constant *TableWriter::calls() {
  auto entries = llvm::map_to_vector(program.calls, [&](const KernelCall &call) -> Constant * {
    auto *kernel = llvm::cast<llvm::Function>(module.getOrInsertFunction(call.kernel, types.kernel).getCallee());
    kernel->setVisibility(llvm::GlobalValue::HiddenVisibility);
    return llvm::ConstantStruct::get(types.call,
                                     {kernel, buffers(call), number64(call.buffers.size()), number64(call.chunks),
                                      number64(call.scratchBytes), text(call.kernel), text(call.nodes)});
  });
  return array(types.call, entries, "calls");
}

Constant *TableWriter::weights() {
  if (!program.weightsBytes)
    return nullptr;
  auto *bytes = llvm::ArrayType::get(llvm::Type::getInt8Ty(context), program.weightsBytes);
  auto *global = new llvm::GlobalVariable(module, bytes, /*isConstant=*/true, llvm::GlobalValue::ExternalLinkage,
                                          nullptr, weightsSymbol(program));
  global->setVisibility(llvm::GlobalValue::HiddenVisibility);
  return global;
}

Constant *TableWriter::artefact(Constant *calls, Constant *weights, llvm::StringRef weightsFile) {
  Constant *null = llvm::ConstantPointerNull::get(ptr);
  Constant *fields[] = {number32(KUMIKO_ARTEFACT_VERSION),
                        number32(sizeof(kumiko_artefact)),
                        text(program.name),
                        text(producer()),
                        text(program.provenance),
                        number64(program.inputs.size()),
                        values(program.inputs, "inputs"),
                        number64(program.outputs.size()),
                        values(program.outputs, "outputs"),
                        number64(program.calls.size()),
                        calls,
                        weights ? weights : null,
                        number64(program.weightsBytes),
                        weightsFile.empty() ? null : text(weightsFile),
                        number64(program.arenaBytes),
                        number64(program.scratchBytes),
                        /*symbol_count=*/number64(0),
                        /*dynamics=*/null};
  return constant(llvm::ConstantStruct::get(types.artefact, fields), "artefact");
}

void TableWriter::addGetter(const llvm::Twine &name, Constant *artefact, bool exported) {
  auto *function =
      llvm::Function::Create(llvm::FunctionType::get(ptr, false), llvm::GlobalValue::ExternalLinkage, name, module);
  function->setVisibility(exported ? llvm::GlobalValue::DefaultVisibility : llvm::GlobalValue::HiddenVisibility);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", function));
  builder.CreateRet(artefact);
}

std::string kumiko::weightsSymbol(const Program &program) { return program.name + "_weights"; }

llvm::StringRef kumiko::producer() { return "kumiko " KUMIKO_VERSION; }

std::unique_ptr<llvm::Module> kumiko::buildTable(llvm::LLVMContext &context, const Program &program,
                                                 const TableOptions &options) {
  auto module = std::make_unique<llvm::Module>(program.name, context);
  TableWriter writer(*module, program);
  Constant *calls = writer.calls();
  Constant *weights = options.weightsFile.empty() ? writer.weights() : nullptr;
  Constant *artefact = writer.artefact(calls, weights, options.weightsFile);
  if (options.exportTable)
    writer.addGetter("kumiko_artefact_table", artefact, /*exported=*/true);
  if (options.namedEntries) {
    writer.addGetter(program.name + "_artefact", artefact, /*exported=*/true);
    addWalker(*module, program, calls, weights);
  }
  return module;
}
