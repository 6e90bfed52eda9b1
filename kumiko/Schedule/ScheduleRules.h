//===- ScheduleRules.h - written schedules onto kernels --------------------===//
#pragma once
#include "kumiko/Nn/Nn.h"
#include "kumiko/Schedule/ScheduleLimits.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace kumiko {

/// The rules of a file while the kernels of a module get their schedules. What somebody wrote changes the model's
/// numbers; what nobody wrote stays.
class ScheduleRules {
public:
  /// `targets` are the names of the machine: `cpu`, `x86-64-v4`.
  ScheduleRules(const ScheduleFile &file, mlir::ModuleOp module, llvm::ArrayRef<llvm::StringRef> targets);

  /// Takes the first rule that fits the kernel. Fails with a diagnostic where that says what cannot be.
  mlir::LogicalResult apply(nn::KernelOp kernel, const KernelShape &shape, bool packable, const Target &target,
                            Schedule &schedule);

  /// Fails with a diagnostic for each rule that names a node or a kernel and fits none.
  mlir::LogicalResult finish();

private:
  /// How near a rule came to a kernel, and what was in the way.
  struct Reached {
    unsigned steps = 0;
    SchedulePlace place;
    std::string message, help;
  };
  using Calls = std::vector<llvm::SmallVector<llvm::StringRef>>;
  struct Kernel;

  bool isFor(const ScheduleRule &rule, nn::KernelOp kernel) const;
  bool fits(const ScheduleRule &rule, Reached &reached, const Kernel &kernel) const;
  bool findStatements(const ScheduleRule &rule, Reached &reached, const Kernel &kernel) const;
  mlir::LogicalResult take(const ScheduleRule &rule, const Kernel &kernel, Schedule &schedule) const;
  mlir::LogicalResult refuse(SchedulePlace place, const llvm::Twine &message, const llvm::Twine &help) const;

  const ScheduleFile &file;
  mlir::ModuleOp module;
  llvm::StringSet<> targets;
  /// The nodes of each call of a kernel.
  llvm::StringMap<Calls> callsOf;
  llvm::StringSet<> nodes;
  std::vector<Reached> reached;
};

/// Where in a file of schedules a diagnostic belongs; nothing for any other location.
std::optional<mlir::FileLineColLoc> placeInSchedule(mlir::Location location);

/// `for kernel k_...` and its statements, as a file may have them; empty for a kernel whose template has no words.
std::string printSchedule(nn::KernelOp kernel);

} // namespace kumiko
