#include "kumiko/Target/Rows.h"
#include "gtest/gtest.h"

using namespace kumiko;

// A mistake in Rows.txt is found here, not by a user.
TEST(Rows, TheTableIsRead) {
  for (const Row &row : allRows()) {
    if (row.isBase)
      continue;
    const Target &target = row.target;
    EXPECT_FALSE(target.triple.str().empty() || target.cpu.empty() || target.abi.empty()) << target.name;
    EXPECT_TRUE(target.pointerBits && target.indexBits && target.generalRegisters && target.alignment) << target.name;
    EXPECT_FALSE(row.vectors.empty() || target.files.empty()) << target.name;
    for (size_t i = 1; i < target.caches.size(); ++i)
      EXPECT_LE(target.caches[i - 1].bytes, target.caches[i].bytes) << target.name;
  }
}

TEST(Rows, ChildrenSayWhatDiffers) {
  std::vector<Row> rows;
  EXPECT_EQ(parseRows("base a # a parent\n  cpu x\n  l1 32K ways 4\n  dot pair16\nrow b : a\n  dot byte4\n", rows), "");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(rows[0].isBase);
  EXPECT_FALSE(rows[1].isBase);
  EXPECT_EQ(rows[1].target.cpu, "x");
  EXPECT_EQ(rows[1].target.caches[0].ways, 4);
  EXPECT_TRUE(rows[1].target.has(DotForm::Pair16) && rows[1].target.has(DotForm::Byte4));
}

// What small machines and GPUs will need.
TEST(Rows, ColumnsOfOtherMachines) {
  std::vector<Row> rows;
  const char *text =
      "row m7\n  triple thumbv7em-none-eabihf\n  pointer 32\n  index 32\n  floats 32\n  vectors 32x0\n  dot smlad\n"
      "  library string\n  threads no\n  files .o\nrow sm\n  gpu processors 132 shared 228K registers 64K l2 50M\n";
  EXPECT_EQ(parseRows(text, rows), "");
  const Target &m7 = rows[0].target;
  EXPECT_EQ(m7.indexBits, 32u);
  EXPECT_EQ(m7.library, CLibrary::String);
  EXPECT_FALSE(m7.threads);
  EXPECT_TRUE(m7.caches.empty());
  EXPECT_EQ(m7.budget(1), m7.budget(3));
  ASSERT_TRUE(rows[1].target.gpu);
  EXPECT_EQ(rows[1].target.gpu->sharedBytes, 228 << 10);
}

TEST(Rows, MistakesSayWhere) {
  auto why = [](const char *text) {
    std::vector<Row> rows;
    return parseRows(text, rows);
  };
  EXPECT_EQ(why("cpu x"), "line 1: cpu: no row has begun");
  EXPECT_EQ(why("row a\nrow a"), "line 2: row: a name of its own is needed");
  EXPECT_EQ(why("row a : b"), "line 1: row: no row before it is called 'b'");
  EXPECT_EQ(why("row a\n\n  colour red"), "line 3: colour: is no column");
  EXPECT_EQ(why("row a\n  facts quick"), "line 2: facts: does not know 'quick'");
  EXPECT_EQ(why("row a\n  l1 big"), "line 2: l1: wants a size such as 512K or 32M, not 'big'");
  EXPECT_EQ(why("row a\n  l1 1K lanes 4"), "line 2: l1: does not know 'lanes 4'");
  EXPECT_EQ(why("row a\n  l2 1K"), "line 2: l2: has no level before it");
  EXPECT_EQ(why("row a\n  vectors wide"), "line 2: vectors: wants BITSxREGISTERS FEATURE,..., not 'wide'");
  EXPECT_EQ(why("row a\n  threads some"), "line 2: threads: is yes or no, not 'some'");
}

TEST(Rows, Bytes) {
  EXPECT_EQ(parseBytes("48K"), 48 << 10);
  EXPECT_EQ(parseBytes("100"), 100);
  for (const char *text : {"", "K", "-1", "0", "1T", "99999999999999G"})
    EXPECT_FALSE(parseBytes(text)) << text;
  for (const char *text : {"48K", "32M", "100", "1536K"})
    EXPECT_EQ(printBytes(*parseBytes(text)), text);
}
