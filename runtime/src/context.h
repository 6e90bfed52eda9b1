/*===- context.h - one user of a model ---------------------------------------===*/
#ifndef KUMIKO_CONTEXT_H
#define KUMIKO_CONTEXT_H

#include "model.h"
#include "process.h"
#include "shapes.h"
#include "text.h"
#include <stdbool.h>

/** An input or output: where it is bound, and a dense copy when the kernels cannot use that memory as it is. */
typedef struct kumiko_binding {
  bool bound;
  bool copied;
  void *data;
  void *copy; /* kept for later bindings once it exists */
  size_t copy_bytes;
  uint64_t bytes; /* of what is bound */
  int64_t shape[KUMIKO_MAX_RANK];
  int64_t strides[KUMIKO_MAX_RANK];
  /* Of an output: where kernels write it, and its shape, once that is known. */
  void *place;
  int64_t actual[KUMIKO_MAX_RANK];
  bool settled;
} kumiko_binding;

struct kumiko_context {
  _Atomic uint32_t user; /* generation of the process whose thread is inside; 0: nobody */
  kumiko_model *model;
  kumiko_allocator allocator;
  kumiko_pool pool; /* run is null: our own teams */
  kumiko_member member;
  size_t context_bytes;
  char *memory; /* arena, then one piece of scratch for each thread */
  size_t memory_bytes;
  char *scratch;
  size_t scratch_stride;
  size_t copy_bytes;
  bool stale; /* a binding changed since slots were filled */
  kumiko_profile_hook hook;
  void *hook_user;
  void **slots; /* the references of all calls, as addresses without their steps */
  void **moved; /* those of the call that is run now, inside of a loop */
  int64_t turns[KUMIKO_MAX_LOOPS];
  kumiko_binding *inputs;
  kumiko_binding *outputs;
  kumiko_shapes shapes; /* all zero without symbols */
  char message[KUMIKO_MESSAGE_BYTES];
};

int kumiko_context_create(kumiko_model *model, const kumiko_options *options, kumiko_context **context);
void kumiko_context_destroy(kumiko_context *context);
int kumiko_context_get_info(const kumiko_context *context, kumiko_context_info *info);
int kumiko_context_set_profile(kumiko_context *context, kumiko_profile_hook hook, void *user);
const char *kumiko_context_last_error(const kumiko_context *context);

int kumiko_bind_input(kumiko_context *context, const char *name, const kumiko_tensor *tensor);
int kumiko_bind_output(kumiko_context *context, const char *name, const kumiko_tensor *tensor);
int kumiko_bind_input_number(kumiko_context *context, uint64_t number, const kumiko_tensor *tensor);
int kumiko_bind_output_number(kumiko_context *context, uint64_t number, const kumiko_tensor *tensor);
int kumiko_context_run(kumiko_context *context);

/** Makes the calling thread the context's user; KUMIKO_E_ARGUMENT or KUMIKO_E_BUSY go to the thread's message. A user
 *  that a fork has left behind in the parent does not count. */
int kumiko_context_enter(kumiko_context *context);
void kumiko_context_leave(kumiko_context *context);

/** Starts the context's message; the caller has entered. */
kumiko_text kumiko_context_message(kumiko_context *context);

/** Checks that everything is bound and apart, works out shapes, and fills the slots that are known before the run. */
int kumiko_context_refresh(kumiko_context *context);
/** A level begins: what depends on the symbols that were found, or on the branch that is taken, gets its memory. */
int kumiko_context_advance(kumiko_context *context, uint64_t level);

int kumiko_output_shape(kumiko_context *context, uint64_t number, int64_t *shape);
int kumiko_output_tensor(kumiko_context *context, uint64_t number, kumiko_tensor *tensor);

/** `f32[batch,224]` */
void kumiko_text_add_value(kumiko_text *text, const kumiko_artefact *artefact, const kumiko_value *value);

/** Copies between a strided tensor and a dense one. */
void kumiko_gather(const kumiko_value *value, const kumiko_binding *binding);
void kumiko_scatter(const kumiko_value *value, const kumiko_binding *binding);

#endif
