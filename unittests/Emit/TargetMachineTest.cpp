#include "kumiko/Codegen/Common/TargetMachine.h"
#include "kumiko/Target/CpuFeatures.h"
#include "kumiko/Target/Host.h"
#include "kumiko/Target/Rows.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"
#include "gtest/gtest.h"

using namespace kumiko;

static std::unique_ptr<llvm::TargetMachine> machineOf(const Target &target) {
  return llvm::cantFail(createTargetMachine(target));
}

TEST(TargetMachine, EveryRowMakesOne) {
  std::vector<llvm::StringRef> names = targetNames();
  names.push_back("host");
  for (llvm::StringRef name : names)
    EXPECT_TRUE(machineOf(llvm::cantFail(targetNamed(name)))->isPositionIndependent()) << name.str();
}

static llvm::StringSet<> featuresOf(const llvm::TargetMachine &machine) {
  llvm::StringSet<> features;
  const llvm::MCSubtargetInfo &info = *machine.getMCSubtargetInfo();
  for (const llvm::SubtargetFeatureKV &feature : info.getAllProcessorFeatures())
    if (info.getFeatureBits().test(feature.Value) && changesCode(feature.Key))
      features.insert(feature.Key);
  return features;
}

// The table asks LLVM's lists of CPUs, the code generator has lists of its own.
TEST(TargetMachine, RowsAndTheCodeGeneratorMeanTheSameFeatures) {
  std::vector<std::string> asked;
  for (const Row &row : allRows())
    for (const VectorForm &form : row.vectors)
      llvm::append_range(asked, form.needs);
#define KUMIKO_FACT(identifier, name, features, meaning) asked.push_back(features);
#define KUMIKO_DOT(identifier, name, features, meaning) asked.push_back(features);
#include "kumiko/Target/Facts.def"
  for (llvm::StringRef name : targetNames()) {
    Target target = llvm::cantFail(targetNamed(name));
    llvm::StringSet<> here = featuresOf(target.triple, target.cpu), there = featuresOf(*machineOf(target));
    for (const std::string &text : asked)
      for (llvm::StringRef feature : llvm::split(text, '|')) {
        feature = feature.split('<').first.trim();
        for (llvm::StringRef one : llvm::split(feature, '+'))
          EXPECT_EQ(here.contains(one), there.contains(one)) << name.str() << " " << one.str();
      }
  }
}

// What the host's spelling leaves out the CPU's name brings.
TEST(TargetMachine, TheHostHasTheFeaturesOfThisMachine) {
  Target host = llvm::cantFail(targetNamed("host")), all = host;
  std::vector<std::string> features;
  for (const auto &feature : hostFacts().features)
    features.push_back((feature.getValue() ? "+" : "-") + feature.getKey().str());
  llvm::sort(features);
  all.features = llvm::join(features, ",");
  llvm::StringSet<> here = featuresOf(*machineOf(host)), there = featuresOf(*machineOf(all));
  for (const auto &feature : here)
    EXPECT_TRUE(there.contains(feature.getKey())) << host.spelled << ": +" << feature.getKey().str();
  for (const auto &feature : there)
    EXPECT_TRUE(here.contains(feature.getKey())) << host.spelled << ": -" << feature.getKey().str();
}
