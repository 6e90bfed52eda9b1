/*===- extent.h - numbers that depend on symbols ------------------------------===*/
#ifndef KUMIKO_EXTENT_H
#define KUMIKO_EXTENT_H

#include "kumiko/artefact.h"

/** KUMIKO_OK and the value; KUMIKO_E_OVERFLOW when something on the way does not fit 64 bits; KUMIKO_E_SHAPE when a
 *  divisor is 0 or two dimensions do not broadcast. The expression has been checked. */
int kumiko_extent_value(const kumiko_expression *expression, const int64_t *symbols, int64_t *value);

/** Whether the expression can be computed from those of the symbols that are known wherever `level` holds. */
int kumiko_extent_is_sound(const kumiko_expression *expression, const kumiko_dynamics *dynamics, uint64_t symbol_count,
                           uint64_t level);

#endif
