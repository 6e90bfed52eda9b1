//===- SymbolTest.cpp - dimensions without a number -----------------------------===//
#include "Imported.h"
#include "kumiko/Nn/Symbols.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "gtest/gtest.h"

using namespace kumiko;
using namespace kumiko::onnx;
using namespace kumiko::onnx::test;

namespace {

struct Symbolic : Imported {
  static ImportOptions options() {
    ImportOptions options;
    options.symbols = true;
    return options;
  }
  explicit Symbolic(const GraphParts &parts, int64_t opset = 17, const ImportOptions &options = Symbolic::options())
      : Imported(model(graph(parts), opset), options) {}

  mlir::func::FuncOp main() { return module->lookupSymbol<mlir::func::FuncOp>("main"); }
  /// The extents of result `number`; the problems when there are any.
  std::string result(unsigned number = 0) {
    if (!module)
      return errors();
    std::string text;
    for (const Extent &extent : nn::extentsOf(mlir::cast<mlir::RankedTensorType>(main().getResultTypes()[number])))
      text += (text.empty() ? "" : ", ") + extent.str();
    return text;
  }
  std::string symbols() {
    std::string text;
    for (const nn::Symbol &symbol : nn::symbolsOf(main()))
      text += (text.empty() ? "" : ", ") + symbol.name + (symbol.isData ? " (data)" : "");
    return text;
  }
  std::vector<std::string> checks() {
    std::vector<std::string> list;
    for (const nn::Check &check : nn::checksOf(main()))
      list.push_back(check.lhs.str() +
                     (check.relation == nn::Check::Relation::Equal    ? " == "
                      : check.relation == nn::Check::Relation::AtMost ? " <= "
                                                                      : " ~ ") +
                     check.rhs.str());
    return list;
  }
};

using Checks = std::vector<std::string>;
Message output(const char *name) { return Message().text(1, name); }

/// One node on a float input `x` of this shape.
GraphParts one(Message theNode, std::vector<Dim> shape, std::vector<Message> initializers = {}) {
  return {{theNode}, {valueInfo("x", DataType::Float, shape)}, {output("y")}, initializers};
}

TEST(Symbols, NamesOfDimensions) {
  GraphParts parts = one(node("Relu", {"x"}, {"y"}), {"batch", 3, "", "?"});
  Symbolic m(parts);
  EXPECT_EQ(m.result(), "batch, 3, x[2], x[3]");
  EXPECT_EQ(m.symbols(), "batch, x[2], x[3]");
  // --dim makes them numbers again.
  ImportOptions options = Symbolic::options();
  options.dims["batch"] = 4;
  options.dims["x[2]"] = 5;
  Symbolic fixed(parts, 17, options);
  EXPECT_EQ(fixed.result(), "4, 3, 5, x[3]");
  EXPECT_EQ(fixed.symbols(), "x[3]");
}

TEST(Symbols, WithoutTheOptionTheyAreAProblem) {
  Symbolic m(one(node("Relu", {"x"}, {"y"}), {"batch"}), 17, {});
  EXPECT_EQ(m.exitCode(), 4);
  EXPECT_NE(m.result().find("axis 0 is \"batch\""), std::string::npos);
}

// Names of files may be anything; those of symbols may not.
TEST(Symbols, HostileNames) {
  Symbolic m(one(node("Relu", {"x"}, {"y"}), {"a`b\"c\n", "past + 1", "max"}));
  EXPECT_EQ(m.result(), "a_b_c_, `past + 1`, `max`");
  EXPECT_FALSE(m.text().empty());
}

TEST(Symbols, SizesFollow) {
  std::vector<Message> weight{floats("w", {8, 3, 3, 3})};
  auto conv = [&](std::vector<Message> attributes) {
    return Symbolic(one(node("Conv", {"x", "w"}, {"y"}, "", attributes), {"N", 3, "H", "W"}, weight)).result();
  };
  EXPECT_EQ(conv({}), "N, 8, H - 2, W - 2");
  EXPECT_EQ(conv({attribute("strides", {2, 2}), attribute("pads", {1, 1, 1, 1})}),
            "N, 8, ((H - 1) floordiv 2) + 1, ((W - 1) floordiv 2) + 1");
  EXPECT_EQ(conv({attribute("auto_pad", "SAME_UPPER")}), "N, 8, H, W");
  EXPECT_EQ(Symbolic(one(node("Flatten", {"x"}, {"y"}), {"N", 4, "S"})).result(), "N, 4*S");
  EXPECT_EQ(Symbolic(one(node("Split", {"x"}, {"y", "z"}), {"N", 4}), 13).result(), "((N - 1) floordiv 2) + 1, 4");
}

// A Reshape whose target is computed from the shape, as exporters write it.
TEST(Symbols, ShapeArithmeticIsUnderstood) {
  GraphParts parts;
  parts.inputs = {valueInfo("x", DataType::Float, {"N", "S", 768})};
  parts.outputs = {output("y")};
  parts.initializers = {integers("zero", {0}), integers("one", {1}), integers("tail", {12, 64})};
  parts.nodes = {node("Shape", {"x"}, {"shape"}),
                 node("Gather", {"shape", "zero"}, {"n"}),
                 node("Gather", {"shape", "one"}, {"s"}),
                 node("Mul", {"n", "s"}, {"rows"}),
                 node("Concat", {"rows", "tail"}, {"target"}, "", {attribute("axis", int64_t(0))}),
                 node("Reshape", {"x", "target"}, {"y"})};
  Symbolic m(parts);
  EXPECT_EQ(m.result(), "N*S, 12, 64");
  EXPECT_EQ(m.symbols(), "N, S");
  EXPECT_TRUE(m.checks().empty());
}

TEST(Symbols, ReshapeWithAnOpenDimension) {
  auto reshape = [](std::vector<int64_t> target, std::vector<Dim> shape) {
    return Symbolic(one(node("Reshape", {"x", "t"}, {"y"}), shape, {integers("t", target)}));
  };
  EXPECT_EQ(reshape({0, -1}, {"N", "S", 4}).result(), "N, 4*S");
  EXPECT_EQ(reshape({-1, 4}, {"N", "S", 4}).result(), "N*S, 4");
  Symbolic uneven = reshape({-1, 6}, {"N", 4});
  EXPECT_EQ(uneven.result(), "(4*N floordiv 6), 6");
  ASSERT_EQ(uneven.checks().size(), 1u);
  EXPECT_EQ(uneven.checks()[0], "6*(4*N floordiv 6) == 4*N");
}

TEST(Symbols, WhatMustAgreeIsChecked) {
  GraphParts parts;
  parts.inputs = {valueInfo("a", DataType::Float, {"M", "K"}), valueInfo("b", DataType::Float, {"L", 7})};
  parts.outputs = {output("y")};
  parts.nodes = {node("MatMul", {"a", "b"}, {"y"}, "dot")};
  Symbolic m(parts);
  EXPECT_EQ(m.result(), "M, 7");
  EXPECT_EQ(m.checks(), Checks{"K == L"});
  EXPECT_EQ(nn::checksOf(m.main())[0].message, "node 0 \"dot\" (MatMul): inner dimensions are equal");
  parts.nodes = {node("Add", {"a", "b"}, {"y"})};
  Symbolic sum(parts);
  EXPECT_EQ(sum.result(), "broadcast(L, M), 7");
  EXPECT_EQ(sum.checks(), (Checks{"M ~ L", "K ~ 7"}));
}

// A name that two inputs share is one number only where the graph needs it.
TEST(Symbols, SharedNamesAreOneWhereNeeded) {
  GraphParts parts;
  parts.inputs = {valueInfo("a", DataType::Float, {"N", 4}), valueInfo("b", DataType::Float, {"N", 4}),
                  valueInfo("c", DataType::Float, {"N", "N"})};
  parts.outputs = {output("y"), output("z")};
  parts.nodes = {node("Add", {"a", "b"}, {"y"}), node("Relu", {"c"}, {"z"})};
  Symbolic m(parts);
  EXPECT_EQ(m.symbols(), "N, N@c, N@c.3");
  EXPECT_EQ(m.result(0), "N, 4");
  EXPECT_EQ(m.result(1), "`N@c`, `N@c.3`");
  EXPECT_TRUE(m.checks().empty());
  ASSERT_EQ(m.problems.all().size(), 1u);
  EXPECT_TRUE(m.problems.all()[0].warning);
  EXPECT_EQ(m.problems.all()[0].code, Code::SharedDimension);
  // --dim sets all of a name, or one by its own symbol or place.
  ImportOptions options = Symbolic::options();
  options.dims["N"] = 3;
  Symbolic all(parts, 17, options);
  EXPECT_EQ(all.symbols(), "");
  EXPECT_TRUE(all.problems.all().empty());
  options.dims = {{"N@c", 5}, {"c[1]", 6}};
  Symbolic some(parts, 17, options);
  EXPECT_EQ(some.symbols(), "N");
  EXPECT_EQ(some.result(1), "5, 6");
}

TEST(Symbols, SharedNamesThatOpsJoin) {
  auto symbols = [](Message theNode, std::vector<Dim> first, std::vector<Dim> second) {
    GraphParts parts;
    parts.inputs = {valueInfo("a", DataType::Float, first), valueInfo("b", DataType::Float, second)};
    parts.outputs = {output("y")};
    parts.nodes = {theNode};
    Symbolic m(parts);
    return m.module ? m.symbols() + ": " + m.result() + m.errors() : m.errors();
  };
  EXPECT_EQ(symbols(node("MatMul", {"a", "b"}, {"y"}), {"M", "K"}, {"K", "N"}), "M, K, N: M, N");
  EXPECT_EQ(symbols(node("Concat", {"a", "b"}, {"y"}, "", {attribute("axis", int64_t(1))}), {"N", 2}, {"N", 3}),
            "N: N, 5");
  // Along the axis that is put together nothing need agree.
  EXPECT_EQ(
      symbols(node("Concat", {"a", "b"}, {"y"}, "", {attribute("axis", int64_t(0))}), {"N", 2}, {"N", 2}).substr(0, 24),
      "N, N@b: N + `N@b`, 2warn");
}

// Behind the check two names for a size are one: the concatenation has no dimension of which one may be 1.
TEST(Symbols, ConcatenatedSizesAreOne) {
  GraphParts parts;
  parts.inputs = {valueInfo("a", DataType::Float, {"M", "K", "H"}), valueInfo("b", DataType::Float, {"L", "N", 7})};
  parts.outputs = {output("y")};
  parts.nodes = {node("Concat", {"a", "b"}, {"y"}, "", {attribute("axis", int64_t(1))})};
  Symbolic m(parts);
  EXPECT_EQ(m.result(), "M, K + N, 7");
  EXPECT_EQ(m.checks(), (Checks{"L == M", "7 == H"}));
  m.main().walk([](mlir::Operation *op) {
    if (op->getName().getStringRef() == "nn.concat")
      for (mlir::Value x : op->getOperands())
        EXPECT_EQ(nn::extentsOf(mlir::cast<mlir::RankedTensorType>(x.getType()))[0].str(), "M");
  });
}

TEST(Symbols, SlicesOfShapesAndOfData) {
  std::vector<Message> lists{integers("from", {1}), integers("to", {-1})};
  Symbolic middle(one(node("Slice", {"x", "from", "to"}, {"y"}), {"N", 4}, lists));
  ASSERT_TRUE(bool(middle.module)) << middle.errors();
  Extent length = nn::extentsOf(mlir::cast<mlir::RankedTensorType>(middle.main().getResultTypes()[0]))[0];
  for (int64_t n = 0; n < 6; ++n)
    EXPECT_EQ(length.evaluate([n](llvm::StringRef) { return std::optional(n); }), std::max<int64_t>(n - 2, 0));
  // An end that is an input becomes a symbol that is read while the model runs.
  GraphParts parts = one(node("Slice", {"x", "from", "end"}, {"y"}), {"N", 4}, lists);
  parts.inputs.push_back(valueInfo("end", DataType::Int64, {1}));
  Symbolic m(parts);
  EXPECT_EQ(m.symbols(), "N, Slice.0.0 (data)");
  EXPECT_NE(m.text().find("nn.symbol \"Slice.0.0\" = %arg1[0] {clamp, upper = #nn.extent<\"N\">, wrap = "
                          "#nn.extent<\"N\">} : tensor<1xi64>"),
            std::string::npos)
      << m.text();
}

// "All of it" leaves nothing of its large number behind.
TEST(Symbols, SlicesToTheEnd) {
  for (int64_t end : {int64_t(INT32_MAX), INT64_MAX}) {
    std::vector<Message> lists{integers("from", {0}), integers("to", {end})};
    EXPECT_EQ(Symbolic(one(node("Slice", {"x", "from", "to"}, {"y"}), {"N", 4}, lists)).result(), "N, 4");
  }
}

TEST(Symbols, ExpandBroadcastsBothWays) {
  Symbolic m(one(node("Expand", {"x", "s"}, {"y"}), {"N", 4}, {integers("s", {6, 1})}));
  EXPECT_EQ(m.result(), "6, 4");
  EXPECT_EQ(m.checks()[0], "6 ~ N");
}

// Sizes that follow from others are expressions; a scale that rounds is computed while the model runs.
TEST(Symbols, ResizedImages) {
  auto sizes = [](std::vector<Message> nodes, std::vector<Message> initializers) {
    GraphParts parts = one(nodes[0], {1, "H"}, initializers);
    parts.nodes = nodes;
    return Symbolic(parts);
  };
  std::vector<Message> like{node("Shape", {"x"}, {"s"}), node("Add", {"s", "more"}, {"t"}),
                            node("Resize", {"x", "", "", "t"}, {"y"}, "", {attribute("mode", "linear")})};
  Symbolic byShape = sizes(like, {integers("more", {0, 3})});
  EXPECT_EQ(byShape.result(), "1, H + 3");
  EXPECT_EQ(byShape.symbols(), "H");
  GraphParts parts = one(node("Resize", {"x", "", "f"}, {"y"}), {1, "H"});
  parts.inputs.push_back(valueInfo("f", DataType::Float, {2}));
  EXPECT_EQ(Symbolic(parts).symbols(), "H, Resize.0.0 (data), Resize.0.0.1 (data)");
}

TEST(Symbols, Transforms) {
  GraphParts parts =
      one(node("STFT", {"x", "hop", "", "n"}, {"y"}), {1, "T", 1}, {integers("hop", {160}), integers("n", {400})});
  Symbolic m(parts);
  EXPECT_EQ(m.result(), "1, ((T - 80) floordiv 160) - 1, 201, 2") << m.errors();
}

TEST(Symbols, CountsOfData) {
  Symbolic m(one(node("NonZero", {"x"}, {"y"}), {"N", 4}));
  EXPECT_EQ(m.result(), "2, NonZero.0");
  EXPECT_EQ(m.symbols(), "N, NonZero.0 (data)");
}

TEST(Symbols, ShapesAsData) {
  Symbolic m(one(node("Shape", {"x"}, {"y"}), {"N", 4}));
  EXPECT_EQ(m.result(), "2");
  EXPECT_NE(m.text().find("nn.number {value = #nn.extent<\"N\">}"), std::string::npos) << m.text();
}

// What op code cannot do with an expression it refuses, and says so.
TEST(Symbols, OpenDimensionsAreNotOneUnlessTheFileDeclaresSo) {
  GraphParts parts = one(node("Squeeze", {"x"}, {"y"}), {"N", 1, 4});
  Symbolic kept(parts);
  EXPECT_EQ(kept.result(), "N, 4");
  EXPECT_EQ(kept.checks().size(), 1u);
  parts.outputs = {valueInfo("y", DataType::Float, {4})};
  Symbolic dropped(parts);
  EXPECT_EQ(dropped.result(), "4");
  EXPECT_EQ(dropped.checks(), (Checks{"N == 1", "4*N == 4"}));
}

// Whoever names a dimension that is known to be 4 did not know the others either.
TEST(Symbols, ADeclaredRankOfNamesIsNotBelieved) {
  GraphParts parts = one(node("Squeeze", {"x"}, {"y"}), {"N", 4});
  parts.outputs = {valueInfo("y", DataType::Float, {"some"})};
  Symbolic kept(parts);
  EXPECT_EQ(kept.result(), "N, 4");
}

// The rank that the file declares for what follows tells how a Squeeze is meant.
TEST(Symbols, ADeclaredOutputTellsWhichDimensionsAreOne) {
  GraphParts parts = one(node("Squeeze", {"x"}, {"z"}), {"N", 4});
  parts.nodes.push_back(node("Neg", {"z"}, {"y"}));
  parts.outputs = {valueInfo("y", DataType::Float, {4})};
  Symbolic m(parts);
  EXPECT_EQ(m.result(), "4");
  EXPECT_EQ(m.checks(), (Checks{"N == 1", "4*N == 4"}));
}

TEST(Symbols, NumbersThatAreNeeded) {
  GraphParts parts = one(node("Squeeze", {"x"}, {"y"}), {"N", "M"});
  parts.outputs = {valueInfo("y", DataType::Float, {4})};
  Symbolic m(parts);
  EXPECT_EQ(m.exitCode(), 4);
  EXPECT_NE(m.result().find("which of the open dimensions are 1"), std::string::npos);
}

} // namespace
