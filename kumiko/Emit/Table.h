//===- Table.h - the artefact's constant tables -----------------------------===//
#pragma once
#include "kumiko/Plan/Program.h"
#include "llvm/IR/Module.h"
#include <memory>

namespace kumiko {

/// What the tables' module holds besides the tables.
struct TableOptions {
  /// `const kumiko_artefact *kumiko_artefact_table(void)`, exported: shared library and JIT.
  bool exportTable = false;
  /// `<name>_artefact()` and `<name>_run(...)`: object file.
  bool namedEntries = false;
  /// Base name of the weights' file beside the artefact; empty: the weights are the symbol `weightsSymbol(program)`.
  std::string weightsFile;
  /// ThreadSanitizer sees its functions, too.
  bool watched = false;
};

/// The structs of artefact.h, field by field.
struct TableTypes {
  llvm::StructType *step;
  llvm::StructType *buffer;
  llvm::StructType *call;
  llvm::StructType *value;
  llvm::StructType *extentStep;
  llvm::StructType *expression;
  llvm::StructType *planned;
  llvm::StructType *demand;
  llvm::StructType *symbol;
  llvm::StructType *level;
  llvm::StructType *dynamics;
  llvm::StructType *artefact;
  /// `int kernel(void *const *buffers, const int64_t *symbols, int64_t chunk, void *scratch)`
  llvm::FunctionType *kernel;

  explicit TableTypes(llvm::LLVMContext &context);
};

/// The symbol that holds the weights: defined by the weights' object, or by the JIT as an absolute address.
std::string weightsSymbol(const Program &program);

/// "kumiko 0.1.0"
llvm::StringRef producer();

/// The tables of artefact.h for `program`; kernels and weights are undefined symbols. Pointers have 64 bits.
std::unique_ptr<llvm::Module> buildTable(llvm::LLVMContext &context, const Program &program,
                                         const TableOptions &options);

/// What `<name>_run` answers when the arena is not aligned to 64 bytes: KUMIKO_E_ARGUMENT of kumiko.h.
inline constexpr int walkerArgumentError = 1;

/// Adds `int <name>_run(inputs..., outputs..., [const void *weights,] void *arena)`, which walks the table on the
/// calling thread and needs nothing but the kernels. Without `weights` the caller brings them.
void addWalker(llvm::Module &module, const Program &program, llvm::Constant *calls, llvm::Constant *weights);

/// Bytes of the arena that `<name>_run` wants: the arena itself and behind it the scratch of one chunk.
uint64_t walkerArenaBytes(const Program &program);

} // namespace kumiko
