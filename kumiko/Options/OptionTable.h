//===- OptionTable.h - Options.td as an LLVM option table -------------------===//
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Option/OptTable.h"

namespace kumiko {

/// Numbers of the options of Options.td: OPT_output, OPT_inputs, ...
enum OptionNumber : unsigned {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "kumiko/Options/Options.inc"
#undef OPTION
};

/// The table; lives as long as the program.
const llvm::opt::OptTable &optionTable();

/// The names of the options that `command` takes, as they are typed: `--target`.
llvm::SmallVector<llvm::StringRef> optionsOf(llvm::StringRef command);

} // namespace kumiko
