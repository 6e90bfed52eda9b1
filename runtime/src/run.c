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

static int run_program(kumiko_context *context, kumiko_team *team) {
  const kumiko_artefact *artefact = context->model->artefact;
  uint32_t threads = context->pool.run ? context->member.threads : team ? kumiko_team_workers(team) + 1 : 1;
  struct job job = {.buffers = context->slots, .context = context};
  for (uint64_t number = 0; number < artefact->call_count; ++number) {
    job.call = &artefact->calls[number];
    job.chunks = kumiko_number(&context->shapes, job.call->chunks);
    uint64_t start = context->hook ? kumiko_now_ns() : 0;
    kumiko_outcome outcome = run_call(&job, team);
    if (context->hook)
      tell(&job, number, threads, start);
    if (outcome.status)
      return fail_call(&job, outcome);
    int status = kumiko_context_advance(context, number);
    if (status)
      return status;
    job.buffers += job.call->buffer_count;
  }
  return KUMIKO_OK;
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
