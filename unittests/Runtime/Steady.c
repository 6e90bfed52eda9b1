/* No heap in the steady state: counts every call of the allocator while a warm context runs, rebinds and profiles. */
#include "Check.h"
#include "Fake.h"
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

static _Atomic uint64_t calls;

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *memory, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);
extern void __libc_free(void *memory);

void *malloc(size_t bytes) { return atomic_fetch_add(&calls, 1), __libc_malloc(bytes); }
void *calloc(size_t count, size_t bytes) { return atomic_fetch_add(&calls, 1), __libc_calloc(count, bytes); }
void *realloc(void *memory, size_t bytes) { return atomic_fetch_add(&calls, 1), __libc_realloc(memory, bytes); }
void *memalign(size_t alignment, size_t bytes) {
  return atomic_fetch_add(&calls, 1), __libc_memalign(alignment, bytes);
}
void *aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void **memory, size_t alignment, size_t bytes) {
  *memory = memalign(alignment, bytes);
  return *memory ? 0 : 12;
}
void free(void *memory) {
  if (memory)
    atomic_fetch_add(&calls, 1);
  __libc_free(memory);
}

static uint64_t events;
static void count_event(void *user, const kumiko_profile_event *event) {
  (void)user;
  events += event->chunks > 0;
}

int main(void) {
  const kumiko_api *k = kumiko_get_api(1);
  kumiko_model *model;
  CHECK(k->model_from_artefact(fake_artefact(), NULL, &model) == KUMIKO_OK);
  static fake_user user[2];
  for (uint32_t threads = 1; threads <= 4; ++threads) {
    kumiko_options options = {.struct_bytes = sizeof options, .threads = threads};
    kumiko_context *context;
    CHECK(k->context_create(model, &options, &context) == KUMIKO_OK);
    for (uint32_t number = 0; number < 2; ++number)
      fake_user_init(&user[number], number);
    CHECK(fake_user_bind(&user[0], k, context) == KUMIKO_OK && k->run(context) == KUMIKO_OK);
    CHECK(k->set_profile(context, count_event, NULL) == KUMIKO_OK);
    uint64_t before = atomic_load(&calls);
    CHECK(before > 0);
    for (int run = 0; run < 2000; ++run) {
      CHECK(fake_user_bind(&user[run % 2], k, context) == KUMIKO_OK);
      CHECK(k->run(context) == KUMIKO_OK && fake_user_right(&user[run % 2]));
    }
    user[1].pick[0] = -5; /* failing is no reason to allocate either */
    CHECK(k->run(context) == KUMIKO_E_INDEX);
    uint64_t after = atomic_load(&calls);
    printf("%u threads: %llu allocator calls in 2000 runs\n", threads, (unsigned long long)(after - before));
    CHECK(after == before);
    k->context_destroy(context);
  }
  CHECK(events == 4 * (2000 * 3 + 2));
  k->model_release(model);
  return 0;
}
