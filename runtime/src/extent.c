#include "extent.h"
#include "kumiko/kumiko.h"

static int floor_div(int64_t a, int64_t b, int64_t *result) {
  if (b == 0)
    return KUMIKO_E_SHAPE;
  if (a == INT64_MIN && b == -1)
    return KUMIKO_E_OVERFLOW;
  *result = a / b - (a % b != 0 && (a < 0) != (b < 0));
  return KUMIKO_OK;
}

static int broadcast(int64_t a, int64_t b, int64_t *result) {
  *result = a == 1 ? b : a;
  return a == b || a == 1 || b == 1 ? KUMIKO_OK : KUMIKO_E_SHAPE;
}

static int combine(uint32_t kind, int64_t a, int64_t b, int64_t *result) {
  switch (kind) {
  case KUMIKO_EXTENT_ADD:
    return __builtin_add_overflow(a, b, result) ? KUMIKO_E_OVERFLOW : KUMIKO_OK;
  case KUMIKO_EXTENT_MULTIPLY:
    return __builtin_mul_overflow(a, b, result) ? KUMIKO_E_OVERFLOW : KUMIKO_OK;
  case KUMIKO_EXTENT_FLOORDIV:
    return floor_div(a, b, result);
  case KUMIKO_EXTENT_MAX:
    *result = a > b ? a : b;
    return KUMIKO_OK;
  case KUMIKO_EXTENT_MIN:
    *result = a < b ? a : b;
    return KUMIKO_OK;
  default:
    return broadcast(a, b, result);
  }
}

int kumiko_extent_value(const kumiko_expression *expression, const int64_t *symbols, int64_t *value) {
  int64_t stack[KUMIKO_MAX_DEPTH];
  uint32_t depth = 0;
  for (uint64_t i = 0; i < expression->step_count; ++i) {
    const kumiko_extent_step *step = &expression->steps[i];
    if (step->kind <= KUMIKO_EXTENT_SYMBOL) {
      stack[depth++] = step->kind == KUMIKO_EXTENT_SYMBOL ? symbols[step->value] : step->value;
      continue;
    }
    --depth;
    int status = combine(step->kind, stack[depth - 1], stack[depth], &stack[depth - 1]);
    if (status)
      return status;
  }
  *value = stack[0];
  return KUMIKO_OK;
}

/** Whether what one level knows holds throughout another. */
static int encloses(const kumiko_dynamics *dynamics, uint64_t outer, uint64_t inner) {
  const kumiko_level *a = &dynamics->levels[outer], *b = &dynamics->levels[inner];
  return outer <= inner && a->first <= b->first && b->last <= a->last;
}

int kumiko_extent_is_sound(const kumiko_expression *expression, const kumiko_dynamics *dynamics, uint64_t symbol_count,
                           uint64_t level) {
  uint32_t depth = 0;
  for (uint64_t i = 0; i < expression->step_count; ++i) {
    const kumiko_extent_step *step = &expression->steps[i];
    if (step->kind > KUMIKO_EXTENT_BROADCAST || (step->kind > KUMIKO_EXTENT_SYMBOL && depth < 2))
      return 0;
    if (step->kind == KUMIKO_EXTENT_SYMBOL && (step->value < 0 || (uint64_t)step->value >= symbol_count ||
                                               !encloses(dynamics, dynamics->symbols[step->value].level, level)))
      return 0;
    depth = step->kind <= KUMIKO_EXTENT_SYMBOL ? depth + 1 : depth - 1;
    if (depth > KUMIKO_MAX_DEPTH)
      return 0;
  }
  return depth == 1;
}
