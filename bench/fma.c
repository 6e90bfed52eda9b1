/* The FMA peak of this machine: multiply-adds on 256-bit registers that depend on nothing but themselves.
 *
 *   fma THREADS        prints GFLOP/s, the best of several short rounds over all threads together
 *
 * Twelve chains hide the latency of two units with a latency of up to six cycles. Each thread times itself; a round
 * counts from the first start to the last end, so a thread that waited for a core makes its round slow, not wrong. */
#include <immintrin.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CHAINS = 12, STEPS = 4000000, ROUNDS = 10, MAX_THREADS = 256 };

typedef struct {
  double start, end;
  float sink; /* keeps the chains alive */
  pthread_barrier_t *barrier;
} worker;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *run_chains(void *argument) {
  worker *self = argument;
  __m256 x[CHAINS];
  for (int i = 0; i < CHAINS; ++i)
    x[i] = _mm256_set1_ps((float)i);
  const __m256 scale = _mm256_set1_ps(0.999f), shift = _mm256_set1_ps(0.001f);
  pthread_barrier_wait(self->barrier);
  self->start = now();
  for (long step = 0; step < STEPS; ++step) {
#pragma clang loop unroll(full)
    for (int i = 0; i < CHAINS; ++i)
      x[i] = _mm256_fmadd_ps(x[i], scale, shift);
  }
  self->end = now();
  for (int i = 0; i < CHAINS; ++i)
    self->sink += _mm256_cvtss_f32(x[i]);
  return NULL;
}

/* Seconds of one round over `count` threads. */
static double round_seconds(int count) {
  pthread_barrier_t barrier;
  pthread_t ids[MAX_THREADS];
  worker workers[MAX_THREADS];
  pthread_barrier_init(&barrier, NULL, (unsigned)count);
  for (int i = 0; i < count; ++i) {
    workers[i] = (worker){.barrier = &barrier};
    if (pthread_create(&ids[i], NULL, run_chains, &workers[i])) {
      fprintf(stderr, "fma: cannot start thread %d\n", i);
      exit(1);
    }
  }
  double first = 1e300, last = 0;
  for (int i = 0; i < count; ++i) {
    pthread_join(ids[i], NULL);
    first = workers[i].start < first ? workers[i].start : first;
    last = workers[i].end > last ? workers[i].end : last;
  }
  pthread_barrier_destroy(&barrier);
  return last - first;
}

int main(int argc, char **argv) {
  int count = argc > 1 ? atoi(argv[1]) : 1;
  if (count < 1 || count > MAX_THREADS) {
    fprintf(stderr, "fma: threads must be 1 to %d\n", MAX_THREADS);
    return 2;
  }
  double best = 1e300;
  for (int i = 0; i < ROUNDS; ++i) {
    double seconds = round_seconds(count);
    best = seconds < best ? seconds : best;
  }
  printf("%.2f\n", 2.0 * 8 * CHAINS * (double)STEPS * count / best * 1e-9);
  return 0;
}
