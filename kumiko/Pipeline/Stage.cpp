#include "kumiko/Pipeline/Stage.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace kumiko;

static constexpr Stage stages[] = {Stage::Import,   Stage::Optimize, Stage::Fuse,    Stage::Lower,
                                   Stage::Schedule, Stage::Plan,     Stage::Codegen, Stage::Emit};
static constexpr llvm::StringLiteral names[] = {"import",   "optimize", "fuse",    "lower",
                                                "schedule", "plan",     "codegen", "emit"};

llvm::ArrayRef<Stage> kumiko::allStages() { return stages; }

llvm::StringRef kumiko::nameOf(Stage stage) { return names[unsigned(stage)]; }

std::optional<Stage> kumiko::stageNamed(llvm::StringRef name) {
  for (Stage stage : stages)
    if (nameOf(stage) == name)
      return stage;
  return std::nullopt;
}

std::string kumiko::stageNames() { return llvm::join(llvm::ArrayRef(names), ", "); }
