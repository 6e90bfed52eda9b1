#include "text.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

kumiko_text kumiko_text_in(char *bytes, size_t capacity) {
  bytes[0] = 0;
  return (kumiko_text){bytes, capacity, 0};
}

static void add(kumiko_text *text, const char *format, va_list arguments) {
  size_t left = text->capacity - text->length;
  int wanted = vsnprintf(text->bytes + text->length, left, format, arguments);
  if (wanted < 0)
    return;
  if ((size_t)wanted < left) {
    text->length += (size_t)wanted;
    return;
  }
  text->length = text->capacity - 1;
  memcpy(text->bytes + text->capacity - 4, "...", 4);
}

void kumiko_text_add(kumiko_text *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add(text, format, arguments);
  va_end(arguments);
}

void kumiko_text_add_type(kumiko_text *text, uint32_t element_type, uint32_t rank, const int64_t *shape) {
  const char *name = kumiko_type_name(element_type);
  if (name)
    kumiko_text_add(text, "%s[", name);
  else
    kumiko_text_add(text, "type %" PRIu32 "[", element_type);
  for (uint32_t axis = 0; axis < rank; ++axis)
    kumiko_text_add(text, "%s%" PRId64, axis ? "," : "", shape[axis]);
  kumiko_text_add(text, "]");
}

char *kumiko_thread_message(void) {
  static _Thread_local char message[KUMIKO_MESSAGE_BYTES];
  return message;
}

int kumiko_fail(int status, const char *format, ...) {
  kumiko_text text = kumiko_text_in(kumiko_thread_message(), KUMIKO_MESSAGE_BYTES);
  va_list arguments;
  va_start(arguments, format);
  add(&text, format, arguments);
  va_end(arguments);
  return status;
}

const char *kumiko_status_text(int status) {
  switch (status) {
  case KUMIKO_OK:
    return "ok";
  case KUMIKO_E_ARGUMENT:
    return "a null or contradictory argument";
  case KUMIKO_E_VERSION:
    return "artefact and runtime do not understand each other";
  case KUMIKO_E_ARTEFACT:
    return "the artefact contradicts itself";
  case KUMIKO_E_FILE:
    return "a file cannot be opened, read or mapped";
  case KUMIKO_E_NAME:
    return "no input or output of this name or number";
  case KUMIKO_E_TYPE:
    return "wrong element type";
  case KUMIKO_E_SHAPE:
    return "wrong rank or extent";
  case KUMIKO_E_STRIDES:
    return "strides that cannot be written through";
  case KUMIKO_E_UNBOUND:
    return "an input or output is not bound";
  case KUMIKO_E_OVERLAP:
    return "an output shares memory with another binding";
  case KUMIKO_E_BUSY:
    return "another thread is using the context";
  case KUMIKO_E_MEMORY:
    return "memory cannot be had";
  case KUMIKO_E_UNSUPPORTED:
    return "not supported by this runtime";
  case KUMIKO_E_INDEX:
    return "an index in the data is out of range";
  case KUMIKO_E_VALUE:
    return "a value in the data breaks the operator's specification";
  case KUMIKO_E_OVERFLOW:
    return "a size does not fit 64 bits";
  case KUMIKO_E_INTERNAL:
    return "a defect of the compiler or its runtime";
  default:
    return "unknown status";
  }
}

static const struct {
  const char *name;
  uint64_t bytes;
} types[] = {
    [KUMIKO_B1] = {"b1", 1},
    [KUMIKO_I8] = {"i8", 1},
    [KUMIKO_I16] = {"i16", 2},
    [KUMIKO_I32] = {"i32", 4},
    [KUMIKO_I64] = {"i64", 8},
    [KUMIKO_U8] = {"u8", 1},
    [KUMIKO_U16] = {"u16", 2},
    [KUMIKO_U32] = {"u32", 4},
    [KUMIKO_U64] = {"u64", 8},
    [KUMIKO_F16] = {"f16", 2},
    [KUMIKO_BF16] = {"bf16", 2},
    [KUMIKO_F32] = {"f32", 4},
    [KUMIKO_F64] = {"f64", 8},
    [KUMIKO_I4] = {"i4", 1},
    [KUMIKO_U4] = {"u4", 1},
    [KUMIKO_I2] = {"i2", 1},
    [KUMIKO_U2] = {"u2", 1},
    [KUMIKO_F8E4M3FN] = {"f8e4m3fn", 1},
    [KUMIKO_F8E4M3FNUZ] = {"f8e4m3fnuz", 1},
    [KUMIKO_F8E5M2] = {"f8e5m2", 1},
    [KUMIKO_F8E5M2FNUZ] = {"f8e5m2fnuz", 1},
    [KUMIKO_F8E8M0] = {"f8e8m0", 1},
    [KUMIKO_F6E2M3] = {"f6e2m3", 1},
    [KUMIKO_F6E3M2] = {"f6e3m2", 1},
    [KUMIKO_F4E2M1] = {"f4e2m1", 1},
};

const char *kumiko_type_name(uint32_t element_type) {
  return element_type < sizeof types / sizeof *types ? types[element_type].name : NULL;
}

uint64_t kumiko_type_bytes(uint32_t element_type) {
  return element_type < sizeof types / sizeof *types ? types[element_type].bytes : 0;
}
