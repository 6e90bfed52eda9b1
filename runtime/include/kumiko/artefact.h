/*===- artefact.h - what a compiled model looks like in memory --------------===
 *
 * The compiler writes these tables into the object file; the runtime walks them. They are the only thing that the two
 * share. Fields are appended, never moved; `struct_bytes` tells an older reader how much there is.
 *
 * A program is a list of calls. A call runs one kernel for each chunk 0 .. chunks-1, in any order and on any thread;
 * the split into chunks depends on shapes and schedule only, so results do not depend on the number of threads. Control
 * flow is nested programs: a loop repeats the calls that follow it, a choice takes one of two ranges of them.
 *
 *===------------------------------------------------------------------------===*/
#ifndef KUMIKO_ARTEFACT_H
#define KUMIKO_ARTEFACT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KUMIKO_ARTEFACT_VERSION 3u

/** How deep loops, and loops and choices together, may be nested. */
#define KUMIKO_MAX_LOOPS 16u
#define KUMIKO_MAX_NESTING 64u

/** 0, or an error code of kumiko.h. `buffers` are bare pointers in the order of the call's references; `symbols` are
 * the values of symbols, of which a call that finds some in the data writes its own; `scratch` has the call's
 * scratch_bytes, 64-byte aligned, private to the chunk. */
typedef int (*kumiko_kernel)(void *const *buffers, const int64_t *symbols, int64_t chunk, void *scratch);

/** Where a buffer lives. */
enum kumiko_space {
  KUMIKO_SPACE_INPUT = 0,   /* offset bytes into input number `number` */
  KUMIKO_SPACE_OUTPUT = 1,  /* offset bytes into output number `number` */
  KUMIKO_SPACE_WEIGHTS = 2, /* offset bytes into the weights */
  KUMIKO_SPACE_ARENA = 3,   /* offset bytes into the context's arena */
  KUMIKO_SPACE_PLANNED = 4  /* offset bytes into planned buffer number `number`, see kumiko_dynamics */
};

/** What an address gains from the turns of a loop around the call: slices of a sequence lie one after the other, the
 * state that a turn reads and the one that it writes change places. */
enum kumiko_step_kind {
  KUMIKO_STEP_FORWARD = 0,  /* `bytes` for each turn before this one */
  KUMIKO_STEP_BACKWARD = 1, /* less that */
  KUMIKO_STEP_ODD = 2,      /* `bytes` in odd turns, nothing in even ones */
  KUMIKO_STEP_EVEN = 3      /* the other way round */
};

typedef struct kumiko_step {
  uint32_t loop; /* 0: the outermost loop around the call; as many as are around it: the one done last */
  uint32_t kind; /* kumiko_step_kind */
  int64_t bytes; /* a number, or below 0 an expression */
} kumiko_step;

typedef struct kumiko_buffer {
  uint32_t space;
  uint32_t number;
  int64_t offset; /* a number, or below 0 an expression */
  const kumiko_step *steps;
  uint64_t step_count;
} kumiko_buffer;

enum kumiko_call_kind {
  KUMIKO_CALL_KERNEL = 0,
  /* The `body` calls that follow are done `chunks` times. With two buffers, the first holds a byte that is read before
   * each turn and ends the loop when it is 0, and the second gets the number of the turn, an int64_t. */
  KUMIKO_CALL_LOOP = 1,
  /* Of the calls that follow, the first `body` are done when the byte in the only buffer is not 0, else the
   * `otherwise` calls behind them. */
  KUMIKO_CALL_CHOICE = 2
};

typedef struct kumiko_call {
  kumiko_kernel kernel; /* null for loops and choices */
  const kumiko_buffer *buffers;
  uint64_t buffer_count;
  int64_t chunks;
  uint64_t scratch_bytes;
  const char *name;  /* the kernel's symbol, for profiles */
  const char *nodes; /* source nodes, comma separated, for messages */
  uint32_t kind;     /* kumiko_call_kind */
  uint32_t loops;    /* how many loops are around the call */
  uint64_t body;
  uint64_t otherwise;
  /* The level that begins behind a kernel, in the first range of a choice, or with each turn of a loop and once more
   * behind it, or only behind it, as the level says; 0: none. */
  uint32_t level;
  /* Of a choice: the level that begins in its other range. Of a loop: 0, or n + 1 where symbol n counts its turns,
   * those before this one, where its level begins within, and at last all. */
  uint32_t otherwise_level;
} kumiko_call;

typedef struct kumiko_value {
  const char *name;
  uint32_t element_type; /* kumiko_element_type of kumiko.h */
  uint32_t rank;
  const int64_t *shape;
} kumiko_value;

/** A step in computing an expression: constants and symbols are pushed, every other step takes two values and pushes
 * one; the left one lies below. */
enum kumiko_extent_kind {
  KUMIKO_EXTENT_CONSTANT = 0,
  KUMIKO_EXTENT_SYMBOL = 1,
  KUMIKO_EXTENT_ADD = 2,
  KUMIKO_EXTENT_MULTIPLY = 3,
  KUMIKO_EXTENT_FLOORDIV = 4, /* rounds towards minus infinity */
  KUMIKO_EXTENT_MAX = 5,
  KUMIKO_EXTENT_MIN = 6,
  KUMIKO_EXTENT_BROADCAST = 7 /* of two that are equal or of which one is 1 */
};

typedef struct kumiko_extent_step {
  uint32_t kind;
  uint32_t reserved;
  int64_t value; /* the constant, or the number of the symbol */
} kumiko_extent_step;

/** The most values that an expression may have on its stack. */
#define KUMIKO_MAX_DEPTH 64u

/** A number that is known when symbols are. Wherever a shape, a number of bytes or a number of chunks is written below
 * 0, it stands for expression number ~n. */
typedef struct kumiko_expression {
  const kumiko_extent_step *steps;
  uint64_t step_count;
  const char *text; /* "(batch*seq)", for messages */
} kumiko_expression;

/** A buffer between calls whose place is chosen when sizes are known. */
typedef struct kumiko_planned {
  int64_t bytes;
  uint64_t first; /* the steps between which it is needed, both included */
  uint64_t last;
} kumiko_planned;

enum kumiko_demand_kind {
  KUMIKO_DEMAND_EQUAL = 0,
  KUMIKO_DEMAND_BROADCAST = 1, /* equal, or one of them is 1 */
  KUMIKO_DEMAND_AT_MOST = 2
};

/** What must hold between two numbers before code relies on it. */
typedef struct kumiko_demand {
  uint32_t kind;
  uint32_t reserved;
  int64_t left;
  int64_t right;
  const char *message; /* what does not agree, with the names of nodes, inputs and axes */
} kumiko_demand;

typedef struct kumiko_symbol {
  const char *name;
  uint64_t level; /* from which on it has a value */
} kumiko_symbol;

/** Level 0 is what the shapes of inputs decide. Every further level begins when a call has found symbols in the data,
 * or when a branch is taken, in the order of the calls; it has expressions, buffers and demands of its own, which need
 * no symbol of a later one. In each table, the entries of a level lie behind those of the level before; here is where
 * they end. A level inside of a loop begins anew in each turn. */
typedef struct kumiko_level {
  uint64_t first; /* the level holds for calls from here on */
  uint64_t last;  /* up to here: the end of the loop, branch or program in which it begins */
  uint64_t expression_end;
  uint64_t planned_end;
  uint64_t demand_end;
} kumiko_level;

/** What a program with symbols has besides the tables of a static one. Its arena_bytes are 0. */
typedef struct kumiko_dynamics {
  uint64_t level_count;
  const kumiko_level *levels;
  const kumiko_symbol *symbols;
  const kumiko_expression *expressions;
  const kumiko_planned *planned;
  const kumiko_demand *demands;
} kumiko_dynamics;

typedef struct kumiko_artefact {
  uint32_t version;       /* KUMIKO_ARTEFACT_VERSION */
  uint32_t struct_bytes;  /* sizeof(kumiko_artefact) of the writer */
  const char *name;       /* C identifier of the model */
  const char *producer;   /* "kumiko 0.1.0" */
  const char *provenance; /* digest of the model file and the flags that matter, one line */
  uint64_t input_count;
  const kumiko_value *inputs;
  uint64_t output_count;
  const kumiko_value *outputs;
  uint64_t call_count;
  const kumiko_call *calls;
  const void *weights; /* 64-byte aligned; null when weights_file is set */
  uint64_t weights_bytes;
  const char *weights_file; /* base name of the file beside the artefact, or null */
  uint64_t arena_bytes;
  uint64_t scratch_bytes; /* largest of the calls */
  uint64_t symbol_count;
  const kumiko_dynamics *dynamics; /* null without symbols */
} kumiko_artefact;

#ifdef __cplusplus
}
#endif
#endif
