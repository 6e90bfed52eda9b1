/*===- element.h - elements of any type as numbers and as keys ----------------===*/
#ifndef KUMIKO_ELEMENT_H
#define KUMIKO_ELEMENT_H

#include "kumiko/kumiko.h"
#include <string.h>

/** An element as a double; integers of 64 bits lose what a double cannot hold. */
double kumiko_element_real(int64_t type, const void *data, int64_t index);
/** An element of an integer type, widened. */
int64_t kumiko_element_integer(int64_t type, const void *data, int64_t index);
/** Rounds once, to the nearest and ties to even. Float types only. */
void kumiko_element_store(int64_t type, void *data, int64_t index, double value);

/** Bytes of an element of a type that these functions know, or 0. */
int64_t kumiko_element_bytes(int64_t type);

/** Writes keys of `count` elements that are `stride` elements apart: their order as numbers is the order of the
 *  elements, 0 and -0 are equal, all NaN are equal and above everything else. Types up to 32 bits have keys that fit
 *  32 bits. */
void kumiko_order_keys32(int64_t type, const void *data, int64_t stride, int64_t count, int32_t *keys);
void kumiko_order_keys64(int64_t type, const void *data, int64_t stride, int64_t count, int64_t *keys);

#endif
