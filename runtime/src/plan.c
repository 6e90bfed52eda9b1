#include "kumiko/plan.h"
#include "kumiko/kumiko.h"
#include <stdbool.h>
#include <string.h>

/* Greedy: place buffers one by one, each into the tightest gap between those alive at the same time that are placed
 * already. The order decides how good the result is, and so does a ceiling: buffers that meet the ceiling hang from it,
 * so that a chain of neighbours uses both ends by turns and leaves no holes. No order and no ceiling is always best;
 * several are tried, most networks reach the lower bound soon, and a budget of steps (never a clock: the answer must
 * not depend on the machine) ends the search.
 *
 * Finding who is alive at the same time must not look at everybody: buffers are sorted by their first step, and a tree
 * over them holds the latest last step of what is placed below each node, so that a search visits little more than its
 * answers. When the answers are a large part of all buffers anyway, a list in order of offset is walked instead. */

/* About 0.1 s; what is begun is finished. */
#define STEP_BUDGET 25000000u

struct plan {
  const kumiko_lifetime *buffers;
  uint32_t count;
  uint32_t leaves;    /* of the tree: a power of two */
  uint64_t *size;     /* rounded up to the alignment */
  uint64_t *offset;   /* of the order being tried */
  uint64_t *tree;     /* last + 1 of placed buffers, by first step; maxima above */
  uint32_t *by_first; /* buffers sorted by first step */
  uint32_t *rank;     /* where a buffer is in by_first */
  uint32_t *order;    /* in which buffers are placed */
  uint32_t *line;     /* placed buffers sorted by offset */
  uint32_t *hits;     /* placed buffers alive together with the current one */
  uint32_t placed;
  uint64_t ceiling; /* offsets above it are a last resort */
  uint64_t alignment;
  uint64_t steps; /* of all searches so far */
  uint64_t budget;
};

typedef bool (*before)(const struct plan *plan, uint32_t a, uint32_t b);

static bool size_first(const struct plan *plan, uint32_t a, uint32_t b) {
  if (plan->size[a] != plan->size[b])
    return plan->size[a] > plan->size[b];
  return plan->rank[a] < plan->rank[b];
}

/** Bytes times steps; what does not fit counts as the largest. */
static uint64_t area(const struct plan *plan, uint32_t buffer) {
  uint64_t steps = plan->buffers[buffer].last - plan->buffers[buffer].first + 1, product;
  return __builtin_mul_overflow(plan->size[buffer], steps, &product) ? UINT64_MAX : product;
}

static bool area_first(const struct plan *plan, uint32_t a, uint32_t b) {
  uint64_t in_a = area(plan, a), in_b = area(plan, b);
  return in_a != in_b ? in_a > in_b : plan->rank[a] < plan->rank[b];
}

static bool longest_first(const struct plan *plan, uint32_t a, uint32_t b) {
  uint64_t in_a = plan->buffers[a].last - plan->buffers[a].first, in_b = plan->buffers[b].last - plan->buffers[b].first;
  return in_a != in_b ? in_a > in_b : size_first(plan, a, b);
}

static bool oldest_first(const struct plan *plan, uint32_t a, uint32_t b) {
  if (plan->buffers[a].first != plan->buffers[b].first)
    return plan->buffers[a].first < plan->buffers[b].first;
  return plan->size[a] != plan->size[b] ? plan->size[a] > plan->size[b] : a < b;
}

static bool ends_first(const struct plan *plan, uint32_t a, uint32_t b) {
  if (plan->buffers[a].last != plan->buffers[b].last)
    return plan->buffers[a].last < plan->buffers[b].last;
  return a < b;
}

static bool lowest_first(const struct plan *plan, uint32_t a, uint32_t b) {
  return plan->offset[a] != plan->offset[b] ? plan->offset[a] < plan->offset[b] : a < b;
}

static void sink(const struct plan *plan, uint32_t *items, uint32_t at, uint32_t count, before less) {
  for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && less(plan, items[child], items[child + 1]))
      ++child;
    if (!less(plan, items[at], items[child]))
      return;
    uint32_t moved = items[at];
    items[at] = items[child];
    items[child] = moved;
  }
}

/** Heap sort: in place, and the C library's may allocate. The orders above are total, so the result is unique. */
static void sort(const struct plan *plan, uint32_t *items, uint32_t count, before less) {
  for (uint32_t at = count / 2; at-- > 0;)
    sink(plan, items, at, count, less);
  for (uint32_t left = count; left > 1;) {
    uint32_t last = items[--left];
    items[left] = items[0];
    items[0] = last;
    sink(plan, items, 0, left, less);
  }
}

/** How many buffers have begun by this step. */
static uint32_t begun_by(const struct plan *plan, uint64_t step) {
  uint32_t low = 0, high = plan->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (plan->buffers[plan->by_first[middle]].first <= step)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/** Collects placed buffers alive with `buffer`; false when there are more than `limit`. */
static bool find_hits(struct plan *plan, uint32_t buffer, uint32_t limit, uint32_t *count) {
  uint64_t first = plan->buffers[buffer].first;
  uint32_t end = begun_by(plan, plan->buffers[buffer].last);
  uint32_t stack[64], depth = 0;
  *count = 0;
  stack[depth++] = 1;
  for (; depth; ++plan->steps) {
    uint32_t node = stack[--depth], left = node;
    if (plan->tree[node] <= first)
      continue;
    if (node >= plan->leaves) {
      if (*count == limit)
        return false;
      plan->hits[(*count)++] = plan->by_first[node - plan->leaves];
      continue;
    }
    for (left = 2 * node + 1; left < plan->leaves; left *= 2)
      ;
    if (left - plan->leaves < end)
      stack[depth++] = 2 * node + 1;
    stack[depth++] = 2 * node;
  }
  return true;
}

/** The tightest gap among candidates sorted by offset, ignoring those not alive with `buffer`. */
static bool choose_offset(struct plan *plan, uint32_t buffer, const uint32_t *candidates, uint32_t count) {
  const kumiko_lifetime *life = &plan->buffers[buffer];
  uint64_t size = plan->size[buffer], top = 0, tightest = UINT64_MAX, offset = 0;
  plan->steps += count;
  for (uint32_t number = 0; number < count; ++number) {
    uint32_t other = candidates[number];
    if (plan->buffers[other].first > life->last || plan->buffers[other].last < life->first)
      continue;
    uint64_t start = plan->offset[other], stop = start + plan->size[other];
    if (start > top && start - top >= size && start - top - size < tightest) {
      tightest = start - top - size;
      offset = top;
    }
    if (stop > top)
      top = stop;
  }
  if (plan->ceiling > top && plan->ceiling - top >= size && plan->ceiling - top - size < tightest)
    offset = top ? plan->ceiling - size : 0;
  else if (tightest == UINT64_MAX)
    offset = top;
  plan->offset[buffer] = offset;
  return offset + size >= size;
}

static void note_placed(struct plan *plan, uint32_t buffer) {
  uint32_t low = 0, high = plan->placed;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (lowest_first(plan, plan->line[middle], buffer))
      low = middle + 1;
    else
      high = middle;
  }
  memmove(plan->line + low + 1, plan->line + low, (plan->placed - low) * sizeof *plan->line);
  plan->line[low] = buffer;
  plan->placed++;
  uint64_t reach = plan->buffers[buffer].last + 1;
  for (uint32_t node = plan->leaves + plan->rank[buffer]; node && plan->tree[node] < reach; node /= 2)
    plan->tree[node] = reach;
}

/** Places everything in the order of plan->order; UINT64_MAX when sizes overflow. */
static uint64_t place_all(struct plan *plan, uint64_t ceiling) {
  uint64_t total = 0;
  plan->placed = 0;
  plan->ceiling = ceiling;
  memset(plan->tree, 0, 2 * (size_t)plan->leaves * sizeof *plan->tree);
  for (uint32_t number = 0; number < plan->count; ++number) {
    uint32_t buffer = plan->order[number], hits;
    plan->offset[buffer] = 0;
    if (!plan->size[buffer])
      continue;
    bool few = find_hits(plan, buffer, plan->placed / 16 + 16, &hits);
    if (few) {
      sort(plan, plan->hits, hits, lowest_first);
      plan->steps += 8 * (uint64_t)hits; /* what sorting them costs */
    }
    if (!choose_offset(plan, buffer, few ? plan->hits : plan->line, few ? hits : plan->placed))
      return UINT64_MAX;
    if (plan->offset[buffer] + plan->size[buffer] > total)
      total = plan->offset[buffer] + plan->size[buffer];
    note_placed(plan, buffer);
  }
  return total;
}

static uint32_t leaves_for(size_t count) {
  uint32_t leaves = 1;
  while (leaves < count)
    leaves *= 2;
  return leaves;
}

size_t kumiko_plan_workspace_bytes(size_t count) {
  if (count > INT32_MAX)
    return 0;
  return 2 * (count + (size_t)leaves_for(count)) * sizeof(uint64_t) + 5 * (count + 1) * sizeof(uint32_t);
}

static int prepare(struct plan *plan, const kumiko_lifetime *buffers, size_t count, uint64_t alignment, void *workspace,
                   size_t workspace_bytes) {
  if (count > INT32_MAX || (count && (!buffers || !workspace)) || workspace_bytes < kumiko_plan_workspace_bytes(count))
    return KUMIKO_E_ARGUMENT;
  if (!alignment || (alignment & (alignment - 1)) || (uintptr_t)workspace % _Alignof(uint64_t))
    return KUMIKO_E_ARGUMENT;
  *plan =
      (struct plan){.buffers = buffers, .count = (uint32_t)count, .leaves = leaves_for(count), .alignment = alignment};
  if (!count)
    return KUMIKO_OK;
  uint64_t *wide = workspace;
  plan->size = wide;
  plan->offset = wide + count;
  plan->tree = wide + 2 * count;
  uint32_t *narrow = (uint32_t *)(wide + 2 * count + 2 * (size_t)plan->leaves);
  plan->by_first = narrow;
  plan->rank = narrow + count;
  plan->order = narrow + 2 * count;
  plan->line = narrow + 3 * count;
  plan->hits = narrow + 4 * count;
  for (uint32_t buffer = 0; buffer < plan->count; ++buffer) {
    if (buffers[buffer].first > buffers[buffer].last || buffers[buffer].last == UINT64_MAX)
      return KUMIKO_E_ARGUMENT;
    if (__builtin_add_overflow(buffers[buffer].bytes, alignment - 1, &plan->size[buffer]))
      return KUMIKO_E_OVERFLOW;
    plan->size[buffer] &= ~(alignment - 1);
    plan->by_first[buffer] = plan->order[buffer] = buffer;
  }
  sort(plan, plan->by_first, plan->count, oldest_first);
  for (uint32_t place = 0; place < plan->count; ++place)
    plan->rank[plan->by_first[place]] = place;
  return KUMIKO_OK;
}

/** Sweeps over the steps at which something begins; a peak is always at one of them. */
static int lower_bound(struct plan *plan, uint64_t *bound) {
  uint64_t alive = 0;
  uint32_t ended = 0;
  *bound = 0;
  sort(plan, plan->order, plan->count, ends_first);
  for (uint32_t place = 0; place < plan->count; ++place) {
    uint32_t buffer = plan->by_first[place];
    for (; plan->buffers[plan->order[ended]].last < plan->buffers[buffer].first; ++ended)
      alive -= plan->size[plan->order[ended]];
    if (__builtin_add_overflow(alive, plan->size[buffer], &alive))
      return KUMIKO_E_OVERFLOW;
    if (alive > *bound)
      *bound = alive;
  }
  return KUMIKO_OK;
}

int kumiko_plan_lower_bound(const kumiko_lifetime *buffers, size_t count, uint64_t alignment, uint64_t *bound,
                            void *workspace, size_t workspace_bytes) {
  struct plan plan;
  int status = bound ? prepare(&plan, buffers, count, alignment, workspace, workspace_bytes) : KUMIKO_E_ARGUMENT;
  return status ? status : lower_bound(&plan, bound);
}

/** Places everything once more and keeps the offsets when they are the best so far. Returns what the arena took. */
static uint64_t try_order(struct plan *plan, uint64_t ceiling, uint64_t *best, uint64_t *offsets) {
  uint64_t total = place_all(plan, ceiling & ~(plan->alignment - 1));
  if (total < *best) {
    *best = total;
    memcpy(offsets, plan->offset, plan->count * sizeof *offsets);
  }
  return total;
}

/** Whoever ended up on top is placed first from now on. */
static void promote_top(struct plan *plan) {
  uint32_t top = 0;
  uint64_t end = 0;
  for (uint32_t number = 0; number < plan->count; ++number) {
    uint32_t buffer = plan->order[number];
    if (plan->offset[buffer] + plan->size[buffer] > end) {
      end = plan->offset[buffer] + plan->size[buffer];
      top = number;
    }
  }
  uint32_t moved = plan->order[top];
  memmove(plan->order + 1, plan->order, top * sizeof *plan->order);
  plan->order[0] = moved;
}

/** Tries every order: without a ceiling, under the bound, then under ceilings ever nearer to the best so far; then
 *  mends orders where they failed. */
static uint64_t search(struct plan *plan, uint64_t bound, uint64_t *offsets) {
  enum { rounds = 6, promotions = 64 };
  static const before orders[] = {size_first, area_first, longest_first, oldest_first};
  const size_t order_count = sizeof orders / sizeof *orders;
  uint64_t best = UINT64_MAX;
  for (unsigned round = 0; round < rounds && best > bound; ++round)
    for (size_t order = 0; order < order_count && best > bound; ++order) {
      if (best != UINT64_MAX && plan->steps > plan->budget)
        return best;
      uint64_t ceiling = round == 0 ? 0 : round == 1 ? bound : best - ((best - bound) >> (round - 1));
      sort(plan, plan->order, plan->count, orders[order]);
      try_order(plan, ceiling, &best, offsets);
    }
  for (size_t order = 0; order < order_count && best > bound; ++order) {
    sort(plan, plan->order, plan->count, orders[order]);
    for (unsigned number = 0; number < promotions && best > bound && plan->steps <= plan->budget; ++number) {
      if (try_order(plan, number & 1 ? bound : 0, &best, offsets) == UINT64_MAX)
        break; /* not all have offsets */
      promote_top(plan);
    }
  }
  return best;
}

int kumiko_plan_assign(const kumiko_lifetime *buffers, size_t count, uint64_t alignment, uint64_t *offsets,
                       uint64_t *total, void *workspace, size_t workspace_bytes) {
  return kumiko_plan_assign_within(buffers, count, alignment, STEP_BUDGET, offsets, total, workspace, workspace_bytes);
}

int kumiko_plan_assign_within(const kumiko_lifetime *buffers, size_t count, uint64_t alignment, uint64_t steps,
                              uint64_t *offsets, uint64_t *total, void *workspace, size_t workspace_bytes) {
  struct plan plan;
  uint64_t bound;
  if (!total || (count && !offsets))
    return KUMIKO_E_ARGUMENT;
  int status = prepare(&plan, buffers, count, alignment, workspace, workspace_bytes);
  if (status || (status = lower_bound(&plan, &bound)))
    return status;
  plan.budget = steps;
  *total = count ? search(&plan, bound, offsets) : 0;
  return *total == UINT64_MAX ? KUMIKO_E_OVERFLOW : KUMIKO_OK;
}
