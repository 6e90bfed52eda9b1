/*===- cpus.h - how many CPUs this process may use ---------------------------===*/
#ifndef KUMIKO_CPUS_H
#define KUMIKO_CPUS_H

#include <stdint.h>

/** The smaller of the affinity mask's count and the cgroup quota, rounded up; at least 1. */
uint32_t kumiko_available_threads(void);

/** CPUs that the quotas of the process's cgroups and their parents grant, rounded up; UINT32_MAX without a quota.
 *  `root` is put before /proc and /sys, for tests. */
uint32_t kumiko_cgroup_cpus(const char *root);

#endif
