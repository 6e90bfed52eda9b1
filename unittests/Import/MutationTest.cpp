//===- MutationTest.cpp - damaged files never break the importer ----------------===//
//
// A model that touches most of the importer, with every byte changed in turn, cut at every length, and with runs of
// bytes swapped. Whatever comes out is a module that verifies or a list of problems; the sanitizers watch the rest.
//
//===----------------------------------------------------------------------===//
#include "Imported.h"
#include "kumiko/Import/Onnx/Fields.h"
#include "gtest/gtest.h"
#include <random>

using namespace kumiko;
using namespace kumiko::onnx;
using namespace kumiko::onnx::test;

namespace {

using List = std::vector<int64_t>;

std::string sample() {
  namespace f = field::function;
  GraphParts parts;
  parts.inputs = {valueInfo("x", DataType::Float, {1, 2, 6, 6}), valueInfo("i", DataType::Int64, {2})};
  parts.outputs = {valueInfo("y", DataType::Float, {"N", 3}), valueInfo("z", DataType::Float, {2})};
  parts.initializers = {floats("w", {3, 2, 3, 3}), integers("s", {1, -1}), integers("from", {0}),
                        integers("to", {3}),       integers("axis", {1}),  external("e", {3}, "e.bin", "0", "12")};
  parts.nodes = {
      node("Conv", {"x", "w"}, {"c"}, "conv", {attribute("auto_pad", "SAME_UPPER"), attribute("strides", List{2, 2})}),
      node("MaxPool", {"c"}, {"p", ""}, "",
           {attribute("kernel_shape", List{2, 2}), attribute("ceil_mode", int64_t(1))}),
      node("Reshape", {"p", "s"}, {"r"}),
      node("Slice", {"r", "from", "to", "axis"}, {"t"}),
      node("Add", {"t", "e"}, {"u"}),
      node("F", {"u"}, {"v"}, "call", {attribute("slope", 0.5f)}, "local"),
      node("Constant", {}, {"k"}, "", {attribute("value", Attribute::Kind::Tensor, integers("", {0, 2}))}),
      node("Gather", {"v", "k"}, {"g"}, "", {attribute("axis", int64_t(1))}),
      node("Concat", {"g", "g"}, {"h"}, "", {attribute("axis", int64_t(0))}),
      node("ReduceMean", {"h"}, {"z"}, "", {attribute("axes", List{-1}), attribute("keepdims", int64_t(0))}),
      node("Softmax", {"v"}, {"y"}),
  };
  Message slope;
  slope.text(field::attribute::Name, "alpha")
      .text(field::attribute::Reference, "slope")
      .varint(field::attribute::Type, 1);
  Message function;
  function.text(f::Name, "F")
      .text(f::Domain, "local")
      .text(f::Input, "a")
      .text(f::Output, "b")
      .text(f::Attribute, "slope");
  function.message(f::Node, node("LeakyRelu", {"a"}, {"b"}, "", {slope}));
  function.message(f::OpsetImport, Message().text(1, "").varint(2, 17));
  Message file = model(graph(parts), 17, {function});
  return file.message(field::model::OpsetImport, Message().text(1, "local").varint(2, 1)).bytes;
}

struct Mutation : ::testing::Test {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  Folder folder;
  std::string whole = sample();
  unsigned good = 0, bad = 0;

  Mutation() {
    folder.write("e.bin", std::string(12, 'e'));
    context.printOpOnDiagnostic(false);
  }

  void check(const std::string &bytes) {
    std::string path = folder.write("m.onnx", bytes);
    ProblemList problems;
    ModelSummary summary;
    auto module = importOnnx(path, context, {}, problems, summary);
    ASSERT_EQ(mlir::succeeded(module), !problems.hasErrors());
    if (mlir::succeeded(module))
      ASSERT_TRUE(mlir::succeeded(mlir::verify(**module)));
    mlir::succeeded(module) ? ++good : ++bad;
    std::string text;
    llvm::raw_string_ostream os(text);
    problems.print(os);
  }
};

TEST_F(Mutation, Nothing) {
  check(whole);
  EXPECT_EQ(good, 1u);
}

TEST_F(Mutation, EveryByte) {
  for (size_t position = 0; position < whole.size(); ++position)
    for (unsigned char flip : {0x01, 0x08, 0x80, 0xff}) {
      std::string changed = whole;
      changed[position] ^= flip;
      check(changed);
    }
  EXPECT_GT(bad, good);
}

TEST_F(Mutation, EveryLength) {
  for (size_t length = 0; length < whole.size(); ++length)
    check(whole.substr(0, length));
}

TEST_F(Mutation, RandomChanges) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    std::string changed = whole;
    for (unsigned changes = 1 + random() % 6; changes; --changes) {
      size_t from = random() % changed.size(), to = random() % changed.size();
      size_t length = std::min<size_t>({random() % 12 + 1, changed.size() - from, changed.size() - to});
      if (random() % 2)
        changed.replace(to, length, changed, from, length);
      else
        changed[to] = static_cast<char>(random());
    }
    check(changed);
  }
}

} // namespace
