/* The smallest use of a compiled model: one function with typed pointers, on the calling thread, without heap.
 *
 *   kumiko compile sample.onnx -o sample.o
 *   cc typed.c sample.o -lm -o typed
 */
#include "picture.h"
#include "sample.h"
#include <stdio.h>

static _Alignas(64) unsigned char arena[SAMPLE_ARENA_BYTES];
static float picture[SAMPLE_PICTURE_ELEMENTS], probability[SAMPLE_PROBABILITY_ELEMENTS];

int main(void) {
  int wrong = 0;
  for (int kind = 0; kind < 4; ++kind) {
    draw(kind, picture);
    int status = sample_run(picture, probability, arena);
    if (status) {
      fprintf(stderr, "sample_run: status %d\n", status);
      return 1;
    }
    int answer = likeliest(probability);
    printf("%-8s is a %s (%.4f)\n", labels[kind], labels[answer], (double)probability[answer]);
    wrong += answer != kind;
  }
  return wrong != 0;
}
