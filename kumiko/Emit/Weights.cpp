#include "kumiko/Emit/Weights.h"
#include "kumiko/Support/EmitError.h"
#include <cstdlib>
#include <cstring>

using namespace kumiko;

void WeightImage::Free::operator()(void *memory) const { std::free(memory); }

llvm::Expected<WeightImage> WeightImage::create(const Program &program) {
  WeightImage image;
  if (!program.weightsBytes)
    return image;
  if (program.weights.size() == 1) {
    llvm::ArrayRef<char> whole = program.weights.front().bytes();
    if (whole.size() == program.weightsBytes && uintptr_t(whole.data()) % 64 == 0) {
      image.bytes = whole.data();
      return image;
    }
  }
  image.memory.reset(std::aligned_alloc(64, llvm::alignTo(program.weightsBytes, 64)));
  if (!image.memory)
    return emitError(Code::TooLarge, "no memory for " + llvm::Twine(program.weightsBytes) + " bytes of weights",
                     "compile to a shared library with --weights=file, which maps them");
  char *target = static_cast<char *>(image.memory.get());
  uint64_t done = 0;
  for (const WeightSegment &segment : program.weights) {
    std::memset(target + done, 0, segment.offset - done);
    std::memcpy(target + segment.offset, segment.bytes().data(), segment.bytes().size());
    done = segment.offset + segment.bytes().size();
  }
  std::memset(target + done, 0, program.weightsBytes - done);
  image.bytes = target;
  return image;
}

/// raw_ostream::write_zeros takes 32 bits.
static void writeZeros(uint64_t count, llvm::raw_ostream &os) {
  for (; count; count -= std::min<uint64_t>(count, 1u << 20))
    os.write_zeros(std::min<uint64_t>(count, 1u << 20));
}

void kumiko::writeWeights(const Program &program, llvm::raw_ostream &os) {
  uint64_t done = 0;
  for (const WeightSegment &segment : program.weights) {
    writeZeros(segment.offset - done, os);
    os.write(segment.bytes().data(), segment.bytes().size());
    done = segment.offset + segment.bytes().size();
  }
  writeZeros(program.weightsBytes - done, os);
}
