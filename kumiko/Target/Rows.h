//===- Rows.h - the table of targets, as read -------------------------------===//
#pragma once
#include "kumiko/Target/Target.h"

namespace kumiko {

/// A way to use vectors, and the features that it needs.
struct VectorForm {
  unsigned bits, registers;
  std::vector<std::string> needs;
};

/// A row before its features are known: `target` lacks what follows from these.
struct Row {
  Target target;
  bool isBase = false;
  /// By falling width; the first whose features are there is used.
  std::vector<VectorForm> vectors;
  /// Further CPUs of LLVM's that this row stands for on the host; `any` for those that have no row.
  std::vector<std::string> also;
};

/// Reads a table like Rows.txt; the answer is empty, or says what is wrong in which line.
std::string parseRows(llvm::StringRef text, std::vector<Row> &rows);

/// Sets a column from its words, as in Rows.txt: empty, or what is wrong.
std::string setColumn(Row &row, llvm::StringRef column, llvm::StringRef words);

/// Rows.txt.
const std::vector<Row> &allRows();

/// `48K`, `32M`, `64`.
std::optional<int64_t> parseBytes(llvm::StringRef text);
std::string printBytes(int64_t bytes);

/// What to change in a row: `+name`, `-name` and `key=value`, in this order.
llvm::Expected<Target> adjust(const Row &row, llvm::ArrayRef<std::string> changes);

llvm::StringRef nameOf(Fact fact);
llvm::StringRef nameOf(DotForm form);
/// For people.
llvm::StringRef meaningOf(Fact fact);
constexpr unsigned factCount = 0
#define KUMIKO_FACT(...) +1
#include "kumiko/Target/Facts.def"
    ;
constexpr unsigned dotFormCount = 0
#define KUMIKO_DOT(...) +1
#include "kumiko/Target/Facts.def"
    ;

} // namespace kumiko
