//===- ScheduleFile.h - schedules as people write them ---------------------===//
//
//   for op stage2/conv1                              # a node of the model
//     stage2/conv1/s: tile o0*o1 6 f 64; unroll k0*k1*c 4; pack w by 32; fetch ahead w; chunk o0*o1 9 f 2
//   for kind contraction on x86-64-v4 where rows >= 8
//     product: tile rows 6
//   for kernel k_38e1d43057bcbe4b
//     ...
//
// One statement per line, its words parted by semicolons. This file knows the grammar alone; which numbers a kernel can
// have is checked where it gets its schedule (ScheduleRules.h). docs/schedules.md is the user's view.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kumiko {

struct SchedulePlace {
  unsigned line = 0, column = 0;
};

struct ScheduleToken {
  std::string text;
  SchedulePlace place;
  bool quoted = false;
};

/// `m 6` of `tile m 6`; `by 32` of `pack b by 32`; `no fetch`.
struct ScheduleSetting {
  ScheduleToken word;
  ScheduleToken subject; ///< a loop, a tensor or an instruction; without text where there is none
  bool off = false;
  std::optional<int64_t> number;
  SchedulePlace numberPlace;
};

struct ScheduledStatement {
  ScheduleToken name;
  std::vector<ScheduleSetting> settings;
};

/// `where m >= 8`.
struct ScheduleCondition {
  ScheduleToken loop;
  std::string relation;
  int64_t number = 0;
};

struct ScheduleRule {
  enum class By : uint8_t { Op, Kind, Kernel };
  By by = By::Op;
  ScheduleToken name;
  std::optional<ScheduleToken> target;
  std::vector<ScheduleCondition> conditions;
  std::vector<ScheduledStatement> statements;
};

struct ScheduleMistake {
  SchedulePlace place;
  std::string message, help;
};

struct ScheduleFile {
  std::string name;
  std::vector<ScheduleRule> rules;
  std::vector<ScheduleMistake> mistakes;
};

ScheduleFile parseSchedules(llvm::StringRef name, llvm::StringRef text);

/// As it may stand in a file: in quotes where it is more than one bare word.
std::string scheduleName(llvm::StringRef name);

/// `did you mean 'x'?`, or `otherwise` where no word of `known` is near.
std::string meantOr(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> known, const llvm::Twine &otherwise);

} // namespace kumiko
