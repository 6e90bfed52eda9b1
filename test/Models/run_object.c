/* Runs the model of an object file that is linked with this program: the way of an embedded user. Built without
 * MODEL_HEADER it loads a shared library instead, whose file comes before everything else.
 *
 *   run_object THREADS input NAME FILE ... output NAME FILE ...
 *   run_object THREADS input NAME FILE ... pace MILLISECONDS SECONDS
 *
 * Files hold bare elements in row-major order. An output whose size data decide also has its shape, as 64-bit numbers,
 * in FILE.shape. `pace` runs the model once every MILLISECONDS and prints the processor seconds that the program took.
 * Built with -DMODEL_HEADER='"MODEL.h"' and -DMODEL_ARTEFACT=<name>_artefact. */
#define _GNU_SOURCE
#include "kumiko/kumiko.h"
#ifdef MODEL_HEADER
#include MODEL_HEADER
#else
#include <dlfcn.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static const kumiko_api *api;

static void stop(const char *what, const char *why) {
  fprintf(stderr, "run_object: %s: %s\n", what, why);
  exit(1);
}

static void check(int status, const kumiko_context *context, const char *what) {
  if (status)
    stop(what, api->last_error(context));
}

static uint64_t bytes_in(uint32_t element_type, uint32_t rank, const int64_t *shape) {
  uint64_t bytes = api->type_bytes(element_type);
  for (uint32_t i = 0; i < rank; ++i)
    bytes *= (uint64_t)shape[i];
  return bytes;
}

static uint64_t bytes_of(const kumiko_value *value) { return bytes_in(value->element_type, value->rank, value->shape); }

static int is_open(const kumiko_value *value) {
  for (uint32_t i = 0; i < value->rank; ++i)
    if (value->shape[i] < 0)
      return 1;
  return 0;
}

static uint64_t number_of(const kumiko_value *values, uint64_t count, const char *name) {
  for (uint64_t i = 0; i < count; ++i)
    if (!strcmp(values[i].name, name))
      return i;
  stop(name, "the model has no such input or output");
  return 0;
}

static kumiko_tensor tensor_of(const kumiko_value *value, void *data) {
  return (kumiko_tensor){data, value->element_type, value->rank, value->shape, NULL};
}

/* All of a file, which must have exactly `bytes` bytes. */
static void read_file(const char *path, void *data, uint64_t bytes) {
  FILE *file = fopen(path, "rb");
  if (!file || fread(data, 1, bytes, file) != bytes || fgetc(file) != EOF)
    stop(path, "cannot be read or has the wrong size");
  fclose(file);
}

static void write_file(const char *path, const void *data, uint64_t bytes) {
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(data, 1, bytes, file) != bytes || fclose(file))
    stop(path, "cannot be written");
}

/* An output that lies in the context's memory, and its shape beside it. */
static void write_open(kumiko_context *context, uint64_t number, const char *path) {
  kumiko_tensor tensor;
  char beside[4096];
  check(api->output_tensor(context, number, &tensor), context, path);
  write_file(path, tensor.data, bytes_in(tensor.element_type, tensor.rank, tensor.shape));
  snprintf(beside, sizeof beside, "%s.shape", path);
  write_file(beside, tensor.shape, tensor.rank * sizeof(int64_t));
}

static void *memory(uint64_t bytes) {
  void *data = malloc(bytes ? bytes : 1);
  if (!data)
    stop("memory", "there is none");
  return data;
}

static void pace(kumiko_context *context, double milliseconds, double seconds) {
  long runs = (long)(seconds * 1000 / milliseconds);
  struct timespec next;
  clock_gettime(CLOCK_MONOTONIC, &next);
  for (long i = 0; i < runs; ++i) {
    check(api->run(context), context, "run");
    next.tv_nsec += (long)(milliseconds * 1e6);
    next.tv_sec += next.tv_nsec / 1000000000;
    next.tv_nsec %= 1000000000;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
  }
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  printf("%.3f\n", (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
                       1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec));
}

#ifdef MODEL_HEADER
static int find_model(int *argc, char ***argv, kumiko_model **model) {
  (void)argc, (void)argv;
  api = kumiko_get_api(KUMIKO_API_VERSION);
  return api->model_from_artefact(MODEL_ARTEFACT(), ".", model);
}
#else
/* The library brings the runtime along. */
static int find_model(int *argc, char ***argv, kumiko_model **model) {
  const char *path = (*argv)[1];
  void *library = dlopen(path, RTLD_NOW);
  const kumiko_api *(*get)(uint32_t) = NULL;
  if (library)
    *(void **)&get = dlsym(library, "kumiko_get_api");
  if (!get)
    stop(path, dlerror());
  api = get(KUMIKO_API_VERSION);
  ++*argv, --*argc;
  return api->model_load(path, model);
}
#endif

int main(int argc, char **argv) {
  if (argc < 2)
    stop("usage", "run_object THREADS input NAME FILE ... output NAME FILE ... | pace MILLISECONDS SECONDS");
  kumiko_model *model = NULL;
  kumiko_context *context;
  int status = find_model(&argc, &argv, &model);
  check(status, NULL, "model");
  kumiko_options options = {.struct_bytes = sizeof options, .threads = (uint32_t)atoi(argv[1])};
  kumiko_model_info info = {.struct_bytes = sizeof info};
  check(api->model_info(model, &info), NULL, "model");
  check(api->context_create(model, &options, &context), NULL, "context");

  void **outputs = memory(info.output_count * sizeof(void *));
  for (uint64_t i = 0; i < info.output_count; ++i) {
    if (is_open(&info.outputs[i]))
      continue;
    outputs[i] = memory(bytes_of(&info.outputs[i]));
    kumiko_tensor tensor = tensor_of(&info.outputs[i], outputs[i]);
    check(api->bind_output_number(context, i, &tensor), context, info.outputs[i].name);
  }
  for (int i = 2; i + 2 < argc; i += 3) {
    if (strcmp(argv[i], "input"))
      continue;
    const kumiko_value *value = &info.inputs[number_of(info.inputs, info.input_count, argv[i + 1])];
    void *data = memory(bytes_of(value));
    read_file(argv[i + 2], data, bytes_of(value));
    kumiko_tensor tensor = tensor_of(value, data);
    check(api->bind_input(context, argv[i + 1], &tensor), context, argv[i + 1]);
  }
  check(api->run(context), context, "run");
  for (int i = 2; i + 2 < argc; i += 3) {
    if (!strcmp(argv[i], "pace"))
      pace(context, atof(argv[i + 1]), atof(argv[i + 2]));
    if (strcmp(argv[i], "output"))
      continue;
    uint64_t number = number_of(info.outputs, info.output_count, argv[i + 1]);
    if (is_open(&info.outputs[number]))
      write_open(context, number, argv[i + 2]);
    else
      write_file(argv[i + 2], outputs[number], bytes_of(&info.outputs[number]));
  }
  api->context_destroy(context);
  api->model_release(model);
  return 0;
}
