#include "kumiko/Emit/Weights.h"
#include "Sample.h"
#include "kumiko/Emit/Table.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace kumiko;

static Program twoSegments() {
  Program program;
  program.name = "m";
  program.weights.push_back({64, {}, {1, 2, 3}});
  static const char view[] = {4, 5};
  program.weights.push_back({128, view, {}});
  program.weightsBytes = 192;
  return program;
}

TEST(Weights, GapsAreZero) {
  Program program = twoSegments();
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  writeWeights(program, os);
  ASSERT_EQ(bytes.size(), 192u);
  EXPECT_EQ(bytes.substr(62, 6), std::string("\0\0\1\2\3\0", 6));
  EXPECT_EQ(bytes.substr(127, 4), std::string("\0\4\5\0", 4));
  auto image = WeightImage::create(program);
  ASSERT_TRUE(bool(image));
  EXPECT_EQ(uintptr_t(image->data()) % 64, 0u);
  EXPECT_EQ(std::memcmp(image->data(), bytes.data(), 192), 0);
}

TEST(Weights, ObjectHasOneHiddenSymbol) {
  Program program = twoSegments();
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  writeWeightsObject(program, llvm::cantFail(targetNamed("x86-64-v3")), os);
  auto file = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(bytes, "weights.o"));
  ASSERT_TRUE(bool(file)) << toString(file.takeError());
  auto *elf = llvm::cast<llvm::object::ELF64LEObjectFile>(file->get());
  unsigned count = 0;
  for (llvm::object::ELFSymbolRef symbol : elf->symbols()) {
    ++count;
    EXPECT_EQ(*symbol.getName(), "m_weights");
    EXPECT_EQ(symbol.getSize(), 192u);
    EXPECT_EQ(symbol.getOther(), llvm::ELF::STV_HIDDEN);
    auto section = *symbol.getSection();
    EXPECT_EQ(section->getAlignment().value(), 64u);
    EXPECT_EQ(section->getContents()->size(), 192u);
    EXPECT_EQ((*section->getContents())[129], 5);
  }
  EXPECT_EQ(count, 1u);
}
