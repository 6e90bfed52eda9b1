/*===- fpenv.h - every kernel sees the same floating-point mode --------------===
 *
 * Callers may have switched denormals off or changed the rounding on their thread; workers inherit the mode of whoever
 * started them. Bits must not depend on who runs a chunk, so each thread takes the default mode while it runs kernels.
 *
 *===------------------------------------------------------------------------===*/
#ifndef KUMIKO_FPENV_H
#define KUMIKO_FPENV_H

#include <stdint.h>

/** Round to nearest, denormals on, no traps; returns the mode to restore. */
static inline uint64_t kumiko_fp_default(void) {
#if defined(__SSE__)
  uint32_t mode = __builtin_ia32_stmxcsr();
  if ((mode & ~0x3fu) != 0x1f80u)
    __builtin_ia32_ldmxcsr(0x1f80u);
  return mode;
#elif defined(__aarch64__)
  uint64_t mode;
  __asm__ __volatile__("mrs %0, fpcr" : "=r"(mode));
  if (mode)
    __asm__ __volatile__("msr fpcr, %0" : : "r"((uint64_t)0));
  return mode;
#else
  return 0;
#endif
}

static inline void kumiko_fp_restore(uint64_t mode) {
#if defined(__SSE__)
  if ((mode & ~(uint64_t)0x3f) != 0x1f80u)
    __builtin_ia32_ldmxcsr((uint32_t)mode);
#elif defined(__aarch64__)
  if (mode)
    __asm__ __volatile__("msr fpcr, %0" : : "r"(mode));
#else
  (void)mode;
#endif
}

#endif
