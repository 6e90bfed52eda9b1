/*===- artefact.h - what a compiled model looks like in memory --------------===
 *
 * The compiler writes these tables into the object file; the runtime walks them. They are the only thing that the two
 * share. Fields are appended, never moved; `struct_bytes` tells an older reader how much there is.
 *
 * A program is a list of calls. A call runs one kernel for each chunk 0 .. chunks-1, in any order and on any thread;
 * the split into chunks depends on shapes and schedule only, so results do not depend on the number of threads.
 *
 *===------------------------------------------------------------------------===*/
#ifndef KUMIKO_ARTEFACT_H
#define KUMIKO_ARTEFACT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KUMIKO_ARTEFACT_VERSION 1u

/** 0, or an error code of kumiko.h. `buffers` are bare pointers in the order of the call's references; `symbols` are
 * the values of symbolic dimensions; `scratch` has the call's scratch_bytes, 64-byte aligned, private to the chunk. */
typedef int (*kumiko_kernel)(void *const *buffers, const int64_t *symbols, int64_t chunk, void *scratch);

/** Where a buffer lives. */
enum kumiko_space {
  KUMIKO_SPACE_INPUT = 0,   /* offset bytes into input number `number` */
  KUMIKO_SPACE_OUTPUT = 1,  /* offset bytes into output number `number` */
  KUMIKO_SPACE_WEIGHTS = 2, /* offset bytes into the weights */
  KUMIKO_SPACE_ARENA = 3    /* offset bytes into the context's arena */
};

typedef struct kumiko_buffer {
  uint32_t space;
  uint32_t number;
  uint64_t offset;
} kumiko_buffer;

typedef struct kumiko_call {
  kumiko_kernel kernel;
  const kumiko_buffer *buffers;
  uint64_t buffer_count;
  int64_t chunks;
  uint64_t scratch_bytes;
  const char *name;  /* the kernel's symbol, for profiles */
  const char *nodes; /* source nodes, comma separated, for messages */
} kumiko_call;

typedef struct kumiko_value {
  const char *name;
  uint32_t element_type; /* kumiko_element_type of kumiko.h */
  uint32_t rank;
  const int64_t *shape;
} kumiko_value;

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
} kumiko_artefact;

#ifdef __cplusplus
}
#endif
#endif
