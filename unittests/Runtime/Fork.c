/* A child has no threads of its parent's: its first run starts a fresh team, whatever the parent was doing. */
#include "Check.h"
#include "Fake.h"
#include "runtime/src/process.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static const kumiko_api *k;
static kumiko_context *quiet, *hectic;
static fake_user quiet_user, hectic_user;
static _Atomic bool stop;

static void *keep_running(void *argument) {
  while (!atomic_load(&stop)) {
    CHECK(k->run(hectic) == KUMIKO_OK);
    CHECK(fake_user_right(&hectic_user));
  }
  return argument;
}

static void use_in_child(int depth) {
  alarm(120); /* a hang is a failure; busy machines are slow */
  CHECK(kumiko_process_workers() == 0);
  for (int run = 0; run < 20; ++run)
    CHECK(k->run(quiet) == KUMIKO_OK && fake_user_right(&quiet_user));
  CHECK(kumiko_process_workers() == 2);
  /* The thread that was inside this one is not here; the context is free again. */
  CHECK(k->run(hectic) == KUMIKO_OK && fake_user_right(&hectic_user));
  CHECK(kumiko_process_workers() == 3);
  if (depth) {
    pid_t child = fork();
    if (!child)
      use_in_child(depth - 1);
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
  }
  k->context_destroy(quiet);
  k->context_destroy(hectic);
  CHECK(kumiko_process_workers() == 0);
  _exit(0);
}

static kumiko_context *create(kumiko_model *model, uint32_t threads, fake_user *user) {
  kumiko_options options = {.struct_bytes = sizeof options, .threads = threads};
  kumiko_context *context;
  CHECK(k->context_create(model, &options, &context) == KUMIKO_OK);
  fake_user_init(user, threads);
  CHECK(fake_user_bind(user, k, context) == KUMIKO_OK);
  CHECK(k->run(context) == KUMIKO_OK && fake_user_right(user));
  return context;
}

int main(void) {
  kumiko_model *model;
  pthread_t thread;
  k = kumiko_get_api(1);
  alarm(240);
  CHECK(k->model_from_artefact(fake_artefact(), NULL, &model) == KUMIKO_OK);
  quiet = create(model, 3, &quiet_user);
  hectic = create(model, 2, &hectic_user);
  CHECK(!pthread_create(&thread, NULL, keep_running, NULL));
  for (int round = 0; round < 30; ++round) {
    pid_t child = fork();
    if (!child)
      use_in_child(round % 3);
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
    CHECK(k->run(quiet) == KUMIKO_OK && fake_user_right(&quiet_user));
  }
  atomic_store(&stop, true);
  pthread_join(thread, NULL);
  k->context_destroy(quiet);
  k->context_destroy(hectic);
  CHECK(kumiko_process_workers() == 0);
  k->model_release(model);
  puts("30 children, 30 grandchildren");
  return 0;
}
