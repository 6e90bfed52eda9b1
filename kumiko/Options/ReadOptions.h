//===- ReadOptions.h - what the compiler makes of options -------------------===//
//
// Options arrive as the arguments of a command, whoever gave them; values that the table lists have been checked.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Options/OptionTable.h"
#include "kumiko/Pipeline/Compile.h"
#include "llvm/Option/ArgList.h"

namespace kumiko {

/// How to compile.
CompileOptions readCompileOptions(const llvm::opt::ArgList &arguments, ProblemList &problems);

/// A number of threads, 1 .. 1024; 0 when the option is not given.
unsigned threadCount(const llvm::opt::ArgList &arguments, OptionNumber option, ProblemList &problems);

} // namespace kumiko
