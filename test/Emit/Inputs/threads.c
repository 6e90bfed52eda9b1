/* Eight threads, each with a context of its own, call one model at once for some seconds.
 *
 *   threads SECONDS [shared]
 *
 * Shapes differ between threads and change from run to run; what a shape gives must be the same bytes every time, on
 * whatever thread. With `shared` all contexts write one output, which is a race. */
#include "network.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { USERS = 8, SHAPES = 4, COLUMNS = 64, MOST = 700 };

static kumiko_model *model;
static float x[MOST * COLUMNS], *right[USERS + SHAPES], common[COLUMNS * COLUMNS];
static _Atomic int64_t runs;
static int shared;
static time_t end;

static void check(int status, kumiko_context *context, const char *what) {
  if (!status)
    return;
  fprintf(stderr, "%s: %s\n", what, kumiko_get_api(KUMIKO_API_VERSION)->last_error(context));
  exit(1);
}

static int64_t rows_of(int kind) { return 3 + 57 * kind; }

/** The sizes of y, square and best, one behind the other. */
static size_t places_of(int64_t rows) { return (size_t)(rows * (COLUMNS + 3) + COLUMNS * COLUMNS); }

static void compute(network_state *state, int kind, float *y) {
  int64_t rows = rows_of(kind), shape[] = {rows, COLUMNS};
  float *square = y + rows * COLUMNS, *best = square + COLUMNS * COLUMNS;
  check(network_bind(state, x, shape), state->context, "bind");
  check(network_run(state, y, shared ? common : square, best), state->context, "run");
}

static void *use(void *argument) {
  int number = (int)(intptr_t)argument;
  const kumiko_api *api = kumiko_get_api(KUMIKO_API_VERSION);
  kumiko_options options = {sizeof options, (uint32_t)(1 + number % 3), NULL, NULL};
  network_state state = {model, NULL};
  check(api->context_create(model, &options, &state.context), NULL, "context");
  float *y = malloc(places_of(MOST) * sizeof *y);
  for (int turn = 0; y && time(NULL) < end; ++turn) {
    int kind = number + turn % SHAPES;
    compute(&state, kind, y);
    if (!shared && memcmp(y, right[kind], places_of(rows_of(kind)) * sizeof *y)) {
      fprintf(stderr, "%d rows give other bits on thread %d\n", (int)rows_of(kind), number);
      exit(1);
    }
    atomic_fetch_add(&runs, 1);
  }
  free(y);
  api->context_destroy(state.context);
  return NULL;
}

int main(int count, char **words) {
  shared = count > 2;
  network_state state;
  check(network_open(&state, 1), NULL, "open");
  model = state.model;
  for (int i = 0; i < MOST * COLUMNS; ++i)
    x[i] = (float)(i * 7 % 101 - 50) / 40;
  for (int kind = 0; kind < USERS + SHAPES; ++kind) {
    right[kind] = malloc(places_of(rows_of(kind)) * sizeof(float));
    compute(&state, kind, right[kind]);
  }
  end = time(NULL) + (count > 1 ? atoi(words[1]) : 1);
  pthread_t threads[USERS];
  for (intptr_t number = 0; number < USERS; ++number)
    pthread_create(&threads[number], NULL, use, (void *)number);
  for (int number = 0; number < USERS; ++number)
    pthread_join(threads[number], NULL);
  for (int kind = 0; kind < USERS + SHAPES; ++kind)
    free(right[kind]);
  network_close(&state);
  printf("%lld runs by %d threads, all the same\n", (long long)runs, USERS);
  return 0;
}
