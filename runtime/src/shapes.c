#include "shapes.h"
#include "context.h"
#include "extent.h"
#include "kumiko/plan.h"
#include <inttypes.h>
#include <string.h>

#define LINE ((size_t)64)

/* About a millisecond: a new shape should not wait for the last percent of its arena. */
#define PLAN_STEPS 200000u

/** The entries of a level in one of the tables: those before and those after its end. */
struct range {
  uint64_t begin, end;
};

#define RANGE(dynamics, level, field)                                                                                  \
  ((struct range){(level) ? (dynamics)->levels[(level) - 1].field : 0, (dynamics)->levels[level].field})

static const kumiko_level *last_level(const kumiko_dynamics *dynamics) {
  return &dynamics->levels[dynamics->level_count - 1];
}

/* Tables. */

/** Takes `count` things of `bytes` each out of the block; the first call of a pair counts, the second one lays out. */
static bool take(size_t *total, uint64_t count, size_t bytes, size_t *offset) {
  size_t size;
  *offset = *total;
  return !__builtin_mul_overflow(count, bytes, &size) && !__builtin_add_overflow(size, LINE - 1, &size) &&
         !__builtin_add_overflow(*total, size & ~(LINE - 1), total);
}

/** Planned buffers of the level that has most of them. */
static uint64_t most_planned(const kumiko_dynamics *dynamics) {
  uint64_t most = 0;
  for (uint64_t level = 0; level < dynamics->level_count; ++level) {
    struct range range = RANGE(dynamics, level, planned_end);
    if (range.end - range.begin > most)
      most = range.end - range.begin;
  }
  return most;
}

/** What the planner is given and what it works in. */
static size_t workspace_bytes(const kumiko_dynamics *dynamics) {
  uint64_t most = most_planned(dynamics);
  return most * sizeof(kumiko_lifetime) + kumiko_plan_workspace_bytes(most);
}

static uint64_t remembered_words(const kumiko_artefact *artefact) {
  return artefact->symbol_count + artefact->dynamics->levels[0].planned_end + 1;
}

enum { SYMBOLS, VALUES, OFFSETS, ARENAS, ARENA_BYTES, PLANNED_FOR, PLANNED, OUTPUTS, WORKSPACE, REMEMBERED, TABLES };

static size_t lay_out(const kumiko_artefact *artefact, size_t offsets[TABLES]) {
  const kumiko_dynamics *dynamics = artefact->dynamics;
  const kumiko_level *last = last_level(dynamics);
  uint64_t levels = dynamics->level_count, symbols = artefact->symbol_count, known;
  size_t total = 0;
  if (__builtin_mul_overflow(levels, symbols, &known) || !take(&total, symbols, sizeof(int64_t), &offsets[SYMBOLS]) ||
      !take(&total, last->expression_end, sizeof(int64_t), &offsets[VALUES]) ||
      !take(&total, last->planned_end, sizeof(uint64_t), &offsets[OFFSETS]) ||
      !take(&total, levels, sizeof(kumiko_block), &offsets[ARENAS]) ||
      !take(&total, levels, sizeof(uint64_t), &offsets[ARENA_BYTES]) ||
      !take(&total, known, sizeof(int64_t), &offsets[PLANNED_FOR]) ||
      !take(&total, levels, sizeof(bool), &offsets[PLANNED]) ||
      !take(&total, artefact->output_count, sizeof(kumiko_block), &offsets[OUTPUTS]) ||
      !take(&total, 1, workspace_bytes(dynamics), &offsets[WORKSPACE]) ||
      !take(&total, KUMIKO_REMEMBERED * remembered_words(artefact), sizeof(int64_t), &offsets[REMEMBERED]))
    return SIZE_MAX;
  return total;
}

size_t kumiko_shapes_bytes(const kumiko_artefact *artefact) {
  size_t offsets[TABLES];
  return artefact->dynamics ? lay_out(artefact, offsets) : 0;
}

void kumiko_shapes_create(kumiko_shapes *shapes, const kumiko_artefact *artefact, char *memory) {
  size_t offsets[TABLES];
  if (!artefact->dynamics)
    return;
  lay_out(artefact, offsets);
  shapes->symbols = (int64_t *)(memory + offsets[SYMBOLS]);
  shapes->values = (int64_t *)(memory + offsets[VALUES]);
  shapes->offsets = (uint64_t *)(memory + offsets[OFFSETS]);
  shapes->arenas = (kumiko_block *)(memory + offsets[ARENAS]);
  shapes->arena_bytes = (uint64_t *)(memory + offsets[ARENA_BYTES]);
  shapes->planned_for = (int64_t *)(memory + offsets[PLANNED_FOR]);
  shapes->planned = (bool *)(memory + offsets[PLANNED]);
  shapes->outputs = (kumiko_block *)(memory + offsets[OUTPUTS]);
  shapes->workspace = memory + offsets[WORKSPACE];
  shapes->remembered = (int64_t *)(memory + offsets[REMEMBERED]);
  shapes->remembered_words = remembered_words(artefact);
}

static void release(kumiko_context *context, kumiko_block *block) {
  if (block->memory)
    context->allocator.release(context->allocator.user, block->memory, block->bytes);
  *block = (kumiko_block){NULL, 0};
}

void kumiko_shapes_destroy(kumiko_context *context) {
  const kumiko_artefact *artefact = context->model->artefact;
  if (!artefact->dynamics)
    return;
  for (uint64_t level = 0; level < artefact->dynamics->level_count; ++level)
    release(context, &context->shapes.arenas[level]);
  for (uint64_t output = 0; output < artefact->output_count; ++output)
    release(context, &context->shapes.outputs[output]);
  release(context, &context->shapes.scratch);
}

bool kumiko_block_grow(kumiko_context *context, kumiko_block *block, uint64_t bytes) {
  if (bytes <= block->bytes)
    return true;
  if (bytes > SIZE_MAX - LINE)
    return false;
  size_t size = ((size_t)bytes + LINE - 1) & ~(LINE - 1);
  release(context, block);
  block->memory = context->allocator.allocate(context->allocator.user, size, LINE);
  if (!block->memory)
    return false;
  /* What a kernel leaves unwritten is then the same on every run of every program. */
  memset(block->memory, 0, size);
  block->bytes = size;
  return true;
}

/* Levels of numbers. */

uint64_t kumiko_number_level(const kumiko_artefact *artefact, int64_t number) {
  uint64_t level = 0;
  if (number < 0)
    while (artefact->dynamics->levels[level].expression_end <= (uint64_t)~number)
      ++level;
  return level;
}

uint64_t kumiko_value_level(const kumiko_artefact *artefact, const kumiko_value *value) {
  uint64_t highest = 0;
  for (uint32_t axis = 0; axis < value->rank; ++axis) {
    uint64_t level = kumiko_number_level(artefact, value->shape[axis]);
    highest = level > highest ? level : highest;
  }
  return highest;
}

/* Messages. */

/** ` with batch = 3, seq = 5` */
static void add_symbols(kumiko_context *context, kumiko_text *text, uint64_t level) {
  const kumiko_artefact *artefact = context->model->artefact;
  const char *before = " with";
  for (uint64_t symbol = 0; symbol < artefact->symbol_count; ++symbol)
    if (artefact->dynamics->symbols[symbol].level <= level) {
      kumiko_text_add(text, "%s %s = %" PRId64, before, artefact->dynamics->symbols[symbol].name,
                      context->shapes.symbols[symbol]);
      before = ",";
    }
}

static int fail_expression(kumiko_context *context, uint64_t level, uint64_t number, int status) {
  kumiko_text text = kumiko_context_message(context);
  const char *why = status == KUMIKO_E_OVERFLOW ? "does not fit 64 bits"
                    : status == KUMIKO_E_VALUE  ? "is below 0"
                                                : "cannot be computed";
  kumiko_text_add(&text, "%s %s", context->model->artefact->dynamics->expressions[number].text, why);
  add_symbols(context, &text, level);
  return status;
}

static const char *text_of(kumiko_context *context, int64_t number) {
  return number < 0 ? context->model->artefact->dynamics->expressions[~number].text : NULL;
}

static int fail_demand(kumiko_context *context, uint64_t level, const kumiko_demand *demand) {
  static const char *const words[] = {"equal to", "1 or equal to", "at most"};
  kumiko_text text = kumiko_context_message(context);
  const char *left = text_of(context, demand->left), *right = text_of(context, demand->right);
  kumiko_text_add(&text, "%s: ", demand->message);
  kumiko_text_add(&text, "%s%s%" PRId64 "%s must be %s ", left ? left : "", left ? " is " : "",
                  kumiko_number(&context->shapes, demand->left), left ? "," : "", words[demand->kind]);
  if (right)
    kumiko_text_add(&text, "%s, which is ", right);
  kumiko_text_add(&text, "%" PRId64 ",", kumiko_number(&context->shapes, demand->right));
  add_symbols(context, &text, level);
  return KUMIKO_E_SHAPE;
}

/* Numbers of a level. */

static bool holds(const kumiko_shapes *shapes, const kumiko_demand *demand) {
  int64_t left = kumiko_number(shapes, demand->left), right = kumiko_number(shapes, demand->right);
  switch (demand->kind) {
  case KUMIKO_DEMAND_EQUAL:
    return left == right;
  case KUMIKO_DEMAND_BROADCAST:
    return left == right || left == 1 || right == 1;
  default:
    return left <= right;
  }
}

static int compute(kumiko_context *context, uint64_t level) {
  const kumiko_dynamics *dynamics = context->model->artefact->dynamics;
  kumiko_shapes *shapes = &context->shapes;
  struct range expressions = RANGE(dynamics, level, expression_end), demands = RANGE(dynamics, level, demand_end);
  for (uint64_t number = expressions.begin; number < expressions.end; ++number) {
    int status = kumiko_extent_value(&dynamics->expressions[number], shapes->symbols, &shapes->values[number]);
    if (status)
      return fail_expression(context, level, number, status);
  }
  for (uint64_t number = demands.begin; number < demands.end; ++number)
    if (!holds(shapes, &dynamics->demands[number]))
      return fail_demand(context, level, &dynamics->demands[number]);
  return KUMIKO_OK;
}

/* The shape of inputs. */

/** The symbol that an axis is, or UINT64_MAX when it is a number or a larger expression. */
static uint64_t symbol_at(const kumiko_artefact *artefact, const kumiko_value *value, uint32_t axis) {
  if (value->shape[axis] >= 0)
    return UINT64_MAX;
  const kumiko_expression *expression = &artefact->dynamics->expressions[~value->shape[axis]];
  bool bare = expression->step_count == 1 && expression->steps[0].kind == KUMIKO_EXTENT_SYMBOL;
  return bare ? (uint64_t)expression->steps[0].value : UINT64_MAX;
}

bool kumiko_find_axis(const kumiko_artefact *artefact, uint64_t symbol, uint64_t *input, uint32_t *axis) {
  for (*input = 0; *input < artefact->input_count; ++*input)
    for (*axis = 0; *axis < artefact->inputs[*input].rank; ++*axis)
      if (symbol_at(artefact, &artefact->inputs[*input], *axis) == symbol)
        return true;
  return false;
}

static int fail_input(kumiko_context *context, uint64_t input, uint32_t axis) {
  const kumiko_artefact *artefact = context->model->artefact;
  const kumiko_value *value = &artefact->inputs[input];
  uint64_t symbol = symbol_at(artefact, value, axis), first;
  uint32_t at;
  kumiko_text text = kumiko_context_message(context);
  kumiko_text_add(&text, "input \"%s\": axis %" PRIu32 " is %" PRId64 ", must be %s", value->name, axis,
                  context->inputs[input].shape[axis], text_of(context, value->shape[axis]));
  if (symbol != UINT64_MAX && kumiko_find_axis(artefact, symbol, &first, &at))
    kumiko_text_add(&text, ", which is %" PRId64 " by axis %" PRIu32 " of input \"%s\"",
                    context->shapes.symbols[symbol], at, artefact->inputs[first].name);
  else {
    kumiko_text_add(&text, ", which is %" PRId64 ",", kumiko_number(&context->shapes, value->shape[axis]));
    add_symbols(context, &text, 0);
  }
  return KUMIKO_E_SHAPE;
}

int kumiko_shapes_solve(kumiko_context *context) {
  const kumiko_artefact *artefact = context->model->artefact;
  kumiko_shapes *shapes = &context->shapes;
  if (!artefact->dynamics || shapes->solved)
    return KUMIKO_OK;
  /* Backwards, so that the first axis that names a symbol decides. */
  for (uint64_t input = artefact->input_count; input-- > 0;)
    for (uint32_t axis = artefact->inputs[input].rank; axis-- > 0;) {
      uint64_t symbol = symbol_at(artefact, &artefact->inputs[input], axis);
      if (symbol != UINT64_MAX)
        shapes->symbols[symbol] = context->inputs[input].shape[axis];
    }
  int status = compute(context, 0);
  if (status)
    return status;
  for (uint64_t input = 0; input < artefact->input_count; ++input)
    for (uint32_t axis = 0; axis < artefact->inputs[input].rank; ++axis)
      if (kumiko_number(shapes, artefact->inputs[input].shape[axis]) != context->inputs[input].shape[axis])
        return fail_input(context, input, axis);
  shapes->solved = true;
  return KUMIKO_OK;
}

/* Plans. */

static int64_t *remembered_at(kumiko_shapes *shapes, uint32_t place) {
  return shapes->remembered + place * shapes->remembered_words;
}

/** Whether the symbols that a level knows have these values. */
static bool same_symbols(const kumiko_context *context, uint64_t level, const int64_t *values) {
  const kumiko_artefact *artefact = context->model->artefact;
  for (uint64_t symbol = 0; symbol < artefact->symbol_count; ++symbol)
    if (artefact->dynamics->symbols[symbol].level <= level && context->shapes.symbols[symbol] != values[symbol])
      return false;
  return true;
}

/** Brings back the plan of level 0 that was made for these symbols. */
static bool recall(kumiko_context *context) {
  uint64_t symbols = context->model->artefact->symbol_count;
  const kumiko_level *first = &context->model->artefact->dynamics->levels[0];
  kumiko_shapes *shapes = &context->shapes;
  for (uint32_t place = 0; place < KUMIKO_REMEMBERED; ++place) {
    const int64_t *words = remembered_at(shapes, place);
    if (!shapes->ages[place] || !same_symbols(context, 0, words))
      continue;
    words += symbols;
    memcpy(shapes->offsets, words, first->planned_end * sizeof *words);
    shapes->arena_bytes[0] = (uint64_t)words[first->planned_end];
    shapes->ages[place] = ++shapes->clock;
    return true;
  }
  return false;
}

static void remember(kumiko_context *context) {
  uint64_t symbols = context->model->artefact->symbol_count;
  const kumiko_level *first = &context->model->artefact->dynamics->levels[0];
  kumiko_shapes *shapes = &context->shapes;
  uint32_t oldest = 0;
  for (uint32_t place = 1; place < KUMIKO_REMEMBERED; ++place)
    if (shapes->ages[place] < shapes->ages[oldest])
      oldest = place;
  int64_t *words = remembered_at(shapes, oldest);
  memcpy(words, shapes->symbols, symbols * sizeof *words);
  words += symbols;
  memcpy(words, shapes->offsets, first->planned_end * sizeof *words);
  words[first->planned_end] = (int64_t)shapes->arena_bytes[0];
  shapes->ages[oldest] = ++shapes->clock;
}

static int fail_memory(kumiko_context *context, uint64_t level, const char *what, uint64_t bytes) {
  kumiko_text text = kumiko_context_message(context);
  kumiko_text_add(&text, "no memory for %" PRIu64 " bytes of %s", bytes, what);
  add_symbols(context, &text, level);
  return KUMIKO_E_MEMORY;
}

/** Chooses the places of the level's buffers. */
static int plan(kumiko_context *context, uint64_t level) {
  const kumiko_dynamics *dynamics = context->model->artefact->dynamics;
  kumiko_shapes *shapes = &context->shapes;
  struct range planned = RANGE(dynamics, level, planned_end);
  uint64_t count = planned.end - planned.begin;
  kumiko_lifetime *lifetimes = shapes->workspace;
  for (uint64_t i = 0; i < count; ++i) {
    const kumiko_planned *buffer = &dynamics->planned[planned.begin + i];
    int64_t bytes = kumiko_number(shapes, buffer->bytes);
    if (bytes < 0)
      return fail_expression(context, level, (uint64_t)~buffer->bytes, KUMIKO_E_VALUE);
    lifetimes[i] = (kumiko_lifetime){(uint64_t)bytes, buffer->first, buffer->last};
  }
  int status =
      kumiko_plan_assign_within(lifetimes, count, LINE, PLAN_STEPS, shapes->offsets + planned.begin,
                                &shapes->arena_bytes[level], lifetimes + count, kumiko_plan_workspace_bytes(count));
  if (status) {
    kumiko_text text = kumiko_context_message(context);
    kumiko_text_add(&text, "intermediate results do not fit 64 bits of address");
    add_symbols(context, &text, level);
  }
  return status;
}

/** Chunks must be countable, and scratch is for the largest of the level's calls. */
static int size_calls(kumiko_context *context, uint64_t level) {
  const kumiko_artefact *artefact = context->model->artefact;
  uint64_t scratch = artefact->scratch_bytes;
  for (uint64_t number = artefact->dynamics->levels[level].first; number < artefact->dynamics->levels[level].last;
       ++number) {
    const kumiko_call *call = &artefact->calls[number];
    int64_t wanted = (int64_t)call->scratch_bytes;
    if (call->kind != KUMIKO_CALL_CHOICE && call->chunks < 0 && kumiko_number_level(artefact, call->chunks) == level) {
      int64_t chunks = kumiko_number(&context->shapes, call->chunks);
      if (chunks < 0 || (call->kind == KUMIKO_CALL_KERNEL && chunks > KUMIKO_MAX_CHUNKS))
        return fail_expression(context, level, (uint64_t)~call->chunks,
                               chunks < 0 ? KUMIKO_E_VALUE : KUMIKO_E_OVERFLOW);
    }
    if (wanted >= 0 || kumiko_number_level(artefact, wanted) != level)
      continue;
    int64_t bytes = kumiko_number(&context->shapes, wanted);
    if (bytes < 0)
      return fail_expression(context, level, (uint64_t)~wanted, KUMIKO_E_VALUE);
    scratch = (uint64_t)bytes > scratch ? (uint64_t)bytes : scratch;
  }
  uint64_t stride, total;
  if (__builtin_add_overflow(scratch, LINE - 1, &stride) ||
      __builtin_mul_overflow(stride & ~(uint64_t)(LINE - 1), context->member.threads, &total) ||
      !kumiko_block_grow(context, &context->shapes.scratch, total))
    return fail_memory(context, level, "scratch", scratch);
  stride = context->shapes.scratch.bytes / context->member.threads & ~(uint64_t)(LINE - 1);
  context->scratch = context->shapes.scratch.memory;
  context->scratch_stride = stride;
  return KUMIKO_OK;
}

int kumiko_shapes_enter(kumiko_context *context, uint64_t level) {
  kumiko_shapes *shapes = &context->shapes;
  uint64_t symbols = context->model->artefact->symbol_count;
  int64_t *known = shapes->planned_for + level * symbols;
  int status = KUMIKO_OK;
  if (shapes->planned[level] && same_symbols(context, level, known))
    return KUMIKO_OK;
  shapes->planned[level] = false;
  /* Numbers of level 0 are already there: see kumiko_shapes_solve. */
  if (level && (status = compute(context, level)))
    return status;
  if ((status = size_calls(context, level)))
    return status;
  if (level || !recall(context)) {
    if ((status = plan(context, level)))
      return status;
    if (!level)
      remember(context);
  }
  if (!kumiko_block_grow(context, &shapes->arenas[level], shapes->arena_bytes[level]))
    return fail_memory(context, level, "intermediate results", shapes->arena_bytes[level]);
  memcpy(known, shapes->symbols, symbols * sizeof *known);
  shapes->planned[level] = true;
  return KUMIKO_OK;
}

uint64_t kumiko_shapes_memory(const kumiko_context *context) {
  const kumiko_artefact *artefact = context->model->artefact;
  uint64_t bytes = context->shapes.scratch.bytes;
  for (uint64_t level = 0; artefact->dynamics && level < artefact->dynamics->level_count; ++level)
    bytes += context->shapes.arenas[level].bytes;
  for (uint64_t output = 0; artefact->dynamics && output < artefact->output_count; ++output)
    bytes += context->shapes.outputs[output].bytes;
  return bytes;
}

void kumiko_text_add_value(kumiko_text *text, const kumiko_artefact *artefact, const kumiko_value *value) {
  const char *name = kumiko_type_name(value->element_type);
  kumiko_text_add(text, "%s[", name ? name : "?");
  for (uint32_t axis = 0; axis < value->rank; ++axis)
    if (value->shape[axis] < 0)
      kumiko_text_add(text, "%s%s", axis ? "," : "", artefact->dynamics->expressions[~value->shape[axis]].text);
    else
      kumiko_text_add(text, "%s%" PRId64, axis ? "," : "", value->shape[axis]);
  kumiko_text_add(text, "]");
}
