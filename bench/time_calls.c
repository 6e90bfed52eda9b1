/* Times every kernel call of a shared library made by `kumiko compile`, in process, through the runtime's profile hook.
 *
 *   time_calls MODEL.so THREADS SECONDS
 *
 * Prints one JSON object: the fastest and the median run, and the same for each call of the program. Inputs are seeded
 * noise; weights stay in whatever cache they fit, as in any loop over one model. */
#define _POSIX_C_SOURCE 200809L
#include "kumiko/kumiko.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MAX_RUNS = 20000, MIN_RUNS = 5 };

static const kumiko_api *api;

typedef struct {
  uint64_t *ns;       /* [call][run] */
  const char **names; /* [call] */
  const char **nodes;
  long run;
} record;

static void stop(const char *what, const char *why) {
  fprintf(stderr, "time_calls: %s: %s\n", what, why);
  exit(1);
}

static void check(int status, const kumiko_context *context, const char *what) {
  if (status)
    stop(what, api->last_error(context));
}

static void *memory(uint64_t bytes) {
  void *data = aligned_alloc(64, (bytes + 127) / 64 * 64);
  if (!data)
    stop("memory", "there is none");
  return data;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void remember(void *user, const kumiko_profile_event *event) {
  record *all = user;
  all->ns[event->call * MAX_RUNS + (uint64_t)all->run] = event->ns;
  all->names[event->call] = event->name;
  all->nodes[event->call] = event->nodes;
}

static uint64_t elements_of(const kumiko_value *value) {
  uint64_t count = 1;
  for (uint32_t i = 0; i < value->rank; ++i)
    count *= (uint64_t)value->shape[i];
  return count;
}

/* Noise between -1 and 1 for single precision; zeros for other types. */
static void *noise(const kumiko_value *value) {
  static uint32_t state = 2463534242u;
  uint64_t count = elements_of(value), bytes = count * api->type_bytes(value->element_type);
  unsigned char *data = memory(bytes);
  for (uint64_t i = 0; i < bytes; ++i)
    data[i] = 0;
  for (uint64_t i = 0; value->element_type == KUMIKO_F32 && i < count; ++i) {
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    ((float *)(void *)data)[i] = (float)(int32_t)state * 0x1p-31f;
  }
  return data;
}

static void bind_all(kumiko_context *context, const kumiko_model_info *info) {
  for (uint64_t i = 0; i < info->input_count + info->output_count; ++i) {
    int input = i < info->input_count;
    const kumiko_value *value = input ? &info->inputs[i] : &info->outputs[i - info->input_count];
    kumiko_tensor tensor = {noise(value), value->element_type, value->rank, value->shape, NULL};
    check(input ? api->bind_input_number(context, i, &tensor)
                : api->bind_output_number(context, i - info->input_count, &tensor),
          context, value->name);
  }
}

static int by_size(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* "min_ms": ..., "median_ms": ... of times in ns, which end up sorted. */
static void print_times(uint64_t *ns, long runs) {
  qsort(ns, (size_t)runs, sizeof *ns, by_size);
  printf("\"min_ms\": %.6f, \"median_ms\": %.6f", (double)ns[0] * 1e-6, (double)ns[runs / 2] * 1e-6);
}

/* Node names come from the model file. */
static void print_text(const char *text) {
  putchar('"');
  for (; *text; ++text) {
    if (*text == '"' || *text == '\\')
      putchar('\\');
    if ((unsigned char)*text >= ' ')
      putchar(*text);
  }
  putchar('"');
}

int main(int argc, char **argv) {
  api = kumiko_get_api(KUMIKO_API_VERSION);
  if (!api || argc != 4)
    stop("usage", "time_calls MODEL.so THREADS SECONDS");
  kumiko_model *model;
  kumiko_context *context;
  kumiko_options options = {.struct_bytes = sizeof options, .threads = (uint32_t)atoi(argv[2])};
  kumiko_model_info info = {.struct_bytes = sizeof info};
  check(api->model_load(argv[1], &model), NULL, argv[1]);
  check(api->model_info(model, &info), NULL, argv[1]);
  check(api->context_create(model, &options, &context), NULL, argv[1]);
  bind_all(context, &info);
  check(api->run(context), context, "run");

  record all = {memory(info.call_count * MAX_RUNS * sizeof(uint64_t)), memory(info.call_count * sizeof(char *)),
                memory(info.call_count * sizeof(char *)), 0};
  uint64_t *whole = memory(MAX_RUNS * sizeof(uint64_t));
  check(api->set_profile(context, remember, &all), context, "profile");
  double end = now() + atof(argv[3]);
  for (; all.run < MAX_RUNS && (all.run < MIN_RUNS || now() < end); ++all.run) {
    double start = now();
    check(api->run(context), context, "run");
    whole[all.run] = (uint64_t)((now() - start) * 1e9);
  }
  printf("{\"runs\": %ld, ", all.run);
  print_times(whole, all.run);
  printf(", \"calls\": [");
  for (uint64_t i = 0; i < info.call_count; ++i) {
    printf("%s\n {\"name\": ", i ? "," : "");
    print_text(all.names[i]);
    printf(", \"nodes\": ");
    print_text(all.nodes[i] ? all.nodes[i] : "");
    printf(", ");
    print_times(all.ns + i * MAX_RUNS, all.run);
    printf("}");
  }
  printf("]}\n");
  return 0;
}
