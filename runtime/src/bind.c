#include "context.h"
#include <inttypes.h>
#include <string.h>

/** The two sides of a model: what is the same for inputs and outputs. */
struct side {
  const char *kind;
  const kumiko_value *values;
  kumiko_binding *bindings;
  uint64_t count;
  bool written;
};

static struct side side_of(kumiko_context *context, bool outputs) {
  const kumiko_artefact *artefact = context->model->artefact;
  if (outputs)
    return (struct side){"output", artefact->outputs, context->outputs, artefact->output_count, true};
  return (struct side){"input", artefact->inputs, context->inputs, artefact->input_count, false};
}

/** `input "data" is f32[1,3,8,9], expected f32[1,3,8,8]: ` */
static kumiko_text begin_mismatch(kumiko_context *context, const struct side *side, uint64_t number,
                                  const kumiko_tensor *tensor) {
  const kumiko_value *value = &side->values[number];
  kumiko_text text = kumiko_context_message(context);
  kumiko_text_add(&text, "%s \"%s\" is ", side->kind, value->name);
  kumiko_text_add_type(&text, tensor->element_type, tensor->rank, tensor->shape);
  kumiko_text_add(&text, ", expected ");
  kumiko_text_add_value(&text, context->model->artefact, value);
  kumiko_text_add(&text, ": ");
  return text;
}

/** Numbers must be met; symbols take any extent for now. Counts the bytes. */
static int check_shape(kumiko_context *context, const struct side *side, uint64_t number, const kumiko_tensor *tensor,
                       uint64_t *bytes) {
  const kumiko_value *value = &side->values[number];
  *bytes = kumiko_type_bytes(value->element_type);
  for (uint32_t axis = 0; axis < value->rank; ++axis) {
    int64_t extent = tensor->shape[axis];
    if (value->shape[axis] < 0 ? extent < 0 : extent != value->shape[axis]) {
      kumiko_text text = begin_mismatch(context, side, number, tensor);
      kumiko_text_add(&text, "axis %" PRIu32 " is %" PRId64 ", must be ", axis, extent);
      if (value->shape[axis] < 0)
        kumiko_text_add(&text, "0 or more");
      else
        kumiko_text_add(&text, "%" PRId64, value->shape[axis]);
      return KUMIKO_E_SHAPE;
    }
    if (__builtin_mul_overflow(*bytes, (uint64_t)extent, bytes)) {
      kumiko_text text = begin_mismatch(context, side, number, tensor);
      kumiko_text_add(&text, "its size does not fit 64 bits");
      return KUMIKO_E_OVERFLOW;
    }
  }
  return KUMIKO_OK;
}

static int check_tensor(kumiko_context *context, const struct side *side, uint64_t number, const kumiko_tensor *tensor,
                        uint64_t *bytes) {
  const kumiko_value *value = &side->values[number];
  if (!tensor || (tensor->rank && !tensor->shape)) {
    kumiko_text text = kumiko_context_message(context);
    kumiko_text_add(&text, "%s \"%s\": the tensor or its shape is null", side->kind, value->name);
    return KUMIKO_E_ARGUMENT;
  }
  if (tensor->element_type != value->element_type) {
    kumiko_text text = begin_mismatch(context, side, number, tensor);
    kumiko_text_add(&text, "the element types differ");
    return KUMIKO_E_TYPE;
  }
  if (tensor->rank != value->rank) {
    kumiko_text text = begin_mismatch(context, side, number, tensor);
    kumiko_text_add(&text, "the rank is %" PRIu32 ", must be %" PRIu32, tensor->rank, value->rank);
    return KUMIKO_E_SHAPE;
  }
  return check_shape(context, side, number, tensor, bytes);
}

static int check_data(kumiko_context *context, const struct side *side, uint64_t number, const kumiko_tensor *tensor,
                      uint64_t bytes) {
  const kumiko_value *value = &side->values[number];
  if (!tensor->data && bytes) {
    kumiko_text text = kumiko_context_message(context);
    kumiko_text_add(&text, "%s \"%s\": the data pointer is null", side->kind, value->name);
    return KUMIKO_E_ARGUMENT;
  }
  return KUMIKO_OK;
}

/** Writes the strides, given or dense; tells whether they are the dense ones. */
static bool take_strides(const kumiko_tensor *tensor, int64_t *strides) {
  bool dense = true;
  int64_t step = 1;
  for (uint32_t axis = tensor->rank; axis-- > 0;) {
    int64_t stride = tensor->strides ? tensor->strides[axis] : step;
    strides[axis] = stride;
    dense = dense && (tensor->shape[axis] == 1 || stride == step);
    step *= tensor->shape[axis];
  }
  return dense;
}

static int check_writable(kumiko_context *context, const kumiko_value *value, const kumiko_tensor *tensor,
                          const int64_t *strides) {
  if (kumiko_value_level(context->model->artefact, value)) {
    kumiko_text text = kumiko_context_message(context);
    kumiko_text_add(&text, "output \"%s\": data decide its shape, so its memory must be dense and aligned",
                    value->name);
    return KUMIKO_E_STRIDES;
  }
  for (uint32_t axis = 0; axis < value->rank; ++axis)
    if (tensor->shape[axis] > 1 && strides[axis] == 0) {
      kumiko_text text = kumiko_context_message(context);
      kumiko_text_add(&text, "output \"%s\": axis %" PRIu32 " has stride 0, so its elements would overwrite each other",
                      value->name, axis);
      return KUMIKO_E_STRIDES;
    }
  return KUMIKO_OK;
}

/** Room for a dense copy. The old one stays when there is none for the new. */
static bool grow_copy(kumiko_context *context, kumiko_binding *binding, uint64_t bytes) {
  if (bytes <= binding->copy_bytes)
    return true;
  void *copy = bytes > SIZE_MAX ? NULL : context->allocator.allocate(context->allocator.user, bytes, 64);
  if (!copy)
    return false;
  if (binding->copy)
    context->allocator.release(context->allocator.user, binding->copy, binding->copy_bytes);
  context->copy_bytes += bytes - binding->copy_bytes;
  binding->copy = copy;
  binding->copy_bytes = bytes;
  return true;
}

static int bind(kumiko_context *context, const struct side *side, uint64_t number, const kumiko_tensor *tensor) {
  const kumiko_value *value = &side->values[number];
  kumiko_binding *binding = &side->bindings[number];
  int64_t strides[KUMIKO_MAX_RANK];
  uint64_t bytes;
  int status = check_tensor(context, side, number, tensor, &bytes);
  if (!status)
    status = check_data(context, side, number, tensor, bytes);
  if (status)
    return status;
  bool aligned = (uintptr_t)tensor->data % kumiko_type_bytes(value->element_type) == 0;
  bool copied = bytes && (!take_strides(tensor, strides) || !aligned);
  if (copied && side->written && (status = check_writable(context, value, tensor, strides)))
    return status;
  if (copied && !grow_copy(context, binding, bytes)) {
    kumiko_text text = kumiko_context_message(context);
    kumiko_text_add(&text, "%s \"%s\": no memory for a dense copy of %" PRIu64 " bytes", side->kind, value->name,
                    bytes);
    return KUMIKO_E_MEMORY;
  }
  if (copied)
    memcpy(binding->strides, strides, value->rank * sizeof *strides);
  /* The same shape again leaves everything that was worked out for it. */
  if (!side->written && (!binding->bound || memcmp(binding->shape, tensor->shape, value->rank * sizeof *strides) != 0))
    context->shapes.solved = false;
  if (value->rank)
    memcpy(binding->shape, tensor->shape, value->rank * sizeof *strides);
  binding->bytes = bytes;
  binding->bound = true;
  binding->copied = copied;
  binding->data = tensor->data;
  context->stale = true;
  return KUMIKO_OK;
}

static int bind_number(kumiko_context *context, bool outputs, uint64_t number, const kumiko_tensor *tensor) {
  int status = kumiko_context_enter(context);
  if (status)
    return status;
  struct side side = side_of(context, outputs);
  if (number < side.count)
    status = bind(context, &side, number, tensor);
  else {
    kumiko_text text = kumiko_context_message(context);
    kumiko_text_add(&text, "there is no %s %" PRIu64 "; %s has %" PRIu64 ", counted from 0", side.kind, number,
                    context->model->artefact->name, side.count);
    status = KUMIKO_E_NAME;
  }
  kumiko_context_leave(context);
  return status;
}

static int bind_name(kumiko_context *context, bool outputs, const char *name, const kumiko_tensor *tensor) {
  int status = kumiko_context_enter(context);
  if (status)
    return status;
  struct side side = side_of(context, outputs);
  uint64_t number = 0;
  while (name && number < side.count && strcmp(side.values[number].name, name) != 0)
    ++number;
  if (name && number < side.count)
    status = bind(context, &side, number, tensor);
  else {
    kumiko_text text = kumiko_context_message(context);
    kumiko_text_add(&text, "there is no %s \"%s\"; %s has", side.kind, name ? name : "(null)",
                    context->model->artefact->name);
    for (uint64_t known = 0; known < side.count; ++known)
      kumiko_text_add(&text, "%s \"%s\"", known ? "," : "", side.values[known].name);
    if (!side.count)
      kumiko_text_add(&text, " none");
    status = name ? KUMIKO_E_NAME : KUMIKO_E_ARGUMENT;
  }
  kumiko_context_leave(context);
  return status;
}

int kumiko_bind_input(kumiko_context *context, const char *name, const kumiko_tensor *tensor) {
  return bind_name(context, false, name, tensor);
}

int kumiko_bind_output(kumiko_context *context, const char *name, const kumiko_tensor *tensor) {
  return bind_name(context, true, name, tensor);
}

int kumiko_bind_input_number(kumiko_context *context, uint64_t number, const kumiko_tensor *tensor) {
  return bind_number(context, false, number, tensor);
}

int kumiko_bind_output_number(kumiko_context *context, uint64_t number, const kumiko_tensor *tensor) {
  return bind_number(context, true, number, tensor);
}
