// Models computed as they are read: inputs, lifetimes, control flow, limits.
#include "kumiko/Import/Onnx/Interpret.h"
#include "Write.h"
#include "kumiko/Support/Convert.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace kumiko;
using namespace kumiko::onnx;
using namespace kumiko::onnx::test;
using Numbers = std::vector<double>;

namespace {

Datum datum(ElementType element, std::vector<int64_t> shape, Numbers values) {
  Tensor tensor = llvm::cantFail(Tensor::zeros(element, shape));
  for (auto [number, value] : llvm::enumerate(values)) {
    uint8_t wide[8];
    std::memcpy(wide, &value, sizeof(double));
    convertElements(wide, ElementType::F64, tensor.mutableData() + number * bytesOf(element), element, 1);
  }
  return Datum::of(SharedTensor::own(std::move(tensor)));
}
Datum reals(std::vector<int64_t> shape, Numbers values) { return datum(ElementType::F32, shape, values); }
Datum whole(std::vector<int64_t> shape, Numbers values) { return datum(ElementType::I64, shape, values); }
Datum truth(bool value) { return datum(ElementType::B1, {}, {double(value)}); }

/// A model run on inputs: its outputs as text, or its problems.
struct Interpreted {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  ProblemList problems;
  Folder folder;
  std::optional<std::vector<NamedDatum>> outputs;

  Interpreted(const Message &model, std::vector<std::pair<std::string, Datum>> inputs, InterpretOptions options = {}) {
    llvm::StringMap<Datum> named;
    for (auto &[name, value] : inputs)
      named[name] = std::move(value);
    outputs = interpretOnnx(folder.write("m.onnx", model.bytes), context, named, options, problems);
  }
  std::string text() const {
    std::string result;
    llvm::raw_string_ostream os(result);
    if (!outputs)
      problems.print(os);
    else
      for (const NamedDatum &output : *outputs) {
        const Tensor &tensor = output.datum.tensor.tensor;
        os << output.name << " " << describe(tensor.element(), tensor.shape()) << ":";
        for (int64_t i = 0; i < tensor.count(); ++i)
          os << " " << valueAt(tensor, i);
        os << "\n";
      }
    return result;
  }
};

bool has(const std::string &text, llvm::StringRef part) { return llvm::StringRef(text).contains(part); }

Message subgraph(llvm::StringRef name, const GraphParts &parts) {
  return attribute(name, Attribute::Kind::Graph, graph(parts));
}

Message input(llvm::StringRef name, std::vector<Dim> shape) { return valueInfo(name, DataType::Float, shape); }

/// y = f(x): one graph with these nodes.
Message simple(std::vector<Message> nodes, std::vector<Message> inputs, llvm::StringRef output = "y") {
  GraphParts parts;
  parts.nodes = std::move(nodes);
  parts.inputs = std::move(inputs);
  parts.outputs = {Message().text(1, output)};
  return model(graph(parts));
}

TEST(Interpret, SymbolsAreBoundByTheInputs) {
  Message m = simple({node("Add", {"a", "b"}, {"y"})}, {input("a", {"N", 2}), input("b", {"N", 2})});
  EXPECT_EQ(Interpreted(m, {{"a", reals({1, 2}, {1, 2})}, {"b", reals({1, 2}, {3, 4})}}).text(),
            "y f32[1,2]: 4.000000e+00 6.000000e+00\n");
  Interpreted wrong(m, {{"a", reals({1, 2}, {1, 2})}, {"b", reals({2, 2}, {3, 4, 5, 6})}});
  // What shares a name need not agree: the op decides, here by broadcasting.
  EXPECT_EQ(wrong.text(), "y f32[2,2]: 4.000000e+00 6.000000e+00 6.000000e+00 8.000000e+00\n");
  ASSERT_EQ(wrong.problems.all().size(), 1u);
  EXPECT_EQ(wrong.problems.all()[0].code, Code::SharedDimension);
}

TEST(Interpret, InputsAreChecked) {
  Message m = simple({node("Neg", {"x"}, {"y"})}, {input("x", {2, "?"})});
  EXPECT_TRUE(has(Interpreted(m, {}).text(), "input \"x\" is not given"));
  EXPECT_TRUE(has(Interpreted(m, {{"x", reals({2}, {1, 2})}}).text(), "the rank differs"));
  EXPECT_TRUE(has(Interpreted(m, {{"x", reals({3, 1}, {1, 2, 3})}}).text(), "dimension 0 is 3, expected 2"));
  EXPECT_TRUE(has(Interpreted(m, {{"x", whole({2, 1}, {1, 2})}}).text(), "the element type differs"));
  EXPECT_TRUE(has(Interpreted(m, {{"x", reals({2, 1}, {1, 2})}, {"z", reals({}, {1})}}).text(), "has no input \"z\""));
}

// The shape of Reshape comes from data; nothing of it is known before.
TEST(Interpret, ShapesFromData) {
  Message m = simple({node("Reshape", {"x", "s"}, {"y"})}, {input("x", {4}), valueInfo("s", DataType::Int64, {"R"})});
  EXPECT_TRUE(has(Interpreted(m, {{"x", reals({4}, {1, 2, 3, 4})}, {"s", whole({2}, {2, -1})}}).text(), "y f32[2,2]"));
}

// In double precision a sum of f32 keeps what f32 loses.
TEST(Interpret, DoublePrecision) {
  Message m = simple({node("Add", {"x", "x"}, {"t"}), node("Sub", {"t", "x"}, {"y"})}, {input("x", {1})});
  InterpretOptions options;
  options.precision = Precision::Double;
  EXPECT_TRUE(has(Interpreted(m, {{"x", reals({1}, {2})}}, options).text(), "y f64[1]: 2.0"));
}

// A hundred values of 4 kB with room for three: each goes with its last reader.
TEST(Interpret, ValuesAreFreed) {
  std::vector<Message> nodes = {node("Neg", {"x"}, {"t0"})};
  for (int i = 0; i < 99; ++i)
    nodes.push_back(node("Neg", {"t" + std::to_string(i)}, {"t" + std::to_string(i + 1)}));
  Message m = simple(nodes, {input("x", {1024})}, "t99");
  InterpretOptions options;
  options.limits.heldBytes = 3 * 4096;
  EXPECT_TRUE(Interpreted(m, {{"x", reals({1024}, {1})}}, options).outputs);
  options.limits.heldBytes = 4096;
  Interpreted run(m, {{"x", reals({1024}, {1})}}, options);
  EXPECT_EQ(run.problems.exitCode(), 4);
  EXPECT_TRUE(has(run.text(), "still needed take more than 4096 bytes")) << run.text();
}

Message choice() {
  GraphParts yes, no;
  yes.nodes = {node("Neg", {"x"}, {"r"})};
  yes.outputs = {Message().text(1, "r")};
  no.nodes = {node("Concat", {"x", "x"}, {"r"}, "", {attribute("axis", int64_t(0))})};
  no.outputs = {Message().text(1, "r")};
  return simple({node("If", {"c"}, {"y"}, "", {subgraph("then_branch", yes), subgraph("else_branch", no)})},
                {input("x", {2}), valueInfo("c", DataType::Bool, {})});
}

// Branches see the values around them, and may give different shapes.
TEST(Interpret, TheTakenBranch) {
  EXPECT_EQ(Interpreted(choice(), {{"x", reals({2}, {1, 2})}, {"c", truth(true)}}).text(),
            "y f32[2]: -1.000000e+00 -2.000000e+00\n");
  EXPECT_TRUE(has(Interpreted(choice(), {{"x", reals({2}, {1, 2})}, {"c", truth(false)}}).text(), "y f32[4]"));
}

/// Doubles `v` in every turn, collects the number of the turn plus `v`, and goes on while v < 100.
Message doubling(std::vector<std::string> inputs) {
  GraphParts body;
  body.nodes = {node("Add", {"v", "v"}, {"next"}), node("Less", {"next", "hundred"}, {"go"}),
                node("Cast", {"i"}, {"turn"}, "", {attribute("to", int64_t(DataType::Float))}),
                node("Add", {"turn", "v"}, {"part"})};
  body.inputs = {valueInfo("i", DataType::Int64, {}), valueInfo("on", DataType::Bool, {}), input("v", {})};
  body.outputs = {Message().text(1, "go"), input("next", {}), input("part", {})};
  Message loop = node("Loop", inputs, {"last", "parts"}, "loop", {subgraph("body", body)});
  GraphParts parts;
  parts.nodes = {loop};
  parts.inputs = {valueInfo("m", DataType::Int64, {}), valueInfo("c", DataType::Bool, {}), input("x", {}),
                  input("hundred", {})};
  parts.outputs = {Message().text(1, "last"), Message().text(1, "parts")};
  return model(graph(parts));
}

std::string runDoubling(std::vector<std::string> inputs, int64_t most, bool condition) {
  return Interpreted(doubling(inputs), {{"m", whole({}, {double(most)})},
                                        {"c", truth(condition)},
                                        {"x", reals({}, {3})},
                                        {"hundred", reals({}, {100})}})
      .text();
}

TEST(Interpret, LoopsEndByCountOrCondition) {
  EXPECT_EQ(runDoubling({"m", "c", "x"}, 2, true),
            "last f32[]: 1.200000e+01\nparts f32[2]: 3.000000e+00 7.000000e+00\n");
  EXPECT_TRUE(has(runDoubling({"", "c", "x"}, 0, true), "last f32[]: 1.920000e+02\nparts f32[6]:"));
  EXPECT_TRUE(has(runDoubling({"m", "", "x"}, 3, false), "last f32[]: 2.400000e+01"));
  EXPECT_TRUE(has(runDoubling({"", "", "x"}, 3, false), "last f32[]: 1.920000e+02"));
}

// Exporters declare the number of the turn as a list of one; it then is one.
TEST(Interpret, TurnsAsListsOfOne) {
  GraphParts body;
  body.nodes = {node("Identity", {"on"}, {"go"}),
                node("Concat", {"v", "i"}, {"next"}, "", {attribute("axis", int64_t(0))})};
  body.inputs = {valueInfo("i", DataType::Int64, {1}), valueInfo("on", DataType::Bool, {1}),
                 valueInfo("v", DataType::Int64, {"N"})};
  body.outputs = {Message().text(1, "go"), Message().text(1, "next")};
  Message m = simple({node("Loop", {"m", "", "x"}, {"y"}, "loop", {subgraph("body", body)})},
                     {valueInfo("x", DataType::Int64, {1}), valueInfo("m", DataType::Int64, {1})});
  EXPECT_TRUE(has(Interpreted(m, {{"x", whole({1}, {7})}, {"m", whole({1}, {2})}}).text(), "y i64[3]: 7.000000e+00 0"));
}

TEST(Interpret, NoTurnGivesEmptyParts) {
  EXPECT_EQ(runDoubling({"m", "c", "x"}, 0, true), "last f32[]: 3.000000e+00\nparts f32[0]:\n");
  EXPECT_EQ(runDoubling({"m", "c", "x"}, 5, false), "last f32[]: 3.000000e+00\nparts f32[0]:\n");
}

// A body of no nodes and no end: what a hostile file would do.
TEST(Interpret, EndlessLoopsAreStopped) {
  GraphParts body;
  body.inputs = {valueInfo("i", DataType::Int64, {}), valueInfo("on", DataType::Bool, {}), input("v", {})};
  body.outputs = {Message().text(1, "on"), Message().text(1, "v")};
  Message m = simple({node("Loop", {"", "", "x"}, {"y"}, "loop", {subgraph("body", body)})}, {input("x", {})});
  InterpretOptions options;
  options.limits.nodes = 1000;
  Interpreted run(m, {{"x", reals({}, {3})}}, options);
  EXPECT_TRUE(has(run.text(), "more than 1000 nodes were computed")) << run.text();
  EXPECT_EQ(run.problems.exitCode(), 4);
}

// A value that grows in every turn: shapes change, and memory has a bound.
TEST(Interpret, GrowingValuesAreStopped) {
  GraphParts body;
  body.nodes = {node("Concat", {"v", "v"}, {"next"}, "", {attribute("axis", int64_t(0))})};
  body.inputs = {valueInfo("i", DataType::Int64, {}), valueInfo("on", DataType::Bool, {}), input("v", {"N"})};
  body.outputs = {Message().text(1, "on"), Message().text(1, "next")};
  Message m = simple({node("Loop", {"m", "", "x"}, {"y"}, "loop", {subgraph("body", body)})},
                     {input("x", {1}), valueInfo("m", DataType::Int64, {})});
  EXPECT_TRUE(has(Interpreted(m, {{"x", reals({1}, {3})}, {"m", whole({}, {10})}}).text(), "y f32[1024]:"));
  InterpretOptions options;
  options.limits.tensorBytes = 1 << 20;
  Interpreted run(m, {{"x", reals({1}, {3})}, {"m", whole({}, {60})}}, options);
  EXPECT_EQ(run.problems.exitCode(), 4) << run.text();
  EXPECT_TRUE(has(run.text(), "too large")) << run.text();
}

/// Running sums of the rows of x, in one direction.
Message sums(int64_t backwards) {
  GraphParts body;
  body.nodes = {node("Add", {"s", "r"}, {"t"}), node("Identity", {"t"}, {"o"})};
  body.inputs = {input("s", {2}), input("r", {2})};
  body.outputs = {input("t", {2}), input("o", {2})};
  Message scan = node("Scan", {"z", "x"}, {"last", "y"}, "scan",
                      {subgraph("body", body), attribute("num_scan_inputs", int64_t(1)),
                       attribute("scan_input_directions", std::vector<int64_t>{backwards}),
                       attribute("scan_output_directions", std::vector<int64_t>{backwards}),
                       attribute("scan_output_axes", std::vector<int64_t>{1})});
  return simple({scan}, {input("z", {2}), input("x", {"T", 2})});
}

TEST(Interpret, ScanInBothDirections) {
  auto run = [](int64_t backwards) {
    return Interpreted(sums(backwards), {{"z", reals({2}, {0, 0})}, {"x", reals({3, 2}, {1, 10, 2, 20, 3, 30})}})
        .text();
  };
  EXPECT_EQ(run(0), "y f32[2,3]: 1.000000e+00 3.000000e+00 6.000000e+00 1.000000e+01 3.000000e+01 6.000000e+01\n");
  EXPECT_EQ(run(1), "y f32[2,3]: 6.000000e+00 5.000000e+00 3.000000e+00 6.000000e+01 5.000000e+01 3.000000e+01\n");
  EXPECT_EQ(Interpreted(sums(0), {{"z", reals({2}, {0, 0})}, {"x", reals({0, 2}, {})}}).text(), "y f32[2,0]:\n");
}

/// x at the end of a sequence of a and b, then the item at `p`, and what is left without it.
Message lists() {
  GraphParts parts;
  parts.nodes = {node("SequenceConstruct", {"a", "b"}, {"s"}), node("SequenceInsert", {"s", "x"}, {"t"}),
                 node("SequenceAt", {"t", "p"}, {"item"}), node("SequenceErase", {"t", "p"}, {"rest"}),
                 node("ConcatFromSequence", {"rest"}, {"y"}, "", {attribute("axis", int64_t(0))})};
  parts.inputs = {input("a", {1}), input("b", {2}), input("x", {1}), valueInfo("p", DataType::Int64, {})};
  parts.outputs = {Message().text(1, "item"), Message().text(1, "y")};
  return model(graph(parts));
}

TEST(Interpret, Sequences) {
  auto run = [](double position) {
    return Interpreted(lists(), {{"a", reals({1}, {1})},
                                 {"b", reals({2}, {2, 3})},
                                 {"x", reals({1}, {4})},
                                 {"p", whole({}, {position})}})
        .text();
  };
  EXPECT_EQ(run(1), "item f32[2]: 2.000000e+00 3.000000e+00\ny f32[2]: 1.000000e+00 4.000000e+00\n");
  EXPECT_TRUE(has(run(-1), "item f32[1]: 4.0"));
  EXPECT_TRUE(has(run(3), "the position is not inside a sequence of 3"));
}

// An op that knows tensors only never sees a list.
TEST(Interpret, TensorOpsRefuseSequences) {
  Message m = simple({node("SequenceConstruct", {"x"}, {"s"}), node("Neg", {"s"}, {"y"})}, {input("x", {1})});
  Interpreted run(m, {{"x", reals({1}, {1})}});
  EXPECT_TRUE(has(run.text(), "takes tensors, but an input is a sequence")) << run.text();
  EXPECT_EQ(run.problems.exitCode(), 3);
}

// Floats are held as f64 everywhere then, also in what turns collect and lists hold; a third has more than f32's
// digits.
TEST(Interpret, DoublePrecisionInLoopsAndLists) {
  InterpretOptions options;
  options.precision = Precision::Double;
  GraphParts body, parts;
  body.nodes = {node("Div", {"v", "three"}, {"next"}), node("Identity", {"on"}, {"go"})};
  body.inputs = {valueInfo("i", DataType::Int64, {}), valueInfo("on", DataType::Bool, {}), input("v", {1})};
  body.outputs = {Message().text(1, "go"), Message().text(1, "next"), Message().text(1, "v")};
  parts.nodes = {node("Loop", {"m", "", "x"}, {"last", "all"}, "loop", {subgraph("body", body)}),
                 node("SequenceConstruct", {"last", "x"}, {"s"}),
                 node("ConcatFromSequence", {"s"}, {"y"}, "", {attribute("axis", int64_t(0))}),
                 node("Flatten", {"all"}, {"flat"})};
  parts.inputs = {input("x", {1}), input("three", {1}), valueInfo("m", DataType::Int64, {})};
  parts.outputs = {input("y", {2}), input("flat", {2, 1})};
  Interpreted run(model(graph(parts)), {{"x", reals({1}, {1})}, {"three", reals({1}, {3})}, {"m", whole({}, {2})}},
                  options);
  ASSERT_TRUE(run.outputs) << run.text();
  const Tensor &y = (*run.outputs)[0].datum.tensor.tensor, &flat = (*run.outputs)[1].datum.tensor.tensor;
  EXPECT_EQ(valueAt(y, 0), 1.0 / 3 / 3);
  EXPECT_EQ(valueAt(y, 1), 1.0);
  EXPECT_EQ(valueAt(flat, 1), 1.0 / 3);
}

TEST(Interpret, BodiesOfTheWrongArity) {
  GraphParts body;
  body.inputs = {valueInfo("i", DataType::Int64, {})};
  body.outputs = {Message().text(1, "i")};
  Message m = simple({node("Loop", {"", "", "x"}, {"y"}, "loop", {subgraph("body", body)})}, {input("x", {})});
  Interpreted run(m, {{"x", reals({}, {3})}});
  EXPECT_TRUE(has(run.text(), "the body has 1 inputs, expected 3")) << run.text();
  EXPECT_EQ(run.problems.exitCode(), 3);
}

} // namespace
