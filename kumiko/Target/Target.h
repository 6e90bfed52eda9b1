//===- Target.h - the machine that code is made for -------------------------===//
#pragma once
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/TargetParser/Triple.h"
#include <memory>
#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace kumiko {

struct Target {
  /// As asked for: `host`, `x86-64-v3`, ...
  std::string name;
  llvm::Triple triple;
  std::string cpu;
  /// LLVM's list, `+avx2,+fma,...`, sorted.
  std::string features;
  /// The width that kernels are written for. A wider machine keeps its extra registers but does not widen vectors.
  unsigned vectorBits = 256;
  unsigned vectorRegisters = 16;
  /// What v2 lacks: fused multiply-add, conversions between f16 and f32.
  bool hasFma = true, hasHalf = true;
  /// vpdpbusd on whole vectors: four products of bytes into each sum, without saturation.
  bool byteDot = false;
  /// Stores leave one after the other, and wait for lines that the first cache does not have.
  bool storesInOrder = false;
  /// For tests: code that ThreadSanitizer sees, see WatchThreads.h.
  bool watchesThreads = false;

  bool isHost() const { return name == "host"; }
  /// This machine can run what is made for the target.
  bool runsHere() const;
  /// One word for provenance: `x86_64/znver3`.
  std::string describe() const;
};

/// `host`, `x86-64-v2`, `x86-64-v3`, `x86-64-v4` or `aarch64`. `x86-64-v2+tsan`, for tests, is watched by
/// ThreadSanitizer; it has no masked accesses, which would not be seen.
llvm::Expected<Target> targetNamed(llvm::StringRef name);

/// The core that this machine has, by LLVM's names. A host of virtual machines may give its guests the number of an
/// older model (Granite Rapids as Rocket Lake); then the name is that of an Intel core which has what is found here.
std::string coreOf(llvm::StringRef reported, bool isIntel, const llvm::StringMap<bool> &features);

/// The names that targetNamed knows, for messages.
llvm::StringRef targetNames();

/// Position-independent, code model small. A machine serves one thread; make one for each.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(const Target &target);

/// Gives the module the target's triple and data layout, and its functions the attributes that kernels need.
void applyTarget(llvm::Module &module, const Target &target, const llvm::TargetMachine &machine);

} // namespace kumiko
