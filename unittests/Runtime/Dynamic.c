#include "Dynamic.h"

/* Not in the order of levels: the order of symbols is free. */
enum { PICKED, BATCH, SEQ, SYMBOLS };

static int add(void *const *buffers, const int64_t *symbols, int64_t chunk, void *scratch) {
  const float *x = buffers[0], *bias = buffers[1];
  float *t = buffers[2], *mine = scratch; /* seq floats */
  for (int64_t i = 0; i < symbols[SEQ]; ++i)
    mine[i] = x[chunk * symbols[SEQ] + i] + bias[i];
  for (int64_t i = 0; i < symbols[SEQ]; ++i)
    t[chunk * symbols[SEQ] + i] = mine[i];
  return 0;
}

static int count(void *const *buffers, const int64_t *symbols, int64_t chunk, void *scratch) {
  (void)chunk, (void)scratch;
  const uint8_t *mask = buffers[0];
  int64_t found = 0;
  for (int64_t i = 0; i < symbols[BATCH] * symbols[SEQ]; ++i)
    found += mask[i] != 0;
  ((int64_t *)symbols)[PICKED] = found;
  return 0;
}

static int pick(void *const *buffers, const int64_t *symbols, int64_t chunk, void *scratch) {
  (void)chunk, (void)scratch;
  const float *t = buffers[0];
  const uint8_t *mask = buffers[1];
  float *u = buffers[2];
  for (int64_t i = 0; i < symbols[BATCH] * symbols[SEQ]; ++i)
    if (mask[i])
      *u++ = t[i];
  return 0;
}

static int copy(void *const *buffers, const int64_t *symbols, int64_t chunk, void *scratch) {
  (void)chunk, (void)scratch;
  for (int64_t i = 0; i < symbols[PICKED]; ++i)
    ((float *)buffers[1])[i] = ((const float *)buffers[0])[i];
  return 0;
}

static int sum(void *const *buffers, const int64_t *symbols, int64_t chunk, void *scratch) {
  (void)scratch;
  const float *t = buffers[0];
  float total = 0;
  for (int64_t i = 0; i < symbols[SEQ]; ++i)
    total += t[chunk * symbols[SEQ] + i];
  ((float *)buffers[1])[chunk] = total;
  return 0;
}

/* Expressions by number; ~number wherever a size is meant. */
enum { E_BATCH, E_SEQ, E_T_BYTES, E_SEQ_BYTES, E_PICKED, E_U_BYTES };

#define SYMBOL(number) {KUMIKO_EXTENT_SYMBOL, 0, number}
#define CONSTANT(value) {KUMIKO_EXTENT_CONSTANT, 0, value}
#define TIMES {KUMIKO_EXTENT_MULTIPLY, 0, 0}

static const kumiko_extent_step batch_steps[] = {SYMBOL(BATCH)}, seq_steps[] = {SYMBOL(SEQ)},
                                t_steps[] = {CONSTANT(4), SYMBOL(BATCH), TIMES, SYMBOL(SEQ), TIMES},
                                seq_bytes_steps[] = {CONSTANT(4), SYMBOL(SEQ), TIMES},
                                picked_steps[] = {SYMBOL(PICKED)}, u_steps[] = {CONSTANT(4), SYMBOL(PICKED), TIMES};
static const kumiko_expression expressions[] = {{batch_steps, 1, "batch"},   {seq_steps, 1, "seq"},
                                                {t_steps, 5, "4*batch*seq"}, {seq_bytes_steps, 3, "4*seq"},
                                                {picked_steps, 1, "picked"}, {u_steps, 3, "4*picked"}};

static const kumiko_planned planned[] = {{~E_T_BYTES, 0, 4}, {~E_U_BYTES, 2, 3}};
static const kumiko_demand demands[] = {{KUMIKO_DEMAND_AT_MOST, 0, 2, ~E_SEQ, "node windows"},
                                        {KUMIKO_DEMAND_AT_MOST, 0, 1, ~E_PICKED, "node first"}};
static const kumiko_symbol symbols[] = {{"picked", 1}, {"batch", 0}, {"seq", 0}};
static const kumiko_level levels[] = {{0, 5, 4, 1, 1}, {2, 5, 6, 2, 2}};
static const kumiko_dynamics dynamics = {2, levels, symbols, expressions, planned, demands};

static const int64_t matrix[] = {~E_BATCH, ~E_SEQ}, row[] = {~E_SEQ}, column[] = {~E_BATCH}, chosen[] = {~E_PICKED};
static const kumiko_value inputs[] = {
    {"x", KUMIKO_F32, 2, matrix}, {"mask", KUMIKO_B1, 2, matrix}, {"bias", KUMIKO_F32, 1, row}};
static const kumiko_value outputs[] = {{"y", KUMIKO_F32, 1, chosen}, {"sums", KUMIKO_F32, 1, column}};

static const kumiko_buffer add_buffers[] = {
    {KUMIKO_SPACE_INPUT, 0, 0, NULL, 0}, {KUMIKO_SPACE_INPUT, 2, 0, NULL, 0}, {KUMIKO_SPACE_PLANNED, 0, 0, NULL, 0}};
static const kumiko_buffer count_buffers[] = {{KUMIKO_SPACE_INPUT, 1, 0, NULL, 0}};
static const kumiko_buffer pick_buffers[] = {
    {KUMIKO_SPACE_PLANNED, 0, 0, NULL, 0}, {KUMIKO_SPACE_INPUT, 1, 0, NULL, 0}, {KUMIKO_SPACE_PLANNED, 1, 0, NULL, 0}};
static const kumiko_buffer copy_buffers[] = {{KUMIKO_SPACE_PLANNED, 1, 0, NULL, 0},
                                             {KUMIKO_SPACE_OUTPUT, 0, 0, NULL, 0}};
static const kumiko_buffer sum_buffers[] = {{KUMIKO_SPACE_PLANNED, 0, 0, NULL, 0},
                                            {KUMIKO_SPACE_OUTPUT, 1, 0, NULL, 0}};

static const kumiko_call calls[] = {
    {add, add_buffers, 3, ~E_BATCH, (uint64_t)~E_SEQ_BYTES, "k_add", "add", KUMIKO_CALL_KERNEL, 0, 0, 0, 0, 0},
    {count, count_buffers, 1, 1, 0, "k_count", "select", KUMIKO_CALL_KERNEL, 0, 0, 0, 1, 0},
    {pick, pick_buffers, 3, 1, 0, "k_pick", "select", KUMIKO_CALL_KERNEL, 0, 0, 0, 0, 0},
    {copy, copy_buffers, 2, 1, 0, "k_copy", "copy", KUMIKO_CALL_KERNEL, 0, 0, 0, 0, 0},
    {sum, sum_buffers, 2, ~E_BATCH, 0, "k_sum", "sum", KUMIKO_CALL_KERNEL, 0, 0, 0, 0, 0},
};

static const kumiko_artefact artefact = {
    .version = KUMIKO_ARTEFACT_VERSION,
    .struct_bytes = sizeof(kumiko_artefact),
    .name = "dynamic",
    .producer = "by hand",
    .provenance = "none",
    .input_count = 3,
    .inputs = inputs,
    .output_count = 2,
    .outputs = outputs,
    .call_count = 5,
    .calls = calls,
    .symbol_count = SYMBOLS,
    .dynamics = &dynamics,
};

const kumiko_artefact *dynamic_artefact(void) { return &artefact; }
