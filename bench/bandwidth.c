/* The memory bandwidth of this machine: how fast threads read an array that no cache holds.
 *
 *   bandwidth THREADS [MIB]      prints GB/s, the best of several rounds; 512 MiB by default
 */
#include <immintrin.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 6, MAX_THREADS = 256, STEP = 64 };

typedef struct {
  const float *from;
  size_t count;
  double start, end;
  float sink; /* keeps the loads alive */
  pthread_barrier_t *barrier;
} worker;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *read_share(void *argument) {
  worker *self = argument;
  __m256 sum[STEP / 8];
  for (int i = 0; i < STEP / 8; ++i)
    sum[i] = _mm256_setzero_ps();
  pthread_barrier_wait(self->barrier);
  self->start = now();
  for (size_t at = 0; at + STEP <= self->count; at += STEP) {
#pragma clang loop unroll(full)
    for (int i = 0; i < STEP / 8; ++i)
      sum[i] = _mm256_add_ps(sum[i], _mm256_loadu_ps(self->from + at + 8 * (size_t)i));
  }
  self->end = now();
  for (int i = 0; i < STEP / 8; ++i)
    self->sink += _mm256_cvtss_f32(sum[i]);
  return NULL;
}

/* Seconds to read `count` floats once, shared among `threads`. */
static double round_seconds(const float *data, size_t count, int threads) {
  pthread_barrier_t barrier;
  pthread_t ids[MAX_THREADS];
  worker workers[MAX_THREADS];
  size_t share = count / (size_t)threads;
  pthread_barrier_init(&barrier, NULL, (unsigned)threads);
  for (int i = 0; i < threads; ++i) {
    workers[i] = (worker){.from = data + share * (size_t)i, .count = share, .barrier = &barrier};
    if (pthread_create(&ids[i], NULL, read_share, &workers[i])) {
      fprintf(stderr, "bandwidth: cannot start thread %d\n", i);
      exit(1);
    }
  }
  double first = 1e300, last = 0;
  for (int i = 0; i < threads; ++i) {
    pthread_join(ids[i], NULL);
    first = workers[i].start < first ? workers[i].start : first;
    last = workers[i].end > last ? workers[i].end : last;
  }
  pthread_barrier_destroy(&barrier);
  return last - first;
}

int main(int argc, char **argv) {
  int threads = argc > 1 ? atoi(argv[1]) : 1;
  long mib = argc > 2 ? atol(argv[2]) : 512;
  if (threads < 1 || threads > MAX_THREADS || mib < 1) {
    fprintf(stderr, "bandwidth: threads must be 1 to %d and the size at least 1 MiB\n", MAX_THREADS);
    return 2;
  }
  size_t count = (size_t)mib << 18;
  float *data = malloc(count * sizeof(float));
  if (!data) {
    fprintf(stderr, "bandwidth: no memory for %ld MiB\n", mib);
    return 1;
  }
  for (size_t i = 0; i < count; ++i) /* written, or every page would be the same zero page */
    data[i] = (float)i;
  double best = 1e300;
  for (int i = 0; i < ROUNDS; ++i) {
    double seconds = round_seconds(data, count, threads);
    best = seconds < best ? seconds : best;
  }
  printf("%.2f\n", (double)(count * sizeof(float)) / best * 1e-9);
  free(data);
  return 0;
}
