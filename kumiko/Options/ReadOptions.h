//===- ReadOptions.h - what the compiler makes of options -------------------===//
//
// Options arrive as the arguments of a command, whoever gave them; values that the table lists have been checked.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Options/OptionTable.h"
#include "kumiko/Pipeline/Compile.h"
#include "kumiko/Pipeline/Inputs.h"
#include "kumiko/Verify/VerifyModel.h"
#include "llvm/Option/ArgList.h"

namespace kumiko {

/// How to compile.
CompileOptions readCompileOptions(const llvm::opt::ArgList &arguments, ProblemList &problems);

/// What to verify, and how; of the random numbers of inputs that are not given too.
VerifyOptions readVerifyOptions(const llvm::opt::ArgList &arguments, ProblemList &problems);

/// Where the inputs of a run come from.
InputSources readInputSources(const llvm::opt::ArgList &arguments, bool randomOtherwise);

/// A number of threads, 1 .. 1024; 0 when the option is not given.
unsigned threadCount(const llvm::opt::ArgList &arguments, OptionNumber option, ProblemList &problems);

} // namespace kumiko
