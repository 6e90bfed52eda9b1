/* Reads x from standard input and writes y: the single-thread entry walks a program with a loop. */
#include "recurrent.h"
#include <stdio.h>

static _Alignas(64) unsigned char arena[RECURRENT_ARENA_BYTES];

int main(void) {
  float x[RECURRENT_X_ELEMENTS], y[RECURRENT_Y_ELEMENTS];
  if (fread(x, sizeof x, 1, stdin) != 1)
    return 100;
  int code = recurrent_run(x, y, arena);
  return fwrite(y, sizeof y, 1, stdout) != 1 ? 101 : code;
}
