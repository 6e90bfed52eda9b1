/*===- shapes.h - what a context knows once symbols have values ---------------===
 *
 * Binding inputs gives symbols their values; then every expression of level 0 is computed, demands are checked, and the
 * buffers of that level get places in an arena. That is remembered for the shapes seen last, so that coming back to one
 * costs a comparison. When a call has found symbols in the data, the same happens for its level, in an arena of its
 * own. Memory only grows: a repeated shape allocates nothing.
 *
 *===------------------------------------------------------------------------===*/
#ifndef KUMIKO_SHAPES_H
#define KUMIKO_SHAPES_H

#include "kumiko/kumiko.h"
#include <stdbool.h>

/** Plans of level 0 that a context remembers. */
#define KUMIKO_REMEMBERED 4u

/** Memory that grows. */
typedef struct kumiko_block {
  char *memory;
  size_t bytes;
} kumiko_block;

typedef struct kumiko_shapes {
  int64_t *symbols;
  int64_t *values;   /* of expressions */
  uint64_t *offsets; /* of planned buffers, in the arena of their level */
  kumiko_block *arenas;
  uint64_t *arena_bytes; /* what each level's plan takes */
  int64_t *planned_for;  /* for each level the symbols its plan was made for */
  bool *planned;         /* for each level: there is a plan */
  kumiko_block *outputs; /* results for which the caller has brought no memory */
  kumiko_block scratch;
  void *workspace; /* of the planner */
  /* Plans of level 0: symbols, offsets and the size of the arena, one after another. */
  int64_t *remembered;
  uint64_t remembered_words;        /* of one plan */
  uint64_t ages[KUMIKO_REMEMBERED]; /* when it was used last; 0: never */
  uint64_t clock;
  bool solved; /* symbols belong to the inputs that are bound */
} kumiko_shapes;

struct kumiko_context;

/** Bytes of all tables, aligned to 64; SIZE_MAX when they cannot be counted. */
size_t kumiko_shapes_bytes(const kumiko_artefact *artefact);
/** Lays the tables out in zeroed memory of that size. */
void kumiko_shapes_create(kumiko_shapes *shapes, const kumiko_artefact *artefact, char *memory);
void kumiko_shapes_destroy(struct kumiko_context *context);

/** A number that may stand for an expression. Its level must have been entered. */
static inline int64_t kumiko_number(const kumiko_shapes *shapes, int64_t number) {
  return number < 0 ? shapes->values[~number] : number;
}
/** The level from which on a number is known. */
uint64_t kumiko_number_level(const kumiko_artefact *artefact, int64_t number);
/** The level from which on a value's shape is known. */
uint64_t kumiko_value_level(const kumiko_artefact *artefact, const kumiko_value *value);

/** The first axis of an input that is this symbol. */
bool kumiko_find_axis(const kumiko_artefact *artefact, uint64_t symbol, uint64_t *input, uint32_t *axis);

/** Symbols and numbers of level 0 from the inputs' shapes. All inputs are bound. */
int kumiko_shapes_solve(struct kumiko_context *context);
/** Computes a level's numbers and plan, unless it has them, and its memory. */
int kumiko_shapes_enter(struct kumiko_context *context, uint64_t level);
/** Makes the block at least this large; contents are lost when it grows. */
bool kumiko_block_grow(struct kumiko_context *context, kumiko_block *block, uint64_t bytes);

/** Memory that the context holds for shapes and results. */
uint64_t kumiko_shapes_memory(const struct kumiko_context *context);

#endif
