//===- WrittenNumbers.h - from settings of a file to numbers ---------------===//
#pragma once
#include "kumiko/Schedule/ScheduleLimits.h"

namespace kumiko {

/// `its loops are o0*o1 (rows), f (columns), ...`.
std::string loopsText(const KernelStatement &statement);

/// What a file says about the statements of one kernel.
class WrittenNumbers {
public:
  WrittenNumbers(llvm::ArrayRef<KernelStatement> statements, const Schedule &analytic)
      : statements(statements), analytic(analytic) {}

  /// Of statement `number`; a mistake where the statement does not have the word, the loop or the tensor.
  std::optional<ScheduleMistake> add(unsigned number, const ScheduleSetting &setting);

  /// Puts the numbers into `schedule`, which is the analytic one until then.
  std::optional<ScheduleMistake> set(Schedule &schedule, const KernelShape &shape) const;

  /// Where the number stands that a limit is about; `otherwise` where nobody wrote it.
  SchedulePlace placeOf(const ScheduleLimit &limit, SchedulePlace otherwise) const;

private:
  struct Entry {
    unsigned statement;
    const ScheduleWord *word;
    ScheduleSetting setting;
  };

  std::optional<ScheduleMistake> findWord(const KernelStatement &statement, const ScheduleSetting &setting,
                                          const ScheduleWord *&word) const;
  std::optional<ScheduleMistake> setNumber(Schedule &schedule, unsigned statement, const ScheduleWord &word) const;
  const Entry *entryOf(unsigned statement, const ScheduleWord &word) const;
  bool isWritten(llvm::StringRef word, Subject subject) const;

  llvm::ArrayRef<KernelStatement> statements;
  const Schedule &analytic;
  std::vector<Entry> entries;
};

} // namespace kumiko
