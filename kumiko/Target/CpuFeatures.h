//===- CpuFeatures.h - what LLVM knows of CPUs, without its back ends ---------===//
#pragma once
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/TargetParser/Triple.h"
#include <vector>

namespace kumiko {

bool isCpu(const llvm::Triple &triple, llvm::StringRef cpu);

/// Those that `cpu` has, by LLVM's names.
llvm::StringSet<> featuresOf(const llvm::Triple &triple, llvm::StringRef cpu);

/// All names of such machines.
std::vector<llvm::StringRef> knownFeatures(const llvm::Triple &triple);

/// Whether LLVM may use the feature in a kernel. Others are for operating systems, or have no other way in than their
/// intrinsics; hosts of virtual machines hide many of these.
bool changesCode(llvm::StringRef feature);

/// Adds the feature with all that it needs, or takes it away with all that need it.
void change(llvm::StringSet<> &features, const llvm::Triple &triple, llvm::StringRef name, bool there);

} // namespace kumiko
