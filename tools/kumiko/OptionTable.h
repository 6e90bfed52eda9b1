//===- OptionTable.h - Options.td as an LLVM option table -------------------===//
#pragma once
#include "llvm/Option/OptTable.h"

namespace kumiko {

/// The table; lives as long as the program.
const llvm::opt::OptTable &optionTable();

} // namespace kumiko
