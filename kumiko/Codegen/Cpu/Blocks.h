//===- Blocks.h - lanes across memory, a square of elements at a time -------===//
//
// Lanes along one loop may lie far apart in a buffer while another loop, the *line* loop, walks along memory: a
// transposition. Instead of one element per lane, a block is read as one vector per lane along the lines and turned in
// registers, by log2(lanes) rounds of shuffles:
//
//   for block of lanes:  for block of lines:
//     row[i]  = `lanes` elements along memory, from lane i          as many loads as lanes
//     line[j] = (row[0][j], row[1][j], ...)                        shuffles
//     for j:  the value at line j is demanded, and finds line[j] where it would have gathered
//
// Elements of which a vector takes two registers are turned as two squares of half as many lines: one of all lanes and
// as many lines would not fit into the registers there are.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Codegen/Common/Entry.h"
#include "kumiko/Codegen/Cpu/Form.h"

namespace kumiko::cpu {

/// Of a row that x86 weaves with another one by one instruction, which more than one port does.
constexpr unsigned bitsWoven = 128;

class Blocks {
public:
  Blocks(mlir::OpBuilder &builder, mlir::Location loc, Entry &entry, unsigned lanes)
      : b(builder), loc(loc), entry(entry), lanes(lanes) {}

  /// Squares of so many elements from now on.
  void setLanes(unsigned number) { lanes = number; }

  /// A new block: its lines start where slot `line` says, which stands for `perNumber` lines each; only the first
  /// `lineCount` of them and `laneCount` lanes are real. Everything that is asked for until the next one must be
  /// emitted where it dominates what follows. Squares have `side` lines, all or a half of the lanes.
  void begin(unsigned line, const Extent &laneCount, const Extent &lineCount, int64_t side, int64_t perNumber = 1);
  void begin(unsigned line, const Extent &laneCount, const Extent &lineCount) {
    begin(line, laneCount, lineCount, lanes);
  }
  void end() { active = false; }
  /// Further requests are for this line of the block.
  void setLine(int64_t number) { current = number; }

  /// What is stored at `offset`, which has lanes apart, `indexOf` gives the place of a lane; null where lines do not
  /// run along memory, or outside of a block.
  mlir::Value at(mlir::Value memref, const Form &offset, llvm::function_ref<mlir::Value(const Form &)> indexOf);

  /// A square the other way round.
  llvm::SmallVector<mlir::Value> turn(llvm::SmallVector<mlir::Value> rows);

private:
  llvm::SmallVector<mlir::Value> weave(llvm::SmallVector<mlir::Value> rows);
  /// Vectors that lie side by side as one, line by line.
  llvm::SmallVector<mlir::Value> join(llvm::ArrayRef<mlir::Value> left, llvm::ArrayRef<mlir::Value> right);

  struct Block {
    mlir::Value memref;
    Form offset; ///< of line 0
    llvm::SmallVector<mlir::Value> lines;
  };

  mlir::OpBuilder &b;
  mlir::Location loc;
  Entry &entry;
  int64_t lanes, side = 0, perNumber = 1;
  bool active = false;
  unsigned line = 0;
  int64_t current = 0;
  Extent laneCount, lineCount;
  std::vector<Block> blocks;
};

} // namespace kumiko::cpu
