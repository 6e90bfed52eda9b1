//===- Program.h - an expression as a list of lane operations --------------------===//
//
// The expressions of a statement become a list of instructions over registers. Running the list once computes one block
// of lanes. Equal subexpressions are computed once; those that do not vary within a block are computed for one lane and
// spread when a varying instruction needs them.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Evaluate/Kernels.h"
#include "kumiko/Evaluate/Nest.h"

namespace kumiko::eval {

inline constexpr unsigned noRegister = ~0u;

/// Memory for one block of lanes per register.
class Registers {
public:
  void grow(unsigned count) {
    if (blocks.size() < count)
      blocks.resize(count);
  }
  void *operator[](unsigned number) { return blocks[number].bytes; }
  int64_t *integers(unsigned number) {
    return number == noRegister ? nullptr : static_cast<int64_t *>((*this)[number]);
  }

private:
  struct alignas(64) Block {
    uint8_t bytes[maxLanes * 8];
  };
  std::vector<Block> blocks;
};

struct Instruction {
  enum class Kind : uint8_t {
    Apply,  ///< to = kernel(a, b, c)
    Linear, ///< to = stream, as int64
    Splat,  ///< to = a[0] in every lane
    Load,   ///< to = memory[stream]
    Locate, ///< to = stream + sum of index * stride over `dimensions`; `valid` = whether all are inside
    LoadAt, ///< to = memory[a]; a lane whose offset is 0 because it is not valid reads element 0
  };
  /// An index that must be checked.
  struct Dimension {
    unsigned index; ///< register
    int64_t extent, stride;
    unsigned number; ///< of the tensor, for messages
  };

  Instruction(Kind kind) : kind(kind) {}

  Kind kind;
  /// Computed for lane 0 only.
  bool uniform = false;
  unsigned to = noRegister, a = noRegister, b = noRegister, c = noRegister;
  LaneKernel kernel = nullptr;
  Loader loader = {};
  /// Null for a tensor without elements.
  const uint8_t *memory = nullptr;
  /// Bytes of a value (Splat) or an element (Load, LoadAt).
  size_t size = 0;
  unsigned stream = 0;
  /// Locate only.
  unsigned valid = noRegister;
  unsigned active = noRegister; ///< lanes that take part; all when there is no register
  bool required = false;        ///< a lane that takes part and is not valid is an error
  unsigned tensor = 0;
  llvm::SmallVector<Dimension, 1> dimensions;
};

struct Program {
  std::vector<Instruction> instructions;
  std::vector<Stream> streams;
  /// Filled once, before the first run.
  struct Constant {
    unsigned to;
    Carrier carrier;
    double real;
    int64_t integer;
  };
  std::vector<Constant> constants;
  unsigned registers = 0;
  /// For messages.
  const eq::Instance *instance = nullptr;
  const eq::Statement *statement = nullptr;

  void prepare(Registers &registers) const;
  /// Computes the block that starts at `position`.
  llvm::Error run(llvm::ArrayRef<int64_t> position, int64_t lanes, Registers &registers) const;
};

} // namespace kumiko::eval
