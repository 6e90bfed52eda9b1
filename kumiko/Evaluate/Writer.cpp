//===- Writer.cpp ----------------------------------------------------------------------===//
#include "kumiko/Evaluate/Writer.h"
#include "kumiko/Equation/Access.h"
#include "kumiko/Support/Convert.h"

using namespace kumiko;
using namespace kumiko::eval;

void Writer::prepareConversion(ElementType have) {
  Carrier carrier = carrierOf(have, setting.precision);
  if (destination.combines) {
    combiner = combinerOf(setting.statement.combine, destination.type, setting.precision);
    if (carrier != combiner.accumulator)
      conversion = castKernel(have, elementOf(combiner.accumulator), setting.precision);
    return;
  }
  if (isFloat(have) != isFloat(destination.type)) {
    conversion = castKernel(have, destination.type, setting.precision);
    carrier = carrierOf(destination.type, setting.precision);
  }
  storer = storerOf(carrier, destination.stored);
}

llvm::Error Writer::prepare(const eq::Target &target, ElementType have, bool masked) {
  width = bytesOf(destination.stored);
  scratch.grow(2);
  prepareConversion(have);
  Address address = addressOf(target.indices, destination.shape, nest.extents);
  if (!destination.combines && !masked && address.unknown.empty()) {
    stream = makeStream(address.known, nest);
    return llvm::Error::success();
  }
  ProgramBuilder builder(setting, nest);
  // A place that comes from data must exist; one that is computed from loops, as in col2im, need not.
  bool fromData = llvm::any_of(target.indices, [](const eq::Expr *index) { return eq::readsTensor(*index); });
  if (fromData)
    for (const eq::Expr *condition : setting.statement.conditions)
      if (llvm::Error error = builder.require(*condition))
        return error;
  llvm::Expected<ProgramBuilder::Place> place = builder.locate(address, target.tensor, /*required=*/fromData);
  if (!place)
    return place.takeError();
  auto outputs = builder.finish({place->offsets, place->valid}, program);
  offsets = outputs[0];
  valid = outputs[1];
  program.prepare(registers);
  return llvm::Error::success();
}

llvm::Error Writer::write(llvm::ArrayRef<int64_t> position, int64_t lanes, const void *from, const int64_t *mask) {
  if (conversion) {
    conversion(scratch[0], from, nullptr, nullptr, lanes);
    from = scratch[0];
  }
  if (stream) {
    uint8_t *to = destination.memory + stream->start(position) * int64_t(width);
    if (stream->table.empty())
      storer.strided(to, stream->stride, from, lanes);
    else
      storer.indexed(to, stream->table.data(), from, nullptr, lanes);
    return llvm::Error::success();
  }
  if (llvm::Error error = program.run(position, lanes, registers))
    return error;
  const int64_t *takes = registers.integers(valid);
  if (mask) {
    int64_t *both = scratch.integers(1);
    for (int64_t i = 0; i < lanes; ++i)
      both[i] = takes[i] & mask[i];
    takes = both;
  }
  if (destination.combines)
    combiner.scatter(destination.memory, registers.integers(offsets), from, takes, lanes);
  else
    storer.indexed(destination.memory, registers.integers(offsets), from, takes, lanes);
  return llvm::Error::success();
}
