#include "context.h"
#include "cpus.h"
#include "memory.h"
#include <string.h>

#define LINE ((size_t)64)

/** Adds `count` things of `bytes` each, rounded up to a cache line; false on overflow. */
static bool reserve(size_t *total, uint64_t count, uint64_t bytes, size_t *offset) {
  size_t size;
  *offset = *total;
  return !__builtin_mul_overflow(count, bytes, &size) && !__builtin_add_overflow(size, LINE - 1, &size) &&
         !__builtin_add_overflow(*total, size & ~(LINE - 1), total);
}

/** Takes as much of the caller's struct as both sides know. */
static int take_options(const kumiko_options *given, kumiko_options *options) {
  *options = (kumiko_options){.struct_bytes = sizeof *options};
  if (given && given->struct_bytes < sizeof given->struct_bytes)
    return kumiko_fail(KUMIKO_E_ARGUMENT, "the options' struct_bytes is not set");
  if (given)
    memcpy(options, given, given->struct_bytes < sizeof *options ? given->struct_bytes : sizeof *options);
  if (options->threads > KUMIKO_MAX_THREADS)
    return kumiko_fail(KUMIKO_E_ARGUMENT, "%u threads were asked for; at most %u can be used", options->threads,
                       KUMIKO_MAX_THREADS);
  if (options->allocator && (!options->allocator->allocate || !options->allocator->release))
    return kumiko_fail(KUMIKO_E_ARGUMENT, "the allocator lacks a function");
  if (options->pool && !options->pool->run)
    return kumiko_fail(KUMIKO_E_ARGUMENT, "the pool lacks its function");
  return KUMIKO_OK;
}

/** The context with its tables, in one block. */
static kumiko_context *create_tables(kumiko_model *model, const kumiko_allocator *allocator) {
  const kumiko_artefact *artefact = model->artefact;
  size_t bytes = sizeof(kumiko_context), slots, moved, inputs, outputs, shapes;
  if (!reserve(&bytes, 1, 0, &slots) || !reserve(&bytes, model->slot_count, sizeof(void *), &slots) ||
      !reserve(&bytes, model->most_moved, sizeof(void *), &moved) ||
      !reserve(&bytes, artefact->input_count, sizeof(kumiko_binding), &inputs) ||
      !reserve(&bytes, artefact->output_count, sizeof(kumiko_binding), &outputs) ||
      !reserve(&bytes, 1, kumiko_shapes_bytes(artefact), &shapes))
    return NULL;
  char *block = allocator->allocate(allocator->user, bytes, LINE);
  if (!block)
    return NULL;
  memset(block, 0, bytes);
  kumiko_context *context = (kumiko_context *)block;
  context->context_bytes = bytes;
  context->slots = (void **)(block + slots);
  context->moved = (void **)(block + moved);
  context->inputs = (kumiko_binding *)(block + inputs);
  context->outputs = (kumiko_binding *)(block + outputs);
  context->allocator = *allocator;
  context->model = model;
  kumiko_shapes_create(&context->shapes, artefact, block + shapes);
  return context;
}

/** Arena and scratch. Zeroed, so that what a kernel leaves unwritten is the same on every run of every program. */
static bool create_memory(kumiko_context *context) {
  const kumiko_artefact *artefact = context->model->artefact;
  size_t bytes = 0, arena, scratch;
  if (artefact->dynamics) /* comes with the shapes */
    return true;
  if (!reserve(&bytes, 1, artefact->arena_bytes, &arena))
    return false;
  size_t arena_bytes = bytes;
  if (!reserve(&bytes, 1, artefact->scratch_bytes, &scratch))
    return false;
  context->scratch_stride = bytes - arena_bytes;
  if (!reserve(&arena_bytes, context->member.threads, context->scratch_stride, &scratch))
    return false;
  context->memory_bytes = arena_bytes;
  if (!arena_bytes)
    return true;
  context->memory = context->allocator.allocate(context->allocator.user, arena_bytes, LINE);
  if (!context->memory)
    return false;
  memset(context->memory, 0, arena_bytes);
  context->scratch = context->memory + scratch;
  return true;
}

/** Addresses of weights and arena never change; those of inputs and outputs come with the bindings. */
static void fill_fixed_slots(kumiko_context *context) {
  const kumiko_artefact *artefact = context->model->artefact;
  void **slot = context->slots;
  for (uint64_t number = 0; number < artefact->call_count; ++number)
    for (uint64_t buffer = 0; buffer < artefact->calls[number].buffer_count; ++buffer, ++slot) {
      const kumiko_buffer *reference = &artefact->calls[number].buffers[buffer];
      const char *base = reference->space == KUMIKO_SPACE_WEIGHTS ? context->model->weights : context->memory;
      if (reference->space > KUMIKO_SPACE_OUTPUT && reference->space != KUMIKO_SPACE_PLANNED && base)
        *slot = (void *)(base + reference->offset);
    }
}

/** No more threads than the program has work for. */
static uint32_t useful_threads(const kumiko_model *model, uint32_t wanted) {
  uint32_t threads = wanted ? wanted : kumiko_available_threads();
  if (threads > KUMIKO_MAX_THREADS)
    threads = KUMIKO_MAX_THREADS;
  if (model->most_chunks < threads)
    threads = model->most_chunks > 1 ? (uint32_t)model->most_chunks : 1;
  return threads;
}

int kumiko_context_create(kumiko_model *model, const kumiko_options *given, kumiko_context **result) {
  if (!model || !result)
    return kumiko_fail(KUMIKO_E_ARGUMENT, "context_create wants a model and a place for the context");
  *result = NULL;
  kumiko_options options;
  int status = take_options(given, &options);
  if (status)
    return status;
  kumiko_context *context = create_tables(model, options.allocator ? options.allocator : &kumiko_default_allocator);
  if (!context || !kumiko_process_generation())
    goto no_memory;
  context->member.threads = useful_threads(model, options.threads);
  context->member.yielding = options.threads == 0;
  if (options.pool)
    context->pool = *options.pool;
  if (!create_memory(context))
    goto no_memory;
  fill_fixed_slots(context);
  context->stale = true;
  kumiko_model_retain(model);
  *result = context;
  return KUMIKO_OK;

no_memory:
  if (context)
    context->allocator.release(context->allocator.user, context, context->context_bytes);
  return kumiko_fail(KUMIKO_E_MEMORY, "no memory for a context of %s: arena %llu bytes, scratch %llu bytes per thread",
                     model->artefact->name, (unsigned long long)model->artefact->arena_bytes,
                     (unsigned long long)model->artefact->scratch_bytes);
}

static void release_copies(kumiko_context *context, kumiko_binding *bindings, uint64_t count) {
  for (uint64_t number = 0; number < count; ++number)
    if (bindings[number].copy)
      context->allocator.release(context->allocator.user, bindings[number].copy, bindings[number].copy_bytes);
}

void kumiko_context_destroy(kumiko_context *context) {
  if (!context)
    return;
  kumiko_model *model = context->model;
  kumiko_process_leave(&context->member);
  release_copies(context, context->inputs, model->artefact->input_count);
  release_copies(context, context->outputs, model->artefact->output_count);
  kumiko_shapes_destroy(context);
  if (context->memory)
    context->allocator.release(context->allocator.user, context->memory, context->memory_bytes);
  context->allocator.release(context->allocator.user, context, context->context_bytes);
  kumiko_model_release(model);
}

int kumiko_context_enter(kumiko_context *context) {
  if (!context)
    return kumiko_fail(KUMIKO_E_ARGUMENT, "the context is null");
  uint32_t generation = kumiko_process_generation(), user = 0;
  do {
    if (user == generation)
      return kumiko_fail(KUMIKO_E_BUSY, "another thread is using this context of %s; give each thread its own",
                         context->model->artefact->name);
  } while (!atomic_compare_exchange_strong(&context->user, &user, generation));
  return KUMIKO_OK;
}

void kumiko_context_leave(kumiko_context *context) { atomic_store_explicit(&context->user, 0, memory_order_release); }

kumiko_text kumiko_context_message(kumiko_context *context) {
  return kumiko_text_in(context->message, sizeof context->message);
}

const char *kumiko_context_last_error(const kumiko_context *context) {
  return context ? context->message : kumiko_thread_message();
}

int kumiko_context_set_profile(kumiko_context *context, kumiko_profile_hook hook, void *user) {
  int status = kumiko_context_enter(context);
  if (status)
    return status;
  context->hook = hook;
  context->hook_user = user;
  kumiko_context_leave(context);
  return KUMIKO_OK;
}

int kumiko_context_get_info(const kumiko_context *context, kumiko_context_info *info) {
  if (!context || !info || info->struct_bytes < sizeof info->struct_bytes)
    return kumiko_fail(KUMIKO_E_ARGUMENT, "context_info wants a context and a struct with its struct_bytes set");
  kumiko_context_info whole = {info->struct_bytes, context->member.threads,
                               context->memory_bytes + context->context_bytes + context->copy_bytes +
                                   kumiko_shapes_memory(context)};
  memcpy(info, &whole, info->struct_bytes < sizeof whole ? info->struct_bytes : sizeof whole);
  return KUMIKO_OK;
}
