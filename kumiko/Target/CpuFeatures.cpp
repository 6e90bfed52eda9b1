#include "kumiko/Target/CpuFeatures.h"
#include "llvm/TargetParser/AArch64TargetParser.h"
#include "llvm/TargetParser/RISCVTargetParser.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace kumiko;
using llvm::StringRef;

bool kumiko::isCpu(const llvm::Triple &triple, StringRef cpu) {
  if (triple.isX86())
    return llvm::X86::parseArchX86(cpu, /*Only64Bit=*/true) != llvm::X86::CK_None;
  if (triple.isRISCV())
    return llvm::RISCV::parseCPU(cpu, triple.isArch64Bit());
  return triple.isAArch64() && (cpu == "generic" || llvm::AArch64::parseCpu(cpu));
}

/// Without its `+`; empty for what only the name of an architecture brings.
static StringRef featureOf(const llvm::AArch64::ExtensionInfo &extension) {
  return extension.PosTargetFeature.drop_front(extension.PosTargetFeature.starts_with("+"));
}

static llvm::StringSet<> namesOf(const llvm::AArch64::ExtensionSet &set) {
  llvm::StringSet<> names;
  for (const llvm::AArch64::ExtensionInfo &extension : llvm::AArch64::Extensions)
    if (set.Enabled.test(extension.ID) && !featureOf(extension).empty())
      names.insert(featureOf(extension));
  return names;
}

llvm::StringSet<> kumiko::featuresOf(const llvm::Triple &triple, StringRef cpu) {
  if (triple.isAArch64()) {
    llvm::AArch64::ExtensionSet set;
    if (auto info = llvm::AArch64::parseCpu(cpu))
      set.addCPUDefaults(*info);
    else
      set.addArchDefaults(llvm::AArch64::ARMV8A);
    return namesOf(set);
  }
  if (triple.isRISCV()) {
    llvm::SmallVector<std::string> extensions;
    llvm::RISCV::getFeaturesForCPU(cpu, extensions);
    llvm::StringSet<> names;
    for (StringRef extension : extensions)
      names.insert(extension);
    return names;
  }
  llvm::SmallVector<StringRef> names;
  if (isCpu(triple, cpu))
    llvm::X86::getFeaturesForCPU(cpu, names);
  // The list names SSE4.2 alone, and not what that needs.
  llvm::StringSet<> features;
  if (triple.isX86() && triple.isArch64Bit())
    names.push_back("cmov");
  for (StringRef name : names)
    change(features, triple, name, true);
  return features;
}

std::vector<StringRef> kumiko::knownFeatures(const llvm::Triple &triple) {
  std::vector<StringRef> names;
  if (triple.isAArch64())
    for (const llvm::AArch64::ExtensionInfo &extension : llvm::AArch64::Extensions)
      if (!featureOf(extension).empty())
        names.push_back(featureOf(extension));
  if (triple.isX86())
    names = {
#define X86_FEATURE(identifier, name) name,
#include "llvm/TargetParser/X86TargetParser.def"
    };
  // An x86-64 machine without it is none.
  llvm::erase(names, "64bit");
  return names;
}

bool kumiko::changesCode(StringRef feature) {
  static constexpr llvm::StringLiteral forSystems[] = {
      "cldemote", "clflushopt", "clwb",     "clzero", "enqcmd",    "fsgsbase", "hreset",    "invpcid",  "kl",
      "lwp",      "movdir64b",  "movdiri",  "mwaitx", "pconfig",   "pku",      "prefetchi", "ptwrite",  "rdpid",
      "rdpru",    "rdrnd",      "rdseed",   "rtm",    "serialize", "sgx",      "shstk",     "tsxldtrk", "uintr",
      "usermsr",  "waitpkg",    "wbnoinvd", "widekl", "xsave",     "xsavec",   "xsaveopt",  "xsaves"};
  return !llvm::is_contained(forSystems, feature);
}

void kumiko::change(llvm::StringSet<> &features, const llvm::Triple &triple, StringRef name, bool there) {
  if (triple.isAArch64()) {
    llvm::AArch64::ExtensionSet set;
    for (const llvm::AArch64::ExtensionInfo &extension : llvm::AArch64::Extensions)
      if (features.contains(featureOf(extension)))
        set.Enabled.set(extension.ID);
    if (auto extension = llvm::AArch64::targetFeatureToExtension(("+" + name).str()))
      there ? set.enable(extension->ID) : set.disable(extension->ID);
    features = namesOf(set);
    return;
  }
  llvm::StringMap<bool> changed;
  llvm::X86::updateImpliedFeatures(name, there, changed);
  changed[name] = there;
  for (const auto &entry : changed)
    entry.getValue() ? (void)features.insert(entry.getKey()) : (void)features.erase(entry.getKey());
}
