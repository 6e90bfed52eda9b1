#include "context.h"
#include "fpenv.h"
#include "futex.h"
#include <inttypes.h>
#include <string.h>

/** One call on its way through the threads. */
struct job {
  const kumiko_call *call;
  int64_t chunks;
  void *const *buffers;
  kumiko_context *context;
};

static int run_chunk(void *data, uint32_t worker, int64_t chunk) {
  const struct job *job = data;
  kumiko_context *context = job->context;
  char *scratch = NULL;
  if (context->scratch_stride)
    scratch = context->scratch + worker * context->scratch_stride;
  return job->call->kernel(job->buffers, context->shapes.symbols, chunk, scratch);
}

static kumiko_outcome run_alone(struct job *job) {
  for (int64_t chunk = 0; chunk < job->chunks; ++chunk) {
    int status = run_chunk(job, 0, chunk);
    if (status)
      return (kumiko_outcome){status, chunk};
  }
  return (kumiko_outcome){0, 0};
}

/** A job on the caller's own threads. Chunks are claimed in order, so the lowest failure is the same on every run. */
struct guest_job {
  struct job *job;
  _Atomic int64_t next;
  _Atomic uint64_t failure; /* chunk : status; UINT64_MAX: none */
};

static void guest_task(void *data, uint32_t worker) {
  struct guest_job *guest = data;
  uint64_t mode = kumiko_fp_default();
  while (atomic_load(&guest->failure) == UINT64_MAX) {
    int64_t chunk = atomic_fetch_add(&guest->next, 1);
    if (chunk >= guest->job->chunks)
      break;
    int status = run_chunk(guest->job, worker, chunk);
    uint64_t mine = (uint64_t)chunk << 32 | (uint32_t)status, known = atomic_load(&guest->failure);
    while (status && mine < known && !atomic_compare_exchange_weak(&guest->failure, &known, mine))
      ;
  }
  kumiko_fp_restore(mode);
}

static kumiko_outcome run_as_guest(struct job *job) {
  struct guest_job guest = {.job = job};
  atomic_init(&guest.next, 0);
  atomic_init(&guest.failure, UINT64_MAX);
  const kumiko_pool *pool = &job->context->pool;
  pool->run(pool->user, guest_task, &guest, job->context->member.threads);
  uint64_t failure = atomic_load(&guest.failure);
  if (failure == UINT64_MAX)
    return (kumiko_outcome){0, 0};
  return (kumiko_outcome){(int)(uint32_t)failure, (int64_t)(failure >> 32)};
}

static kumiko_outcome run_call(struct job *job, kumiko_team *team) {
  if (job->chunks > 1) {
    if (job->context->pool.run && job->context->member.threads > 1)
      return run_as_guest(job);
    if (team)
      return kumiko_team_run(team, run_chunk, job, job->chunks);
  }
  return run_alone(job);
}

static void tell(const struct job *job, uint64_t number, uint32_t threads, uint64_t start) {
  const kumiko_call *call = job->call;
  kumiko_context *context = job->context;
  kumiko_profile_event event = {
      .struct_bytes = sizeof event,
      .threads = job->chunks > 1 ? threads : 1,
      .call = number,
      .chunks = job->chunks,
      .name = call->name,
      .nodes = call->nodes,
      .start_ns = start,
      .ns = kumiko_now_ns() - start,
  };
  context->hook(context->hook_user, &event);
}

static int fail_call(const struct job *job, kumiko_outcome outcome) {
  kumiko_text text = kumiko_context_message(job->context);
  kumiko_text_add(&text, "%s, in node %s (kernel %s, chunk %" PRId64 " of %" PRId64, kumiko_status_text(outcome.status),
                  job->call->nodes, job->call->name, outcome.chunk, job->chunks);
  if (outcome.status < 0 || outcome.status > KUMIKO_E_INTERNAL) {
    kumiko_text_add(&text, ", status %d)", outcome.status);
    return KUMIKO_E_INTERNAL;
  }
  kumiko_text_add(&text, ")");
  return outcome.status;
}

/** One run of the program: where it has come to among the calls' references. */
struct walk {
  kumiko_context *context;
  kumiko_team *team;
  uint32_t threads;
  void **slots;
};

/** The address of a reference in this turn of the loops around it. */
static void *address_now(const kumiko_context *context, const kumiko_buffer *buffer, char *address) {
  for (uint64_t i = 0; i < buffer->step_count; ++i) {
    const kumiko_step *step = &buffer->steps[i];
    int64_t turn = context->turns[step->loop], bytes = kumiko_number(&context->shapes, step->bytes);
    switch (step->kind) {
    case KUMIKO_STEP_FORWARD:
      address += turn * bytes;
      break;
    case KUMIKO_STEP_BACKWARD:
      address -= turn * bytes;
      break;
    default:
      address += (turn & 1) == (step->kind == KUMIKO_STEP_ODD) ? bytes : 0;
    }
  }
  return address;
}

static void **resolve(struct walk *walk, const kumiko_call *call) {
  if (!walk->context->model->most_moved)
    return walk->slots;
  for (uint64_t i = 0; i < call->buffer_count; ++i)
    walk->context->moved[i] = address_now(walk->context, &call->buffers[i], walk->slots[i]);
  return walk->context->moved;
}

static int run_kernel(struct walk *walk, uint64_t number) {
  kumiko_context *context = walk->context;
  const kumiko_call *call = &context->model->artefact->calls[number];
  struct job job = {
      .call = call,
      .buffers = resolve(walk, call),
      .context = context,
      .chunks = kumiko_number(&context->shapes, call->chunks),
  };
  uint64_t start = context->hook ? kumiko_now_ns() : 0;
  kumiko_outcome outcome = run_call(&job, walk->team);
  if (context->hook)
    tell(&job, number, walk->threads, start);
  if (outcome.status)
    return fail_call(&job, outcome);
  walk->slots += call->buffer_count;
  return call->level ? kumiko_context_advance(context, call->level) : KUMIKO_OK;
}

static int run_range(struct walk *walk, uint64_t first, uint64_t last);

/** Leaves out calls. */
static void skip_range(struct walk *walk, uint64_t first, uint64_t last) {
  for (uint64_t number = first; number < last; ++number)
    walk->slots += walk->context->model->artefact->calls[number].buffer_count;
}

/** Sizes that depend on how many turns were done: so far, where the body has such, or all of them. */
static int count_turn(struct walk *walk, const kumiko_call *call, int64_t turn) {
  if (call->otherwise_level)
    walk->context->shapes.symbols[call->otherwise_level - 1] = turn;
  return call->level ? kumiko_context_advance(walk->context, call->level) : KUMIKO_OK;
}

static int run_loop(struct walk *walk, uint64_t number) {
  const kumiko_call *call = &walk->context->model->artefact->calls[number];
  uint64_t first = number + 1, last = first + call->body;
  void **here = walk->slots, **inside = here + call->buffer_count;
  int64_t turn = 0, turns = kumiko_number(&walk->context->shapes, call->chunks);
  const kumiko_dynamics *dynamics = walk->context->model->artefact->dynamics;
  bool within = call->level && dynamics->levels[call->level].first == first;
  int status = KUMIKO_OK;
  for (; turn < turns; ++turn) {
    walk->context->turns[call->loops] = turn;
    if (call->buffer_count) {
      walk->slots = here;
      void **buffers = resolve(walk, call);
      if (!*(const uint8_t *)buffers[0])
        break;
      memcpy(buffers[1], &turn, sizeof turn);
    }
    walk->slots = inside;
    if ((within && (status = count_turn(walk, call, turn))) || (status = run_range(walk, first, last)))
      return status;
  }
  if ((status = count_turn(walk, call, turn)))
    return status;
  /* What comes next finds the last states by it. */
  walk->context->turns[call->loops] = turn;
  walk->slots = inside;
  skip_range(walk, first, last);
  return KUMIKO_OK;
}

static int run_choice(struct walk *walk, uint64_t number) {
  const kumiko_call *call = &walk->context->model->artefact->calls[number];
  uint64_t first = number + 1, middle = first + call->body, last = middle + call->otherwise;
  uint8_t condition = *(const uint8_t *)resolve(walk, call)[0];
  uint32_t level = condition ? call->level : call->otherwise_level;
  int status = level ? kumiko_context_advance(walk->context, level) : KUMIKO_OK;
  if (status)
    return status;
  walk->slots += call->buffer_count;
  if (condition) {
    status = run_range(walk, first, middle);
    skip_range(walk, middle, last);
    return status;
  }
  skip_range(walk, first, middle);
  return run_range(walk, middle, last);
}

/** The calls [first, last); the walk's slots are those of the first one, and behind the last one afterwards. */
static int run_range(struct walk *walk, uint64_t first, uint64_t last) {
  int status = KUMIKO_OK;
  for (uint64_t number = first; !status && number < last;) {
    const kumiko_call *call = &walk->context->model->artefact->calls[number];
    if (call->kind == KUMIKO_CALL_KERNEL)
      status = run_kernel(walk, number);
    else
      status = call->kind == KUMIKO_CALL_LOOP ? run_loop(walk, number) : run_choice(walk, number);
    number += 1 + call->body + call->otherwise;
  }
  return status;
}

static int run_program(kumiko_context *context, kumiko_team *team) {
  uint32_t threads = context->pool.run ? context->member.threads : team ? kumiko_team_workers(team) + 1 : 1;
  struct walk walk = {context, team, threads, context->slots};
  return run_range(&walk, 0, context->model->artefact->call_count);
}

static void copy_inputs(kumiko_context *context) {
  const kumiko_artefact *artefact = context->model->artefact;
  for (uint64_t input = 0; input < artefact->input_count; ++input)
    if (context->inputs[input].copied)
      kumiko_gather(&artefact->inputs[input], &context->inputs[input]);
}

static void copy_outputs(kumiko_context *context) {
  const kumiko_artefact *artefact = context->model->artefact;
  for (uint64_t output = 0; output < artefact->output_count; ++output)
    if (context->outputs[output].copied)
      kumiko_scatter(&artefact->outputs[output], &context->outputs[output]);
}

int kumiko_context_run(kumiko_context *context) {
  int status = kumiko_context_enter(context);
  if (status)
    return status;
  if (!context->stale || !(status = kumiko_context_refresh(context))) {
    copy_inputs(context);
    uint64_t mode = kumiko_fp_default();
    kumiko_lease lease = {0};
    if (!context->pool.run)
      lease = kumiko_process_lease(&context->member);
    status = run_program(context, lease.team);
    if (!context->pool.run)
      kumiko_process_return(&context->member, lease);
    kumiko_fp_restore(mode);
    if (!status)
      copy_outputs(context);
  }
  kumiko_context_leave(context);
  return status;
}
