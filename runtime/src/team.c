#include "team.h"
#include "fpenv.h"
#include "futex.h"
#include "memory.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* A parked worker takes 40-100 us to wake; the pauses between the calls of one run are shorter than this. */
#define WORKER_SPIN_NS 1000000u
#define JOIN_SPIN_NS 50000u
/* On a crowded machine spinning keeps the thread from running that it waits for. */
#define CROWDED_SPIN_NS 5000u
#define PAUSES_PER_LOOK 32

#define STACK_BYTES ((size_t)2 << 20)
#define LINE 64

/* Low half of a ticket while the fields of a job are being written. */
#define CLOSED UINT32_MAX
#define NO_FAILURE UINT64_MAX
/* With more threads than this, several begin with the same share. */
#define MOST_SHARES 16u

struct share {
  _Alignas(LINE) _Atomic uint64_t ticket;
};

struct kumiko_team {
  _Alignas(LINE) _Atomic uint32_t job;  /* the number of the newest job that has been opened */
  _Alignas(LINE) _Atomic uint32_t done; /* chunks of the open job that are finished */
  _Atomic uint32_t caller_sleeps;
  _Alignas(LINE) _Atomic uint32_t alarm; /* what sleeping workers wait on */
  _Atomic uint32_t sleepers;
  /* The job. Written with release while the tickets are closed, read with acquire before a claim. */
  _Alignas(LINE) _Atomic(kumiko_work) work;
  _Atomic(void *) data;
  _Atomic uint32_t chunks;
  _Atomic uint32_t shares;
  _Atomic uint64_t failure; /* lowest failing chunk : its status, or NO_FAILURE */
  _Atomic bool stop;
  bool crowded;
  uint32_t workers;
  kumiko_team *next;
  struct share share[MOST_SHARES];
  struct worker {
    kumiko_team *team;
    pthread_t thread;
    uint32_t number;
  } worker[];
};

static size_t team_bytes(uint32_t workers) { return sizeof(kumiko_team) + workers * sizeof(struct worker); }

static void note_failure(kumiko_team *team, uint32_t chunk, int status) {
  uint64_t mine = (uint64_t)chunk << 32 | (uint32_t)status;
  uint64_t known = atomic_load_explicit(&team->failure, memory_order_relaxed);
  while (mine < known && !atomic_compare_exchange_weak(&team->failure, &known, mine))
    ;
}

/** The first chunk of a share; that of the share behind the last one is the number of chunks. */
static uint32_t first_chunk(uint32_t chunks, uint32_t shares, uint32_t share) {
  return (uint32_t)((uint64_t)chunks * share / shares);
}

/** Claims and runs chunks of `job` until none is left or the job has changed, those of its own share first; returns how
 *  many chunks this thread has settled, run or dropped. */
static uint32_t take_part(kumiko_team *team, uint32_t worker, uint32_t job) {
  uint32_t settled = 0;
  for (uint32_t turn = 0;;) {
    uint32_t shares = atomic_load_explicit(&team->shares, memory_order_acquire);
    if (turn >= shares)
      return settled;
    uint32_t mine = (worker + turn) % shares;
    _Atomic uint64_t *place = &team->share[mine].ticket;
    uint64_t ticket = atomic_load_explicit(place, memory_order_acquire);
    kumiko_work work = atomic_load_explicit(&team->work, memory_order_acquire);
    void *data = atomic_load_explicit(&team->data, memory_order_acquire);
    uint32_t chunks = atomic_load_explicit(&team->chunks, memory_order_acquire), chunk = (uint32_t)ticket;
    if ((uint32_t)(ticket >> 32) != job)
      return settled;
    if (chunk >= first_chunk(chunks, shares, mine + 1)) {
      ++turn;
      continue;
    }
    if (!atomic_compare_exchange_weak_explicit(place, &ticket, ticket + 1, memory_order_acq_rel, memory_order_relaxed))
      continue;
    ++settled;
    /* What is behind a failure is dropped, what is before it may fail as well and decides. */
    bool dropped = chunk > (uint32_t)(atomic_load_explicit(&team->failure, memory_order_acquire) >> 32);
    int status = dropped ? 0 : work(data, worker, chunk);
    if (status)
      note_failure(team, chunk, status);
  }
}

/** Adds to the finished chunks; the one who completes the job wakes the caller. `chunks` is of that job, which stays
 *  open as long as this thread has chunks to report. */
static void report(kumiko_team *team, uint32_t settled) {
  uint32_t chunks = atomic_load_explicit(&team->chunks, memory_order_relaxed);
  if (atomic_fetch_add(&team->done, settled) + settled == chunks && atomic_load(&team->caller_sleeps))
    kumiko_futex_wake(&team->done, 1);
}

static bool is_open(kumiko_team *team, uint32_t finished_job, uint32_t *job) {
  *job = atomic_load(&team->job);
  return *job != finished_job || atomic_load(&team->stop);
}

/** Returns the number of a job after `finished_job`, or any number when the team stops. */
static uint32_t await_job(kumiko_team *team, uint32_t finished_job) {
  uint32_t job;
  uint64_t spin = team->crowded ? CROWDED_SPIN_NS : WORKER_SPIN_NS;
  for (;;) {
    for (uint64_t start = kumiko_now_ns(); kumiko_now_ns() - start < spin;)
      for (int pause = 0; pause < PAUSES_PER_LOOK; ++pause) {
        if (is_open(team, finished_job, &job))
          return job;
        kumiko_pause();
      }
    uint32_t alarm = atomic_load(&team->alarm);
    atomic_fetch_add(&team->sleepers, 1);
    /* Looks again after it is known as a sleeper: whoever opens a job later will see it and ring. */
    if (!is_open(team, finished_job, &job))
      kumiko_futex_wait(&team->alarm, alarm);
    atomic_fetch_sub(&team->sleepers, 1);
  }
}

static void *serve(void *argument) {
  struct worker *self = argument;
  kumiko_team *team = self->team;
  kumiko_fp_default();
  uint32_t finished_job = 0;
  for (;;) {
    uint32_t job = await_job(team, finished_job);
    if (atomic_load_explicit(&team->stop, memory_order_acquire))
      return NULL;
    uint32_t settled = take_part(team, self->number, job);
    if (settled)
      report(team, settled);
    finished_job = job;
  }
}

static void ring(kumiko_team *team, uint32_t wanted) {
  if (!atomic_load(&team->sleepers))
    return;
  atomic_fetch_add(&team->alarm, 1);
  kumiko_futex_wake(&team->alarm, wanted);
}

void kumiko_team_rouse(kumiko_team *team) {
  if (!team->crowded)
    ring(team, team->workers);
}

static void join(kumiko_team *team, uint32_t chunks) {
  uint64_t spin = team->crowded ? CROWDED_SPIN_NS : JOIN_SPIN_NS;
  for (uint64_t start = kumiko_now_ns(); kumiko_now_ns() - start < spin;)
    for (int pause = 0; pause < PAUSES_PER_LOOK; ++pause) {
      if (atomic_load_explicit(&team->done, memory_order_acquire) == chunks)
        return;
      kumiko_pause();
    }
  atomic_store(&team->caller_sleeps, 1);
  for (uint32_t done; (done = atomic_load(&team->done)) != chunks;)
    kumiko_futex_wait(&team->done, done);
  atomic_store(&team->caller_sleeps, 0);
}

/** All tickets show `job`, at no chunk or at the first of each share. */
static void set_tickets(kumiko_team *team, uint32_t job, uint32_t chunks, uint32_t shares, bool open) {
  uint32_t count = open ? shares : MOST_SHARES < team->workers + 1 ? MOST_SHARES : team->workers + 1;
  for (uint32_t share = 0; share < count; ++share)
    atomic_store_explicit(&team->share[share].ticket,
                          (uint64_t)job << 32 | (open ? first_chunk(chunks, shares, share) : CLOSED),
                          memory_order_release);
}

kumiko_outcome kumiko_team_run(kumiko_team *team, kumiko_work work, void *data, int64_t chunks) {
  uint32_t job = atomic_load_explicit(&team->job, memory_order_relaxed) + 1, count = (uint32_t)chunks;
  uint32_t shares = team->workers + 1 < MOST_SHARES ? team->workers + 1 : MOST_SHARES;
  if (count < shares)
    shares = count;
  set_tickets(team, job, count, shares, false);
  atomic_store_explicit(&team->work, work, memory_order_release);
  atomic_store_explicit(&team->data, data, memory_order_release);
  atomic_store_explicit(&team->chunks, count, memory_order_release);
  atomic_store_explicit(&team->shares, shares, memory_order_release);
  atomic_store_explicit(&team->failure, NO_FAILURE, memory_order_release);
  atomic_store_explicit(&team->done, 0, memory_order_release);
  set_tickets(team, job, count, shares, true);
  atomic_store(&team->job, job);
  ring(team, count - 1 < team->workers ? count - 1 : team->workers);
  uint32_t settled = take_part(team, 0, job);
  if (atomic_fetch_add(&team->done, settled) + settled != count)
    join(team, count);
  uint64_t failure = atomic_load(&team->failure);
  if (failure == NO_FAILURE)
    return (kumiko_outcome){0, 0};
  return (kumiko_outcome){(int)(uint32_t)failure, (int64_t)(failure >> 32)};
}

kumiko_team *kumiko_team_start(uint32_t workers, bool crowded) {
  kumiko_team *team = kumiko_default_allocator.allocate(NULL, team_bytes(workers), LINE);
  if (!team)
    return NULL;
  memset(team, 0, team_bytes(workers));
  team->crowded = crowded;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  /* The program's signals are its own threads' business. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (uint32_t started = 0; started < workers; ++started) {
    struct worker *worker = &team->worker[started];
    *worker = (struct worker){.team = team, .number = started + 1};
    if (pthread_create(&worker->thread, &attributes, serve, worker))
      break;
    pthread_setname_np(worker->thread, "kumiko");
    team->workers = started + 1;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  if (team->workers)
    return team;
  free(team);
  return NULL;
}

void kumiko_team_stop(kumiko_team *team) {
  atomic_store(&team->stop, true);
  atomic_fetch_add(&team->alarm, 1);
  kumiko_futex_wake(&team->alarm, UINT32_MAX);
  for (uint32_t worker = 0; worker < team->workers; ++worker)
    pthread_join(team->worker[worker].thread, NULL);
  free(team);
}

uint32_t kumiko_team_workers(const kumiko_team *team) { return team->workers; }

kumiko_team **kumiko_team_next(kumiko_team *team) { return &team->next; }
