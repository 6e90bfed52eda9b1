#include "context.h"
#include <string.h>

/** Calls for each innermost row: walks the outer axes like an odometer, with the strided address beside the dense one.
 */
typedef void (*copy_row)(char *dense, char *strided, int64_t count, int64_t step, size_t bytes);

static void gather_row(char *dense, char *strided, int64_t count, int64_t step, size_t bytes) {
  for (int64_t element = 0; element < count; ++element)
    memcpy(dense + element * (int64_t)bytes, strided + element * step, bytes);
}

static void scatter_row(char *dense, char *strided, int64_t count, int64_t step, size_t bytes) {
  for (int64_t element = 0; element < count; ++element)
    memcpy(strided + element * step, dense + element * (int64_t)bytes, bytes);
}

static void walk(const kumiko_value *value, const kumiko_binding *binding, copy_row row) {
  int64_t index[KUMIKO_MAX_RANK] = {0};
  int64_t bytes = (int64_t)kumiko_type_bytes(value->element_type);
  uint32_t outer = value->rank ? value->rank - 1 : 0;
  int64_t count = value->rank ? binding->shape[outer] : 1;
  int64_t step = value->rank ? binding->strides[outer] * bytes : bytes;
  char *dense = binding->copy, *strided = binding->data;
  for (;;) {
    row(dense, strided, count, step, (size_t)bytes);
    dense += count * bytes;
    uint32_t axis = outer;
    for (; axis > 0; --axis) {
      strided += binding->strides[axis - 1] * bytes;
      if (++index[axis - 1] < binding->shape[axis - 1])
        break;
      strided -= binding->strides[axis - 1] * bytes * binding->shape[axis - 1];
      index[axis - 1] = 0;
    }
    if (axis == 0)
      return;
  }
}

void kumiko_gather(const kumiko_value *value, const kumiko_binding *binding) { walk(value, binding, gather_row); }

void kumiko_scatter(const kumiko_value *value, const kumiko_binding *binding) { walk(value, binding, scatter_row); }
