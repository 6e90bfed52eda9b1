/*===- text.h - messages put together without heap ---------------------------===*/
#ifndef KUMIKO_TEXT_H
#define KUMIKO_TEXT_H

#include "kumiko/kumiko.h"

/** Longer messages end in "...". */
#define KUMIKO_MESSAGE_BYTES 1024

typedef struct kumiko_text {
  char *bytes;
  size_t capacity;
  size_t length;
} kumiko_text;

kumiko_text kumiko_text_in(char *bytes, size_t capacity);
void kumiko_text_add(kumiko_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** `f32[1,3,224,224]` */
void kumiko_text_add_type(kumiko_text *text, uint32_t element_type, uint32_t rank, const int64_t *shape);

const char *kumiko_status_text(int status);
const char *kumiko_type_name(uint32_t element_type);
uint64_t kumiko_type_bytes(uint32_t element_type);

/** Where messages without a context go: KUMIKO_MESSAGE_BYTES of this thread's. */
char *kumiko_thread_message(void);
/** Writes this thread's message and returns `status`. */
int kumiko_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
