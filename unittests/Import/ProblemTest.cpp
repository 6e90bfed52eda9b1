#include "kumiko/Support/Problem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace kumiko;

namespace {

std::string text(const ProblemList &list) {
  std::string result;
  llvm::raw_string_ostream os(result);
  list.print(os);
  return result;
}

Problem conv() {
  Problem problem(Code::OperandShape, "Conv: input has 4 channels, the weight expects 3");
  problem.at({"resnet.onnx", 17, "stage2/conv1", "Conv", 17, ""})
      .with("x", "f32[1,4,8,8]", "from node 16 \"stage1/relu\"")
      .with("w1", "f32[16,3,3,3]", "initializer;  group=1, so C must be 3")
      .helped("w1 fits group=1 and C=3; with group=4 it would need 1 channel");
  return problem;
}

TEST(Problem, HasTheShapeOfTheContract) {
  ProblemList list;
  list.add(conv());
  EXPECT_EQ(text(list), "error[K0412]: Conv: input has 4 channels, the weight expects 3\n"
                        "  --> resnet.onnx, node 17 \"stage2/conv1\" (Conv, opset 17)\n"
                        "      x : f32[1,4,8,8]   from node 16 \"stage1/relu\"\n"
                        "      w1: f32[16,3,3,3]  initializer;  group=1, so C must be 3\n"
                        "  help: w1 fits group=1 and C=3; with group=4 it would need 1 channel\n");
}

TEST(Problem, AlwaysHasAHelpLine) {
  ProblemList list;
  list.add(Code::NoGraph, "the model has no graph");
  EXPECT_EQ(text(list), "error[K0105]: the model has no graph\n  help: the model holds no graph\n");
}

TEST(Problem, ExitCodes) {
  ProblemList list;
  EXPECT_EQ(list.exitCode(), 0);
  list.add(Code::UnsupportedOp, "a");
  EXPECT_EQ(list.exitCode(), 4);
  list.add(Code::Arity, "b");
  EXPECT_EQ(list.exitCode(), 3); // broken comes before unsupported
  list.add(Code::CannotOpen, "c");
  EXPECT_EQ(list.exitCode(), 5);
}

TEST(Problem, WarningsDoNotFail) {
  ProblemList list;
  Problem note(Code::OutputType, "shapes differ");
  note.warning = true;
  list.add(note);
  EXPECT_FALSE(list.hasErrors());
  EXPECT_EQ(list.exitCode(), 0);
  EXPECT_EQ(text(list).rfind("warning[K0308]", 0), 0u);
}

TEST(Problem, ListIsBounded) {
  ProblemList list(3);
  for (int i = 0; i < 1000; ++i)
    list.add(Code::Arity, "one").helped("x");
  EXPECT_EQ(list.all().size(), 3u);
  EXPECT_EQ(list.errorCount(), 1000u);
  EXPECT_NE(text(list).find("(997 more left out)"), std::string::npos);
}

// Names come from files: an escape sequence must not reach the terminal.
TEST(Problem, NamesAreMadePrintable) {
  EXPECT_EQ(printable("a\x1b[31mb\n"), "a\\x1b[31mb\\x0a");
  EXPECT_EQ(printable("größe"), "größe");
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b"); // a control character in two bytes
  EXPECT_LT(printable(std::string(100000, 'x')).size(), 210u);
}

TEST(Problem, Json) {
  ProblemList list;
  list.add(conv());
  list.add(Code::Arity, "name \xff");
  std::string out;
  llvm::raw_string_ostream(out) << list.json();
  auto parsed = llvm::json::parse(out);
  ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
  const llvm::json::Object *first = (*parsed->getAsObject()->getArray("problems"))[0].getAsObject();
  EXPECT_EQ(first->getString("code"), "K0412");
  EXPECT_EQ(first->getString("class"), "broken");
  EXPECT_EQ(first->getObject("place")->getInteger("node"), 17);
}

} // namespace
