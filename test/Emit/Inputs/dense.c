/* relu(0 @ w + b): the bias alone is left. */
#include "dense.h"
#include <stdio.h>

static _Alignas(64) unsigned char arena[DENSE_ARENA_BYTES];

int main(void) {
  float x[DENSE_X_ELEMENTS] = {0}, y[DENSE_Y_ELEMENTS];
  int code = dense_run(x, y, arena);
  for (int i = 0; i < DENSE_Y_ELEMENTS; ++i)
    printf("%g ", (double)y[i]);
  return code;
}
