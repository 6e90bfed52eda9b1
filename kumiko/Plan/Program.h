//===- Program.h - a planned network: calls of kernels over one arena -------===//
//
// What is left of a network when everything is decided: a flat list of calls, each naming a kernel, where its buffers
// lie and into how many chunks it splits; a loop or a choice stands before the calls inside of it. Plain data without
// IR, so that the artefact's tables, the header, the JIT and the reports are written from the same description.
// runtime/include/kumiko/artefact.h is its form on disk.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Extents/Extent.h"
#include "kumiko/Support/ElementType.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kumiko {

/// An input or output of the network, named as the model names it.
struct ProgramValue {
  std::string name;
  ElementType type = ElementType::Invalid;
  /// -1 where an extent is no number.
  llvm::SmallVector<int64_t, 6> shape;
  /// All extents, when one of them is no number; else empty.
  llvm::SmallVector<Extent, 6> extents = {};

  bool isStatic() const { return !llvm::is_contained(shape, -1); }
  /// Of a static value.
  int64_t elementCount() const;
  uint64_t byteCount() const { return uint64_t(elementCount()) * bytesOf(type); }
};

/// Where a buffer lives; the numbers are those of `kumiko_space`.
enum class Space : uint32_t { Input = 0, Output = 1, Weights = 2, Arena = 3, Planned = 4 };

/// What an address gains from the turns of loop number `loop` around a call (the outermost is 0; one behind the
/// innermost is the loop that was done last): `bytes`, which are never negative, for each turn before this one, less
/// that, in odd turns only, or in even ones. The numbers are those of `kumiko_step_kind`.
struct LoopStep {
  enum class Kind : uint32_t { Forward = 0, Backward = 1, Odd = 2, Even = 3 };
  uint32_t loop = 0;
  Kind kind = Kind::Forward;
  Extent bytes = 0;

  /// How often the bytes count in this turn.
  int64_t factor(int64_t turn) const {
    return kind == Kind::Forward ? turn : kind == Kind::Backward ? -turn : (turn & 1) == (kind == Kind::Odd);
  }
};

/// `offset` bytes into input, output or planned buffer number `number`, the weights or the arena.
struct BufferRef {
  Space space = Space::Arena;
  uint32_t number = 0;
  Extent offset = 0;
  /// What the kernel may touch. Not in the artefact: kernels know their sizes.
  Extent bytes = 0;
  llvm::SmallVector<LoopStep, 1> steps = {};
  /// Not in the artefact either. Of a tensor that lies in a larger one: its extents and its strides, in elements, and
  /// the bytes of an element; and of a result, that more lies between its first and its last byte than is written.
  llvm::SmallVector<Extent, 0> extents = {}, strides = {};
  uint32_t elementBytes = 1;
  bool isPartial = false;
};

/// The numbers are those of `kumiko_call_kind`.
enum class CallKind : uint32_t { Kernel = 0, Loop = 1, Choice = 2 };

/// Runs a kernel for every chunk 0 .. chunks-1, in any order; or the calls behind it, see `kumiko_call_kind`.
struct ProgramCall {
  std::string kernel;                      ///< symbol, `k_` and a hash; empty for loops and choices
  llvm::SmallVector<BufferRef, 6> buffers; ///< operands, then results
  Extent chunks = 1;
  Extent scratchBytes = 0;
  std::string nodes;  ///< source nodes, comma separated
  size_t results = 0; ///< of a kernel: how many of the buffers
  /// The kernel before the plan said where its buffers lie; not in the artefact.
  std::string origin = {};
  CallKind kind = CallKind::Kernel;
  uint32_t loops = 0; ///< how many are around the call
  uint64_t body = 0, otherwise = 0;
  /// The level that begins when a kernel is done, with each turn of a loop and behind it or only behind it, or when a
  /// choice has taken its first range; when it has taken the other one. 0: none.
  uint32_t level = 0, otherwiseLevel = 0;
  std::string turns =
      {}; ///< of a loop whose level begins with each turn and behind the last: the symbol that counts them
  /// That of the branch around the call: numbers that only the call needs are computed when it begins.
  uint32_t scope = 0;
  /// Where the results of a loop or a choice lie once it is done, for those who look at them; not in the artefact.
  llvm::SmallVector<BufferRef, 2> ends = {};

  bool isKernel() const { return kind == CallKind::Kernel; }
};

/// A call that is not made because its operands lie where its result has them.
struct OmittedCall {
  size_t before = 0;  ///< the number of the call that follows
  std::string kernel; ///< as `origin` of a call
  std::string nodes;
  bool isNested = false; ///< in a loop or a branch
};

/// A run of bytes of the weights. The bytes are a view (of the mapped model file, of a resource) or `owned`.
struct WeightSegment {
  uint64_t offset = 0;
  llvm::ArrayRef<char> view;
  std::vector<char> owned;

  llvm::ArrayRef<char> bytes() const { return owned.empty() ? view : llvm::ArrayRef<char>(owned); }
};

/// What has no value before shapes are bound, or, from level 1 on, before a call has found it in the data.
struct ProgramSymbol {
  std::string name;
  uint32_t level = 0;
};

/// What becomes known while the program runs: symbols that a call has found, or that a branch is taken. It holds for
/// the calls [first, last), the rest of the loop, branch or program in which it begins.
struct ProgramLevel {
  uint64_t first = 0, last = 0;
};

/// A buffer whose place is chosen when its size is known.
struct PlannedBuffer {
  Extent bytes;
  uint64_t first = 0, last = 0; ///< the steps between which it is needed, both included
  uint32_t level = 0;
};

/// What must hold between two extents; the numbers are those of `kumiko_demand_kind`.
struct ProgramDemand {
  enum class Kind : uint32_t { Equal = 0, Broadcast = 1, AtMost = 2 };
  Kind kind = Kind::Equal;
  Extent left, right;
  std::string message;
  uint32_t scope = 0; ///< the level of the branch that asks for it
};

struct Program {
  std::string name; ///< a C identifier
  std::vector<ProgramValue> inputs;
  std::vector<ProgramValue> outputs;
  std::vector<ProgramCall> calls;
  /// For those who compare the program with what it was made from; not in the artefact.
  std::vector<OmittedCall> omitted;
  /// In rising order of offset, without overlap; gaps are zero. The bytes that views point to outlive the program.
  std::vector<WeightSegment> weights;
  uint64_t weightsBytes = 0;
  uint64_t arenaBytes = 0;
  /// The largest sum of buffers that are live at once; 0 where sizes are not known.
  uint64_t arenaLowerBound = 0;
  /// The largest of the calls'.
  uint64_t scratchBytes = 0;
  /// In the order of the table that kernels get; empty for a static program, which has none of what follows.
  std::vector<ProgramSymbol> symbols;
  /// Of level n + 1, in the order in which they begin.
  std::vector<ProgramLevel> levels;
  /// Those of a level lie behind those of the level before. They take the place of the arena.
  std::vector<PlannedBuffer> planned;
  std::vector<ProgramDemand> demands;

  bool isStatic() const { return symbols.empty(); }
  /// Calls without loops and choices.
  size_t kernelCalls() const { return llvm::count_if(calls, std::mem_fn(&ProgramCall::isKernel)); }
  /// The level from which on an extent is known that is needed in a branch whose level is `scope`.
  uint32_t levelOf(const Extent &extent, uint32_t scope = 0) const;

  /// Digest of the model file and the flags that matter, one line; never a host path or a time.
  std::string provenance;
};

inline uint32_t Program::levelOf(const Extent &extent, uint32_t scope) const {
  uint32_t level = scope;
  llvm::SmallVector<llvm::StringRef> names;
  extent.symbols(names);
  for (llvm::StringRef name : names)
    for (const ProgramSymbol &symbol : symbols)
      if (symbol.name == name)
        level = std::max(level, symbol.level);
  return level;
}

inline int64_t ProgramValue::elementCount() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

} // namespace kumiko
