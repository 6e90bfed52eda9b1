#include "kumiko/Target/Host.h"
#include "kumiko/Target/CpuFeatures.h"
#include "kumiko/Target/Rows.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace kumiko;
using llvm::StringRef;

static bool isMadeByIntel() {
#if defined(__x86_64__) || defined(__i386__)
  using namespace llvm::sys::detail::x86;
  return getVendorSignature() == VendorSignatures::GENUINE_INTEL;
#else
  return false;
#endif
}

std::string kumiko::coreOf(StringRef reported, bool isIntel, const llvm::StringMap<bool> &features) {
  // Of Intel's, those that compute with halves are the servers from Sapphire Rapids on.
  llvm::SmallVector<StringRef> known;
  if (isIntel && features.lookup("avx512fp16") && llvm::X86::parseArchX86(reported) != llvm::X86::CK_None)
    llvm::X86::getFeaturesForCPU(reported, known);
  if (known.empty() || llvm::is_contained(known, "avx512fp16"))
    return reported.str();
  return features.lookup("amx-fp16") ? "graniterapids" : "sapphirerapids";
}

HostFacts kumiko::hostFacts() {
  HostFacts facts;
  facts.triple = llvm::Triple(llvm::sys::getDefaultTargetTriple());
  facts.features = llvm::sys::getHostCPUFeatures();
  facts.cpu = coreOf(llvm::sys::getHostCPUName(), isMadeByIntel(), facts.features);
  return facts;
}

/// What the CPUs of this row have and the machine does not, as far as the machine says so at all: no word is no lack.
static std::vector<StringRef> lacking(const llvm::StringSet<> &wanted, const llvm::StringMap<bool> &there) {
  std::vector<StringRef> missing;
  for (const auto &feature : wanted)
    if (auto found = there.find(feature.getKey());
        found != there.end() && !found->getValue() && changesCode(feature.getKey()))
      missing.push_back(found->getKey());
  llvm::sort(missing);
  return missing;
}

/// The row of this core, else the last one for any core of the architecture that this machine can run.
static const Row *rowOf(const HostFacts &facts) {
  const Row *level = nullptr;
  for (const Row &row : allRows()) {
    const Target &target = row.target;
    if (row.isBase || target.triple.getArch() != facts.triple.getArch())
      continue;
    if (target.cpu == facts.cpu || llvm::is_contained(row.also, facts.cpu))
      return &row;
    if (llvm::is_contained(row.also, "any") &&
        (!level || lacking(featuresOf(target.triple, target.cpu), facts.features).empty()))
      level = &row;
  }
  return level;
}

std::string kumiko::spellHost(const HostFacts &facts) {
  const Row *row = rowOf(facts);
  if (!row)
    return facts.triple.getArchName().str();
  std::string spelled = row->target.name;
  if (facts.cpu != row->target.cpu && isCpu(row->target.triple, facts.cpu))
    spelled += ",cpu=" + facts.cpu;
  // All that is there first: adding one may bring others along.
  llvm::StringSet<> has =
      featuresOf(row->target.triple, isCpu(row->target.triple, facts.cpu) ? facts.cpu : row->target.cpu);
  std::vector<StringRef> known = knownFeatures(row->target.triple);
  std::vector<std::string> more, less;
  for (const auto &feature : facts.features)
    if (llvm::is_contained(known, feature.getKey()) && changesCode(feature.getKey()) &&
        has.contains(feature.getKey()) != feature.getValue())
      (feature.getValue() ? more : less).push_back((feature.getValue() ? "+" : "-") + feature.getKey().str());
  // The order of a StringMap is nobody's promise.
  llvm::sort(more);
  llvm::sort(less);
  for (const std::string &difference : llvm::concat<std::string>(more, less))
    spelled += "," + difference;
  return spelled;
}

llvm::Expected<Target> kumiko::targetNamed(StringRef spelled) {
  auto [name, rest] = spelled.split(',');
  if (name != "host")
    return rowNamed(spelled);
  std::string here = spellHost(hostFacts());
  return rowNamed(rest.empty() ? here : here + "," + rest.str());
}

Decision kumiko::runsHere(const Target &target) {
  HostFacts facts = hostFacts();
  if (facts.triple.getArch() != target.triple.getArch())
    return Decision::forbid("this is " + facts.triple.getArchName().str());
  llvm::StringSet<> wanted = featuresOf(target.triple, target.cpu);
  for (StringRef change : llvm::split(target.features, ','))
    if (!change.empty())
      kumiko::change(wanted, target.triple, change.drop_front(), change.front() == '+');
  std::vector<StringRef> missing = lacking(wanted, facts.features);
  return missing.empty() ? Decision::allow() : Decision::forbid("it has no " + llvm::join(missing, ", "));
}

StringRef kumiko::hostArchitecture() {
  static const std::string name = llvm::Triple(llvm::sys::getProcessTriple()).getArchName().str();
  return name;
}

std::string kumiko::architectureOf(StringRef path) {
  auto file = llvm::object::ObjectFile::createObjectFile(path);
  if (file)
    return llvm::Triple::getArchTypeName(file->getBinary()->getArch()).str();
  llvm::consumeError(file.takeError());
  return "";
}
