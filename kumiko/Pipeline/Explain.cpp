#include "kumiko/Pipeline/Explain.h"
#include "kumiko/Plan/Plan.h"
#include "kumiko/Support/Problem.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <mutex>

using namespace mlir;
using namespace kumiko;

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
    if (remark.getRemarkType() == llvm::remarks::Type::Passed) {
      Explanation::Uses &uses = explanation.rules[{remark.getRemarkName().str(), argument("class")}];
      ++uses.count;
      auto number = [&](StringRef key) {
        uint64_t value = 0;
        return StringRef(argument(key)).getAsInteger(10, value) ? 0 : value;
      };
      uses.savedOps += number("saved");
      uses.savedBytes += number("saved_bytes");
    } else if (remark.getRemarkType() == llvm::remarks::Type::Missed) {
      explanation.refusals.insert(
          {sourceNodes(remark.getLocation()), (remark.getRemarkName() + ": " + argument("Reason")).str()});
    }
  }

private:
  std::mutex mutex;
  Explanation &explanation;
};
} // namespace

RemarkCollector::RemarkCollector(MLIRContext &context, Explanation &explanation) : context(context) {
  remark::RemarkCategories categories;
  // A kind of remark without a pattern of its own is off, whatever `all` says.
  categories.passed = categories.missed = ".*";
  auto engine = std::make_unique<remark::detail::RemarkEngine>(/*printAsEmitRemarks=*/false, categories);
  std::string message;
  if (succeeded(engine->initialize(std::make_unique<CollectingStreamer>(explanation),
                                   std::make_unique<remark::RemarkEmittingPolicyAll>(), &message)))
    context.setRemarkEngine(std::move(engine));
}

RemarkCollector::~RemarkCollector() { context.setRemarkEngine(nullptr); }

/// 1234567 as 1.2 MB, which is what people compare.
static std::string bytesText(uint64_t bytes) {
  static constexpr llvm::StringLiteral units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  double number = bytes;
  size_t unit = 0;
  for (; number >= 1000 && unit + 1 < std::size(units); ++unit)
    number /= 1000;
  return llvm::formatv(unit == 0 ? "{0:f0} {1}" : "{0:f1} {1}", number, units[unit]);
}

/// The first few of a list.
static std::string someOf(llvm::ArrayRef<StringRef> names) {
  constexpr size_t shown = 4;
  std::string text;
  for (StringRef name : names.take_front(shown))
    text += (text.empty() ? "" : ", ") + printable(name);
  if (names.size() > shown)
    text += llvm::formatv(" and {0} more", names.size() - shown);
  return text;
}

static void printCalls(const Program &program, const std::map<std::string, Explanation::Kernel> &kernels,
                       llvm::raw_ostream &os) {
  os << "\nkernels, in the order of their calls: class, template, traffic, nodes\n";
  for (const ProgramCall &call : program.calls) {
    os.indent(2 + 2 * call.loops);
    if (!call.isKernel()) {
      os << (call.kind == CallKind::Loop ? "loop of " + call.chunks.str() + " turns" : "choice") << "  "
         << printable(call.nodes) << "\n";
      continue;
    }
    auto found = kernels.find(call.origin);
    Explanation::Kernel kernel = found == kernels.end() ? Explanation::Kernel() : found->second;
    os << call.kernel << "  " << llvm::formatv("{0,-11}  {1,-11}", kernel.kind, kernel.templateName);
    if (kernel.bytes)
      os << llvm::formatv("  {0,8}", bytesText(kernel.bytes));
    os << "  " << printable(call.nodes) << "\n";
  }
}

/// Each once, in the order of calls, with the nodes as a remark: what a file for --schedule may begin from.
static void printSchedules(const Program &program, const std::map<std::string, Explanation::Kernel> &kernels,
                           llvm::raw_ostream &os) {
  llvm::StringSet<> printed;
  for (const ProgramCall &call : llvm::make_filter_range(program.calls, std::mem_fn(&ProgramCall::isKernel))) {
    auto found = kernels.find(call.origin);
    if (found == kernels.end() || found->second.schedule.empty() || !printed.insert(call.origin).second)
      continue;
    if (printed.size() == 1)
      os << "\nschedules of products and attention, as --schedule=FILE takes them:\n";
    auto [head, statements] = StringRef(found->second.schedule).split('\n');
    os << head << "  # " << printable(call.nodes) << "\n" << statements;
  }
}

void Explanation::printText(const Program &program, llvm::raw_ostream &os) const {
  llvm::StringSet<> distinct;
  for (const ProgramCall &call : llvm::make_filter_range(program.calls, std::mem_fn(&ProgramCall::isKernel)))
    distinct.insert(call.kernel);
  os << nodes << " nodes became " << program.kernelCalls() << " kernel calls of " << distinct.size() << " kernels\n";
  os << "memory: ";
  if (program.arenaLowerBound)
    os << bytesText(program.arenaBytes) << " between kernels, "
       << llvm::formatv("{0:f2}", double(program.arenaBytes) / program.arenaLowerBound) << " of what lives at once; ";
  else if (!program.isStatic())
    os << "between kernels as the sizes of a run ask (--dim NAME=N tells here); ";
  os << bytesText(program.weightsBytes) << " of weights\n";

  os << "\nrules applied:\n";
  for (const auto &[rule, uses] : rules) {
    os << llvm::formatv("  {0,-28} {1,-12} {2,6} times", rule.first, rule.second, uses.count);
    if (uses.savedOps)
      os << ", saves " << uses.savedOps << " ops";
    if (uses.savedBytes)
      os << (uses.savedOps ? " and " : ", saves ") << bytesText(uses.savedBytes) << " of traffic";
    os << "\n";
  }
  printCalls(program, kernels, os);
  printSchedules(program, kernels, os);

  // One reason for many nodes is one line.
  std::map<StringRef, SmallVector<StringRef>> byReason;
  for (const auto &[node, reason] : refusals)
    byReason[reason].push_back(node.empty() ? "a node without a name" : StringRef(node));
  if (!byReason.empty())
    os << "\nnot done:\n";
  for (const auto &[reason, names] : byReason)
    os << "  " << printable(reason) << ": " << someOf(names) << "\n";
}

void Explanation::printJson(const Program &program, llvm::raw_ostream &os) const {
  llvm::json::OStream json(os, /*IndentSize=*/1);
  json.objectBegin();
  json.attribute("nodes", int64_t(nodes));
  json.attributeArray("kernels", [&] {
    for (const ProgramCall &call : llvm::make_filter_range(program.calls, std::mem_fn(&ProgramCall::isKernel)))
      json.object([&] {
        auto found = kernels.find(call.origin);
        Kernel kernel = found == kernels.end() ? Kernel() : found->second;
        json.attribute("name", call.kernel);
        json.attribute("nodes", llvm::json::fixUTF8(call.nodes));
        json.attribute("class", kernel.kind);
        json.attribute("template", kernel.templateName);
        json.attribute("bytes", int64_t(kernel.bytes));
        json.attribute("flops", int64_t(kernel.flops));
        if (!kernel.schedule.empty())
          json.attribute("schedule", llvm::json::fixUTF8(kernel.schedule));
      });
  });
  json.attributeArray("rules", [&] {
    for (const auto &[rule, uses] : rules)
      json.object([&] {
        json.attribute("name", rule.first);
        json.attribute("class", rule.second);
        json.attribute("count", int64_t(uses.count));
        json.attribute("saved_ops", int64_t(uses.savedOps));
        json.attribute("saved_bytes", int64_t(uses.savedBytes));
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
