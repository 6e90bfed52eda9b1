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

void Explanation::printText(const Program &program, llvm::raw_ostream &os) const {
  os << nodes << " nodes became " << program.kernelCalls() << " kernel calls; arena " << program.arenaBytes
     << " bytes (at least " << program.arenaLowerBound << "), weights " << program.weightsBytes << " bytes\n\ncalls:\n";
  for (const ProgramCall &call : program.calls) {
    os.indent(2 + 2 * call.loops);
    if (!call.isKernel()) {
      os << (call.kind == CallKind::Loop ? "loop of " + call.chunks.str() + " turns" : "choice") << "  "
         << printable(call.nodes) << "\n";
      continue;
    }
    auto kernel = kernels.find(call.kernel);
    os << call.kernel << "  " << (kernel == kernels.end() ? "" : kernel->second.kind) << "  " << printable(call.nodes)
       << "\n";
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
    for (const ProgramCall &call : llvm::make_filter_range(program.calls, std::mem_fn(&ProgramCall::isKernel)))
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
  json.attribute("arena_lower_bound", int64_t(program.arenaLowerBound));
  json.attribute("weights_bytes", int64_t(program.weightsBytes));
  json.objectEnd();
  os << "\n";
}
