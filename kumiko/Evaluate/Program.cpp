//===- Program.cpp - running a list of lane operations -----------------------------===//
#include "kumiko/Evaluate/Program.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace kumiko;
using namespace kumiko::eval;

void Program::prepare(Registers &file) const {
  file.grow(registers);
  for (const Constant &constant : constants) {
    void *to = file[constant.to];
    if (constant.carrier == Carrier::F32)
      std::fill_n(static_cast<float *>(to), maxLanes, float(constant.real));
    else if (constant.carrier == Carrier::F64)
      std::fill_n(static_cast<double *>(to), maxLanes, constant.real);
    else
      std::fill_n(static_cast<int64_t *>(to), maxLanes, constant.integer);
  }
}

static void writeStream(const Stream &stream, int64_t start, int64_t *to, int64_t lanes) {
  if (!stream.table.empty())
    for (int64_t i = 0; i < lanes; ++i)
      to[i] = start + stream.table[i];
  else
    for (int64_t i = 0; i < lanes; ++i)
      to[i] = int64_t(uint64_t(start) + uint64_t(i) * uint64_t(stream.stride));
}

static void splat(void *to, const void *from, size_t size, int64_t lanes) {
  if (size == 4)
    std::fill_n(static_cast<uint32_t *>(to), lanes, *static_cast<const uint32_t *>(from));
  else
    std::fill_n(static_cast<uint64_t *>(to), lanes, *static_cast<const uint64_t *>(from));
}

static void load(const Instruction &step, const Stream &stream, int64_t start, void *to, int64_t lanes) {
  const uint8_t *from = step.memory + start * int64_t(step.size);
  if (stream.table.empty())
    step.loader.strided(to, from, stream.stride, lanes);
  else
    step.loader.indexed(to, from, stream.table.data(), lanes);
}

static llvm::Error outside(const Program &program, const Instruction &step, Registers &file, int64_t lane) {
  for (const Instruction::Dimension &dimension : step.dimensions) {
    int64_t index = file.integers(dimension.index)[lane];
    if (uint64_t(index) < uint64_t(dimension.extent))
      continue;
    llvm::StringRef name = program.instance->tensors[step.tensor].name;
    return llvm::createStringError(llvm::formatv("`{0}`: index {1} of dimension {2} of '{3}' is outside its {4} "
                                                 "elements; write `else`, or check the values the index is taken from",
                                                 program.statement->text, index, dimension.number, name,
                                                 dimension.extent)
                                       .str());
  }
  llvm_unreachable("a lane is invalid and all its indices are inside");
}

/// Offsets of elements; where an index is outside, offset 0 and valid 0.
static llvm::Error locate(const Program &program, const Instruction &step, int64_t start, int64_t lanes,
                          Registers &file) {
  int64_t *offsets = file.integers(step.to), *valid = file.integers(step.valid);
  writeStream(program.streams[step.stream], start, offsets, lanes);
  std::fill_n(valid, lanes, 1);
  for (const Instruction::Dimension &dimension : step.dimensions) {
    const int64_t *index = file.integers(dimension.index);
    for (int64_t i = 0; i < lanes; ++i) {
      valid[i] &= uint64_t(index[i]) < uint64_t(dimension.extent);
      offsets[i] = int64_t(uint64_t(offsets[i]) + uint64_t(index[i]) * uint64_t(dimension.stride));
    }
  }
  for (int64_t i = 0; i < lanes; ++i)
    offsets[i] = valid[i] ? offsets[i] : 0;
  if (!step.required)
    return llvm::Error::success();
  const int64_t *active = file.integers(step.active);
  for (int64_t i = 0; i < lanes; ++i)
    if (!valid[i] && (!active || active[i]))
      return outside(program, step, file, i);
  return llvm::Error::success();
}

llvm::Error Program::run(llvm::ArrayRef<int64_t> position, int64_t lanes, Registers &file) const {
  auto source = [&](unsigned number) -> const void * { return number == noRegister ? nullptr : file[number]; };
  for (const Instruction &step : instructions) {
    int64_t n = step.uniform ? 1 : lanes;
    void *to = file[step.to];
    const Stream *stream = step.stream < streams.size() ? &streams[step.stream] : nullptr;
    switch (step.kind) {
    case Instruction::Kind::Apply:
      step.kernel(to, source(step.a), source(step.b), source(step.c), n);
      break;
    case Instruction::Kind::Linear:
      writeStream(*stream, stream->start(position), static_cast<int64_t *>(to), n);
      break;
    case Instruction::Kind::Splat:
      splat(to, source(step.a), step.size, lanes);
      break;
    case Instruction::Kind::Load:
      load(step, *stream, stream->start(position), to, n);
      break;
    case Instruction::Kind::Locate:
      if (llvm::Error error = locate(*this, step, stream->start(position), n, file))
        return error;
      break;
    case Instruction::Kind::LoadAt:
      if (step.memory)
        step.loader.indexed(to, step.memory, file.integers(step.a), n);
      else
        std::memset(to, 0, n * 8);
      break;
    }
  }
  return llvm::Error::success();
}
