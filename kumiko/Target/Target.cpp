#include "kumiko/Target/Target.h"
#include "kumiko/Support/EmitError.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"
#include <mutex>

using namespace kumiko;

static void initializeBackends() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
  });
}

/// Sorted, because the order of a StringMap is nobody's promise and the list is part of the artefact's provenance.
static std::string hostFeatures() {
  std::vector<std::string> features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    features.push_back((feature.getValue() ? "+" : "-") + feature.getKey().str());
  llvm::sort(features);
  return llvm::join(features, ",");
}

/// The x86-64 level that this machine has, as far as kernels care.
static unsigned hostLevel() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  auto has = [&](std::initializer_list<llvm::StringRef> names) {
    return llvm::all_of(names, [&](llvm::StringRef name) { return features.lookup(name); });
  };
  if (!has({"avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"}))
    return 2;
  return has({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}) ? 4 : 3;
}

/// Widths and registers of an x86-64 level; level 0 is NEON.
static void describeVectors(Target &target, unsigned level) {
  target.vectorBits = level < 3 ? 128 : level == 3 ? 256 : 512;
  target.vectorRegisters = level == 2 || level == 3 ? 16 : 32;
  target.hasFma = target.hasHalf = level != 2;
}

static bool isMadeByIntel() {
#if defined(__x86_64__) || defined(__i386__)
  using namespace llvm::sys::detail::x86;
  return getVendorSignature() == VendorSignatures::GENUINE_INTEL;
#else
  return false;
#endif
}

/// Cores of Intel's servers from Sapphire Rapids on: the first of this maker's that compute with halves.
static bool isNewXeon(bool isIntel, const llvm::StringMap<bool> &features) {
  return isIntel && features.lookup("avx512fp16");
}

std::string kumiko::coreOf(llvm::StringRef reported, bool isIntel, const llvm::StringMap<bool> &features) {
  llvm::SmallVector<llvm::StringRef> known;
  if (isNewXeon(isIntel, features) && llvm::X86::parseArchX86(reported) != llvm::X86::CK_None)
    llvm::X86::getFeaturesForCPU(reported, known);
  if (known.empty() || llvm::is_contained(known, "avx512fp16"))
    return reported.str();
  return features.lookup("amx-fp16") ? "graniterapids" : "sapphirerapids";
}

bool Target::runsHere() const {
  if (isHost())
    return true;
  llvm::Triple here(llvm::sys::getDefaultTargetTriple());
  if (here.getArch() != triple.getArch())
    return false;
  return !here.isX86() || unsigned(name.back() - '0') <= hostLevel();
}

std::string Target::describe() const { return triple.getArchName().str() + "/" + cpu; }

llvm::StringRef kumiko::targetNames() { return "host, x86-64-v2, x86-64-v3, x86-64-v4, aarch64"; }

llvm::Expected<Target> kumiko::targetNamed(llvm::StringRef name) {
  Target target;
  target.watchesThreads = name.consume_back("+tsan");
  if (target.watchesThreads && name != "x86-64-v2")
    return emitError(Code::BadOption, "ThreadSanitizer does not see all code for " + name, "use --target=x86-64-v2");
  target.name = name.str();
  if (name == "host") {
    target.triple = llvm::Triple(llvm::sys::getDefaultTargetTriple());
    llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
    bool isIntel = isMadeByIntel();
    target.cpu = coreOf(llvm::sys::getHostCPUName(), isIntel, features);
    target.features = hostFeatures();
    describeVectors(target, /*level=*/target.triple.isX86() ? hostLevel() : 0);
    target.byteDot = features.lookup("avx512vnni") || (features.lookup("avxvnni") && target.vectorBits == 256);
    bool isXeon = isNewXeon(isIntel, features);
    // Measured on Emerald Rapids: 0.6 ns for a store that takes turns with others between lines, 0.4 ns along memory,
    // and half as long where lines were asked for.
    target.storesInOrder = isXeon;
    return target;
  }
  if (name == "x86-64-v2" || name == "x86-64-v3" || name == "x86-64-v4") {
    target.triple = llvm::Triple("x86_64-unknown-linux-gnu");
    target.cpu = name.str();
    describeVectors(target, name.back() - '0');
    return target;
  }
  if (name == "aarch64") {
    target.triple = llvm::Triple("aarch64-unknown-linux-gnu");
    target.cpu = "generic";
    target.features = "+neon";
    describeVectors(target, 0);
    return target;
  }
  return emitError(Code::BadOption, "unknown target '" + name + "'", "targets are " + targetNames());
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> kumiko::createTargetMachine(const Target &target) {
  initializeBackends();
  std::string message;
  const llvm::Target *backend = llvm::TargetRegistry::lookupTarget(target.triple, message);
  if (!backend)
    return emitError(Code::UnsupportedForm, "no code generator for " + target.triple.str() + ": " + message,
                     "targets are " + targetNames());
  llvm::TargetOptions options;
  // Contraction is written out by the code generator; the backend adds none of its own. Not Strict: vector.fma becomes
  // llvm.fmuladd, which Strict would split.
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  options.FunctionSections = true;
  std::unique_ptr<llvm::TargetMachine> machine(
      backend->createTargetMachine(target.triple, target.cpu, target.features, options, llvm::Reloc::PIC_,
                                   llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
  if (!machine)
    return defectError("cannot create a code generator for " + target.describe());
  return machine;
}

void kumiko::applyTarget(llvm::Module &module, const Target &target, const llvm::TargetMachine &machine) {
  module.setTargetTriple(target.triple);
  module.setDataLayout(machine.createDataLayout());
  module.setPICLevel(llvm::PICLevel::BigPIC);
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.setDoesNotThrow();
    function.addFnAttr("target-cpu", target.cpu);
    function.addFnAttr("target-features", target.features);
    if (target.triple.isX86()) {
      // Without both, an AVX-512 machine would turn two 8-lane values into one of 16 and lose clock speed for it.
      function.addFnAttr("prefer-vector-width", std::to_string(target.vectorBits));
      function.addFnAttr("min-legal-vector-width", "0");
    }
  }
}
