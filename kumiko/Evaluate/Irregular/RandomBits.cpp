#include "kumiko/Evaluate/Irregular/Irregular.h"
#include "kumiko/Evaluate/Irregular/Philox.h"

using namespace kumiko;

std::array<uint32_t, 4> kumiko::philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  for (unsigned round = 0; round < 10; ++round) {
    uint64_t a = uint64_t(0xD2511F53) * counter[0], b = uint64_t(0xCD9E8D57) * counter[2];
    counter = {uint32_t(b >> 32) ^ counter[1] ^ key[0], uint32_t(b), uint32_t(a >> 32) ^ counter[3] ^ key[1],
               uint32_t(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

llvm::Expected<Tensors> kumiko::evaluate(nn::RandomBitsOp op, const IrregularRun &run) {
  auto y = run.result(op.getY().getType(), op.getShape());
  if (!y)
    return y.takeError();
  uint64_t key = op.getKey();
  for (int64_t i = 0; i < y->count(); ++i) {
    uint64_t block = i / 4;
    uint32_t word = philox({uint32_t(block), uint32_t(block >> 32), 0, 0}, {uint32_t(key), uint32_t(key >> 32)})[i % 4];
    std::memcpy(y->mutableData() + i * sizeof(word), &word, sizeof(word));
  }
  return only(std::move(y));
}
