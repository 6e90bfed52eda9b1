#include "kumiko/Pipeline/Explain.h"
#include "kumiko/Equation/Class.h"
#include "kumiko/Equation/Cost.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Support/Problem.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include <mutex>

using namespace mlir;
using namespace kumiko;

static void appendNames(Location location, SmallVectorImpl<StringRef> &names) {
  if (auto name = dyn_cast<NameLoc>(location)) {
    if (!llvm::is_contained(names, name.getName().getValue()))
      names.push_back(name.getName().getValue());
  } else if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location inner : fused.getLocations())
      appendNames(inner, names);
  }
}

std::string kumiko::sourceNodes(Location location) {
  SmallVector<StringRef> names;
  appendNames(location, names);
  return llvm::join(names, ",");
}

namespace {
/// Passes run on several threads; so do their remarks.
class CollectingStreamer final : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit CollectingStreamer(Explanation &explanation) : explanation(explanation) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    auto argument = [&](StringRef key) {
      for (const auto &entry : remark.getArgs())
        if (entry.key == key)
          return entry.val;
      return std::string();
    };
    std::lock_guard<std::mutex> lock(mutex);
    if (remark.getRemarkType() == llvm::remarks::Type::Passed)
      ++explanation.rules[{remark.getRemarkName().str(), argument("class")}];
    else if (remark.getRemarkType() == llvm::remarks::Type::Missed)
      explanation.refusals.insert(
          {sourceNodes(remark.getLocation()), (remark.getRemarkName() + ": " + argument("Reason")).str()});
  }

private:
  std::mutex mutex;
  Explanation &explanation;
};
} // namespace

RemarkCollector::RemarkCollector(MLIRContext &context, Explanation &explanation) : context(context) {
  remark::RemarkCategories categories;
  categories.all = ".*";
  auto engine = std::make_unique<remark::detail::RemarkEngine>(/*printAsEmitRemarks=*/false, categories);
  std::string message;
  if (succeeded(engine->initialize(std::make_unique<CollectingStreamer>(explanation),
                                   std::make_unique<remark::RemarkEmittingPolicyAll>(), &message)))
    context.setRemarkEngine(std::move(engine));
}

RemarkCollector::~RemarkCollector() { context.setRemarkEngine(nullptr); }

static uint64_t storedBytes(Type type) {
  eq::TensorType tensor = nn::toEquation(cast<RankedTensorType>(type));
  eq::Extent bytes = eq::bytesOf(tensor);
  return bytes.isStatic() ? bytes.value() : 0;
}

static Explanation::Kernel describeKernel(nn::KernelOp kernel) {
  Explanation::Kernel result;
  for (Type type : kernel.getArgumentTypes())
    result.bytes += storedBytes(type);
  for (Type type : kernel.getResultTypes())
    result.bytes += storedBytes(type);
  auto highest = eq::StatementClass::Injective;
  bool opaque = false;
  for (Operation &op : kernel.getBody().front()) {
    opaque |= isa<nn::IrregularInterface>(op);
    if (!isa<nn::EquationInterface>(op))
      continue;
    auto instance = nn::instantiate(&op, /*onlyUsedResults=*/true);
    if (!instance) {
      llvm::consumeError(instance.takeError());
      continue;
    }
    for (const eq::Statement &statement : instance->statements)
      highest = std::max(highest, eq::classify(statement));
    eq::Extent flops = eq::costOf(*instance).flops;
    result.flops += flops.isStatic() ? flops.value() : 0;
  }
  result.kind = opaque ? "opaque" : eq::nameOf(highest).str();
  return result;
}

void Explanation::describeKernels(ModuleOp module) {
  for (auto kernel : module.getOps<nn::KernelOp>())
    kernels[kernel.getName().str()] = describeKernel(kernel);
}

static Value underViews(Value value) {
  while (isa_and_nonnull<nn::ReshapeOp, nn::BitcastOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

void Explanation::measureArena(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  llvm::DenseMap<Value, size_t> lastUse;
  auto calls = llvm::to_vector(main.getOps<nn::CallOp>());
  for (auto [step, call] : llvm::enumerate(calls))
    for (Value operand : call->getOperands())
      lastUse[underViews(operand)] = step;
  // Results of the network lie in the caller's memory.
  llvm::DenseSet<Value> outside;
  for (Value value : main.getBody().front().getTerminator()->getOperands())
    outside.insert(underViews(value));
  std::vector<int64_t> change(calls.size() + 2);
  for (auto [step, call] : llvm::enumerate(calls))
    for (Value result : call->getResults())
      if (!outside.contains(result)) {
        int64_t bytes = llvm::alignTo(storedBytes(result.getType()), 64);
        change[step] += bytes;
        change[std::max(step, lastUse.lookup(result)) + 1] -= bytes;
      }
  int64_t live = 0, most = 0;
  for (int64_t step : change)
    most = std::max(most, live += step);
  arenaLowerBound = most;
}

void Explanation::printText(const Program &program, llvm::raw_ostream &os) const {
  os << nodes << " nodes became " << program.calls.size() << " kernel calls; arena " << program.arenaBytes
     << " bytes (at least " << arenaLowerBound << "), weights " << program.weightsBytes << " bytes\n\ncalls:\n";
  for (const KernelCall &call : program.calls) {
    auto kernel = kernels.find(call.kernel);
    os << "  " << call.kernel << "  " << (kernel == kernels.end() ? "" : kernel->second.kind) << "  "
       << printable(call.nodes) << "\n";
  }
  os << "\nrules applied:\n";
  for (const auto &[rule, count] : rules)
    os << "  " << rule.first << " (" << rule.second << ") " << count << "\n";
  if (!refusals.empty())
    os << "\nnot done:\n";
  for (const auto &[node, reason] : refusals)
    os << "  " << printable(node) << ": " << printable(reason) << "\n";
}

void Explanation::printJson(const Program &program, llvm::raw_ostream &os) const {
  llvm::json::OStream json(os, /*IndentSize=*/1);
  json.objectBegin();
  json.attribute("nodes", int64_t(nodes));
  json.attributeArray("kernels", [&] {
    for (const KernelCall &call : program.calls)
      json.object([&] {
        auto found = kernels.find(call.kernel);
        Kernel kernel = found == kernels.end() ? Kernel() : found->second;
        json.attribute("name", call.kernel);
        json.attribute("nodes", llvm::json::fixUTF8(call.nodes));
        json.attribute("class", kernel.kind);
        json.attribute("bytes", int64_t(kernel.bytes));
        json.attribute("flops", int64_t(kernel.flops));
      });
  });
  json.attributeArray("rules", [&] {
    for (const auto &[rule, count] : rules)
      json.object([&] {
        json.attribute("name", rule.first);
        json.attribute("class", rule.second);
        json.attribute("count", int64_t(count));
      });
  });
  json.attributeArray("refusals", [&] {
    for (const auto &[node, reason] : refusals)
      json.object([&] {
        json.attribute("node", llvm::json::fixUTF8(node));
        json.attribute("reason", llvm::json::fixUTF8(reason));
      });
  });
  json.attribute("arena_bytes", int64_t(program.arenaBytes));
  json.attribute("arena_lower_bound", int64_t(arenaLowerBound));
  json.attribute("weights_bytes", int64_t(program.weightsBytes));
  json.objectEnd();
  os << "\n";
}
