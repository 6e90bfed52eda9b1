/*===- memory.h - the allocator of contexts that bring none ------------------===*/
#ifndef KUMIKO_MEMORY_H
#define KUMIKO_MEMORY_H

#include "kumiko/kumiko.h"

/** Large blocks are mapped, 2 MiB aligned, on huge pages where the system grants them; small ones come from malloc. */
extern const kumiko_allocator kumiko_default_allocator;

#endif
