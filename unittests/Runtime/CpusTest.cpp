#include "gtest/gtest.h"
#include <filesystem>
#include <fstream>
extern "C" {
#include "runtime/src/cpus.h"
}

namespace {

namespace fs = std::filesystem;

/// A file system of our own with a /proc and a /sys.
class Cpus : public testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/kumiko-cpus-XXXXXX";
    root = mkdtemp(name);
  }
  void TearDown() override { fs::remove_all(root); }

  void write(const std::string &path, const std::string &text) {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text;
  }
  uint32_t cpus() { return kumiko_cgroup_cpus(root.c_str()); }

  fs::path root;
};

TEST_F(Cpus, NoCgroupsNoQuota) { EXPECT_EQ(cpus(), UINT32_MAX); }

TEST_F(Cpus, UnifiedQuotaIsRoundedUp) {
  write("proc/self/cgroup", "0::/app\n");
  write("sys/fs/cgroup/app/cpu.max", "150000 100000\n");
  EXPECT_EQ(cpus(), 2u);
  write("sys/fs/cgroup/app/cpu.max", "max 100000\n");
  EXPECT_EQ(cpus(), UINT32_MAX);
  write("sys/fs/cgroup/app/cpu.max", "5000 100000\n");
  EXPECT_EQ(cpus(), 1u);
}

// The parent's quota binds too.
TEST_F(Cpus, TightestOfTheAncestors) {
  write("proc/self/cgroup", "0::/a/b/c\n");
  write("sys/fs/cgroup/a/b/c/cpu.max", "800000 100000\n");
  write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/a/cpu.max", "300000 100000\n");
  EXPECT_EQ(cpus(), 3u);
}

// A container sees the host's path in /proc, but its own group at the mount.
TEST_F(Cpus, ContainerWithTheHostsPath) {
  write("proc/self/cgroup", "4:memory:/docker/f00\n3:cpu,cpuacct:/docker/f00\n0::/\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "400000\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpus(), 4u);
}

TEST_F(Cpus, LegacyWithoutQuota) {
  write("proc/self/cgroup", "1:cpu:/\n2:cpuset:/\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpus(), UINT32_MAX);
}

TEST_F(Cpus, NonsenseIsNoQuota) {
  write("proc/self/cgroup", "::::\nx\n\n0::/../..\n1:cpuacct:/\n0::/g\n");
  write("sys/fs/cgroup/g/cpu.max", "lots of it\n");
  write("sys/fs/cgroup/cpu.max", "100000 0\n");
  EXPECT_EQ(cpus(), UINT32_MAX);
}

TEST(AvailableThreads, AtLeastOne) { EXPECT_GE(kumiko_available_threads(), 1u); }

} // namespace
