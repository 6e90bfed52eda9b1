/*===- team.h - threads that share the chunks of one call --------------------===
 *
 * A team is one caller and a fixed number of workers. The caller opens a job, everybody claims chunks one at a time,
 * first those of a share of its own: calls that follow each other walk over the same data in the same order, so that a
 * thread finds in its caches what it wrote before. Who has done its share goes on with those of the others. The job is
 * over when all chunks are done, not when all workers have come: on a crowded machine the caller finishes alone what
 * nobody else picks up, and a worker that wakes late finds the job closed.
 *
 *   ticket of a share = job number : next chunk      claimed by compare-and-swap
 *
 * A claim succeeds only if the ticket has not changed since the job's fields were read, so a late worker can never
 * run a chunk of one job with the fields of another. When a chunk fails, those behind it are dropped; those before it
 * run, so that the lowest failure is the same on every run.
 *
 *===------------------------------------------------------------------------===*/
#ifndef KUMIKO_TEAM_H
#define KUMIKO_TEAM_H

#include <stdbool.h>
#include <stdint.h>

/** Runs one chunk; `worker` is 0 for the caller and otherwise 1 .. workers. Returns 0 or a status. */
typedef int (*kumiko_work)(void *data, uint32_t worker, int64_t chunk);

typedef struct kumiko_outcome {
  int status;    /* of the failing chunk with the lowest number, or 0 */
  int64_t chunk; /* that chunk */
} kumiko_outcome;

typedef struct kumiko_team kumiko_team;

/** More chunks than this in one call are refused when the model is made. */
#define KUMIKO_MAX_CHUNKS INT32_MAX

/** Starts up to `workers` threads; with fewer to be had, the team is smaller; null when it has none. `crowded`: there
 *  are more threads than CPUs, so waiting must not burn what the others need. */
kumiko_team *kumiko_team_start(uint32_t workers, bool crowded);
/** Ends the workers and waits for them. No job may be open. */
void kumiko_team_stop(kumiko_team *team);
/** A link for whoever keeps lists of teams. */
kumiko_team **kumiko_team_next(kumiko_team *team);

uint32_t kumiko_team_workers(const kumiko_team *team);
/** Wakes sleeping workers ahead of the first job. */
void kumiko_team_rouse(kumiko_team *team);
/** Runs all chunks, 2 .. KUMIKO_MAX_CHUNKS of them, on caller and workers. One caller at a time. */
kumiko_outcome kumiko_team_run(kumiko_team *team, kumiko_work work, void *data, int64_t chunks);

#endif
