#include "kumiko/Pipeline/Units.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Symbols.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Threading.h"
#include <chrono>

using namespace mlir;
using namespace kumiko;
using Units = llvm::MutableArrayRef<KernelUnit>;

std::vector<KernelUnit> kumiko::takeUnits(ModuleOp module) {
  SmallVector<NamedAttribute> attributes(module->getDiscardableAttrs());
  if (auto main = module.lookupSymbol<func::FuncOp>("main"))
    if (Attribute symbols = main->getAttr(nn::symbolsAttrName))
      attributes.emplace_back(StringAttr::get(module.getContext(), nn::symbolsAttrName), symbols);
  std::vector<KernelUnit> units;
  for (Operation &op : llvm::make_early_inc_range(*module.getBody())) {
    auto kernel = dyn_cast<nn::KernelOp>(op);
    if (!kernel) {
      op.erase();
      continue;
    }
    KernelUnit &unit = units.emplace_back();
    unit.name = kernel.getName().str();
    unit.module = ModuleOp::create(kernel.getLoc());
    unit.module.get()->setDiscardableAttrs(attributes);
    kernel->remove();
    unit.module->getBody()->push_back(kernel);
  }
  return units;
}

/// A large kernel that starts last would run alone at the end.
static SmallVector<size_t> largestFirst(Units units) {
  std::vector<std::pair<size_t, size_t>> sizes;
  for (auto [number, unit] : llvm::enumerate(units)) {
    size_t ops = 0;
    unit.module->walk([&](Operation *) { ++ops; });
    sizes.push_back({ops, number});
  }
  llvm::sort(sizes, std::greater<>());
  return llvm::map_to_vector(sizes, [](auto entry) { return entry.second; });
}

/// `work` on each unit, side by side; diagnostics come out in the order of the units.
static LogicalResult forEach(Units units, llvm::function_ref<LogicalResult(KernelUnit &)> work) {
  if (units.empty())
    return success();
  MLIRContext *context = units.front().module->getContext();
  ParallelDiagnosticHandler ordered(context);
  std::atomic<bool> failed = false;
  parallelForEach(context, largestFirst(units), [&](size_t number) {
    ordered.setOrderIDForThread(number);
    if (work(units[number]).failed())
      failed = true;
    ordered.eraseOrderIDForThread();
  });
  return success(!failed);
}

static double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Whether the passes have run: a kernel is a module by then, or nothing.
static bool isLowered(const KernelUnit &unit) { return unit.module.get().getOps<nn::KernelOp>().empty(); }

static LogicalResult lower(KernelUnit &unit, const PipelineOptions &options) {
  auto start = std::chrono::steady_clock::now();
  PassManager passes(unit.module->getContext());
  addStage(passes, Stage::Codegen, options);
  LogicalResult result = passes.run(*unit.module);
  unit.codegenSeconds = secondsSince(start);
  return result;
}

LogicalResult kumiko::lowerUnits(Units units, const PipelineOptions &options) {
  return forEach(units, [&](KernelUnit &unit) { return lower(unit, options); });
}

LogicalResult kumiko::compileUnits(Units units, const PipelineOptions &options, const Target &target,
                                   llvm::function_ref<void()> progress, llvm::function_ref<bool()> stopped,
                                   llvm::Error &errors) {
  std::mutex mutex;
  auto compile = [&](KernelUnit &unit) -> LogicalResult {
    if (stopped())
      return success();
    if (!isLowered(unit) && failed(lower(unit, options)))
      return failure();
    auto start = std::chrono::steady_clock::now();
    for (ModuleOp kernel : unit.module->getOps<ModuleOp>()) {
      auto object = options.backend->compile(kernel, target, options);
      if (!object) {
        std::lock_guard lock(mutex);
        errors = llvm::joinErrors(std::move(errors), object.takeError());
        return failure();
      }
      unit.object = std::move(*object);
    }
    unit.objectSeconds = secondsSince(start);
    progress();
    return success();
  };
  return forEach(units, compile);
}
