/*===- futex.h - sleeping on a word, waiting politely ------------------------===*/
#ifndef KUMIKO_FUTEX_H
#define KUMIKO_FUTEX_H

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/** Sleeps while the word still has this value; may return early. */
static inline void kumiko_futex_wait(_Atomic uint32_t *word, uint32_t value) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static inline void kumiko_futex_wake(_Atomic uint32_t *word, uint32_t sleepers) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, sleepers < INT_MAX ? (int)sleepers : INT_MAX, NULL, NULL, 0);
}

static inline uint64_t kumiko_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline void kumiko_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  __asm__ __volatile__("yield");
#endif
}

#endif
