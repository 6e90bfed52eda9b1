//===- ExternalTest.cpp - data beside the model, and what is tried with it -----===//
#include "Imported.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <atomic>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace kumiko;
using namespace kumiko::onnx;
using namespace kumiko::onnx::test;

namespace {

/// y = x + w with w (24 floats, 96 bytes) in another file.
Message withWeight(Message weight) {
  GraphParts parts;
  parts.nodes = {node("Add", {"x", "w"}, {"y"}, "add")};
  parts.inputs = {valueInfo("x", DataType::Float, {24})};
  parts.outputs = {valueInfo("y", DataType::Float, {24})};
  parts.initializers = {weight};
  return model(graph(parts));
}

struct External : ::testing::Test {
  Folder folder;
  /// The exit code, and the code of the first problem (0: none).
  std::pair<int, int> load(Message weight, ImportOptions options = {}) {
    std::string path = folder.write("m/m.onnx", withWeight(weight).bytes);
    Imported m(path, options);
    text = m.errors();
    return {m.exitCode(), m.problems.all().empty() ? 0 : int(m.problems.all()[0].code)};
  }
  std::string text;
  std::string content = std::string(200, 'k');
};

using Pair = std::pair<int, int>;

TEST_F(External, GoodFile) {
  folder.write("m/w.bin", content);
  EXPECT_EQ(load(external("w", {24}, "w.bin", "104", "96")), Pair(0, 0)) << text;
  // Any alignment will do.
  EXPECT_EQ(load(external("w", {24}, "w.bin", "3", "96")), Pair(0, 0)) << text;
  EXPECT_EQ(load(external("w", {24}, "./w.bin", "3")), Pair(0, 0)) << text;
  folder.write("m/deep/er/w.bin", content);
  EXPECT_EQ(load(external("w", {24}, "deep/er/w.bin")), Pair(0, 0)) << text;
}

TEST_F(External, PathsThatLeaveTheFolder) {
  folder.write("w.bin", content);
  folder.write("m/in/x", content);
  EXPECT_EQ(load(external("w", {24}, folder.path("w.bin"))), Pair(3, 210)) << text;
  EXPECT_EQ(load(external("w", {24}, "../w.bin")), Pair(3, 210)) << text;
  EXPECT_EQ(load(external("w", {24}, "in/../../w.bin")), Pair(3, 210)) << text;
  EXPECT_EQ(load(external("w", {24}, "in/..")), Pair(3, 210)) << text;
  EXPECT_EQ(load(external("w", {24}, "")), Pair(3, 210)) << text;
  EXPECT_EQ(load(external("w", {24}, llvm::StringRef("w.bin\0x", 7))), Pair(3, 210)) << text;
}

TEST_F(External, SymbolicLinks) {
  folder.write("outside/w.bin", content);
  folder.write("m/m.onnx", "");
  ASSERT_EQ(::symlink("../outside/w.bin", folder.path("m/link.bin").c_str()), 0);
  ASSERT_EQ(::symlink("../outside", folder.path("m/dir").c_str()), 0);
  ImportOptions links;
  links.allowSymlinks = true;
  EXPECT_EQ(load(external("w", {24}, "link.bin")), Pair(3, 212)) << text;
  EXPECT_NE(text.find("--allow-symlinks"), std::string::npos);
  EXPECT_EQ(load(external("w", {24}, "dir/w.bin")), Pair(3, 212)) << text;
  EXPECT_EQ(load(external("w", {24}, "link.bin"), links), Pair(0, 0)) << text;
  EXPECT_EQ(load(external("w", {24}, "dir/w.bin"), links), Pair(0, 0)) << text;
}

TEST_F(External, ThingsThatAreNoFiles) {
  folder.write("m/sub/x", content);
  ASSERT_EQ(::mkfifo(folder.path("m/pipe").c_str(), 0600), 0);
  EXPECT_EQ(load(external("w", {24}, "sub")), Pair(3, 213)) << text;
  EXPECT_EQ(load(external("w", {24}, "pipe")), Pair(3, 213)) << text; // and does not wait for a writer
  EXPECT_EQ(load(external("w", {24}, "sub/x/y")), Pair(3, 211)) << text;
  EXPECT_EQ(load(external("w", {24}, std::string(300, 'n'))), Pair(3, 211)) << text; // longer than any name
  ImportOptions links;
  links.allowSymlinks = true;
  ASSERT_EQ(::symlink("/dev/zero", folder.path("m/zero").c_str()), 0);
  EXPECT_EQ(load(external("w", {24}, "zero"), links), Pair(3, 213)) << text;
}

TEST_F(External, Ranges) {
  folder.write("m/w.bin", content);
  EXPECT_EQ(load(external("w", {24}, "w.bin", "105", "96")), Pair(3, 214)) << text;
  EXPECT_EQ(load(external("w", {24}, "w.bin", "18446744073709551615", "96")), Pair(3, 214)) << text;
  EXPECT_EQ(load(external("w", {24}, "w.bin", "0", "1125899906842624")), Pair(3, 203)) << text;
  EXPECT_EQ(load(external("w", {24}, "w.bin", "-1", "96")), Pair(3, 215)) << text;
  EXPECT_EQ(load(external("w", {24}, "w.bin", "0x10", "96")), Pair(3, 215)) << text;
  EXPECT_EQ(load(external("w", {24}, "w.bin", "99999999999999999999", "96")), Pair(3, 215)) << text;
  EXPECT_EQ(load(external("w", {1 << 30}, "w.bin")), Pair(3, 214)) << text;
}

// Somebody swaps the file for a link to another one again and again. The link is never followed: what is read is the
// file, or the link is refused.
TEST_F(External, ReplacedWhileOpening) {
  folder.write("m/good.bin", content);
  folder.write("secret.bin", std::string(200, 's'));
  std::string place = folder.path("m/w.bin"), beside = folder.path("m/next.bin");
  std::atomic<bool> stop = false;
  std::thread swapper([&] {
    for (unsigned i = 0; !stop; ++i) {
      ASSERT_EQ(i % 2 ? ::link(folder.path("m/good.bin").c_str(), beside.c_str())
                      : ::symlink("../secret.bin", beside.c_str()),
                0);
      ASSERT_EQ(::rename(beside.c_str(), place.c_str()), 0);
      ::unlink(beside.c_str()); // a link to the same file is left where it is
    }
  });
  unsigned read = 0, refused = 0;
  for (unsigned i = 0; i < 300; ++i) {
    Imported m(folder.write("m/m.onnx", withWeight(external("w", {24}, "w.bin")).bytes));
    m.module ? ++read : ++refused;
    if (m.module)
      m.module->walk([&](mlir::Operation *op) {
        if (auto blob = op->getAttrOfType<mlir::DenseResourceElementsAttr>("value"))
          EXPECT_EQ(blob.getRawHandle().getBlob()->getData().front(), 'k');
      });
    else
      EXPECT_THAT(int(m.problems.all()[0].code), ::testing::AnyOf(211, 212)) << m.errors();
  }
  stop = true;
  swapper.join();
  EXPECT_EQ(read + refused, 300u);
}

TEST_F(External, TheModelItself) {
  EXPECT_EQ(Imported(folder.path("none.onnx")).exitCode(), 5);
  ASSERT_EQ(::mkfifo(folder.path("pipe.onnx").c_str(), 0600), 0);
  EXPECT_EQ(Imported(folder.path("pipe.onnx")).exitCode(), 5);
  EXPECT_EQ(Imported(folder.root).exitCode(), 5);
  EXPECT_EQ(Imported(std::string("/dev/zero")).exitCode(), 5);
  EXPECT_EQ(Imported(folder.write("empty.onnx", "")).exitCode(), 3);
}

} // namespace
