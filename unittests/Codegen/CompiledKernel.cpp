#include "unittests/Codegen/CompiledKernel.h"
#include "kumiko/Codegen/Common/Objects.h"
#include "kumiko/Codegen/Cpu/Passes.h"
#include "kumiko/Kernel/Passes.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Symbols.h"
#include "kumiko/Numerics/Passes.h"
#include "kumiko/Schedule/Packing.h"
#include "kumiko/Schedule/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "gtest/gtest.h"
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using namespace kumiko;

struct CompiledKernel::State {
  DialectRegistry registry;
  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> module;
  Schedule schedule;
  Layouts layouts;
  SmallVector<Packing, 2> packings;
  SmallVector<nn::Symbol> symbols;
  /// Elements of the results.
  std::vector<Extent> results;
  std::unique_ptr<llvm::orc::LLJIT> jit;
  int (*entry)(void *const *, const int64_t *, int64_t, void *) = nullptr;
};

CompiledKernel::CompiledKernel(std::unique_ptr<State> state) : state(std::move(state)) {}
CompiledKernel::~CompiledKernel() = default;
const Schedule &CompiledKernel::schedule() const { return state->schedule; }
const Layouts &CompiledKernel::layouts() const { return state->layouts; }

namespace {
/// Floats that end where a page begins that may not be touched.
class GuardedFloats {
public:
  explicit GuardedFloats(size_t count) : count(count) {
    size_t page = getpagesize();
    bytes = (count * sizeof(float) + page - 1) / page * page + page;
    base = static_cast<char *>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_EQ(mprotect(base + bytes - page, page, PROT_NONE), 0);
    data = reinterpret_cast<float *>(base + bytes - page) - count;
  }
  GuardedFloats(GuardedFloats &&other) : count(other.count), bytes(other.bytes), base(other.base), data(other.data) {
    other.base = nullptr;
  }
  ~GuardedFloats() {
    if (base)
      munmap(base, bytes);
  }

  size_t count, bytes;
  char *base;
  float *data;
};
} // namespace

/// Schedules the kernel and keeps what calling it needs.
static bool prepare(MLIRContext &context, ModuleOp module, Schedule &schedule, Layouts &layouts,
                    SmallVector<Packing, 2> &packings, std::vector<Extent> &results) {
  PassManager scheduling(&context);
  scheduling.addPass(createScheduleKernelsPass());
  if (failed(scheduling.run(module)))
    return false;
  auto kernel = module.lookupSymbol<nn::KernelOp>("k");
  FailureOr<Schedule> chosen = Schedule::fromAttribute(kernel->getAttrOfType<DictionaryAttr>("schedule"));
  if (failed(chosen))
    return false;
  schedule = *chosen;
  // Whatever may lie in the place of another does.
  FailureOr<Layouts> proposed = Layouts::of(kernel);
  if (failed(proposed))
    return false;
  layouts = *proposed;
  layouts.inPlace = layouts.mayOverwrite;
  layouts.setOn(kernel);
  Block &body = kernel.getBody().front();
  ValueRange values = body.getTerminator()->getOperands();
  KernelExtents extents;
  packings = packingsOf(shapeOfKernel(body, values, extents), schedule, body);
  for (Value value : values)
    results.push_back(extents.elementsOf(value));
  return true;
}

std::unique_ptr<CompiledKernel> CompiledKernel::create(llvm::StringRef text) {
  auto state = std::make_unique<State>();
  state->registry.insert<nn::NnDialect, arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect,
                         linalg::LinalgDialect, LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
                         scf::SCFDialect, tensor::TensorDialect, ub::UBDialect, vector::VectorDialect>();
  registerTranslations(state->registry);
  state->context = std::make_unique<MLIRContext>(state->registry, MLIRContext::Threading::DISABLED);
  state->context->loadAllAvailableDialects();
  state->module = parseSourceString<ModuleOp>(text, state->context.get());
  EXPECT_TRUE(state->module) << text.str();
  if (!state->module ||
      !prepare(*state->context, *state->module, state->schedule, state->layouts, state->packings, state->results))
    return nullptr;
  state->symbols = nn::symbolsOf(state->module->lookupSymbol("main"));

  PassManager codegen(state->context.get());
  codegen.addPass(createEmitKernelsPass());
  addLowerKernelsToLlvm(codegen.nest<ModuleOp>(), /*approximate=*/true);
  LogicalResult lowered = codegen.run(*state->module);
  EXPECT_TRUE(succeeded(lowered)) << text.str();
  llvm::Expected<Target> target = targetNamed("host");
  EXPECT_TRUE(bool(target));
  auto object = compileKernel(*state->module->getOps<ModuleOp>().begin(), *target);
  EXPECT_TRUE(bool(object));
  auto jit = llvm::orc::LLJITBuilder().create();
  EXPECT_TRUE(bool(jit));
  state->jit = std::move(*jit);
  llvm::cantFail(state->jit->addObjectFile(
      llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(object->bytes.data(), object->bytes.size()), "k")));
  state->entry = llvm::cantFail(state->jit->lookup("k")).toPtr<decltype(state->entry)>();
  return std::unique_ptr<CompiledKernel>(new CompiledKernel(std::move(state)));
}

std::vector<std::vector<float>> CompiledKernel::run(llvm::ArrayRef<int64_t> symbols,
                                                    llvm::ArrayRef<std::vector<float>> arguments, int status) const {
  auto numberOf = [&](const Extent &extent) {
    std::optional<int64_t> number = extent.evaluate([&](StringRef name) -> std::optional<int64_t> {
      for (auto [symbol, value] : llvm::zip_equal(state->symbols, symbols))
        if (symbol.name == name)
          return value;
      return std::nullopt;
    });
    EXPECT_TRUE(number) << extent.str();
    return number.value_or(0);
  };
  std::vector<GuardedFloats> buffers;
  for (auto [number, argument] : llvm::enumerate(arguments)) {
    const Packing *packing = packingOfArgument(state->packings, number);
    buffers.emplace_back(packing ? packing->elementCount() : argument.size());
    if (packing)
      packing->pack(reinterpret_cast<const char *>(argument.data()), reinterpret_cast<char *>(buffers.back().data));
    else if (!argument.empty())
      std::memcpy(buffers.back().data, argument.data(), argument.size() * sizeof(float));
  }
  for (const Extent &result : state->results)
    buffers.emplace_back(numberOf(result));
  std::vector<void *> pointers;
  for (GuardedFloats &buffer : buffers)
    pointers.push_back(buffer.data);
  std::vector<float *> places;
  for (GuardedFloats &buffer : llvm::MutableArrayRef(buffers).drop_front(arguments.size()))
    places.push_back(buffer.data);
  // Whatever may lie where an argument lies does.
  for (llvm::ArrayRef<int64_t> pairs = state->layouts.inPlace; !pairs.empty(); pairs = pairs.drop_front(2)) {
    // The first pair of a result counts; none lies where another does.
    float *place = buffers[pairs[0]].data;
    if (places[pairs[1]] != buffers[arguments.size() + pairs[1]].data || llvm::is_contained(places, place))
      continue;
    pointers[arguments.size() + pairs[1]] = places[pairs[1]] = place;
  }
  GuardedFloats scratch(numberOf(state->schedule.scratchBytes) / sizeof(float));
  int answer = 0;
  for (int64_t chunk = numberOf(state->schedule.chunks); chunk-- > 0;)
    answer = std::max<int>(answer, state->entry(pointers.data(), symbols.data(), chunk, scratch.data));
  EXPECT_EQ(answer, status);
  std::vector<std::vector<float>> results;
  for (auto [number, place] : llvm::enumerate(places))
    results.emplace_back(place, place + buffers[arguments.size() + number].count);
  return results;
}
