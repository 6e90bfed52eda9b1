#include "element.h"
#include "ops.h"

int kumiko_op_symbol(const kumiko_symbol_read *p, void *const *buffers, int64_t first, int64_t last, void *scratch) {
  (void)first, (void)last, (void)scratch;
  int64_t value = kumiko_element_integer(p->type, buffers[0], p->at);
  if (p->type == KUMIKO_U64 && value < 0) /* above what an extent can be */
    value = INT64_MAX;
  if (value < 0 && __builtin_add_overflow(value, p->wrap, &value))
    return KUMIKO_E_INDEX;
  if (p->clamp)
    value = value < p->lower ? p->lower : value > p->upper ? p->upper : value;
  if (value < p->lower || value > p->upper)
    return KUMIKO_E_VALUE;
  *(int64_t *)buffers[1] = value;
  return KUMIKO_OK;
}
