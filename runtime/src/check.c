#include "model.h"
#include "team.h"
#include "text.h"
#include <inttypes.h>
#include <stddef.h>

/* What the first version of the struct had; later fields are read only when struct_bytes covers them. */
#define FIRST_STRUCT_BYTES (offsetof(kumiko_artefact, symbol_count) + sizeof(uint64_t))

uint64_t kumiko_value_bytes(const kumiko_value *value) {
  uint64_t bytes = kumiko_type_bytes(value->element_type);
  for (uint32_t axis = 0; axis < value->rank; ++axis)
    bytes *= (uint64_t)value->shape[axis];
  return bytes;
}

static int check_value(const kumiko_value *value, const char *kind, uint64_t number) {
  if (!value->name || (value->rank && !value->shape))
    return kumiko_fail(KUMIKO_E_ARTEFACT, "%s %" PRIu64 " has no name or no shape", kind, number);
  if (!kumiko_type_name(value->element_type))
    return kumiko_fail(KUMIKO_E_VERSION, "%s \"%s\" has element type %" PRIu32 ", which this runtime does not know",
                       kind, value->name, value->element_type);
  if (value->rank > KUMIKO_MAX_RANK)
    return kumiko_fail(KUMIKO_E_UNSUPPORTED, "%s \"%s\" has rank %" PRIu32 "; at most %u is supported", kind,
                       value->name, value->rank, KUMIKO_MAX_RANK);
  uint64_t bytes = kumiko_type_bytes(value->element_type);
  for (uint32_t axis = 0; axis < value->rank; ++axis) {
    if (value->shape[axis] < 0)
      return kumiko_fail(KUMIKO_E_UNSUPPORTED, "%s \"%s\": axis %" PRIu32 " is not static", kind, value->name, axis);
    if (value->shape[axis] && __builtin_mul_overflow(bytes, (uint64_t)value->shape[axis], &bytes))
      return kumiko_fail(KUMIKO_E_OVERFLOW, "%s \"%s\" is larger than 64 bits can count", kind, value->name);
  }
  return KUMIKO_OK;
}

static int check_buffer(const kumiko_artefact *artefact, const kumiko_call *call, const kumiko_buffer *buffer) {
  uint64_t limit = 0, count = 1;
  switch (buffer->space) {
  case KUMIKO_SPACE_INPUT:
    count = artefact->input_count;
    break;
  case KUMIKO_SPACE_OUTPUT:
    count = artefact->output_count;
    break;
  case KUMIKO_SPACE_WEIGHTS:
    limit = artefact->weights_bytes;
    break;
  case KUMIKO_SPACE_ARENA:
    limit = artefact->arena_bytes;
    break;
  default:
    return kumiko_fail(KUMIKO_E_VERSION, "%s refers to memory of kind %" PRIu32 ", which this runtime does not know",
                       call->name, buffer->space);
  }
  if (buffer->space <= KUMIKO_SPACE_OUTPUT) {
    if (buffer->number >= count)
      return kumiko_fail(KUMIKO_E_ARTEFACT, "%s refers to input or output %" PRIu32 " of %" PRIu64, call->name,
                         buffer->number, count);
    const kumiko_value *values = buffer->space == KUMIKO_SPACE_INPUT ? artefact->inputs : artefact->outputs;
    limit = kumiko_value_bytes(&values[buffer->number]);
  }
  if (buffer->offset > limit)
    return kumiko_fail(KUMIKO_E_ARTEFACT, "%s refers to byte %" PRIu64 " of %" PRIu64, call->name, buffer->offset,
                       limit);
  return KUMIKO_OK;
}

static int check_call(const kumiko_artefact *artefact, uint64_t number) {
  const kumiko_call *call = &artefact->calls[number];
  if (!call->kernel || !call->name || !call->nodes || (call->buffer_count && !call->buffers))
    return kumiko_fail(KUMIKO_E_ARTEFACT, "call %" PRIu64 " lacks its kernel, its names or its buffers", number);
  if (call->chunks < 0 || call->chunks > KUMIKO_MAX_CHUNKS)
    return kumiko_fail(KUMIKO_E_ARTEFACT, "%s has %" PRId64 " chunks", call->name, call->chunks);
  if (call->scratch_bytes > artefact->scratch_bytes)
    return kumiko_fail(KUMIKO_E_ARTEFACT, "%s wants more scratch than the artefact says", call->name);
  for (uint64_t buffer = 0; buffer < call->buffer_count; ++buffer) {
    int status = check_buffer(artefact, call, &call->buffers[buffer]);
    if (status)
      return status;
  }
  return KUMIKO_OK;
}

static int check_head(const kumiko_artefact *artefact) {
  if (!artefact)
    return kumiko_fail(KUMIKO_E_ARGUMENT, "the artefact is null");
  if (artefact->version != KUMIKO_ARTEFACT_VERSION)
    return kumiko_fail(KUMIKO_E_VERSION,
                       "the artefact has version %" PRIu32 ", this runtime reads version %u; compile the model again",
                       artefact->version, KUMIKO_ARTEFACT_VERSION);
  if (artefact->struct_bytes < FIRST_STRUCT_BYTES || !artefact->name || !artefact->producer || !artefact->provenance ||
      (artefact->input_count && !artefact->inputs) || (artefact->output_count && !artefact->outputs) ||
      (artefact->call_count && !artefact->calls))
    return kumiko_fail(KUMIKO_E_ARTEFACT, "the artefact is incomplete");
  if (artefact->weights_bytes && !artefact->weights && !artefact->weights_file)
    return kumiko_fail(KUMIKO_E_ARTEFACT, "%s has no weights", artefact->name);
  if (artefact->symbol_count)
    return kumiko_fail(KUMIKO_E_UNSUPPORTED, "%s has symbolic dimensions, which this runtime cannot bind yet",
                       artefact->name);
  return KUMIKO_OK;
}

int kumiko_check_artefact(const kumiko_artefact *artefact) {
  int status = check_head(artefact);
  for (uint64_t input = 0; !status && input < artefact->input_count; ++input)
    status = check_value(&artefact->inputs[input], "input", input);
  for (uint64_t output = 0; !status && output < artefact->output_count; ++output)
    status = check_value(&artefact->outputs[output], "output", output);
  for (uint64_t call = 0; !status && call < artefact->call_count; ++call)
    status = check_call(artefact, call);
  return status;
}
