#include "ops.h"

/** Philox 4x32-10: ten rounds of two products. */
static void philox(uint64_t counter, uint64_t key, uint32_t words[4]) {
  uint32_t a = (uint32_t)counter, b = (uint32_t)(counter >> 32), c = 0, d = 0;
  uint32_t low = (uint32_t)key, high = (uint32_t)(key >> 32);
  for (int round = 0; round < 10; ++round) {
    uint64_t left = 0xD2511F53ull * a, right = 0xCD9E8D57ull * c;
    a = (uint32_t)(right >> 32) ^ b ^ low;
    b = (uint32_t)right;
    c = (uint32_t)(left >> 32) ^ d ^ high;
    d = (uint32_t)left;
    low += 0x9E3779B9u;
    high += 0xBB67AE85u;
  }
  words[0] = a;
  words[1] = b;
  words[2] = c;
  words[3] = d;
}

int kumiko_op_random_bits(const kumiko_random_bits *p, void *const *buffers, int64_t first, int64_t last,
                          void *scratch) {
  (void)scratch;
  uint32_t *y = buffers[0];
  for (int64_t item = first; item < last; ++item) {
    uint32_t words[4];
    philox((uint64_t)item, (uint64_t)p->key, words);
    for (int64_t i = 0; i < 4 && 4 * item + i < p->count; ++i)
      y[4 * item + i] = words[i];
  }
  return KUMIKO_OK;
}
