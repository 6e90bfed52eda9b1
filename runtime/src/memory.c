#include "memory.h"
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

/* From here on the page table's misses cost more than the rounding up wastes. */
#define HUGE_PAGE ((size_t)2 << 20)

static size_t round_up(size_t bytes, size_t to) { return (bytes + to - 1) & ~(to - 1); }

static void *map_huge(size_t bytes) {
  size_t length = round_up(bytes, HUGE_PAGE);
  if (length < bytes || length + HUGE_PAGE < length)
    return NULL;
  char *raw = mmap(NULL, length + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED)
    return NULL;
  size_t before = round_up((uintptr_t)raw, HUGE_PAGE) - (uintptr_t)raw;
  if (before)
    munmap(raw, before);
  munmap(raw + before + length, HUGE_PAGE - before);
  madvise(raw + before, length, MADV_HUGEPAGE); /* only advice: small pages do as well */
  return raw + before;
}

static void *allocate(void *user, size_t bytes, size_t alignment) {
  (void)user;
  if (alignment > HUGE_PAGE)
    return NULL;
  if (bytes >= HUGE_PAGE)
    return map_huge(bytes);
  void *memory = NULL;
  if (alignment < sizeof(void *))
    alignment = sizeof(void *);
  return posix_memalign(&memory, alignment, bytes) ? NULL : memory;
}

static void release(void *user, void *memory, size_t bytes) {
  (void)user;
  if (memory && bytes >= HUGE_PAGE)
    munmap(memory, round_up(bytes, HUGE_PAGE));
  else
    free(memory);
}

const kumiko_allocator kumiko_default_allocator = {NULL, allocate, release};
