//===- Stage.h - the stages of the compiler, in order -----------------------===//
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace kumiko {

enum class Stage : uint8_t { Import, Optimize, Fuse, Lower, Schedule, Plan, Codegen, Emit };

llvm::ArrayRef<Stage> allStages();
/// `import`, `optimize`, ...
llvm::StringRef nameOf(Stage stage);
std::optional<Stage> stageNamed(llvm::StringRef name);
/// "import, optimize, ...", for messages.
std::string stageNames();

} // namespace kumiko
