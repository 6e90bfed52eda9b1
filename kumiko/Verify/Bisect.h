//===- Bisect.h - which step of the compiler changed a result -----------------===//
#pragma once
#include "kumiko/Pipeline/Compile.h"
#include "kumiko/Verify/EachPass.h"

namespace kumiko {

/// Who is to blame, and the smallest network that shows it.
struct Culprit {
  std::string pass; ///< empty: none of the passes, but the code of a kernel
  /// The application of a rule after which the results are wrong; where a pass does not work by patterns, one that is
  /// left in the smallest network.
  AppliedRule rule;
  std::string what; ///< the difference on the smallest network
  TestCase smallest;
};

/// Nothing when every pass keeps to its class. `tell` hears what is being done.
llvm::Expected<std::optional<Culprit>> bisectPasses(const PassQuestion &question, AddPasses addPasses,
                                                    llvm::function_ref<void(llvm::StringRef)> tell);

/// Cuts a case down for which code compiled with these options is wrong; nothing when it is not.
std::optional<Culprit> bisectKernel(TestCase test, llvm::StringRef node, const CompileOptions &options);

} // namespace kumiko
