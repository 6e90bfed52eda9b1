// The examples of docs/equations.md are right.
#include "Apply.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace kumiko::eq;
using namespace kumiko::eq::test;

namespace {

TEST(Document, ExamplesParse) {
  auto buffer = llvm::MemoryBuffer::getFile(KUMIKO_DOCS_DIR "/equations.md");
  ASSERT_TRUE(bool(buffer));
  llvm::StringRef text = (*buffer)->getBuffer();
  unsigned blocks = 0;
  while (true) {
    size_t begin = text.find("```eq\n");
    if (begin == llvm::StringRef::npos)
      break;
    text = text.drop_front(begin + 6);
    ParseResult result = parse("equations.md", text.take_front(text.find("```")));
    EXPECT_TRUE(result.ok()) << result.rendered();
    EXPECT_FALSE(result.ops.empty());
    ++blocks;
  }
  EXPECT_GE(blocks, 4u);
}

} // namespace
