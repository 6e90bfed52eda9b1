#include "context.h"

/** What a binding gives the kernels to read or write. */
static char *address_of(const kumiko_binding *binding) { return binding->copied ? binding->copy : binding->data; }

static int check_bound(kumiko_context *context, const char *kind, const kumiko_value *values,
                       const kumiko_binding *bindings, uint64_t count) {
  for (uint64_t number = 0; number < count; ++number)
    if (!bindings[number].bound) {
      kumiko_text text = kumiko_context_message(context);
      kumiko_text_add(&text, "%s \"%s\" is not bound; expected ", kind, values[number].name);
      kumiko_text_add_type(&text, values[number].element_type, values[number].rank, values[number].shape);
      return KUMIKO_E_UNBOUND;
    }
  return KUMIKO_OK;
}

/** Copies are private, so only tensors used in place can collide. */
static bool overlap(const kumiko_value *a, const kumiko_binding *in_a, const kumiko_value *b,
                    const kumiko_binding *in_b) {
  uintptr_t start_a = (uintptr_t)in_a->data, start_b = (uintptr_t)in_b->data;
  uint64_t bytes_a = kumiko_value_bytes(a), bytes_b = kumiko_value_bytes(b);
  return !in_a->copied && !in_b->copied && bytes_a && bytes_b && start_a < start_b + bytes_b &&
         start_b < start_a + bytes_a;
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
      if (overlap(value, binding, &artefact->inputs[input], &context->inputs[input]))
        return fail_overlap(context, value->name, "input", artefact->inputs[input].name);
    for (uint64_t other = 0; other < output; ++other)
      if (overlap(value, binding, &artefact->outputs[other], &context->outputs[other]))
        return fail_overlap(context, value->name, "output", artefact->outputs[other].name);
  }
  return KUMIKO_OK;
}

int kumiko_context_refresh(kumiko_context *context) {
  const kumiko_artefact *artefact = context->model->artefact;
  int status = check_bound(context, "input", artefact->inputs, context->inputs, artefact->input_count);
  if (!status)
    status = check_bound(context, "output", artefact->outputs, context->outputs, artefact->output_count);
  if (!status)
    status = check_apart(context);
  if (status)
    return status;
  for (uint64_t number = 0; number < context->model->edge_count; ++number) {
    const kumiko_edge *edge = &context->model->edges[number];
    const kumiko_binding *side = edge->buffer.space == KUMIKO_SPACE_INPUT ? context->inputs : context->outputs;
    char *base = address_of(&side[edge->buffer.number]);
    context->slots[edge->slot] = base ? base + edge->buffer.offset : NULL;
  }
  context->stale = false;
  return KUMIKO_OK;
}
