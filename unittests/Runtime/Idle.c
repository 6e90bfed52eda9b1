/* A small call every 20 ms for 3 s, 2 threads: at most 0.6 CPU-seconds. Idle threads must sleep. */
#include "Check.h"
#include "Fake.h"
#include <sys/resource.h>
#include <time.h>

static double cpu_seconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

int main(void) {
  const kumiko_api *k = kumiko_get_api(1);
  kumiko_model *model;
  kumiko_context *context;
  kumiko_options options = {.struct_bytes = sizeof options, .threads = 2};
  static fake_user user;
  fake_user_init(&user, 1);
  CHECK(k->model_from_artefact(fake_artefact(), NULL, &model) == KUMIKO_OK);
  CHECK(k->context_create(model, &options, &context) == KUMIKO_OK);
  CHECK(fake_user_bind(&user, k, context) == KUMIKO_OK);
  double before = cpu_seconds();
  for (int run = 0; run < 150; ++run) {
    CHECK(k->run(context) == KUMIKO_OK && fake_user_right(&user));
    nanosleep(&(struct timespec){0, 20000000}, NULL);
  }
  double used = cpu_seconds() - before;
  printf("150 runs, one every 20 ms, 2 threads: %.3f CPU-seconds\n", used);
  CHECK(used <= 0.6);
  k->context_destroy(context);
  k->model_release(model);
  return 0;
}
