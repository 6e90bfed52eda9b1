//===- WriteBlocks.cpp - if, scan and loop as text -----------------------------------------===//
#include "kumiko/Import/Text/Source.h"
#include "kumiko/Import/Text/Writer.h"
#include "kumiko/Nn/Turns.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::text {

SmallVector<std::string> Writer::argumentNames(Block &block) {
  StringMap<unsigned> own;
  SmallVector<std::string> result;
  for (BlockArgument argument : block.getArguments()) {
    std::string base = baseOf(argument.getLoc());
    unsigned number = own[base]++;
    result.push_back(asName(base) + (number ? "." + std::to_string(number) : ""));
  }
  return result;
}

void Writer::writeShared(StringRef word, ValueRange values, ArrayRef<std::string> arguments, TypeRange types) {
  ListSeparator comma;
  os << " " << word << "(";
  for (auto [i, value] : enumerate(values)) {
    os << comma << arguments[i] << " = " << nameOfValue(value);
    if (!types.empty() && types[i] != value.getType())
      os << ": " << typeText(types[i]);
  }
  os << ")";
}

void Writer::writeBody(Region &region, ArrayRef<std::string> arguments) {
  Block &block = region.front();
  StringMap<unsigned> outside = std::exchange(taken, {});
  for (auto [argument, name] : zip_equal(block.getArguments(), arguments)) {
    names[argument] = name;
    ++taken[baseOf(block.getArgument(argument.getArgNumber()).getLoc())];
  }
  os << " {\n";
  ++indent;
  writeBlock(block);
  line() << "yield " << list(block.getTerminator()->getOperands()) << ";\n";
  --indent;
  line() << "}";
  taken = std::move(outside);
}

void Writer::writeIf(nn::IfOp choice) {
  SmallVector<std::string> arguments = argumentNames(choice.getYes().front());
  // Both bodies call what they are given the same.
  for (auto [yes, no] : zip_equal(choice.getYes().getArguments(), choice.getNo().getArguments()))
    no.setLoc(yes.getLoc());
  os << "if(" << nameOfValue(choice.getCondition()) << ")";
  if (!arguments.empty())
    writeShared("shared", choice.getShared(), arguments);
  writeBody(choice.getYes(), arguments);
  os << " else";
  writeBody(choice.getNo(), arguments);
}

void Writer::writeScan(nn::ScanOp scan) {
  SmallVector<std::string> all = argumentNames(scan.getBody().front());
  ArrayRef<std::string> arguments = all;
  os << "scan";
  writeShared("states", scan.getStates(), arguments);
  arguments = arguments.drop_front(scan.getStates().size());
  writeShared("over", scan.getSequences(), arguments);
  arguments = arguments.drop_front(scan.getSequences().size());
  if (!arguments.empty())
    writeShared("shared", scan.getShared(), arguments);
  os << (scan.getReverse() ? " reverse" : "");
  writeBody(scan.getBody(), all);
}

void Writer::writeLoop(nn::LoopOp loop) {
  SmallVector<std::string> all = argumentNames(loop.getBody().front());
  os << "loop while(" << nameOfValue(loop.getCondition()) << ") most(" << extentText(*nn::extentOf(loop.getMostAttr()))
     << ") turn(" << all.front() << ")";
  if (StringAttr turns = nn::turnsOf(loop))
    os << " turns(" << asString(turns) << ")";
  ArrayRef<std::string> arguments = ArrayRef(all).drop_front();
  SmallVector<mlir::Type> types(loop.getBody().getArgumentTypes());
  writeShared("states", loop.getStates(), arguments, TypeRange(types).slice(1, loop.getStates().size()));
  arguments = arguments.drop_front(loop.getStates().size());
  if (!arguments.empty())
    writeShared("shared", loop.getShared(), arguments);
  writeBody(loop.getBody(), all);
}

} // namespace kumiko::text
