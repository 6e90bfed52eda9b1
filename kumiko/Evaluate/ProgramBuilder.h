//===- ProgramBuilder.h - from expressions to lane operations --------------------===//
#pragma once
#include "kumiko/Evaluate/Program.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

namespace kumiko::eval {

/// What a statement is prepared for.
struct Setting {
  const eq::Instance &instance;
  const eq::Statement &statement;
  /// By tensor number of the instance; null where nothing is computed yet or the operand is absent.
  llvm::ArrayRef<const Tensor *> bound;
  Precision precision;
};

/// The addresses of the statement's reads that are linear in the loops, for the choice of lanes.
llvm::SmallVector<Linear, 4> linearReads(const Setting &setting);

/// The position of an element in memory, split into what is known to be inside and what must be checked.
struct Address {
  Linear known;
  struct Unknown {
    const eq::Expr *index;
    int64_t extent, stride;
    unsigned number;
  };
  llvm::SmallVector<Unknown, 2> unknown;
};
/// Indices into a tensor of this shape. All extents of the loops are positive.
Address addressOf(llvm::ArrayRef<const eq::Expr *> indices, llvm::ArrayRef<int64_t> shape,
                  llvm::ArrayRef<int64_t> extents);

class ProgramBuilder {
public:
  using Value = unsigned;
  static constexpr Value none = ~0u;

  ProgramBuilder(const Setting &setting, const Nest &nest) : setting(setting), nest(nest) {}

  /// The expression as the carrier of its type. Reads are checked only where the conditions so far hold.
  llvm::Expected<Value> value(const eq::Expr &expr);
  /// From here on only points where this holds take part.
  llvm::Error require(const eq::Expr &condition);
  /// The conditions together; `none` when there are none.
  Value mask() const { return active; }
  /// Where a target lies: offsets and whether they are inside.
  struct Place {
    Value offsets, valid;
  };
  llvm::Expected<Place> locate(const Address &address, unsigned tensor, bool required);

  /// Ends the program; returns the registers of `outputs` (`none` stays noRegister), which hold one value per lane.
  llvm::SmallVector<unsigned, 4> finish(llvm::ArrayRef<Value> outputs, Program &program);

private:
  struct Info {
    Carrier carrier;
    bool varies;
    bool constant;
  };
  using Key = std::vector<int64_t>;

  llvm::Expected<Value> compute(const eq::Expr &expr);
  llvm::Expected<Value> read(const eq::Expr &expr);
  llvm::Expected<Value> apply(const eq::Expr &expr);
  llvm::Expected<Value> applyPower(const eq::Expr &expr);
  llvm::Expected<Value> applyAs(eq::Function function, ElementType type, llvm::ArrayRef<Value> operands);
  llvm::Expected<Value> constantOf(const eq::Expr &expr);
  Value linear(const Linear &form);
  Value cast(Value value, ElementType from, ElementType to);
  Value emit(LaneKernel kernel, Carrier carrier, llvm::ArrayRef<Value> operands);
  Value spread(Value value);
  Value add(Info info, Instruction instruction);
  unsigned stream(Linear form);
  llvm::Error fail(const llvm::Twine &what) const;
  void assignRegisters(llvm::ArrayRef<Value> outputs, Program &program, llvm::MutableArrayRef<unsigned> registers);

  const Setting &setting;
  const Nest &nest;
  std::vector<Info> infos;
  std::vector<Instruction> instructions;
  std::vector<Stream> streams;
  std::vector<Program::Constant> constants;
  std::map<Key, Value> known;
  /// Expressions share nodes; each is looked at once per set of active lanes.
  llvm::DenseMap<std::pair<const eq::Expr *, Value>, Value> seen;
  Value active = none;
  unsigned depth = 0;
};

} // namespace kumiko::eval
