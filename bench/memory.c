/* What a shared library made by `kumiko compile` costs besides time: memory, heap, planning.
 *
 *   memory MODEL.so THREADS SIZE...
 *   memory MODEL.so THREADS INPUTS
 *
 * Runs the model with all symbols of its inputs at each SIZE in turn, then at all of them again; or on the inputs of a
 * file, which has the extents of each, as numbers of 64 bits, and its bytes. Prints one JSON
 * object: resident bytes that loading and running added, those of weights and context, calls of the allocator in the
 * second round, and the microseconds that the plan of each new size took (the best of several contexts). The runtime is
 * compiled into this program, so that planning can be called alone. */
#include "runtime/src/context.h"
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_SIZES = 16, MOST_VALUES = 64, PLANS = 5 };

static _Atomic uint64_t heap_calls;
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *memory, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);
void *malloc(size_t bytes) { return atomic_fetch_add(&heap_calls, 1), __libc_malloc(bytes); }
void *calloc(size_t count, size_t bytes) { return atomic_fetch_add(&heap_calls, 1), __libc_calloc(count, bytes); }
void *realloc(void *memory, size_t bytes) { return atomic_fetch_add(&heap_calls, 1), __libc_realloc(memory, bytes); }
void *aligned_alloc(size_t alignment, size_t bytes) {
  return atomic_fetch_add(&heap_calls, 1), __libc_memalign(alignment, bytes);
}
int posix_memalign(void **memory, size_t alignment, size_t bytes) {
  *memory = aligned_alloc(alignment, bytes);
  return *memory ? 0 : 12;
}

static const kumiko_api *api;
static kumiko_model *model;
static kumiko_model_info info = {.struct_bytes = sizeof info};
static void *inputs[MOST_VALUES], *outputs[MOST_VALUES];
static int64_t given[MOST_VALUES][KUMIKO_MAX_RANK]; /* extents of the inputs of a file */
static bool is_given;

static void check(int status, const kumiko_context *context, const char *what) {
  if (!status)
    return;
  fprintf(stderr, "memory: %s: %s\n", what, api->last_error(context));
  exit(1);
}

static int64_t resident(void) {
  FILE *file = fopen("/proc/self/smaps_rollup", "r");
  char line[256];
  long long kilobytes = 0;
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "Rss: %lld kB", &kilobytes) == 1)
      break;
  if (file)
    fclose(file);
  return kilobytes * 1024;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t bytes_at(const kumiko_value *value, int64_t size, int64_t *shape) {
  uint64_t bytes = api->type_bytes(value->element_type);
  for (uint32_t axis = 0; axis < value->rank; ++axis) {
    shape[axis] = value->shape[axis] < 0 ? size : value->shape[axis];
    bytes *= (uint64_t)shape[axis];
  }
  return bytes;
}

static uint64_t input_bytes_at(uint64_t input, int64_t size, int64_t *shape) {
  const kumiko_value *value = &info.inputs[input];
  if (!is_given)
    return bytes_at(value, size, shape);
  uint64_t bytes = api->type_bytes(value->element_type);
  for (uint32_t axis = 0; axis < value->rank; ++axis)
    bytes *= (uint64_t)(shape[axis] = given[input][axis]);
  return bytes;
}

static void make_inputs(FILE *file, int64_t largest) {
  int64_t shape[KUMIKO_MAX_RANK];
  for (uint64_t i = 0; i < info.input_count && i < MOST_VALUES; ++i) {
    bool complete = !file || fread(given[i], sizeof(int64_t), info.inputs[i].rank, file) == info.inputs[i].rank;
    uint64_t bytes = complete ? input_bytes_at(i, largest, shape) : 0;
    inputs[i] = aligned_alloc(64, (bytes + 127) / 64 * 64);
    memset(inputs[i], 0, bytes);
    if (!complete || (file && fread(inputs[i], 1, bytes, file) != bytes)) {
      fprintf(stderr, "memory: the file of inputs is too short\n");
      exit(1);
    }
  }
}

static void bind(kumiko_context *context, int64_t size) {
  int64_t shape[KUMIKO_MAX_RANK];
  for (uint64_t i = 0; i < info.input_count; ++i) {
    input_bytes_at(i, size, shape);
    kumiko_tensor tensor = {inputs[i], info.inputs[i].element_type, info.inputs[i].rank, shape, NULL};
    check(api->bind_input_number(context, i, &tensor), context, "bind");
  }
}

/* Outputs whose size is known beforehand must have memory; returns how much. */
static uint64_t bind_outputs(kumiko_context *context) {
  uint64_t all = 0;
  for (uint64_t i = 0; i < info.output_count && i < MOST_VALUES; ++i) {
    int64_t shape[KUMIKO_MAX_RANK];
    if (kumiko_value_is_symbolic(&info.outputs[i]))
      continue;
    uint64_t bytes = bytes_at(&info.outputs[i], 0, shape);
    if (!outputs[i])
      outputs[i] = aligned_alloc(64, (bytes + 127) / 64 * 64);
    kumiko_tensor tensor = {outputs[i], info.outputs[i].element_type, info.outputs[i].rank, shape, NULL};
    check(api->bind_output_number(context, i, &tensor), context, "bind");
    all += bytes;
  }
  return all;
}

/* The best of several new contexts, each of which has seen the largest size, so that no memory is asked for. */
static double plan(int64_t largest, int64_t size, const kumiko_options *options) {
  double best = 1;
  if (!model->artefact->dynamics)
    return 0;
  for (int i = 0; i < PLANS; ++i) {
    kumiko_context *context;
    check(api->context_create(model, options, &context), NULL, "context");
    bind_outputs(context);
    bind(context, largest);
    check(kumiko_context_refresh(context), context, "plan");
    bind(context, size);
    double start = now();
    check(kumiko_context_refresh(context), context, "plan");
    double took = now() - start;
    best = took < best ? took : best;
    api->context_destroy(context);
  }
  return best;
}

int main(int count, char **words) {
  api = kumiko_get_api(KUMIKO_API_VERSION);
  if (count < 4 || count - 3 > MOST_SIZES)
    return fprintf(stderr, "usage: memory MODEL.so THREADS SIZE...\n"), 2;
  int64_t sizes[MOST_SIZES], largest = 0;
  FILE *file = fopen(words[3], "rb");
  is_given = file != NULL;
  int size_count = count - 3;
  for (int i = 0; i < size_count; ++i) {
    sizes[i] = atoll(words[3 + i]);
    largest = sizes[i] > largest ? sizes[i] : largest;
  }
  /* Once before anything is measured, to learn how large the inputs are. */
  check(api->model_load(words[1], &model), NULL, "load");
  check(api->model_info(model, &info), NULL, "info");
  make_inputs(file, largest);
  if (file)
    fclose(file);
  api->model_release(model);

  int64_t before = resident();
  check(api->model_load(words[1], &model), NULL, "load");
  check(api->model_info(model, &info), NULL, "info");
  kumiko_options options = {.struct_bytes = sizeof options, .threads = (uint32_t)atoi(words[2])};
  kumiko_context *context;
  check(api->context_create(model, &options, &context), NULL, "context");
  uint64_t output_bytes = bind_outputs(context), calls = 0;
  for (int round = 0; round < 2; ++round) {
    calls = atomic_load(&heap_calls);
    for (int i = 0; i < size_count; ++i) {
      bind(context, sizes[i]);
      check(api->run(context), context, "run");
    }
    calls = atomic_load(&heap_calls) - calls;
  }
  int64_t added = resident() - before - (int64_t)output_bytes;
  kumiko_context_info memory = {.struct_bytes = sizeof memory};
  check(api->context_info(context, &memory), context, "info");
  printf("{\"added\": %lld, \"weights\": %llu, \"context\": %llu, \"heap_calls\": %llu, \"plan_us\": [",
         (long long)added, (unsigned long long)info.weights_bytes, (unsigned long long)memory.memory_bytes,
         (unsigned long long)calls);
  for (int i = 0; i < size_count; ++i)
    printf("%s%.1f", i ? ", " : "", plan(largest, sizes[i], &options) * 1e6);
  printf("]}\n");
  api->context_destroy(context);
  api->model_release(model);
  return 0;
}
