//===- EachPass.h - what each pass of the graph level does to the results ----===//
//
// Passes up to Fuse leave a module that the evaluator can run, so each can be judged by itself. The bound is the class
// of what the pass says it did (the remarks of its rules): when all is exact, every bit of the results in the declared
// types is as before the pass; else the results in f64 differ from those of the imported network by no more than
// rounding explains (Stability.h).
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Pipeline/Pipeline.h"
#include "kumiko/Verify/RuleCollector.h"
#include "kumiko/Verify/Stability.h"
#include "kumiko/Verify/TestCase.h"
#include "llvm/ADT/StringMap.h"

namespace kumiko {

struct PassReport {
  std::string pass;
  bool changed = false;
  /// The coarsest class of its rules: exact, rounding, approximate, lossy.
  std::string kind = "exact";
  std::vector<AppliedRule> rules;
  /// Beyond the class.
  std::optional<Outlier> outlier;
  std::string output; ///< that has it
  std::string node;   ///< the first source node whose value is not what it was; may be empty
  std::string error;  ///< the evaluator's, where it refuses the module

  bool good() const { return !outlier && error.empty(); }
};

/// What is judged: a network as imported, inputs, and the values of its symbols.
struct PassQuestion {
  mlir::ModuleOp imported;
  llvm::ArrayRef<Tensor> inputs;
  llvm::StringMap<int64_t> symbols;
};

using AddPasses = llvm::function_ref<void(mlir::OpPassManager &)>;

/// Runs the passes on a copy of the network and reports about each in turn; with `stopAtFirst` the first that is not
/// good is the last report, and `before` gets the module as that pass found it. Fails when a pass does.
llvm::Expected<std::vector<PassReport>> checkPasses(const PassQuestion &question, AddPasses addPasses,
                                                    bool stopAtFirst = false, TestCase *before = nullptr);

/// The passes of Optimize and Fuse, as a compilation with these options has them.
void addGraphPasses(mlir::OpPassManager &passes, const PipelineOptions &options);

} // namespace kumiko
