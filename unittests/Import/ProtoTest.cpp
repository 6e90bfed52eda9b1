#include "Write.h"
#include "kumiko/Import/Onnx/Fields.h"
#include "gtest/gtest.h"

using namespace kumiko;
using namespace kumiko::onnx;
using namespace kumiko::onnx::test;

namespace {

struct Outcome {
  std::optional<Model> model;
  llvm::BumpPtrAllocator arena;
  ProblemList problems;

  explicit Outcome(const std::string &bytes) { model = readModel(bytes, arena, problems); }
  /// The only problem's code, 0 without one.
  int code() const { return problems.all().empty() ? 0 : static_cast<int>(problems.all()[0].code); }
  std::string what() const { return problems.all().empty() ? "" : problems.all()[0].what; }
};

Message small() {
  GraphParts parts;
  parts.nodes = {node("Conv", {"x", "w"}, {"y"}, "conv", {attribute("pads", std::vector<int64_t>{1, 1, -1, 300})})};
  parts.inputs = {valueInfo("x", DataType::Float, {1, "N", 8})};
  parts.outputs = {valueInfo("y", DataType::Float, {1})};
  parts.initializers = {floats("w", {2, 3})};
  return model(graph(parts));
}

TEST(Proto, ReadsAModel) {
  std::string bytes = small().bytes;
  Outcome read(bytes);
  ASSERT_TRUE(read.model);
  const Model &model = *read.model;
  EXPECT_EQ(model.irVersion, 8);
  ASSERT_EQ(model.opsets.size(), 1u);
  EXPECT_EQ(model.opsets[0].version, 17);
  ASSERT_EQ(model.graph.nodes.size(), 1u);
  const Node &node = model.graph.nodes[0];
  EXPECT_EQ(node.op, "Conv");
  EXPECT_EQ(node.name, "conv");
  ASSERT_EQ(node.attributes.size(), 1u);
  EXPECT_EQ(node.attributes[0].integers, (llvm::ArrayRef<int64_t>{1, 1, -1, 300}));
  const Type &type = model.graph.inputs[0].type;
  ASSERT_EQ(type.shape.size(), 3u);
  EXPECT_EQ(type.shape[1].param, "N");
  EXPECT_EQ(type.shape[2].value, 8);
  const TensorProto &weight = model.graph.initializers[0];
  EXPECT_EQ(weight.raw.size(), 24u);
  // In place: the view lies in the file.
  EXPECT_TRUE(weight.raw.data() >= bytes.data() && weight.raw.end() <= bytes.data() + bytes.size());
}

// Every prefix of a good file is read or refused; none is read outside its bytes (ASan watches).
TEST(Proto, SurvivesEveryTruncation) {
  std::string whole = small().bytes;
  unsigned refused = 0;
  for (size_t length = 0; length < whole.size(); ++length) {
    std::string part(whole.data(), length);
    part.shrink_to_fit();
    refused += !Outcome(part).model;
  }
  EXPECT_GT(refused, whole.size() * 3 / 4);
}

// So is every file with one byte changed.
TEST(Proto, SurvivesEveryByteFlip) {
  std::string whole = small().bytes;
  for (size_t position = 0; position < whole.size(); ++position)
    for (unsigned char flip : {0x01, 0x02, 0x80, 0xff}) {
      std::string changed = whole;
      changed[position] ^= flip;
      Outcome read(changed);
      EXPECT_NE(bool(read.model), read.problems.hasErrors());
    }
}

TEST(Proto, TruncatedFileSaysSo) {
  std::string whole = small().bytes;
  Outcome read(whole.substr(0, 40));
  EXPECT_EQ(read.code(), 102);
  EXPECT_NE(read.what().find("graph claims"), std::string::npos) << read.what();
}

TEST(Proto, LengthBeyondTheFile) {
  Message lie;
  lie.claim(field::model::Graph, uint64_t(1) << 31).raw("x");
  EXPECT_EQ(Outcome(lie.bytes).code(), 102);
  // A length that is small again modulo 2^32.
  Message wrapped;
  wrapped.claim(field::model::Graph, (uint64_t(1) << 32) + 1).raw("x");
  EXPECT_EQ(Outcome(wrapped.bytes).code(), 102);
}

TEST(Proto, OversizedVarint) {
  std::string bytes = varintBytes(field::model::IrVersion << 3) + std::string(11, '\xff') + '\x01';
  EXPECT_EQ(Outcome(bytes).code(), 103);
}

TEST(Proto, WrongWireType) {
  Message wrong;
  wrong.varint(field::model::Graph, 5);
  Outcome read(wrong.bytes);
  EXPECT_EQ(read.code(), 103);
  EXPECT_EQ(read.what(), "field graph is encoded as a varint, expected a length and bytes");

  Message inner;
  inner.text(field::node::OpType, "Relu").varint(field::node::Input, 3);
  Message outer;
  outer.message(field::graph::Node, inner);
  EXPECT_EQ(Outcome(model(outer).bytes).what(),
            "graph.node[0]: field input is encoded as a varint, expected a length and bytes");
}

TEST(Proto, UnknownFieldsAreSkipped) {
  Message file = small();
  file.varint(1000, 7).text(1001, "more");
  EXPECT_TRUE(Outcome(file.bytes).model);
}

TEST(Proto, NestingIsBounded) {
  // Graph in attribute in node in graph ...: 10,000 levels. Every level only puts bytes in front of the inner ones.
  std::vector<std::string> fronts;
  size_t size = 0;
  auto wrap = [&](Message front, uint32_t field) {
    fronts.push_back(front.claim(field, size).bytes);
    size += fronts.back().size();
  };
  for (int level = 0; level < 10000; ++level) {
    wrap(Message().text(field::attribute::Name, "then_branch").varint(field::attribute::Type, 5), field::attribute::G);
    wrap(Message().text(field::node::OpType, "If"), field::node::Attribute);
    wrap(Message(), field::graph::Node);
  }
  wrap(Message(), field::model::Graph);
  std::string file;
  for (const std::string &front : llvm::reverse(fronts))
    file += front;
  EXPECT_EQ(Outcome(file).code(), 104);
}

TEST(Proto, TypesNestOnlySoFar) {
  Message type;
  for (int level = 0; level < 5000; ++level)
    type = Message().message(field::type::Sequence, Message().message(field::container::Element, type));
  GraphParts parts;
  parts.inputs = {Message().text(field::valueinfo::Name, "x").message(field::valueinfo::Type, type)};
  EXPECT_EQ(Outcome(model(graph(parts)).bytes).code(), 104);
}

TEST(Proto, AttributeOfAnotherTypeThanItSays) {
  Message confused;
  confused.text(field::attribute::Name, "axis")
      .varint(field::attribute::Type, static_cast<uint64_t>(Attribute::Kind::Ints))
      .real(field::attribute::F, 1.0f);
  GraphParts parts;
  parts.nodes = {node("Concat", {"x"}, {"y"}, "", {confused})};
  Outcome read(model(graph(parts)).bytes);
  EXPECT_EQ(read.code(), 402);
  EXPECT_EQ(read.what(),
            "graph.node[0].attribute[0]: attribute \"axis\" is declared as list of ints but holds something else");
}

TEST(Proto, OldFilesDeclareNoAttributeType) {
  Message old;
  old.text(field::attribute::Name, "axis").varint(field::attribute::I, 2);
  GraphParts parts;
  parts.nodes = {node("Concat", {"x"}, {"y"}, "", {old})};
  std::string bytes = model(graph(parts)).bytes;
  Outcome read(bytes);
  ASSERT_TRUE(read.model);
  EXPECT_EQ(read.model->graph.nodes[0].attributes[0].kind, Attribute::Kind::Int);
}

TEST(Proto, EmptyNodesAreRefusedAtOnce) {
  Message nodes;
  for (int i = 0; i < 100000; ++i)
    nodes.text(field::graph::Node, "");
  EXPECT_EQ(Outcome(model(nodes).bytes).code(), 305);
}

TEST(Proto, TwoGraphs) {
  Message file = small();
  file.message(field::model::Graph, graph({}));
  EXPECT_EQ(Outcome(file.bytes).code(), 103);
}

} // namespace
