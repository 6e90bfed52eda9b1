#include "kumiko/Pipeline/Units.h"
#include "kumiko/Emit/BuildId.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Symbols.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Threading.h"
#include "llvm/Support/BLAKE3.h"
#include <chrono>

using namespace mlir;
using namespace kumiko;
using Units = llvm::MutableArrayRef<KernelUnit>;

std::vector<KernelUnit> kumiko::takeUnits(ModuleOp module) {
  // Not what describes the network: a kernel is the same in any.
  auto attributes = llvm::to_vector(llvm::make_filter_range(module->getDiscardableAttrs(), [](NamedAttribute each) {
    return !isa_and_nonnull<nn::NnDialect>(each.getNameDialect());
  }));
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

KernelCache::Key UnitCompiler::keyOf(KernelUnit &unit) const {
  // Passes are told all that they may depend on as options, so their text has these.
  PassManager passes(unit.module->getContext());
  addStage(passes, Stage::Codegen, options);
  std::string text;
  llvm::raw_string_ostream os(text);
  for (StringRef word :
       {StringRef(buildId()), options.backend->name(), nameOf(options.allow), StringRef(target.spelled)})
    os << word << "\n";
  os << options.watched << "\n";
  passes.printAsTextualPipeline(os);
  os << "\n";
  // Whole, with the bytes of large constants; places in the model's file are left out.
  unit.module->print(os, OpPrintingFlags().printGenericOpForm().enableDebugInfo(false));
  return llvm::BLAKE3::hash<32>(llvm::arrayRefFromStringRef(text));
}

/// Codegen and object code; an error goes to `fail`.
static LogicalResult make(KernelUnit &unit, const UnitCompiler &compiler, llvm::function_ref<void(llvm::Error)> fail) {
  if (!isLowered(unit) && failed(lower(unit, compiler.options)))
    return failure();
  auto start = std::chrono::steady_clock::now();
  for (ModuleOp kernel : unit.module->getOps<ModuleOp>()) {
    auto object = compiler.options.backend->compile(kernel, compiler.target, compiler.options);
    if (!object) {
      fail(object.takeError());
      return failure();
    }
    unit.object = std::move(*object);
  }
  unit.objectSeconds = secondsSince(start);
  return success();
}

/// From the cache, or made and put there.
static LogicalResult findOrMake(KernelUnit &unit, const UnitCompiler &compiler,
                                llvm::function_ref<void(llvm::Error)> fail) {
  auto start = std::chrono::steady_clock::now();
  KernelCache::Key key = compiler.keyOf(unit);
  if (auto bytes = compiler.cache->find(key)) {
    unit.object.name = unit.name;
    unit.object.bytes = std::move(*bytes);
    unit.isCached = true;
    unit.objectSeconds = secondsSince(start);
    return success();
  }
  if (failed(make(unit, compiler, fail)))
    return failure();
  compiler.cache->keep(key, unit.object.bytes);
  return success();
}

LogicalResult kumiko::compileUnits(Units units, const UnitCompiler &compiler, llvm::Error &errors) {
  std::mutex mutex;
  auto fail = [&](llvm::Error error) {
    std::lock_guard lock(mutex);
    errors = llvm::joinErrors(std::move(errors), std::move(error));
  };
  bool cached = compiler.cache && compiler.cache->isUsable() && !buildId().empty();
  LogicalResult result = forEach(units, [&](KernelUnit &unit) {
    if (compiler.stopped())
      return success();
    LogicalResult made = cached && !isLowered(unit) ? findOrMake(unit, compiler, fail) : make(unit, compiler, fail);
    compiler.progress();
    return made;
  });
  if (cached && llvm::any_of(units, [](const KernelUnit &unit) { return !unit.isCached; }))
    compiler.cache->prune();
  return result;
}
