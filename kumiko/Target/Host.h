//===- Host.h - this machine as a row of the table --------------------------===//
//
// The only place that asks the machine what it is. What is found becomes a row and what differs from it, so that the
// spelling says all that code may depend on.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Support/Decision.h"
#include "kumiko/Target/Target.h"
#include "llvm/ADT/StringMap.h"

namespace kumiko {

/// What was found out about a machine.
struct HostFacts {
  llvm::Triple triple;
  /// By LLVM's name; see coreOf.
  std::string cpu;
  llvm::StringMap<bool> features;
};

/// Of this machine.
HostFacts hostFacts();

/// A row and what to adjust: `znver5,-sha`. A core without a row is one of the rows for any core, with `cpu=`.
std::string spellHost(const HostFacts &facts);

/// The core that this machine has, by LLVM's names. A host of virtual machines may give its guests the number of an
/// older model (Granite Rapids as Rocket Lake); then the name is that of an Intel core which has what is found here.
std::string coreOf(llvm::StringRef reported, bool isIntel, const llvm::StringMap<bool> &features);

/// Whether this machine can run what is made for the target; else what it lacks.
Decision runsHere(const Target &target);

/// `x86_64`, `aarch64`: whose instructions this process is made of.
llvm::StringRef hostArchitecture();

/// The same of an object file or a library; empty for what is none.
std::string architectureOf(llvm::StringRef path);

} // namespace kumiko
