/*===- process.h - what all contexts of a process share ----------------------===
 *
 * Teams of threads are lent to runs, not owned by contexts: contexts that run one after another use the same threads,
 * and contexts that run together do not fight over them. A team is started at its first use and ends when fewer
 * contexts than teams of its size are left, so after the last context no thread remains.
 *
 * A fork copies memory but no threads. The shared state therefore lives in pages that the system zeroes in a child
 * (MADV_WIPEONFORK): there everything starts anew, whatever the parent's threads were doing. No handler is installed,
 * so a shared library that carries this code can be unloaded.
 *
 *===------------------------------------------------------------------------===*/
#ifndef KUMIKO_PROCESS_H
#define KUMIKO_PROCESS_H

#include "team.h"

/** Different in every process of a family of forks, never 0; 0 when the shared pages cannot be had. */
uint32_t kumiko_process_generation(void);

/** What one run holds. */
typedef struct kumiko_lease {
  kumiko_team *team; /* null: run on the calling thread alone */
  uint32_t threads;  /* counted as busy */
  uint32_t generation;
} kumiko_lease;

/** A context's membership; zero it at first. */
typedef struct kumiko_member {
  uint32_t generation; /* of the process in which the context is counted, or 0 */
  uint32_t threads;    /* caller included; constant */
  bool yielding;       /* leave CPUs to runs that are already under way */
} kumiko_member;

/** Borrows threads for one run of the member; never fails, at worst there is no team. */
kumiko_lease kumiko_process_lease(kumiko_member *member);
void kumiko_process_return(kumiko_member *member, kumiko_lease lease);
/** Called once when the context goes. */
void kumiko_process_leave(kumiko_member *member);

/** Threads now alive, idle or lent; for tests. */
uint32_t kumiko_process_workers(void);

#endif
