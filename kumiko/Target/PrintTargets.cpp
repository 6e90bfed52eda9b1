#include "kumiko/Target/Host.h"
#include "kumiko/Target/Rows.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace kumiko;

static std::string cachesOf(const Target &target) {
  if (target.caches.empty())
    return "flat";
  auto text = llvm::map_range(target.caches, [](const CacheLevel &cache) { return printBytes(cache.bytes); });
  return llvm::join(text, " ");
}

/// Names of what the target has, in the order of Facts.def.
template <typename Value> static std::string namesOf(const Target &target, unsigned count) {
  std::vector<std::string> names;
  for (unsigned number = 0; number < count; ++number)
    if (target.has(Value(number)))
      names.push_back(nameOf(Value(number)).str());
  return names.empty() ? "-" : llvm::join(names, " ");
}

static void printRow(const Target &target, llvm::raw_ostream &os) {
  std::string vectors = std::to_string(target.vectorRegisters) + "x" + std::to_string(target.vectorBits);
  std::string registers = vectors + " " + std::to_string(target.generalRegisters);
  os << "  " << llvm::left_justify(target.name, 15) << llvm::left_justify(registers, 10)
     << llvm::left_justify(cachesOf(target), 14) << llvm::left_justify(namesOf<DotForm>(target, dotFormCount), 18)
     << namesOf<Fact>(target, factCount) << "\n";
}

void kumiko::printTargets(llvm::raw_ostream &os) {
  os << "  " << llvm::left_justify("target", 15) << llvm::left_justify("registers", 10)
     << llvm::left_justify("caches", 14) << llvm::left_justify("integer products", 18) << "facts\n";
  for (llvm::StringRef name : targetNames())
    printRow(llvm::cantFail(rowNamed(name)), os);
  os << "\nhost is " << llvm::cantFail(targetNamed("host")).spelled << "\n"
     << "\n--target=NAME,+FEATURE,-FEATURE,KEY=VALUE adjusts a row. Keys are cpu, l1, l2, l3 (first, with sizes such "
        "as\n"
        "64M; none: no such cache). Features are LLVM's (llc -mattr=help), and these facts:\n";
  for (unsigned number = 0; number < factCount; ++number)
    os << "  " << llvm::left_justify(nameOf(Fact(number)), 15) << meaningOf(Fact(number)) << "\n";
}
