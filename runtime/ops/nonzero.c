#include "element.h"
#include "ops.h"

/* Elements are counted piece by piece; `total` finds the symbol; then there is memory for the pieces, which are written
 * in any order, each behind the ones before it. */

static int is_zero(int64_t type, int64_t bytes, const char *x, int64_t i) {
  uint64_t bits = 0;
  memcpy(&bits, x + i * bytes, (size_t)bytes); /* little-endian: the low bytes */
  /* -0 is 0 as well */
  switch (type) {
  case KUMIKO_F16:
  case KUMIKO_BF16:
    return !(bits & 0x7fff);
  case KUMIKO_F32:
    return !(bits & 0x7fffffff);
  case KUMIKO_F64:
    return !(bits << 1);
  default:
    return !bits;
  }
}

#define COUNT(source, mask)                                                                                            \
  for (int64_t i = first; i < last; ++i)                                                                               \
  found += (((const source *)x)[i] & (mask)) != 0

/** How many of the elements `first` to `last` - 1 are not 0. */
static int64_t count(int64_t type, const void *x, int64_t first, int64_t last) {
  int64_t found = 0;
  switch (type) {
  case KUMIKO_F16:
  case KUMIKO_BF16:
    COUNT(uint16_t, 0x7fff);
    break;
  case KUMIKO_F32:
    COUNT(uint32_t, 0x7fffffff);
    break;
  case KUMIKO_F64:
    COUNT(uint64_t, INT64_MAX);
    break;
  default:
    switch (kumiko_element_bytes(type)) {
    case 1:
      COUNT(uint8_t, UINT8_MAX);
      break;
    case 2:
      COUNT(uint16_t, UINT16_MAX);
      break;
    case 4:
      COUNT(uint32_t, UINT32_MAX);
      break;
    default:
      COUNT(uint64_t, UINT64_MAX);
    }
  }
  return found;
}

static int64_t end_of(const kumiko_nonzero *p, int64_t piece) {
  return piece + 1 < p->pieces ? (piece + 1) * p->piece : p->count;
}

int kumiko_op_nonzero_count(const kumiko_nonzero *p, void *const *buffers, int64_t first, int64_t last, void *scratch) {
  (void)scratch;
  for (int64_t piece = first; piece < last; ++piece)
    ((int64_t *)buffers[1])[piece] = count(p->type, buffers[0], piece * p->piece, end_of(p, piece));
  return KUMIKO_OK;
}

int kumiko_op_nonzero(const kumiko_nonzero *p, void *const *buffers, int64_t first, int64_t last, void *scratch) {
  (void)scratch;
  const int64_t *shape = (const int64_t *)(p + 1), *before = buffers[1];
  const char *x = buffers[0];
  int64_t bytes = kumiko_element_bytes(p->type), total = before[p->pieces];
  for (int64_t piece = first; piece < last; ++piece) {
    int64_t *to = (int64_t *)buffers[2] + before[piece];
    for (int64_t i = piece * p->piece; i < end_of(p, piece); ++i) {
      if (is_zero(p->type, bytes, x, i))
        continue;
      int64_t rest = i;
      for (int64_t axis = p->rank; axis-- > 0; rest /= shape[axis])
        to[axis * total] = rest % shape[axis];
      ++to;
    }
  }
  return KUMIKO_OK;
}
