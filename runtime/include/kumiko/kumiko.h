/*===- kumiko.h - run compiled models from C ---------------------------------===
 *
 * All functions are reached through one table, so that a program and a shared library built at different times agree:
 *
 *   const kumiko_api *k = kumiko_get_api(KUMIKO_API_VERSION);
 *   kumiko_model *model;
 *   kumiko_context *context;
 *   k->model_load("./resnet50.so", &model);
 *   k->context_create(model, NULL, &context);
 *   k->bind_input(context, "data", &(kumiko_tensor){data, KUMIKO_F32, 4, (const int64_t[]){1, 3, 224, 224}, NULL});
 *   k->bind_output(context, "prob", &(kumiko_tensor){prob, KUMIKO_F32, 2, (const int64_t[]){1, 1000}, NULL});
 *   if (k->run(context))
 *     puts(k->last_error(context));
 *
 * A model never changes and may be used by any number of contexts on any number of threads. A context belongs to one
 * thread at a time; a second one that enters gets KUMIKO_E_BUSY. Nothing here aborts, throws or prints. After the
 * first run of a shape a context no longer touches the heap.
 *
 *===------------------------------------------------------------------------===*/
#ifndef KUMIKO_KUMIKO_H
#define KUMIKO_KUMIKO_H

#include "kumiko/artefact.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KUMIKO_API_VERSION 1u

/** The most threads that one context uses. */
#define KUMIKO_MAX_THREADS 1024u

/** What every function that can fail returns. Numbers are appended, never reused. */
enum kumiko_status {
  KUMIKO_OK = 0,
  KUMIKO_E_ARGUMENT = 1,     /* a null or contradictory argument */
  KUMIKO_E_VERSION = 2,      /* artefact and runtime do not understand each other */
  KUMIKO_E_ARTEFACT = 3,     /* the artefact contradicts itself */
  KUMIKO_E_FILE = 4,         /* a file cannot be opened, read or mapped */
  KUMIKO_E_NAME = 5,         /* no input or output of this name or number */
  KUMIKO_E_TYPE = 6,         /* wrong element type */
  KUMIKO_E_SHAPE = 7,        /* wrong rank or extent */
  KUMIKO_E_STRIDES = 8,      /* strides that cannot be written through */
  KUMIKO_E_UNBOUND = 9,      /* run before every input and output is bound */
  KUMIKO_E_OVERLAP = 10,     /* an output shares memory with another binding */
  KUMIKO_E_BUSY = 11,        /* another thread is using the context */
  KUMIKO_E_MEMORY = 12,      /* memory cannot be had */
  KUMIKO_E_UNSUPPORTED = 13, /* valid, but this runtime cannot do it */
  KUMIKO_E_INDEX = 14,       /* from a kernel: an index in the data is out of range */
  KUMIKO_E_VALUE = 15,       /* from a kernel: a value in the data breaks the operator's specification */
  KUMIKO_E_OVERFLOW = 16,    /* a size does not fit 64 bits */
  KUMIKO_E_INTERNAL = 17     /* a defect of ours */
};

/** Numbers of kumiko/Support/ElementType.h; part of the artefact's ABI. Types below 8 bits take one byte each. */
typedef enum kumiko_element_type {
  KUMIKO_B1 = 1,
  KUMIKO_I8 = 2,
  KUMIKO_I16 = 3,
  KUMIKO_I32 = 4,
  KUMIKO_I64 = 5,
  KUMIKO_U8 = 6,
  KUMIKO_U16 = 7,
  KUMIKO_U32 = 8,
  KUMIKO_U64 = 9,
  KUMIKO_F16 = 10,
  KUMIKO_BF16 = 11,
  KUMIKO_F32 = 12,
  KUMIKO_F64 = 13,
  KUMIKO_I4 = 14,
  KUMIKO_U4 = 15,
  KUMIKO_I2 = 16,
  KUMIKO_U2 = 17,
  KUMIKO_F8E4M3FN = 18,
  KUMIKO_F8E4M3FNUZ = 19,
  KUMIKO_F8E5M2 = 20,
  KUMIKO_F8E5M2FNUZ = 21,
  KUMIKO_F8E8M0 = 22,
  KUMIKO_F6E2M3 = 23,
  KUMIKO_F6E3M2 = 24,
  KUMIKO_F4E2M1 = 25
} kumiko_element_type;

/** Extents of a kumiko_value may be below 0: they are symbols or expressions over them (`dimension_text`), the same
 *  number the same expression. A symbol gets its value from the inputs that are bound, or from data while the model
 *  runs. An output whose shape depends on data may be bound with any shape of its rank; results that fit its memory are
 *  written there, densely and from its beginning, others into the context's.
 *
 *  A view of the caller's memory. Data stays the caller's and must live until it is rebound or the context goes; the
 *  shape and stride arrays are copied. Without strides the tensor is dense and row-major, which costs nothing; strides
 *  (in elements, zero and negative allowed for inputs) and data less aligned than its element cost one copy per run. */
typedef struct kumiko_tensor {
  void *data; /* inputs are only read; may be null when the tensor has no elements */
  uint32_t element_type;
  uint32_t rank;
  const int64_t *shape;
  const int64_t *strides; /* or null */
} kumiko_tensor;

typedef struct kumiko_model kumiko_model;
typedef struct kumiko_context kumiko_context;

/** Memory for everything a context owns. Called when contexts are created and destroyed, when a tensor that needs
 *  a copy is bound, and by a run whose shapes need more memory than any before. `allocate` returns null on failure;
 * `alignment` is a power of two. */
typedef struct kumiko_allocator {
  void *user;
  void *(*allocate)(void *user, size_t bytes, size_t alignment);
  void (*release)(void *user, void *memory, size_t bytes);
} kumiko_allocator;

/** Threads of the caller's. `run` calls task(data, 0) .. task(data, workers - 1), each once, on any threads, together
 * or one after another, and returns when all have returned. */
typedef struct kumiko_pool {
  void *user;
  void (*run)(void *user, void (*task)(void *data, uint32_t worker), void *data, uint32_t workers);
} kumiko_pool;

/** Zero every field that is not used: zero means the default. */
typedef struct kumiko_options {
  uint32_t struct_bytes; /* sizeof(kumiko_options) of the caller */
  /** At most this many threads, the caller included. Zero: what the affinity mask and the cgroup's CPU quota allow, and
   *  less while other contexts keep those CPUs busy. The answer never depends on it. */
  uint32_t threads;
  const kumiko_allocator *allocator; /* copied */
  const kumiko_pool *pool;           /* copied; `threads` then says how many workers to ask for */
} kumiko_options;

typedef struct kumiko_model_info {
  uint32_t struct_bytes; /* in: sizeof(kumiko_model_info) of the caller */
  uint32_t reserved;
  const char *name;
  const char *producer;
  const char *provenance;
  uint64_t input_count;
  const kumiko_value *inputs;
  uint64_t output_count;
  const kumiko_value *outputs;
  uint64_t call_count;
  uint64_t arena_bytes;
  uint64_t scratch_bytes; /* per thread */
  uint64_t weights_bytes;
} kumiko_model_info;

typedef struct kumiko_context_info {
  uint32_t struct_bytes; /* in: sizeof(kumiko_context_info) of the caller */
  uint32_t threads;      /* the most that a run will use */
  uint64_t memory_bytes; /* arena, scratch and copies */
} kumiko_context_info;

/** One call of a kernel, told after it has finished, on the thread that runs the context. */
typedef struct kumiko_profile_event {
  uint32_t struct_bytes;
  uint32_t threads; /* threads that were at hand; not all need have had a chunk */
  uint64_t call;    /* number in the program */
  int64_t chunks;
  const char *name;  /* the kernel */
  const char *nodes; /* source nodes, comma separated */
  uint64_t start_ns; /* CLOCK_MONOTONIC */
  uint64_t ns;
} kumiko_profile_event;

typedef void (*kumiko_profile_hook)(void *user, const kumiko_profile_event *event);

/** Fields are appended; `struct_bytes` says how many there are. */
typedef struct kumiko_api {
  uint32_t version;
  uint32_t struct_bytes;

  /** Never null, also for unknown numbers. */
  const char *(*status_text)(int status);
  /** `f32`, `i64`, ...; null for an unknown number. */
  const char *(*type_name)(uint32_t element_type);
  /** Bytes of one element; 0 for an unknown number. */
  uint64_t (*type_bytes)(uint32_t element_type);
  /** CPUs that this process may use: affinity mask and cgroup quota. At least 1. */
  uint32_t (*available_threads)(void);

  /** The artefact must outlive the model. `weights_folder` is where its weights file is, or null when it has none. */
  int (*model_from_artefact)(const kumiko_artefact *artefact, const char *weights_folder, kumiko_model **model);
  /** Loads a shared library made by `kumiko compile`; a path without a slash is a file of the current folder. */
  int (*model_load)(const char *path, kumiko_model **model);
  void (*model_retain)(kumiko_model *model);
  /** Contexts keep their model; it goes with the last of them. */
  void (*model_release)(kumiko_model *model);
  /** What is pointed to lives as long as the model. */
  int (*model_info)(const kumiko_model *model, kumiko_model_info *info);

  /** `options` may be null. */
  int (*context_create)(kumiko_model *model, const kumiko_options *options, kumiko_context **context);
  /** Null is allowed. The context must not be in use. */
  void (*context_destroy)(kumiko_context *context);
  int (*context_info)(const kumiko_context *context, kumiko_context_info *info);

  int (*bind_input)(kumiko_context *context, const char *name, const kumiko_tensor *tensor);
  int (*bind_output)(kumiko_context *context, const char *name, const kumiko_tensor *tensor);
  int (*bind_input_number)(kumiko_context *context, uint64_t number, const kumiko_tensor *tensor);
  int (*bind_output_number)(kumiko_context *context, uint64_t number, const kumiko_tensor *tensor);
  int (*run)(kumiko_context *context);

  /** Text of the last failure of this context, or, for null, of the last failure on this thread that had no context of
   *  its own (loading, creating, KUMIKO_E_BUSY). Empty when there was none; valid until the next failing call. */
  const char *(*last_error)(const kumiko_context *context);
  /** A null hook turns profiling off. The hook must not use the context. */
  int (*set_profile)(kumiko_context *context, kumiko_profile_hook hook, void *user);

  /* Since the first version: symbolic shapes. */

  /** Writes as many extents as the output has axes. Known when all inputs are bound, or after a run where data decide.
   */
  int (*output_shape)(kumiko_context *context, uint64_t number, int64_t *shape);
  /** After a run: where an output is, with its shape. An output that has symbols in its shape need not be bound; it is
   *  then in the context's memory until the next run or binding. */
  int (*output_tensor)(kumiko_context *context, uint64_t number, kumiko_tensor *tensor);
  /** What an extent below 0 in a kumiko_value stands for: "batch", "(seq - 1)"; null for other numbers. */
  const char *(*dimension_text)(const kumiko_model *model, int64_t extent);
} kumiko_api;

#if defined(__GNUC__)
#define KUMIKO_EXPORT __attribute__((visibility("default")))
#else
#define KUMIKO_EXPORT
#endif

/** The table of the given version, or null when this runtime is older than that. */
KUMIKO_EXPORT const kumiko_api *kumiko_get_api(uint32_t version);

/** The function that every shared library made by `kumiko compile` exports under this name. */
#define KUMIKO_ARTEFACT_SYMBOL "kumiko_artefact_table"
typedef const kumiko_artefact *(*kumiko_artefact_function)(void);

#ifdef __cplusplus
}
#endif
#endif
