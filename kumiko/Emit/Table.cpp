#include "kumiko/Emit/Table.h"
#include "kumiko/Emit/Expressions.h"
#include "kumiko/Extents/ExtentCode.h"
#include "runtime/include/kumiko/artefact.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include <cstddef>

using namespace kumiko;
using llvm::Constant;

// The tables are written as LLVM structs with natural alignment; these hold them to the C header.
static_assert(sizeof(kumiko_step) == 16 && offsetof(kumiko_step, bytes) == 8);
static_assert(sizeof(kumiko_buffer) == 32 && offsetof(kumiko_buffer, offset) == 8 &&
              offsetof(kumiko_buffer, step_count) == 24);
static_assert(sizeof(kumiko_call) == 88 && offsetof(kumiko_call, chunks) == 24 && offsetof(kumiko_call, nodes) == 48 &&
              offsetof(kumiko_call, loops) == 60 && offsetof(kumiko_call, otherwise) == 72 &&
              offsetof(kumiko_call, otherwise_level) == 84);
static_assert(uint32_t(CallKind::Kernel) == KUMIKO_CALL_KERNEL && uint32_t(CallKind::Loop) == KUMIKO_CALL_LOOP &&
              uint32_t(CallKind::Choice) == KUMIKO_CALL_CHOICE);
static_assert(sizeof(kumiko_value) == 24 && offsetof(kumiko_value, rank) == 12 && offsetof(kumiko_value, shape) == 16);
static_assert(sizeof(kumiko_artefact) == 136 && offsetof(kumiko_artefact, input_count) == 32 &&
              offsetof(kumiko_artefact, calls) == 72 && offsetof(kumiko_artefact, weights_file) == 96 &&
              offsetof(kumiko_artefact, symbol_count) == 120 && offsetof(kumiko_artefact, dynamics) == 128);
static_assert(sizeof(kumiko_extent_step) == 16 && offsetof(kumiko_extent_step, value) == 8);
static_assert(sizeof(kumiko_expression) == 24 && offsetof(kumiko_expression, text) == 16);
static_assert(sizeof(kumiko_planned) == 24 && offsetof(kumiko_planned, last) == 16);
static_assert(sizeof(kumiko_demand) == 32 && offsetof(kumiko_demand, left) == 8 &&
              offsetof(kumiko_demand, message) == 24);
static_assert(sizeof(kumiko_symbol) == 16 && offsetof(kumiko_symbol, level) == 8);
static_assert(sizeof(kumiko_level) == 40 && offsetof(kumiko_level, demand_end) == 32);
using StepKind = LoopStep::Kind;
static_assert(uint32_t(StepKind::Forward) == KUMIKO_STEP_FORWARD &&
              uint32_t(StepKind::Backward) == KUMIKO_STEP_BACKWARD && uint32_t(StepKind::Odd) == KUMIKO_STEP_ODD &&
              uint32_t(StepKind::Even) == KUMIKO_STEP_EVEN);
static_assert(sizeof(kumiko_dynamics) == 48 && offsetof(kumiko_dynamics, demands) == 40);
static_assert(uint32_t(Space::Planned) == KUMIKO_SPACE_PLANNED && uint32_t(Space::Input) == KUMIKO_SPACE_INPUT &&
              uint32_t(Space::Output) == KUMIKO_SPACE_OUTPUT && uint32_t(Space::Weights) == KUMIKO_SPACE_WEIGHTS &&
              uint32_t(Space::Arena) == KUMIKO_SPACE_ARENA);

TableTypes::TableTypes(llvm::LLVMContext &context) {
  auto *i32 = llvm::Type::getInt32Ty(context);
  auto *i64 = llvm::Type::getInt64Ty(context);
  auto *ptr = llvm::PointerType::get(context, 0);
  step = llvm::StructType::get(context, {i32, i32, i64});
  buffer = llvm::StructType::get(context, {i32, i32, i64, ptr, i64});
  call = llvm::StructType::get(context, {ptr, ptr, i64, i64, i64, ptr, ptr, i32, i32, i64, i64, i32, i32});
  value = llvm::StructType::get(context, {ptr, i32, i32, ptr});
  extentStep = llvm::StructType::get(context, {i32, i32, i64});
  expression = llvm::StructType::get(context, {ptr, i64, ptr});
  planned = llvm::StructType::get(context, {i64, i64, i64});
  demand = llvm::StructType::get(context, {i32, i32, i64, i64, ptr});
  symbol = llvm::StructType::get(context, {ptr, i64});
  level = llvm::StructType::get(context, {i64, i64, i64, i64, i64});
  dynamics = llvm::StructType::get(context, {i64, ptr, ptr, ptr, ptr, ptr});
  artefact = llvm::StructType::get(
      context, {i32, i32, ptr, ptr, ptr, i64, ptr, i64, ptr, i64, ptr, ptr, i64, ptr, i64, i64, i64, ptr});
  kernel = llvm::FunctionType::get(i32, {ptr, ptr, i64, ptr}, /*isVarArg=*/false);
}

namespace {
/// Writes the tables into a module. Everything is private but the entries: a reader comes in through a function.
class TableWriter {
public:
  TableWriter(llvm::Module &module, const Program &program)
      : module(module), program(program), expressions(program), context(module.getContext()), types(context),
        i32(llvm::Type::getInt32Ty(context)), i64(llvm::Type::getInt64Ty(context)),
        ptr(llvm::PointerType::get(context, 0)) {}

  Constant *values(llvm::ArrayRef<ProgramValue> list, llvm::StringRef name);
  Constant *calls();
  /// Null without weights in the module.
  Constant *weights();
  /// Null for a static program.
  Constant *dynamics();
  Constant *artefact(Constant *calls, Constant *weights, llvm::StringRef weightsFile);
  void addGetter(const llvm::Twine &name, Constant *artefact, bool exported);

private:
  Constant *number32(uint64_t value) { return llvm::ConstantInt::get(i32, value); }
  Constant *number64(uint64_t value) { return llvm::ConstantInt::get(i64, value); }
  Constant *text(llvm::StringRef text);
  llvm::GlobalVariable *constant(Constant *initializer, const llvm::Twine &name);
  /// An array, or null when it is empty: C has no arrays of nothing.
  Constant *array(llvm::Type *element, llvm::ArrayRef<Constant *> elements, const llvm::Twine &name);
  Constant *shape(const ProgramValue &value);
  /// A number, or ~n for expression number n.
  Constant *size(const Extent &extent, uint32_t scope = 0) {
    return number64(uint64_t(expressions.sizeOf(extent, scope)));
  }
  Constant *expression(const Extent &extent);
  Constant *levels(llvm::ArrayRef<ProgramDemand> demands);
  Constant *steps(const BufferRef &buffer, uint32_t scope);
  Constant *buffers(const ProgramCall &call);

  llvm::Module &module;
  const Program &program;
  Expressions expressions;
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

Constant *TableWriter::shape(const ProgramValue &value) {
  llvm::SmallVector<Constant *> extents;
  for (auto [axis, extent] : llvm::enumerate(value.shape))
    extents.push_back(value.isStatic() ? number64(extent) : size(value.extents[axis]));
  return array(i64, extents, "shape");
}

Constant *TableWriter::values(llvm::ArrayRef<ProgramValue> list, llvm::StringRef name) {
  auto entries = llvm::map_to_vector(list, [&](const ProgramValue &value) -> Constant * {
    return llvm::ConstantStruct::get(
        types.value, {text(value.name), number32(uint32_t(value.type)), number32(value.shape.size()), shape(value)});
  });
  return array(types.value, entries, name);
}

Constant *TableWriter::steps(const BufferRef &buffer, uint32_t scope) {
  auto entries = llvm::map_to_vector(buffer.steps, [&](const LoopStep &step) -> Constant * {
    return llvm::ConstantStruct::get(types.step,
                                     {number32(step.loop), number32(uint32_t(step.kind)), size(step.bytes, scope)});
  });
  return array(types.step, entries, "steps");
}

Constant *TableWriter::buffers(const ProgramCall &call) {
  auto entries = llvm::map_to_vector(call.buffers, [&](const BufferRef &buffer) -> Constant * {
    return llvm::ConstantStruct::get(types.buffer, {number32(uint32_t(buffer.space)), number32(buffer.number),
                                                    size(buffer.offset, call.scope), steps(buffer, call.scope),
                                                    number64(buffer.steps.size())});
  });
  return array(types.buffer, entries, "buffers");
}

Constant *TableWriter::calls() {
  auto kernelOf = [&](const ProgramCall &call) -> Constant * {
    if (!call.isKernel())
      return llvm::ConstantPointerNull::get(ptr);
    auto *kernel = llvm::cast<llvm::Function>(module.getOrInsertFunction(call.kernel, types.kernel).getCallee());
    kernel->setVisibility(llvm::GlobalValue::HiddenVisibility);
    return kernel;
  };
  auto entries = llvm::map_to_vector(program.calls, [&](const ProgramCall &call) -> Constant * {
    return llvm::ConstantStruct::get(
        types.call,
        {kernelOf(call), buffers(call), number64(call.buffers.size()), size(call.chunks, call.scope),
         size(call.scratchBytes, call.scope), text(call.kernel), text(call.nodes), number32(uint32_t(call.kind)),
         number32(call.loops), number64(call.body), number64(call.otherwise), number32(call.level),
         number32(call.turns.empty() ? call.otherwiseLevel : expressions.numberOf(call.turns) + 1)});
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

Constant *TableWriter::expression(const Extent &extent) {
  auto steps = llvm::map_to_vector(codeOf(extent), [&](const ExtentStep &step) -> Constant * {
    auto kind = uint32_t(step.kind);
    int64_t value = step.kind == ExtentStep::Kind::Symbol ? expressions.numberOf(step.name) : step.value;
    return llvm::ConstantStruct::get(types.extentStep, {number32(kind), number32(0), number64(uint64_t(value))});
  });
  return llvm::ConstantStruct::get(
      types.expression, {array(types.extentStep, steps, "steps"), number64(steps.size()), text(extent.str())});
}

/// Where the entries of each level end; `demands` are sorted by level.
Constant *TableWriter::levels(llvm::ArrayRef<ProgramDemand> demands) {
  llvm::SmallVector<Constant *> entries;
  for (uint32_t level = 0; level <= program.levels.size(); ++level) {
    auto upTo = [&](auto &&levelOf) { return [=](const auto &entry) { return levelOf(entry) <= level; }; };
    auto planned = upTo([](const PlannedBuffer &buffer) { return buffer.level; });
    auto demanded = upTo([&](const ProgramDemand &demand) { return levelOf(program, demand); });
    ProgramLevel calls = level ? program.levels[level - 1] : ProgramLevel{0, program.calls.size()};
    entries.push_back(llvm::ConstantStruct::get(types.level, {number64(calls.first), number64(calls.last),
                                                              number64(expressions.countUpTo(level)),
                                                              number64(llvm::count_if(program.planned, planned)),
                                                              number64(llvm::count_if(demands, demanded))}));
  }
  return array(types.level, entries, "levels");
}

Constant *TableWriter::dynamics() {
  if (program.isStatic())
    return llvm::ConstantPointerNull::get(ptr);
  auto symbols = llvm::map_to_vector(program.symbols, [&](const ProgramSymbol &symbol) -> Constant * {
    return llvm::ConstantStruct::get(types.symbol, {text(symbol.name), number64(symbol.level)});
  });
  auto texts = llvm::map_to_vector(expressions.all(), [&](const auto &extent) { return expression(extent.second); });
  auto planned = llvm::map_to_vector(program.planned, [&](const PlannedBuffer &buffer) -> Constant * {
    return llvm::ConstantStruct::get(types.planned,
                                     {size(buffer.bytes, buffer.level), number64(buffer.first), number64(buffer.last)});
  });
  std::vector<ProgramDemand> sorted;
  for (uint32_t level = 0; level <= program.levels.size(); ++level)
    llvm::copy_if(program.demands, std::back_inserter(sorted),
                  [&](const ProgramDemand &demand) { return levelOf(program, demand) == level; });
  auto demands = llvm::map_to_vector(sorted, [&](const ProgramDemand &demand) -> Constant * {
    return llvm::ConstantStruct::get(types.demand,
                                     {number32(uint32_t(demand.kind)), number32(0), size(demand.left, demand.scope),
                                      size(demand.right, demand.scope), text(demand.message)});
  });
  return constant(
      llvm::ConstantStruct::get(types.dynamics,
                                {number64(program.levels.size() + 1), levels(sorted),
                                 array(types.symbol, symbols, "symbols"), array(types.expression, texts, "expressions"),
                                 array(types.planned, planned, "planned"), array(types.demand, demands, "demands")}),
      "dynamics");
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
                        number64(program.symbols.size()),
                        dynamics()};
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
    // With symbols the runtime walks: sizes and places are its to find.
    if (program.isStatic())
      addWalker(*module, program, calls, weights);
  }
  return module;
}
