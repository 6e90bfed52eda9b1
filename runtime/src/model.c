#include "model.h"
#include "shapes.h"
#include "text.h"
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static bool is_edge(const kumiko_buffer *buffer) {
  return buffer->space <= KUMIKO_SPACE_OUTPUT || buffer->space == KUMIKO_SPACE_PLANNED || buffer->offset < 0;
}

static uint64_t count_edges(const kumiko_artefact *artefact) {
  uint64_t edges = 0;
  for (uint64_t call = 0; call < artefact->call_count; ++call)
    for (uint64_t buffer = 0; buffer < artefact->calls[call].buffer_count; ++buffer)
      edges += is_edge(&artefact->calls[call].buffers[buffer]);
  return edges;
}

/** The level from which on the memory is there that a reference counts from. */
static uint64_t base_level(const kumiko_artefact *artefact, const kumiko_buffer *buffer) {
  uint64_t level = 0;
  if (buffer->space == KUMIKO_SPACE_OUTPUT)
    return kumiko_value_level(artefact, &artefact->outputs[buffer->number]);
  if (buffer->space == KUMIKO_SPACE_PLANNED)
    while (artefact->dynamics->levels[level].planned_end <= buffer->number)
      ++level;
  return level;
}

/** Steps are added with every turn, so only the offset counts. */
static uint64_t level_of(const kumiko_artefact *artefact, const kumiko_buffer *buffer) {
  uint64_t base = base_level(artefact, buffer), offset = kumiko_number_level(artefact, buffer->offset);
  return base > offset ? base : offset;
}

static uint64_t level_count(const kumiko_artefact *artefact) {
  return artefact->dynamics ? artefact->dynamics->level_count : 1;
}

/** How many addresses a call can have that move with the turns of loops; 0 when there are no loops. */
static uint64_t most_moved(const kumiko_artefact *artefact) {
  uint64_t most = 0;
  bool loops = false;
  for (uint64_t number = 0; number < artefact->call_count; ++number) {
    loops |= artefact->calls[number].kind == KUMIKO_CALL_LOOP;
    if (artefact->calls[number].buffer_count > most)
      most = artefact->calls[number].buffer_count;
  }
  return loops ? most : 0;
}

/** Counts the edges of each level, and puts them there when `write` says so. */
static void walk_edges(kumiko_model *model, bool write) {
  const kumiko_artefact *artefact = model->artefact;
  uint64_t slot = 0;
  for (uint64_t number = 0; number < artefact->call_count; ++number)
    for (uint64_t i = 0; i < artefact->calls[number].buffer_count; ++i, ++slot) {
      const kumiko_buffer *buffer = &artefact->calls[number].buffers[i];
      if (!is_edge(buffer))
        continue;
      uint64_t level = level_of(artefact, buffer), *end = &model->edge_ends[level];
      if (write)
        model->edges[*end] = (kumiko_edge){slot, base_level(artefact, buffer), *buffer};
      ++*end;
    }
  model->slot_count = slot;
}

static void list_edges(kumiko_model *model) {
  const kumiko_artefact *artefact = model->artefact;
  walk_edges(model, false);
  /* Ends become beginnings, which move to the ends while edges are put there. */
  for (uint64_t level = 0, total = 0; level < level_count(artefact); ++level) {
    uint64_t count = model->edge_ends[level];
    model->edge_ends[level] = total;
    total += count;
  }
  walk_edges(model, true);
}

static int64_t most_chunks(const kumiko_artefact *artefact) {
  int64_t most = 0;
  for (uint64_t number = 0; number < artefact->call_count; ++number) {
    const kumiko_call *call = &artefact->calls[number];
    int64_t chunks = call->chunks < 0 ? KUMIKO_MAX_THREADS : call->chunks; /* as many as may be useful */
    if (call->kind == KUMIKO_CALL_KERNEL && chunks > most)
      most = chunks;
  }
  return most;
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
  uint64_t edges = count_edges(artefact);
  kumiko_model *model =
      calloc(1, sizeof *model + edges * sizeof *model->edges + level_count(artefact) * sizeof *model->edge_ends);
  if (!model) {
    if (mapping)
      munmap(mapping, artefact->weights_bytes);
    return kumiko_fail(KUMIKO_E_MEMORY, "no memory for the tables of %s", artefact->name);
  }
  atomic_init(&model->references, 1);
  model->artefact = artefact;
  model->mapping = mapping;
  model->weights = mapping ? mapping : artefact->weights;
  model->most_moved = most_moved(artefact);
  model->most_chunks = most_chunks(artefact);
  model->edge_ends = (uint64_t *)(model->edges + edges);
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

const char *kumiko_dimension_text(const kumiko_model *model, int64_t extent) {
  const kumiko_dynamics *dynamics = model ? model->artefact->dynamics : NULL;
  if (extent >= 0 || !dynamics || (uint64_t)~extent >= dynamics->levels[dynamics->level_count - 1].expression_end)
    return NULL;
  return dynamics->expressions[~extent].text;
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
