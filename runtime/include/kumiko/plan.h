/*===- plan.h - offsets of buffers in one arena ------------------------------===
 *
 * Given when each buffer is alive and how large it is, choose offsets so that buffers alive at the same time do not
 * touch and the arena is small. The compiler calls this for static shapes, the runtime for shapes that arrive later;
 * both get the same answer for the same question.
 *
 * No heap: the caller brings the workspace.
 *
 *===------------------------------------------------------------------------===*/
#ifndef KUMIKO_PLAN_H
#define KUMIKO_PLAN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A buffer is alive from step `first` to step `last`, both included. */
typedef struct kumiko_lifetime {
  uint64_t bytes;
  uint64_t first;
  uint64_t last;
} kumiko_lifetime;

/** Bytes of workspace that the functions below need for `count` buffers; 0 when that does not fit a size_t. */
size_t kumiko_plan_workspace_bytes(size_t count);

/** Writes one offset per buffer, each a multiple of `alignment` (a power of two), and the size of the arena. The
 *  workspace is aligned like a uint64_t. Returns KUMIKO_OK, KUMIKO_E_ARGUMENT (a lifetime that ends before it begins,
 *  an alignment that is no power of two, too little workspace) or KUMIKO_E_OVERFLOW. */
int kumiko_plan_assign(const kumiko_lifetime *buffers, size_t count, uint64_t alignment, uint64_t *offsets,
                       uint64_t *total, void *workspace, size_t workspace_bytes);

/** The same with a budget of steps (some 4 ns each) after which the search is content with what it has. */
int kumiko_plan_assign_within(const kumiko_lifetime *buffers, size_t count, uint64_t alignment, uint64_t steps,
                              uint64_t *offsets, uint64_t *total, void *workspace, size_t workspace_bytes);

/** The largest sum of (aligned) sizes that are alive at one step: no arena can be smaller. */
int kumiko_plan_lower_bound(const kumiko_lifetime *buffers, size_t count, uint64_t alignment, uint64_t *bound,
                            void *workspace, size_t workspace_bytes);

#ifdef __cplusplus
}
#endif
#endif
