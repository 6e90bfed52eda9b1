#include "extent.h"
#include "model.h"
#include "shapes.h"
#include "team.h"
#include "text.h"
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>

/* What the struct had when this version began; later fields are read only when struct_bytes covers them. */
#define FIRST_STRUCT_BYTES (offsetof(kumiko_artefact, dynamics) + sizeof(void *))

uint64_t kumiko_value_bytes(const kumiko_value *value) {
  uint64_t bytes = kumiko_type_bytes(value->element_type);
  for (uint32_t axis = 0; axis < value->rank; ++axis)
    bytes *= (uint64_t)value->shape[axis];
  return bytes;
}

bool kumiko_value_is_symbolic(const kumiko_value *value) {
  for (uint32_t axis = 0; axis < value->rank; ++axis)
    if (value->shape[axis] < 0)
      return true;
  return false;
}

/** Whether a number below 0 is an expression of the artefact's. */
static bool is_number(const kumiko_artefact *artefact, int64_t number) {
  const kumiko_dynamics *dynamics = artefact->dynamics;
  return number >= 0 || (dynamics && (uint64_t)~number < dynamics->levels[dynamics->level_count - 1].expression_end);
}

static int check_value(const kumiko_artefact *artefact, const kumiko_value *value, const char *kind, uint64_t number) {
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
    if (!is_number(artefact, value->shape[axis]))
      return kumiko_fail(KUMIKO_E_ARTEFACT, "%s \"%s\": axis %" PRIu32 " is an expression that is not there", kind,
                         value->name, axis);
    if (value->shape[axis] > 0 && __builtin_mul_overflow(bytes, (uint64_t)value->shape[axis], &bytes))
      return kumiko_fail(KUMIKO_E_OVERFLOW, "%s \"%s\" is larger than 64 bits can count", kind, value->name);
  }
  return KUMIKO_OK;
}

/** Whether a level holds for the call. */
static bool is_known(const kumiko_artefact *artefact, const kumiko_call *call, uint64_t level) {
  uint64_t number = (uint64_t)(call - artefact->calls);
  return !level ||
         (artefact->dynamics->levels[level].first <= number && number < artefact->dynamics->levels[level].last);
}

/** Whether a number is there and known to the call. */
static bool is_number_for(const kumiko_artefact *artefact, const kumiko_call *call, int64_t number) {
  return is_number(artefact, number) && is_known(artefact, call, kumiko_number_level(artefact, number));
}

static int check_planned(const kumiko_artefact *artefact, const kumiko_call *call, const kumiko_buffer *buffer) {
  const kumiko_dynamics *dynamics = artefact->dynamics;
  uint64_t level = 0;
  if (!dynamics || buffer->number >= dynamics->levels[dynamics->level_count - 1].planned_end)
    return kumiko_fail(KUMIKO_E_ARTEFACT, "%s refers to a buffer that is not planned", call->name);
  while (dynamics->levels[level].planned_end <= buffer->number)
    ++level;
  int64_t bytes = dynamics->planned[buffer->number].bytes;
  if (!is_known(artefact, call, level) || (bytes >= 0 && buffer->offset > bytes))
    return kumiko_fail(KUMIKO_E_ARTEFACT, "%s refers to memory that is not there", call->name);
  return KUMIKO_OK;
}

/** The loops around the calls that are being checked. */
struct nest {
  const kumiko_artefact *artefact;
  uint64_t levels; /* that have begun so far */
  uint32_t loops;
  int64_t turns[KUMIKO_MAX_LOOPS];
};

/** Whether a step belongs to a loop around the call, and its numbers are known. */
static bool is_step(const struct nest *nest, const kumiko_call *call, const kumiko_step *step) {
  bool alternates = step->kind == KUMIKO_STEP_ODD || step->kind == KUMIKO_STEP_EVEN;
  return step->kind <= KUMIKO_STEP_EVEN && step->loop < KUMIKO_MAX_LOOPS && step->loop <= nest->loops &&
         (step->loop < nest->loops || alternates) && is_number_for(nest->artefact, call, step->bytes);
}

/** Adds a step to the lowest and highest offset; false when they cannot be counted. */
static bool widen(const struct nest *nest, const kumiko_step *step, int64_t *low, int64_t *high) {
  /* The loop itself, and those who read what it leaves behind, refer to its last turn. */
  int64_t turns = step->loop == nest->loops ? 1 : nest->turns[step->loop] - 1, far;
  if (step->kind >= KUMIKO_STEP_ODD)
    turns = 1;
  if (turns <= 0)
    return true;
  if (__builtin_mul_overflow(turns, step->bytes, &far))
    return false;
  return step->kind == KUMIKO_STEP_BACKWARD ? !__builtin_sub_overflow(*low, far, low)
                                            : !__builtin_add_overflow(*high, far, high);
}

/** The lowest and highest offset of a buffer in all turns of the loops around it, 0 where expressions decide; false
 * when they cannot be counted or make no sense. */
static bool range_of(const struct nest *nest, const kumiko_call *call, const kumiko_buffer *buffer, int64_t *low,
                     int64_t *high) {
  if (!is_number_for(nest->artefact, call, buffer->offset) || (buffer->step_count && !buffer->steps))
    return false;
  bool counted = buffer->offset >= 0;
  *low = *high = counted ? buffer->offset : 0;
  for (uint64_t i = 0; i < buffer->step_count; ++i) {
    const kumiko_step *step = &buffer->steps[i];
    if (!is_step(nest, call, step))
      return false;
    counted = counted && step->bytes >= 0 && (step->loop == nest->loops || nest->turns[step->loop] >= 0);
    if (counted && !widen(nest, step, low, high))
      return false;
  }
  if (!counted)
    *low = *high = 0;
  return *low >= 0;
}

static int check_buffer(const struct nest *nest, const kumiko_call *call, const kumiko_buffer *buffer) {
  const kumiko_artefact *artefact = nest->artefact;
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
  case KUMIKO_SPACE_PLANNED: {
    int status = check_planned(artefact, call, buffer);
    if (status)
      return status;
    int64_t bytes = artefact->dynamics->planned[buffer->number].bytes;
    limit = bytes < 0 ? INT64_MAX : (uint64_t)bytes;
    break;
  }
  default:
    return kumiko_fail(KUMIKO_E_VERSION, "%s refers to memory of kind %" PRIu32 ", which this runtime does not know",
                       call->name, buffer->space);
  }
  if (buffer->space <= KUMIKO_SPACE_OUTPUT) {
    if (buffer->number >= count)
      return kumiko_fail(KUMIKO_E_ARTEFACT, "%s refers to input or output %" PRIu32 " of %" PRIu64, call->name,
                         buffer->number, count);
    const kumiko_value *values = buffer->space == KUMIKO_SPACE_INPUT ? artefact->inputs : artefact->outputs;
    limit =
        kumiko_value_is_symbolic(&values[buffer->number]) ? UINT64_MAX : kumiko_value_bytes(&values[buffer->number]);
    if (buffer->space == KUMIKO_SPACE_OUTPUT &&
        !is_known(artefact, call, kumiko_value_level(artefact, &values[buffer->number])))
      return kumiko_fail(KUMIKO_E_ARTEFACT, "%s writes an output whose shape is not known yet", call->name);
  }
  int64_t low, high;
  if (!range_of(nest, call, buffer, &low, &high))
    return kumiko_fail(KUMIKO_E_ARTEFACT, "%s refers to memory by a step that no loop around it has", call->name);
  if ((uint64_t)high > limit)
    return kumiko_fail(KUMIKO_E_ARTEFACT, "%s refers to byte %" PRId64 " of %" PRIu64, call->name, high, limit);
  return KUMIKO_OK;
}

/** What loops and choices have instead of a kernel; `rest` calls follow in the same range. */
static int check_control(const struct nest *nest, uint64_t number, uint64_t rest) {
  const kumiko_call *call = &nest->artefact->calls[number];
  bool loop = call->kind == KUMIKO_CALL_LOOP;
  if (call->body > rest || call->otherwise > rest - call->body || (loop && call->otherwise))
    return kumiko_fail(KUMIKO_E_ARTEFACT, "call %" PRIu64 " wants more calls behind it than there are", number);
  if (loop ? call->buffer_count != 0 && call->buffer_count != 2 : call->buffer_count != 1)
    return kumiko_fail(KUMIKO_E_ARTEFACT, "call %" PRIu64 " has %" PRIu64 " buffers, which no loop or choice has",
                       number, call->buffer_count);
  if (loop && nest->loops == KUMIKO_MAX_LOOPS)
    return kumiko_fail(KUMIKO_E_UNSUPPORTED, "loops are nested more than %u deep", KUMIKO_MAX_LOOPS);
  return KUMIKO_OK;
}

static int check_call(const struct nest *nest, uint64_t number, uint64_t rest) {
  const kumiko_artefact *artefact = nest->artefact;
  const kumiko_call *call = &artefact->calls[number];
  if (call->kind > KUMIKO_CALL_CHOICE)
    return kumiko_fail(KUMIKO_E_VERSION, "call %" PRIu64 " is of kind %" PRIu32 ", which this runtime does not know",
                       number, call->kind);
  bool kernel = call->kind == KUMIKO_CALL_KERNEL;
  if (!call->kernel != !kernel || !call->name || !call->nodes || (call->buffer_count && !call->buffers))
    return kumiko_fail(KUMIKO_E_ARTEFACT, "call %" PRIu64 " lacks its kernel, its names or its buffers", number);
  if (call->loops != nest->loops || (kernel && (call->body || call->otherwise)))
    return kumiko_fail(KUMIKO_E_ARTEFACT, "call %" PRIu64 " does not fit the loops around it", number);
  int status = kernel ? KUMIKO_OK : check_control(nest, number, rest);
  if (status)
    return status;
  if ((kernel && call->chunks > KUMIKO_MAX_CHUNKS) || !is_number_for(artefact, call, call->chunks))
    return kumiko_fail(KUMIKO_E_ARTEFACT, "%s has %" PRId64 " chunks", call->name, call->chunks);
  int64_t scratch = (int64_t)call->scratch_bytes;
  bool counted = artefact->dynamics && scratch < 0 && is_number_for(artefact, call, scratch);
  if (!counted && call->scratch_bytes > artefact->scratch_bytes)
    return kumiko_fail(KUMIKO_E_ARTEFACT, "%s wants more scratch than the artefact says", call->name);
  for (uint64_t buffer = 0; buffer < call->buffer_count; ++buffer) {
    status = check_buffer(nest, call, &call->buffers[buffer]);
    if (status)
      return status;
  }
  return KUMIKO_OK;
}

/** Whether the next level is this one, and holds for [first, last). */
static bool begins(struct nest *nest, uint32_t level, uint64_t first, uint64_t last) {
  if (!level)
    return true;
  const kumiko_dynamics *dynamics = nest->artefact->dynamics;
  return dynamics && level == ++nest->levels && level < dynamics->level_count &&
         dynamics->levels[level].first == first && dynamics->levels[level].last == last;
}

/** Whether a loop's level begins behind it, and not with each turn. */
static bool counts_behind(const struct nest *nest, const kumiko_call *call, uint64_t end) {
  const kumiko_dynamics *dynamics = nest->artefact->dynamics;
  return call->kind == KUMIKO_CALL_LOOP && call->body && dynamics && call->level < dynamics->level_count &&
         dynamics->levels[call->level].first == end;
}

/** Whether the symbol of a loop is one of its level; kernels have none. */
static bool counts_turns(const struct nest *nest, const kumiko_call *call) {
  uint32_t symbol = call->otherwise_level;
  if (call->kind == KUMIKO_CALL_KERNEL || !call->level)
    return !symbol && (call->kind == KUMIKO_CALL_KERNEL || !call->level);
  return symbol && symbol <= nest->artefact->symbol_count &&
         nest->artefact->dynamics->symbols[symbol - 1].level == call->level;
}

/** The calls [first, last) and what they hold; `depth` counts loops and choices, so that walking them is bounded. */
static int check_range(struct nest *nest, uint64_t first, uint64_t last, uint32_t depth) {
  if (depth > KUMIKO_MAX_NESTING)
    return kumiko_fail(KUMIKO_E_UNSUPPORTED, "loops and choices are nested more than %u deep", KUMIKO_MAX_NESTING);
  for (uint64_t number = first; number < last;) {
    int status = check_call(nest, number, last - number - 1);
    if (status)
      return status;
    const kumiko_call *call = &nest->artefact->calls[number];
    uint64_t middle = number + 1 + call->body, end = middle + call->otherwise;
    bool kernel = call->kind == KUMIKO_CALL_KERNEL, choice = call->kind == KUMIKO_CALL_CHOICE;
    bool behind = counts_behind(nest, call, end);
    bool sound = behind || begins(nest, call->level, number + 1, choice ? middle : last);
    if (call->kind == KUMIKO_CALL_LOOP)
      nest->turns[nest->loops++] = call->chunks;
    if (!kernel)
      status = check_range(nest, number + 1, middle, depth + 1);
    if (call->kind == KUMIKO_CALL_LOOP)
      --nest->loops;
    sound = sound && (!behind || begins(nest, call->level, end, last));
    sound = sound && (choice ? begins(nest, call->otherwise_level, middle, end) : counts_turns(nest, call));
    if (!sound)
      return kumiko_fail(KUMIKO_E_ARTEFACT, "call %" PRIu64 " begins a level out of turn", number);
    if (!status && call->otherwise)
      status = check_range(nest, middle, end, depth + 1);
    if (status)
      return status;
    number = end;
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
  return KUMIKO_OK;
}

/** The entries of one level. */
static int check_level(const kumiko_artefact *artefact, uint64_t number) {
  static const kumiko_level none = {0};
  const kumiko_dynamics *dynamics = artefact->dynamics;
  const kumiko_level *level = &dynamics->levels[number], *before = number ? level - 1 : &none;
  if (level->expression_end < before->expression_end || level->planned_end < before->planned_end ||
      level->planned_end > UINT32_MAX || level->demand_end < before->demand_end || level->first > level->last ||
      level->last > artefact->call_count || (!number && (level->first || level->last < artefact->call_count)))
    return kumiko_fail(KUMIKO_E_ARTEFACT, "level %" PRIu64 " contradicts itself or the one before", number);
  if ((level->expression_end && !dynamics->expressions) || (level->planned_end && !dynamics->planned) ||
      (level->demand_end && !dynamics->demands))
    return kumiko_fail(KUMIKO_E_ARTEFACT, "level %" PRIu64 " lacks a table", number);
  for (uint64_t i = before->expression_end; i < level->expression_end; ++i) {
    const kumiko_expression *expression = &dynamics->expressions[i];
    if (!expression->text || !expression->steps ||
        !kumiko_extent_is_sound(expression, dynamics, artefact->symbol_count, number))
      return kumiko_fail(KUMIKO_E_ARTEFACT, "expression %" PRIu64 " cannot be computed", i);
  }
  for (uint64_t i = before->planned_end; i < level->planned_end; ++i) {
    const kumiko_planned *planned = &dynamics->planned[i];
    if (planned->first > planned->last || planned->last == UINT64_MAX ||
        (planned->bytes < 0 && (uint64_t)~planned->bytes >= level->expression_end))
      return kumiko_fail(KUMIKO_E_ARTEFACT, "planned buffer %" PRIu64 " contradicts itself", i);
  }
  for (uint64_t i = before->demand_end; i < level->demand_end; ++i) {
    const kumiko_demand *demand = &dynamics->demands[i];
    if (!demand->message || demand->kind > KUMIKO_DEMAND_AT_MOST ||
        (demand->left < 0 && (uint64_t)~demand->left >= level->expression_end) ||
        (demand->right < 0 && (uint64_t)~demand->right >= level->expression_end))
      return kumiko_fail(KUMIKO_E_ARTEFACT, "demand %" PRIu64 " contradicts itself", i);
  }
  return KUMIKO_OK;
}

static int check_dynamics(const kumiko_artefact *artefact) {
  const kumiko_dynamics *dynamics = artefact->dynamics;
  if (!dynamics)
    return artefact->symbol_count
               ? kumiko_fail(KUMIKO_E_ARTEFACT, "%s has symbols and no table of them", artefact->name)
               : KUMIKO_OK;
  if (!dynamics->level_count || !dynamics->levels || (artefact->symbol_count && !dynamics->symbols))
    return kumiko_fail(KUMIKO_E_ARTEFACT, "%s has an incomplete table of symbols", artefact->name);
  int status = KUMIKO_OK;
  for (uint64_t symbol = 0; !status && symbol < artefact->symbol_count; ++symbol)
    if (!dynamics->symbols[symbol].name || dynamics->symbols[symbol].level >= dynamics->level_count)
      status = kumiko_fail(KUMIKO_E_ARTEFACT, "symbol %" PRIu64 " has no name or no level", symbol);
  for (uint64_t level = 0; !status && level < dynamics->level_count; ++level)
    status = check_level(artefact, level);
  return status;
}

/** Whether a level holds to the end of the program. */
static bool is_lasting(const kumiko_artefact *artefact, uint64_t level) {
  return !level || artefact->dynamics->levels[level].last == artefact->call_count;
}

/** Shapes of inputs are known before anything runs, and every symbol of level 0 is an axis of one. */
static int check_interface(const kumiko_artefact *artefact) {
  uint64_t input;
  uint32_t axis;
  for (input = 0; input < artefact->input_count; ++input)
    if (kumiko_value_level(artefact, &artefact->inputs[input]))
      return kumiko_fail(KUMIKO_E_ARTEFACT, "the shape of input \"%s\" depends on data", artefact->inputs[input].name);
  for (uint64_t output = 0; output < artefact->output_count; ++output)
    if (!is_lasting(artefact, kumiko_value_level(artefact, &artefact->outputs[output])))
      return kumiko_fail(KUMIKO_E_ARTEFACT, "the shape of output \"%s\" is known only for a while",
                         artefact->outputs[output].name);
  for (uint64_t symbol = 0; symbol < artefact->symbol_count; ++symbol)
    if (!artefact->dynamics->symbols[symbol].level && !kumiko_find_axis(artefact, symbol, &input, &axis))
      return kumiko_fail(KUMIKO_E_ARTEFACT, "no input says what \"%s\" is", artefact->dynamics->symbols[symbol].name);
  return KUMIKO_OK;
}

int kumiko_check_artefact(const kumiko_artefact *artefact) {
  int status = check_head(artefact);
  if (!status)
    status = check_dynamics(artefact);
  for (uint64_t input = 0; !status && input < artefact->input_count; ++input)
    status = check_value(artefact, &artefact->inputs[input], "input", input);
  for (uint64_t output = 0; !status && output < artefact->output_count; ++output)
    status = check_value(artefact, &artefact->outputs[output], "output", output);
  if (!status)
    status = check_interface(artefact);
  struct nest nest = {.artefact = artefact};
  if (!status)
    status = check_range(&nest, 0, artefact->call_count, 0);
  if (!status && artefact->dynamics && nest.levels + 1 != artefact->dynamics->level_count)
    status = kumiko_fail(KUMIKO_E_ARTEFACT, "no call begins level %" PRIu64, nest.levels + 1);
  return status;
}
