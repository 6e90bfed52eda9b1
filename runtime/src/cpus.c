#include "cpus.h"
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The system call takes a mask of any length; the C library's cpu_set_t ends at 1024 CPUs. */
static uint32_t affinity_cpus(void) {
  unsigned long mask[1024];
  long bytes = syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
  uint32_t count = 0;
  for (long word = 0; word < bytes / (long)sizeof *mask; ++word)
    count += (uint32_t)__builtin_popcountl(mask[word]);
  return count ? count : 1;
}

/** Reads a small file as text; false when there is none. */
static bool read_text(const char *path, char *text, size_t capacity) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  size_t length = 0;
  for (ssize_t got; length + 1 < capacity; length += (size_t)got)
    if ((got = read(file, text + length, capacity - 1 - length)) <= 0)
      break;
  close(file);
  text[length] = 0;
  return length > 0;
}

static uint32_t quota_cpus(long long quota, long long period) {
  if (quota <= 0 || period <= 0)
    return UINT32_MAX;
  long long cpus = quota / period + (quota % period != 0);
  return cpus < UINT32_MAX ? (uint32_t)cpus : UINT32_MAX;
}

/** "max 100000" or "150000 100000" */
static uint32_t unified_quota(const char *folder) {
  char path[PATH_MAX], text[128];
  if (snprintf(path, sizeof path, "%s/cpu.max", folder) >= (int)sizeof path || !read_text(path, text, sizeof text))
    return UINT32_MAX;
  char *end;
  long long quota = strtoll(text, &end, 10);
  return end == text ? UINT32_MAX : quota_cpus(quota, strtoll(end, NULL, 10));
}

static uint32_t legacy_quota(const char *folder) {
  char path[PATH_MAX], quota[64], period[64];
  if (snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder) >= (int)sizeof path ||
      !read_text(path, quota, sizeof quota))
    return UINT32_MAX;
  if (snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder) >= (int)sizeof path ||
      !read_text(path, period, sizeof period))
    return UINT32_MAX;
  return quota_cpus(strtoll(quota, NULL, 10), strtoll(period, NULL, 10));
}

/** The tightest quota from `mount`/`group` up to `mount`. Inside a container the mount may already be the group, and
 *  the folders named by the host do not exist: they count as no quota. */
static uint32_t tightest(const char *root, const char *mount, const char *group, uint32_t (*quota)(const char *)) {
  char folder[PATH_MAX];
  int prefix = snprintf(folder, sizeof folder, "%s%s", root, mount);
  if (prefix < 0 || (size_t)prefix + strlen(group) + 1 > sizeof folder)
    return UINT32_MAX;
  if (!strstr(group, ".."))
    strcpy(folder + prefix, group);
  uint32_t least = UINT32_MAX;
  for (;;) {
    uint32_t here = quota(folder);
    if (here < least)
      least = here;
    char *slash = strrchr(folder + prefix, '/');
    if (!slash)
      return least;
    *slash = 0;
  }
}

/** Is `cpu` one of the comma-separated controllers? */
static bool lists_cpu(const char *controllers, size_t length) {
  for (const char *at = controllers, *end = controllers + length; at < end;) {
    const char *comma = memchr(at, ',', (size_t)(end - at));
    size_t word = (size_t)((comma ? comma : end) - at);
    if (word == 3 && !memcmp(at, "cpu", 3))
      return true;
    at += word + 1;
  }
  return false;
}

uint32_t kumiko_cgroup_cpus(const char *root) {
  char path[PATH_MAX], text[8192];
  if (snprintf(path, sizeof path, "%s/proc/self/cgroup", root) >= (int)sizeof path ||
      !read_text(path, text, sizeof text))
    return UINT32_MAX;
  uint32_t least = UINT32_MAX;
  char *rest;
  /* Lines are number:controllers:group; the unified hierarchy has number 0 and no controllers. */
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group)
      continue;
    size_t length = (size_t)(group - ++controllers);
    ++group;
    uint32_t found[3] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    if (length == 0) {
      found[0] = tightest(root, "/sys/fs/cgroup", group, unified_quota);
      found[1] = tightest(root, "/sys/fs/cgroup/unified", group, unified_quota);
    } else if (lists_cpu(controllers, length)) {
      found[0] = tightest(root, "/sys/fs/cgroup/cpu", group, legacy_quota);
      found[1] = tightest(root, "/sys/fs/cgroup/cpu,cpuacct", group, legacy_quota);
      found[2] = tightest(root, "/sys/fs/cgroup/cpuacct,cpu", group, legacy_quota);
    }
    for (int place = 0; place < 3; ++place)
      if (found[place] < least)
        least = found[place];
  }
  return least;
}

uint32_t kumiko_available_threads(void) {
  uint32_t cpus = affinity_cpus(), quota = kumiko_cgroup_cpus("");
  return quota < cpus ? quota : cpus;
}
