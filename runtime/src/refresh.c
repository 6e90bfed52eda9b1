#include "context.h"
#include <inttypes.h>
#include <string.h>

/** What a binding gives the kernels to read or write. */
static char *address_of(const kumiko_binding *binding) { return binding->copied ? binding->copy : binding->data; }

static int check_bound(kumiko_context *context, const char *kind, const kumiko_value *values,
                       const kumiko_binding *bindings, uint64_t count) {
  for (uint64_t number = 0; number < count; ++number)
    if (!bindings[number].bound && (bindings == context->inputs || !kumiko_value_is_symbolic(&values[number]))) {
      kumiko_text text = kumiko_context_message(context);
      kumiko_text_add(&text, "%s \"%s\" is not bound; expected ", kind, values[number].name);
      kumiko_text_add_value(&text, context->model->artefact, &values[number]);
      return KUMIKO_E_UNBOUND;
    }
  return KUMIKO_OK;
}

/** Copies are private, so only tensors used in place can collide. */
static bool overlap(const kumiko_binding *a, const kumiko_binding *b) {
  uintptr_t start_a = (uintptr_t)a->data, start_b = (uintptr_t)b->data;
  return a->bound && b->bound && !a->copied && !b->copied && a->bytes && b->bytes && start_a < start_b + b->bytes &&
         start_b < start_a + a->bytes;
}

static int fail_overlap(kumiko_context *context, const char *output, const char *kind, const char *other) {
  kumiko_text text = kumiko_context_message(context);
  kumiko_text_add(&text, "output \"%s\" shares memory with %s \"%s\"; kernels may write one before the other is read",
                  output, kind, other);
  return KUMIKO_E_OVERLAP;
}

static int check_apart(kumiko_context *context) {
  const kumiko_artefact *artefact = context->model->artefact;
  for (uint64_t output = 0; output < artefact->output_count; ++output) {
    const kumiko_value *value = &artefact->outputs[output];
    const kumiko_binding *binding = &context->outputs[output];
    for (uint64_t input = 0; input < artefact->input_count; ++input)
      if (overlap(binding, &context->inputs[input]))
        return fail_overlap(context, value->name, "input", artefact->inputs[input].name);
    for (uint64_t other = 0; other < output; ++other)
      if (overlap(binding, &context->outputs[other]))
        return fail_overlap(context, value->name, "output", artefact->outputs[other].name);
  }
  return KUMIKO_OK;
}

/** Where kernels find the slot's buffer. */
static char *base_of(kumiko_context *context, const kumiko_edge *edge) {
  switch (edge->buffer.space) {
  case KUMIKO_SPACE_INPUT:
    return address_of(&context->inputs[edge->buffer.number]);
  case KUMIKO_SPACE_OUTPUT:
    return context->outputs[edge->buffer.number].place;
  case KUMIKO_SPACE_WEIGHTS:
    return (char *)context->model->weights;
  default:
    return context->shapes.arenas[edge->level].memory
               ? context->shapes.arenas[edge->level].memory + context->shapes.offsets[edge->buffer.number]
               : NULL;
  }
}

static void fill_slots(kumiko_context *context, uint64_t level) {
  const kumiko_model *model = context->model;
  for (uint64_t number = level ? model->edge_ends[level - 1] : 0; number < model->edge_ends[level]; ++number) {
    const kumiko_edge *edge = &model->edges[number];
    char *base = base_of(context, edge);
    context->slots[edge->slot] = base ? base + kumiko_number(&context->shapes, edge->buffer.offset) : NULL;
  }
}

static int fail_output(kumiko_context *context, uint64_t output, int status) {
  const kumiko_value *value = &context->model->artefact->outputs[output];
  const kumiko_binding *binding = &context->outputs[output];
  kumiko_text text = kumiko_context_message(context);
  kumiko_text_add(&text, "output \"%s\" ", value->name);
  if (status == KUMIKO_E_SHAPE && binding->bound) {
    kumiko_text_add(&text, "is bound as ");
    kumiko_text_add_type(&text, value->element_type, value->rank, binding->shape);
    kumiko_text_add(&text, ", but ");
  }
  kumiko_text_add(&text, "is ");
  kumiko_text_add_type(&text, value->element_type, value->rank, binding->actual);
  if (status != KUMIKO_E_SHAPE)
    kumiko_text_add(&text, ": %s", kumiko_status_text(status));
  return status;
}

/** The output's shape from its level's numbers, and a place that is large enough: the caller's, or the context's. */
static int settle(kumiko_context *context, uint64_t output, uint64_t level) {
  const kumiko_value *value = &context->model->artefact->outputs[output];
  kumiko_binding *binding = &context->outputs[output];
  uint64_t bytes = kumiko_type_bytes(value->element_type);
  bool same = true, overflow = false;
  for (uint32_t axis = 0; axis < value->rank; ++axis) {
    int64_t extent = binding->actual[axis] = kumiko_number(&context->shapes, value->shape[axis]);
    if (extent < 0)
      return fail_output(context, output, KUMIKO_E_VALUE);
    same = same && extent == binding->shape[axis];
    overflow = overflow || __builtin_mul_overflow(bytes, (uint64_t)extent, &bytes);
  }
  if (overflow)
    return fail_output(context, output, KUMIKO_E_OVERFLOW);
  if (binding->bound && (level ? bytes <= binding->bytes : same))
    binding->place = address_of(binding);
  else if (binding->bound && !level)
    return fail_output(context, output, KUMIKO_E_SHAPE);
  else if (kumiko_block_grow(context, &context->shapes.outputs[output], bytes))
    binding->place = context->shapes.outputs[output].memory;
  else
    return fail_output(context, output, KUMIKO_E_MEMORY);
  binding->settled = true;
  return KUMIKO_OK;
}

/** Numbers, memory and addresses of a level. */
static int enter(kumiko_context *context, uint64_t level) {
  const kumiko_artefact *artefact = context->model->artefact;
  int status = artefact->dynamics ? kumiko_shapes_enter(context, level) : KUMIKO_OK;
  for (uint64_t output = 0; !status && output < artefact->output_count; ++output)
    if (kumiko_value_level(artefact, &artefact->outputs[output]) == level)
      status = settle(context, output, level);
  if (!status)
    fill_slots(context, level);
  return status;
}

int kumiko_context_refresh(kumiko_context *context) {
  const kumiko_artefact *artefact = context->model->artefact;
  int status = check_bound(context, "input", artefact->inputs, context->inputs, artefact->input_count);
  if (!status)
    status = check_bound(context, "output", artefact->outputs, context->outputs, artefact->output_count);
  if (!status)
    status = check_apart(context);
  if (!status)
    status = kumiko_shapes_solve(context);
  if (!status)
    status = enter(context, 0);
  context->stale = status != KUMIKO_OK;
  return status;
}

int kumiko_context_advance(kumiko_context *context, uint64_t level) { return enter(context, level); }

static int find_output(kumiko_context *context, uint64_t number) {
  if (number < context->model->artefact->output_count)
    return KUMIKO_OK;
  kumiko_text text = kumiko_context_message(context);
  kumiko_text_add(&text, "there is no output %" PRIu64 "; %s has %" PRIu64 ", counted from 0", number,
                  context->model->artefact->name, context->model->artefact->output_count);
  return KUMIKO_E_NAME;
}

/** The shape as it is known now; data that decide it must have been seen. */
static int shape_now(kumiko_context *context, uint64_t number) {
  const kumiko_artefact *artefact = context->model->artefact;
  const kumiko_value *value = &artefact->outputs[number];
  int status = check_bound(context, "input", artefact->inputs, context->inputs, artefact->input_count);
  if (status || (status = kumiko_shapes_solve(context)))
    return status;
  if (kumiko_value_level(artefact, value)) {
    if (context->outputs[number].settled && !context->stale)
      return KUMIKO_OK;
    kumiko_text text = kumiko_context_message(context);
    kumiko_text_add(&text, "output \"%s\": data decide its shape; run first", value->name);
    return KUMIKO_E_UNBOUND;
  }
  for (uint32_t axis = 0; axis < value->rank; ++axis)
    context->outputs[number].actual[axis] = kumiko_number(&context->shapes, value->shape[axis]);
  return KUMIKO_OK;
}

int kumiko_output_shape(kumiko_context *context, uint64_t number, int64_t *shape) {
  int status = kumiko_context_enter(context);
  if (status)
    return status;
  status = find_output(context, number);
  if (!status)
    status = shape_now(context, number);
  uint32_t rank = status ? 0 : context->model->artefact->outputs[number].rank;
  if (rank && !shape) {
    kumiko_text text = kumiko_context_message(context);
    kumiko_text_add(&text, "output_shape wants room for %" PRIu32 " extents", rank);
    status = KUMIKO_E_ARGUMENT;
  } else if (rank)
    memcpy(shape, context->outputs[number].actual, rank * sizeof *shape);
  kumiko_context_leave(context);
  return status;
}

int kumiko_output_tensor(kumiko_context *context, uint64_t number, kumiko_tensor *tensor) {
  int status = kumiko_context_enter(context);
  if (status)
    return status;
  status = find_output(context, number);
  kumiko_binding *binding = status ? NULL : &context->outputs[number];
  if (!status && (!tensor || context->stale || !binding->settled)) {
    kumiko_text text = kumiko_context_message(context);
    kumiko_text_add(&text, "output_tensor wants a tensor to fill in, and a run since the last binding");
    status = tensor ? KUMIKO_E_UNBOUND : KUMIKO_E_ARGUMENT;
  }
  if (!status) {
    const kumiko_value *value = &context->model->artefact->outputs[number];
    bool strided = binding->bound && binding->copied;
    *tensor = (kumiko_tensor){strided ? binding->data : binding->place, value->element_type, value->rank,
                              binding->actual, strided ? binding->strides : NULL};
  }
  kumiko_context_leave(context);
  return status;
}
