/* The same model through kumiko.h: several threads, checked tensors, messages, a profile. The model comes from the
 * linked object, or from a shared library named on the command line.
 *
 *   kumiko compile sample.onnx -o sample.o
 *   cc threads.c sample.o -I runtime/include libkumiko_runtime.a -lm -o threads
 *   ./threads  or  ./threads sample.so
 */
#include "kumiko/kumiko.h"
#include "picture.h"
#include "sample.h"
#include <stdio.h>

static const kumiko_api *k;

static int complain(const char *what, const kumiko_context *context) {
  fprintf(stderr, "%s: %s\n", what, k->last_error(context));
  return 1;
}

static void add_time(void *total, const kumiko_profile_event *event) { *(uint64_t *)total += event->ns; }

static int use(kumiko_context *context) {
  static float picture[SAMPLE_PICTURE_ELEMENTS], probability[SAMPLE_PROBABILITY_ELEMENTS];
  static const int64_t picture_shape[] = SAMPLE_PICTURE_SHAPE, probability_shape[] = SAMPLE_PROBABILITY_SHAPE;
  const kumiko_tensor in = {picture, KUMIKO_F32, SAMPLE_PICTURE_RANK, picture_shape, NULL};
  const kumiko_tensor out = {probability, KUMIKO_F32, SAMPLE_PROBABILITY_RANK, probability_shape, NULL};
  if (k->bind_input(context, "picture", &in) || k->bind_output(context, "probability", &out))
    return complain("bind", context);
  uint64_t nanoseconds = 0;
  k->set_profile(context, add_time, &nanoseconds);
  int wrong = 0;
  for (int kind = 0; kind < 4; ++kind) {
    draw(kind, picture);
    if (k->run(context))
      return complain("run", context);
    int answer = likeliest(probability);
    printf("%-8s is a %s (%.4f)\n", labels[kind], labels[answer], (double)probability[answer]);
    wrong += answer != kind;
  }
  fprintf(stderr, "%.1f us a picture\n", (double)nanoseconds / 4e3);
  return wrong != 0;
}

int main(int count, char **arguments) {
  kumiko_model *model;
  kumiko_context *context;
  k = kumiko_get_api(KUMIKO_API_VERSION);
  if (!k)
    return 1;
  if (count > 1 ? k->model_load(arguments[1], &model) : k->model_from_artefact(sample_artefact(), NULL, &model))
    return complain("model", NULL);
  kumiko_options options = {.struct_bytes = sizeof options, .threads = 2};
  int failed = k->context_create(model, &options, &context);
  k->model_release(model); /* the context keeps it */
  if (failed)
    return complain("context", NULL);
  failed = use(context);
  k->context_destroy(context);
  return failed;
}
