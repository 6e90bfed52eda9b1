#include "process.h"
#include "cpus.h"
#include "kumiko/kumiko.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

/* Zero is its valid first state: after a fork these pages read as zero. That includes the mutex, whose static
 * initialiser is all zeroes in the C libraries of Linux. */
struct process {
  _Atomic uint32_t generation;
  _Atomic uint32_t cpus;
  _Atomic uint32_t busy; /* threads inside runs */
  pid_t owner;           /* 0 where the system wipes for us */
  pthread_mutex_t mutex; /* guards what follows */
  struct group {
    uint32_t contexts;
    uint32_t teams;                /* idle and lent; never more than contexts, each of which holds at most one */
    kumiko_team *idle;             /* most recently used first: it may still be spinning */
  } group[KUMIKO_MAX_THREADS + 1]; /* by number of threads */
};

static _Atomic(struct process *) shared;
static _Atomic uint32_t generations; /* copied by a fork, so that a child's number is new */

static struct process *map_state(void) {
  struct process *state = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (state == MAP_FAILED)
    return NULL;
#ifndef KUMIKO_TEST_NO_WIPE
  if (madvise(state, sizeof *state, MADV_WIPEONFORK) == 0)
    return state;
#endif
  state->owner = getpid();
  return state;
}

static struct process *current(void) {
  struct process *state = atomic_load_explicit(&shared, memory_order_acquire);
  if (state && (!state->owner || state->owner == getpid()))
    return state;
  struct process *fresh = map_state();
  if (!fresh)
    return NULL;
  if (atomic_compare_exchange_strong(&shared, &state, fresh))
    return fresh;
  munmap(fresh, sizeof *fresh);
  return state;
}

static uint32_t generation_of(struct process *state) {
  uint32_t known = atomic_load_explicit(&state->generation, memory_order_acquire);
  if (known)
    return known;
  uint32_t next = atomic_fetch_add(&generations, 1) + 1;
  return atomic_compare_exchange_strong(&state->generation, &known, next) ? next : known;
}

uint32_t kumiko_process_generation(void) {
  struct process *state = current();
  return state ? generation_of(state) : 0;
}

static uint32_t cpus_of(struct process *state) {
  uint32_t cpus = atomic_load_explicit(&state->cpus, memory_order_relaxed);
  if (!cpus) {
    cpus = kumiko_available_threads();
    atomic_store_explicit(&state->cpus, cpus, memory_order_relaxed);
  }
  return cpus;
}

static kumiko_team *pop(struct group *group) {
  kumiko_team *team = group->idle;
  if (team)
    group->idle = *kumiko_team_next(team);
  return team;
}

/** An idle team of this size, or a new one. */
static kumiko_team *take_team(struct process *state, kumiko_member *member, uint32_t cpus) {
  struct group *group = &state->group[member->threads];
  pthread_mutex_lock(&state->mutex);
  if (member->generation != generation_of(state)) {
    member->generation = generation_of(state);
    group->contexts++;
  }
  kumiko_team *team = pop(group);
  if (!team)
    group->teams++;
  pthread_mutex_unlock(&state->mutex);
  if (team)
    return team;
  team = kumiko_team_start(member->threads - 1, member->threads > cpus);
  if (team)
    return team;
  pthread_mutex_lock(&state->mutex);
  group->teams--;
  pthread_mutex_unlock(&state->mutex);
  return NULL;
}

kumiko_lease kumiko_process_lease(kumiko_member *member) {
  struct process *state = current();
  if (!state)
    return (kumiko_lease){NULL, 0, 0};
  uint32_t cpus = cpus_of(state), wanted = member->threads;
  uint32_t busy = atomic_fetch_add(&state->busy, wanted);
  if (wanted > 1 && !(member->yielding && busy && busy + wanted > cpus)) {
    kumiko_team *team = take_team(state, member, cpus);
    if (team) {
      kumiko_team_rouse(team);
      return (kumiko_lease){team, wanted, generation_of(state)};
    }
  }
  if (wanted > 1)
    atomic_fetch_sub(&state->busy, wanted - 1);
  return (kumiko_lease){NULL, 1, generation_of(state)};
}

void kumiko_process_return(kumiko_member *member, kumiko_lease lease) {
  struct process *state = current();
  /* A hook may have forked in the middle of the run: the child never borrowed anything. */
  if (!state || lease.generation != generation_of(state))
    return;
  atomic_fetch_sub(&state->busy, lease.threads);
  if (!lease.team)
    return;
  struct group *group = &state->group[member->threads];
  pthread_mutex_lock(&state->mutex);
  *kumiko_team_next(lease.team) = group->idle;
  group->idle = lease.team;
  pthread_mutex_unlock(&state->mutex);
}

void kumiko_process_leave(kumiko_member *member) {
  struct process *state = current();
  if (!state || !member->generation || member->generation != generation_of(state))
    return;
  struct group *group = &state->group[member->threads];
  kumiko_team *surplus = NULL;
  pthread_mutex_lock(&state->mutex);
  group->contexts--;
  if (group->teams > group->contexts && (surplus = pop(group)))
    group->teams--;
  pthread_mutex_unlock(&state->mutex);
  if (surplus)
    kumiko_team_stop(surplus);
}

uint32_t kumiko_process_workers(void) {
  struct process *state = current();
  uint32_t workers = 0;
  if (!state)
    return 0;
  pthread_mutex_lock(&state->mutex);
  for (uint32_t threads = 2; threads <= KUMIKO_MAX_THREADS; ++threads)
    workers += state->group[threads].teams * (threads - 1);
  pthread_mutex_unlock(&state->mutex);
  return workers;
}
