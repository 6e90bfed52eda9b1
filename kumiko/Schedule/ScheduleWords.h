//===- ScheduleWords.h - the words of a kernel's schedule ------------------===//
//
// A table per template says which word stands for which number of the struct, and in which unit; it is read in both
// directions. What follows from other numbers, chunks and bytes of scratch, has no word.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Lower/Names.h"
#include "kumiko/Schedule/Schedule.h"
#include "kumiko/Schedule/ScheduleFile.h"

namespace kumiko {

/// What a word is about: one of the roles that loops of a product have, the operand whose columns are read, the
/// instruction that multiplies.
enum class Subject : uint8_t { Rows, Columns, Depth, Batch, Operand, Instruction, Nothing };

struct ScheduleWord {
  llvm::StringRef word;
  Subject subject = Subject::Nothing;
  int64_t Schedule::*number = nullptr;
  /// The number as it is written has this other one as a factor (`tile n 64`: two panels of 32), or is a factor of it
  /// (`chunk n 2`: two tiles).
  int64_t Schedule::*times = nullptr;
  int64_t Schedule::*over = nullptr;
  bool Schedule::*flag = nullptr;
};

/// A statement of a kernel that has words.
struct KernelStatement {
  StatementNames names;
  /// What any kernel of the template calls it: `product`; `scores`, `values`, `row`.
  llvm::StringRef role;
  const ContractionShape *shape = nullptr; ///< null for rows between products
  llvm::ArrayRef<ScheduleWord> words;
  int64_t op = 0; ///< its number in the body

  /// As a schedule calls it.
  std::string text() const;
  llvm::ArrayRef<unsigned> loopsOf(Subject subject) const;
  /// `o0*o1`; the role's name where the equation's indices are not known; empty where there is no such loop.
  std::string nameOf(Subject subject) const;
  static llvm::StringRef roleOf(Subject subject);
  /// How much there is of it.
  Extent extentOf(Subject subject) const;
  /// The role, or the loops of a role by the equation's indices.
  std::optional<Subject> find(llvm::StringRef text) const;
};

/// The statements of a kernel that a schedule may speak of; none for a template without words. `shape` must outlive
/// them.
std::vector<KernelStatement> statementsOf(const KernelShape &shape, mlir::Block &body);

/// The number as it is written.
int64_t writtenNumber(const ScheduleWord &word, const Schedule &schedule);

/// `tile m 6 n 64; unroll k 4; ...`. `packable`: the columns are a constant that may be stored in panels.
std::string wordsOf(const KernelStatement &statement, const Schedule &schedule, bool packable);

/// The word of a statement for a setting of this word and subject; null where it has none.
const ScheduleWord *wordFor(const KernelStatement &statement, llvm::StringRef word, std::optional<Subject> subject);

} // namespace kumiko
