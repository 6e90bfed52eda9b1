/* Writes the bytes of all outputs, one after the other, for an input of 3 x 6 floats. */
#include "irregular.h"
#include <stdio.h>

int main(void) {
  const kumiko_api *api = kumiko_get_api(KUMIKO_API_VERSION);
  const int64_t shape[IRREGULAR_X_RANK] = {3, 6};
  float x[18];
  kumiko_model_info info = {.struct_bytes = sizeof info};
  irregular_state state;
  if (fread(x, sizeof *x, 18, stdin) != 18 || irregular_open(&state, 1) || irregular_bind(&state, x, shape) ||
      api->run(state.context) || api->model_info(state.model, &info))
    return 1;
  for (uint64_t output = 0; output < info.output_count; ++output) {
    kumiko_tensor tensor;
    if (api->output_tensor(state.context, output, &tensor))
      return 1;
    uint64_t bytes = api->type_bytes(tensor.element_type);
    for (uint32_t axis = 0; axis < tensor.rank; ++axis)
      bytes *= (uint64_t)tensor.shape[axis];
    fwrite(tensor.data, 1, bytes, stdout);
  }
  irregular_close(&state);
  return 0;
}
