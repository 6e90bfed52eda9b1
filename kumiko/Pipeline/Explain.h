//===- Explain.h - what became of a network ---------------------------------===//
//
// Collected while compiling: rewrites that were applied and declined come from the remarks of the passes, kernels from
// the module after Fuse, memory from the plan. `kumiko compile --explain` prints it.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Plan/Program.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <set>
#include <string>

namespace kumiko {

struct Explanation {
  /// What a kernel does, whoever calls it.
  struct Kernel {
    std::string kind; ///< the highest class of its statements: contraction, reduction, ..., injective
    /// Whose code it is: contraction, rows, attention, points, ... (docs/architecture.md names the files).
    std::string templateName;
    uint64_t bytes = 0; ///< its operands and results, once each
    uint64_t flops = 0;
    std::string schedule; ///< as a file given with --schedule may have it; empty where its template has no words
  };
  /// Of a rule.
  struct Uses {
    uint64_t count = 0;
    uint64_t savedOps = 0;   ///< fewer than before, as far as the rule counts them
    uint64_t savedBytes = 0; ///< less traffic between kernels, at typical sizes where sizes are open
  };
  uint64_t nodes = 0;
  std::map<std::string, Kernel> kernels;
  /// By name and class.
  std::map<std::pair<std::string, std::string>, Uses> rules;
  /// Source node and reason.
  std::set<std::pair<std::string, std::string>> refusals;

  /// After Fuse.
  void describeKernels(mlir::ModuleOp module);
  /// After Schedule: kernels that came of cutting others, templates and schedules.
  void describeParts(mlir::ModuleOp module);

  void printText(const Program &program, llvm::raw_ostream &os) const;
  void printJson(const Program &program, llvm::raw_ostream &os) const;
};

/// While it lives, the remarks of the context's passes go into `explanation`.
class RemarkCollector {
public:
  RemarkCollector(mlir::MLIRContext &context, Explanation &explanation);
  ~RemarkCollector();

private:
  mlir::MLIRContext &context;
};

} // namespace kumiko
