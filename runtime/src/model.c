#include "model.h"
#include "text.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static uint64_t count_edges(const kumiko_artefact *artefact) {
  uint64_t edges = 0;
  for (uint64_t call = 0; call < artefact->call_count; ++call)
    for (uint64_t buffer = 0; buffer < artefact->calls[call].buffer_count; ++buffer)
      edges += artefact->calls[call].buffers[buffer].space <= KUMIKO_SPACE_OUTPUT;
  return edges;
}

static void list_edges(kumiko_model *model) {
  const kumiko_artefact *artefact = model->artefact;
  for (uint64_t number = 0; number < artefact->call_count; ++number) {
    const kumiko_call *call = &artefact->calls[number];
    if (call->chunks > model->most_chunks)
      model->most_chunks = call->chunks;
    for (uint64_t buffer = 0; buffer < call->buffer_count; ++buffer, ++model->slot_count)
      if (call->buffers[buffer].space <= KUMIKO_SPACE_OUTPUT)
        model->edges[model->edge_count++] = (kumiko_edge){model->slot_count, call->buffers[buffer]};
  }
}

int kumiko_model_from_artefact(const kumiko_artefact *artefact, const char *weights_folder, kumiko_model **result) {
  if (!result)
    return kumiko_fail(KUMIKO_E_ARGUMENT, "there is no place for the model: the pointer is null");
  *result = NULL;
  int status = kumiko_check_artefact(artefact);
  if (status)
    return status;
  void *mapping = NULL;
  if (artefact->weights_file && !artefact->weights && (status = kumiko_map_weights(artefact, weights_folder, &mapping)))
    return status;
  kumiko_model *model = calloc(1, sizeof *model + count_edges(artefact) * sizeof *model->edges);
  if (!model) {
    if (mapping)
      munmap(mapping, artefact->weights_bytes);
    return kumiko_fail(KUMIKO_E_MEMORY, "no memory for the tables of %s", artefact->name);
  }
  atomic_init(&model->references, 1);
  model->artefact = artefact;
  model->mapping = mapping;
  model->weights = mapping ? mapping : artefact->weights;
  list_edges(model);
  *result = model;
  return KUMIKO_OK;
}

void kumiko_model_retain(kumiko_model *model) {
  if (model)
    atomic_fetch_add_explicit(&model->references, 1, memory_order_relaxed);
}

void kumiko_model_release(kumiko_model *model) {
  if (!model || atomic_fetch_sub_explicit(&model->references, 1, memory_order_acq_rel) != 1)
    return;
  if (model->mapping)
    munmap(model->mapping, model->artefact->weights_bytes);
  void *library = model->library;
  free(model);
  if (library)
    dlclose(library);
}

int kumiko_model_get_info(const kumiko_model *model, kumiko_model_info *info) {
  if (!model || !info || info->struct_bytes < sizeof info->struct_bytes)
    return kumiko_fail(KUMIKO_E_ARGUMENT, "model_info wants a model and a struct with its struct_bytes set");
  const kumiko_artefact *artefact = model->artefact;
  kumiko_model_info whole = {
      .struct_bytes = info->struct_bytes,
      .name = artefact->name,
      .producer = artefact->producer,
      .provenance = artefact->provenance,
      .input_count = artefact->input_count,
      .inputs = artefact->inputs,
      .output_count = artefact->output_count,
      .outputs = artefact->outputs,
      .call_count = artefact->call_count,
      .arena_bytes = artefact->arena_bytes,
      .scratch_bytes = artefact->scratch_bytes,
      .weights_bytes = artefact->weights_bytes,
  };
  /* An older caller has a shorter struct, a newer one a longer. */
  memcpy(info, &whole, info->struct_bytes < sizeof whole ? info->struct_bytes : sizeof whole);
  return KUMIKO_OK;
}
