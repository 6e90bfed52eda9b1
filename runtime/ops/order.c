#include "element.h"

/** The bits of a float, read as a signed number, are in order but for three things: negative numbers run backwards,
 *  there are two zeros, and NaN lie at both ends. */
#define FLOAT_KEY(bits, width, infinity)                                                                               \
  (((bits) & ~SIGN(width)) > (infinity) ? MOST(width)                                                                  \
   : (bits) & SIGN(width)               ? (KEY(width))(SIGN(width) - (bits)) /* -0 becomes 0 */                        \
                                        : (KEY(width))(bits))
#define SIGN(width) ((uint##width##_t)1 << (width - 1))
#define MOST(width) INT##width##_MAX
#define KEY(width) int##width##_t

#define EACH(source, expression)                                                                                       \
  do {                                                                                                                 \
    const source *from = data;                                                                                         \
    for (int64_t i = 0; i < count; ++i) {                                                                              \
      source bits = from[i * stride];                                                                                  \
      keys[i] = (expression);                                                                                          \
    }                                                                                                                  \
  } while (0)

void kumiko_order_keys32(int64_t type, const void *data, int64_t stride, int64_t count, int32_t *keys) {
  switch (type) {
  case KUMIKO_I8:
    EACH(int8_t, bits);
    break;
  case KUMIKO_B1: /* any byte but 0 is set */
    EACH(uint8_t, bits != 0);
    break;
  case KUMIKO_I16:
    EACH(int16_t, bits);
    break;
  case KUMIKO_U16:
    EACH(uint16_t, bits);
    break;
  case KUMIKO_I32:
    EACH(int32_t, bits);
    break;
  case KUMIKO_U32:
    EACH(uint32_t, (int32_t)(bits ^ SIGN(32)));
    break;
  case KUMIKO_F16:
    EACH(uint16_t, FLOAT_KEY(bits, 16, 0x7c00));
    break;
  case KUMIKO_BF16:
    EACH(uint16_t, FLOAT_KEY(bits, 16, 0x7f80));
    break;
  case KUMIKO_F32:
    if (stride == 1) {
      const uint32_t *from = data;
      for (int64_t i = 0; i < count; ++i)
        keys[i] = FLOAT_KEY(from[i], 32, 0x7f800000u);
    } else
      EACH(uint32_t, FLOAT_KEY(bits, 32, 0x7f800000u));
    break;
  default:
    EACH(uint8_t, bits);
  }
}

void kumiko_order_keys64(int64_t type, const void *data, int64_t stride, int64_t count, int64_t *keys) {
  switch (type) {
  case KUMIKO_I64:
    EACH(int64_t, bits);
    break;
  case KUMIKO_U64:
    EACH(uint64_t, (int64_t)(bits ^ SIGN(64)));
    break;
  default:
    EACH(uint64_t, FLOAT_KEY(bits, 64, 0x7ff0000000000000u));
  }
}
