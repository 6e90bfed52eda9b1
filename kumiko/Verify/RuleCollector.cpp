#include "kumiko/Verify/RuleCollector.h"
#include "kumiko/Plan/Plan.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace kumiko;

/// From the finest to the coarsest.
static constexpr llvm::StringLiteral classes[] = {"exact", "rounding", "approximate", "lossy"};

static size_t rankOf(StringRef kind) { return llvm::find(classes, kind) - std::begin(classes); }

std::string kumiko::coarsestOf(ArrayRef<AppliedRule> rules) {
  StringRef kind = classes[0];
  for (const AppliedRule &rule : rules)
    if (rankOf(rule.kind) > rankOf(kind))
      kind = rule.kind;
  return kind.str();
}

double kumiko::unitsOf(StringRef kind) { return rankOf(kind) <= 1 ? 1 : 256; }

namespace {
class RuleStreamer final : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit RuleStreamer(std::vector<AppliedRule> &rules) : rules(rules) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    if (remark.getRemarkType() != llvm::remarks::Type::Passed)
      return;
    AppliedRule applied{remark.getRemarkName().str(), "exact", sourceNodes(remark.getLocation())};
    for (const auto &entry : remark.getArgs())
      if (entry.key == "class")
        applied.kind = entry.val;
    rules.push_back(std::move(applied));
  }

private:
  std::vector<AppliedRule> &rules;
};
} // namespace

RuleCollector::RuleCollector(MLIRContext &context, std::vector<AppliedRule> &rules)
    : context(context), threaded(context.isMultithreadingEnabled()) {
  context.disableMultithreading();
  remark::RemarkCategories categories;
  categories.passed = categories.missed = ".*"; // `all` enables none of the kinds
  auto engine = std::make_unique<remark::detail::RemarkEngine>(/*printAsEmitRemarks=*/false, categories);
  std::string message;
  if (succeeded(engine->initialize(std::make_unique<RuleStreamer>(rules),
                                   std::make_unique<remark::RemarkEmittingPolicyAll>(), &message)))
    context.setRemarkEngine(std::move(engine));
}

RuleCollector::~RuleCollector() {
  context.setRemarkEngine(nullptr);
  context.enableMultithreading(threaded);
}
