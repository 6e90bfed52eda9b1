//===- FrontEndTest.cpp - which format a file is ------------------------------------===//
#include "Write.h"
#include "kumiko/Import/Import.h"
#include "kumiko/Nn/Equations.h"
#include "gtest/gtest.h"

using namespace kumiko;

namespace {

/// What is made of these bytes under this name: the format, or the first message.
std::string formatOf(llvm::StringRef bytes, llvm::StringRef name) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  ProblemList problems;
  ModelSummary summary;
  auto module = importModel(llvm::MemoryBuffer::getMemBufferCopy(bytes, name), context, {}, problems, summary);
  EXPECT_NE(mlir::succeeded(module), problems.hasErrors());
  return mlir::succeeded(module) ? summary.format : problems.all().front().what;
}

// A clause `from FORMAT` of a built-in equation is for a format that is there.
TEST(FrontEnds, EquationsNameRegisteredFormats) {
  auto isRegistered = [](const eq::ImportDef &clause) {
    return llvm::any_of(frontEnds(), [&](const FrontEnd *each) { return each->name == clause.format; });
  };
  for (const eq::OpDef &op : nn::allEquations())
    EXPECT_TRUE(llvm::all_of(op.imports, isRegistered)) << op.name.str();
}

TEST(FrontEnds, ContentDecides) {
  using namespace onnx::test;
  GraphParts parts;
  parts.nodes = {node("Relu", {"x"}, {"y"})};
  parts.inputs = {valueInfo("x", onnx::DataType::Float, {2})};
  parts.outputs = {Message().text(1, "y")};
  std::string bytes = model(graph(parts)).bytes, text = "# a comment\nmodel m(x: f32[2]) -> y { y = relu(x); }\n";
  EXPECT_EQ(formatOf(bytes, "m.onnx"), "onnx");
  EXPECT_EQ(formatOf(bytes, "m.kmk"), "onnx");
  EXPECT_EQ(formatOf(text, "m.kmk"), "text");
  EXPECT_EQ(formatOf(text, "m.onnx"), "text");
}

// The name counts when the content says nothing: a damaged file is told what is wrong with it.
TEST(FrontEnds, NamesOfDamagedFiles) {
  EXPECT_EQ(formatOf("mod", "m.kmk"), "expected 'model', 'op' or 'weights', found 'mod'");
  EXPECT_EQ(formatOf("mod", "m.bin"), "this is no model of a known format");
  EXPECT_EQ(formatOf("\x89PNG", "m.kmk"), "this is a PNG image, no model");
  EXPECT_EQ(formatOf("", "m.onnx"), "the file is empty");
}

} // namespace
