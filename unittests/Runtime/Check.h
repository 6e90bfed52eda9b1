/*===- Check.h - for tests that are plain C programs -------------------------===*/
#ifndef KUMIKO_CHECK_H
#define KUMIKO_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                                    \
      _Exit(1);                                                                                                        \
    }                                                                                                                  \
  } while (0)

#endif
