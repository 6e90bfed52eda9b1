//===- RuleCollector.h - rules that passes say they applied, in order --------===//
#pragma once
#include "mlir/IR/MLIRContext.h"
#include <string>
#include <vector>

namespace kumiko {

/// One application of a rule, as its remark tells it.
struct AppliedRule {
  std::string rule, kind, node;
};

/// The coarsest of their classes, "exact" for none: exact, rounding, approximate, lossy.
std::string coarsestOf(llvm::ArrayRef<AppliedRule> rules);
/// Units in the last place that a rewrite of this class may be off, before the network magnifies them.
double unitsOf(llvm::StringRef kind);

/// While it lives, applications are added to the list; passes run on one thread, so that they come in order.
class RuleCollector {
public:
  RuleCollector(mlir::MLIRContext &context, std::vector<AppliedRule> &rules);
  ~RuleCollector();

private:
  mlir::MLIRContext &context;
  bool threaded;
};

} // namespace kumiko
