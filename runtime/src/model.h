/*===- model.h - an artefact, checked ----------------------------------------===*/
#ifndef KUMIKO_MODEL_H
#define KUMIKO_MODEL_H

#include "kumiko/kumiko.h"
#include <stdatomic.h>
#include <stdbool.h>

#define KUMIKO_MAX_RANK 32u

/** A reference of some call to an input, an output or a planned buffer: these change with bindings and shapes, all
 * others never. */
typedef struct kumiko_edge {
  uint64_t slot;  /* among the references of all calls, in order */
  uint64_t level; /* of the memory that it counts from */
  kumiko_buffer buffer;
} kumiko_edge;

struct kumiko_model {
  _Atomic uint32_t references;
  const kumiko_artefact *artefact;
  const char *weights; /* embedded or mapped */
  void *mapping;       /* of the weights' file, or null */
  void *library;       /* from dlopen, or null */
  uint64_t slot_count;
  int64_t most_chunks;
  uint64_t most_moved; /* references of the largest call; 0 without loops */
  uint64_t *edge_ends; /* for each level: where its edges end */
  kumiko_edge edges[]; /* sorted by level */
};

int kumiko_model_from_artefact(const kumiko_artefact *artefact, const char *weights_folder, kumiko_model **model);
int kumiko_model_load(const char *path, kumiko_model **model);
void kumiko_model_retain(kumiko_model *model);
void kumiko_model_release(kumiko_model *model);
int kumiko_model_get_info(const kumiko_model *model, kumiko_model_info *info);

/** Everything the runtime relies on later; the message goes to the thread. */
int kumiko_check_artefact(const kumiko_artefact *artefact);

/** Whether the shape has an axis that is not a number. */
bool kumiko_value_is_symbolic(const kumiko_value *value);

/** Bytes of a value that has been checked and is not symbolic. */
uint64_t kumiko_value_bytes(const kumiko_value *value);

/** The text of a dimension that is not a number; null when there is no such dimension. */
const char *kumiko_dimension_text(const kumiko_model *model, int64_t extent);

/** Maps artefact->weights_file of the folder; the message goes to the thread. */
int kumiko_map_weights(const kumiko_artefact *artefact, const char *folder, void **mapping);

#endif
