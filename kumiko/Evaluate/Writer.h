//===- Writer.h - the left side of a statement ----------------------------------------===//
#pragma once
#include "kumiko/Evaluate/StatementRun.h"

namespace kumiko::eval {

/// Writes blocks of values to where one target says.
class Writer {
public:
  Writer(const Setting &setting, const Nest &nest, const Destination &destination)
      : setting(setting), nest(nest), destination(destination) {}

  /// Values will come as the carrier of type `have`; `masked`: a mask will come with them.
  llvm::Error prepare(const eq::Target &target, ElementType have, bool masked);
  /// Lanes whose place is outside the target, or whose mask is 0, are left out.
  llvm::Error write(llvm::ArrayRef<int64_t> position, int64_t lanes, const void *from, const int64_t *mask);

private:
  void prepareConversion(ElementType have);

  const Setting &setting;
  const Nest &nest;
  Destination destination;
  size_t width = 0;
  /// Applied before storing; may be null.
  LaneKernel conversion = nullptr;
  Storer storer = {};
  Combiner combiner = {};
  /// Either an even place known to be inside, or a program that computes offsets.
  std::optional<Stream> stream;
  Program program;
  unsigned offsets = noRegister, valid = noRegister;
  Registers registers, scratch;
};

} // namespace kumiko::eval
