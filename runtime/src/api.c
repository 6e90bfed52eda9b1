#include "context.h"
#include "cpus.h"

static const kumiko_api table = {
    .version = KUMIKO_API_VERSION,
    .struct_bytes = sizeof(kumiko_api),
    .status_text = kumiko_status_text,
    .type_name = kumiko_type_name,
    .type_bytes = kumiko_type_bytes,
    .available_threads = kumiko_available_threads,
    .model_from_artefact = kumiko_model_from_artefact,
    .model_load = kumiko_model_load,
    .model_retain = kumiko_model_retain,
    .model_release = kumiko_model_release,
    .model_info = kumiko_model_get_info,
    .context_create = kumiko_context_create,
    .context_destroy = kumiko_context_destroy,
    .context_info = kumiko_context_get_info,
    .bind_input = kumiko_bind_input,
    .bind_output = kumiko_bind_output,
    .bind_input_number = kumiko_bind_input_number,
    .bind_output_number = kumiko_bind_output_number,
    .run = kumiko_context_run,
    .last_error = kumiko_context_last_error,
    .set_profile = kumiko_context_set_profile,
    .output_shape = kumiko_output_shape,
    .output_tensor = kumiko_output_tensor,
    .dimension_text = kumiko_dimension_text,
};

const kumiko_api *kumiko_get_api(uint32_t version) {
  /* The table only grows, so an older caller finds its part of it. */
  return version >= 1 && version <= KUMIKO_API_VERSION ? &table : NULL;
}
