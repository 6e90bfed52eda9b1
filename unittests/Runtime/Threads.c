/* One model, many threads: every thread makes contexts of its own, several teams are at work at once, contexts come and
 * go, one context is fought over. Run under ThreadSanitizer. */
#include "Check.h"
#include "Fake.h"
#include "runtime/src/process.h"
#include <pthread.h>
#include <stdatomic.h>

enum { USERS = 6, ROUNDS = 6, RUNS = 150, FIGHTS = 3000 };

static const kumiko_api *k;
static kumiko_model *model;
static kumiko_context *contested;
static _Atomic uint32_t refused, granted;

static void *use(void *argument) {
  uint32_t number = (uint32_t)(uintptr_t)argument;
  static fake_user users[USERS];
  fake_user *user = &users[number];
  for (uint32_t round = 0; round < ROUNDS; ++round) {
    kumiko_options options = {.struct_bytes = sizeof options, .threads = (number + round) % 5};
    kumiko_context *context;
    CHECK(k->context_create(model, &options, &context) == KUMIKO_OK);
    fake_user_init(user, number * 100 + round);
    CHECK(fake_user_bind(user, k, context) == KUMIKO_OK);
    for (int run = 0; run < RUNS; ++run) {
      CHECK(k->run(context) == KUMIKO_OK);
      CHECK(fake_user_right(user));
    }
    user->pick[3 + number] = -1;
    user->pick[9 + number] = 1 << 30;
    CHECK(k->run(context) == KUMIKO_E_INDEX);
    k->context_destroy(context);
  }
  for (int fight = 0; fight < FIGHTS; ++fight) {
    int status = k->run(contested);
    CHECK(status == KUMIKO_OK || status == KUMIKO_E_BUSY);
    atomic_fetch_add(status ? &refused : &granted, 1);
  }
  return NULL;
}

int main(void) {
  k = kumiko_get_api(KUMIKO_API_VERSION);
  CHECK(k && k->model_from_artefact(fake_artefact(), NULL, &model) == KUMIKO_OK);
  static fake_user user;
  kumiko_options two = {.struct_bytes = sizeof two, .threads = 2};
  CHECK(k->context_create(model, &two, &contested) == KUMIKO_OK);
  fake_user_init(&user, 7);
  CHECK(fake_user_bind(&user, k, contested) == KUMIKO_OK);
  pthread_t threads[USERS];
  for (uintptr_t number = 0; number < USERS; ++number)
    CHECK(!pthread_create(&threads[number], NULL, use, (void *)number));
  for (int number = 0; number < USERS; ++number)
    pthread_join(threads[number], NULL);
  CHECK(fake_user_right(&user));
  k->model_release(model); /* the context keeps it */
  CHECK(k->run(contested) == KUMIKO_OK && fake_user_right(&user));
  CHECK(kumiko_process_workers() == 1);
  k->context_destroy(contested);
  CHECK(kumiko_process_workers() == 0);
  CHECK(granted > 0);
  printf("%d users, contested context: %u granted, %u refused\n", USERS, (unsigned)granted, (unsigned)refused);
  return 0;
}
