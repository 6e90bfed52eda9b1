/* The same object at two sizes, and back: shapes go in, sizes of outputs are asked for. */
#include "batched.h"
#include <stdio.h>
#include <stdlib.h>

static int run(batched_state *state, int64_t rows) {
  const int64_t x_shape[BATCHED_X_RANK] = {rows, 8};
  int64_t y_shape[BATCHED_Y_RANK], places_shape[BATCHED_PLACES_RANK];
  float *x = malloc((size_t)rows * 8 * sizeof *x);
  for (int64_t i = 0; x && i < rows * 8; ++i)
    x[i] = i % 8 == 0 ? (float)(i / 8) : 0; /* row r of the product is r times the weights' first row */
  int status = batched_bind(state, x, x_shape);
  if (!status)
    status = batched_shapes(state, y_shape, NULL);
  float *y = status ? NULL : malloc((size_t)(y_shape[0] * y_shape[1]) * sizeof *y);
  if (!status)
    status = batched_run(state, y);
  if (!status)
    status = batched_shapes(state, NULL, places_shape);
  if (status)
    printf("%s\n", batched_error(state));
  else {
    const int64_t *places = batched_places(state);
    printf("%d x %d:", (int)y_shape[0], (int)y_shape[1]);
    for (int64_t i = 0; i < y_shape[0] * y_shape[1]; ++i)
      printf(" %g", (double)y[i]);
    printf("; %d x %d:", (int)places_shape[0], (int)places_shape[1]);
    for (int64_t i = 0; i < places_shape[0] * places_shape[1]; ++i)
      printf(" %d", (int)places[i]);
    printf("\n");
  }
  free(x);
  free(y);
  return status;
}

int main(void) {
  batched_state state;
  int status = batched_open(&state, 1);
  for (int64_t rows = 2; !status && rows <= 3; ++rows)
    status = run(&state, rows);
  if (!status)
    status = run(&state, 2);
  batched_close(&state);
  return status;
}
