//===- InPlaceTest.cpp - results that take the place of operands -------------===//
#include "kumiko/Kernel/Layouts.h"
#include "kumiko/Pipeline/Session.h"
#include "kumiko/Plan/Plan.h"
#include "kumiko/Schedule/Schedule.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace kumiko;

namespace {
/// A sum whose result may take the place of either operand.
constexpr llvm::StringLiteral sum = R"(
nn.kernel @add(%a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<64xf32>
    attributes {schedule = {template = "points", lanes = 8 : i64, chunks = 1 : i64, scratch_bytes = 0 : i64},
                layouts = {may_overwrite = array<i64: 0, 0, 1, 0>}} {
  %e = tensor.empty() : tensor<64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%a, %b : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.addf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  nn.yield %y : tensor<64xf32>
}
)";

struct Planned {
  Session session{1};
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Program program;

  /// `calls` are the body of @main, of which %x and %y are the inputs and %out the output.
  explicit Planned(llvm::StringRef calls) {
    std::string text = sum.str() + "func.func @main(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {\n" +
                       calls.str() + "return %out : tensor<64xf32>\n}";
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &session.context());
    EXPECT_TRUE(bool(module)) << text;
    auto planned = planProgram(*module, "test");
    EXPECT_TRUE(mlir::succeeded(planned));
    if (mlir::succeeded(planned))
      program = std::move(*planned);
  }

  /// Whether call number `call` writes its result over operand number `operand`.
  bool isOver(size_t call, size_t operand) const {
    const BufferRef &old = program.calls[call].buffers[operand], &result = program.calls[call].buffers.back();
    return old.space == Space::Arena && result.space == Space::Arena && old.offset == result.offset;
  }

  /// What Plan leaves of the pairs that the kernel allows.
  llvm::SmallVector<int64_t> pairs() {
    mlir::Operation *kernel = module->lookupSymbol("add");
    auto layouts = Layouts::of(kernel);
    EXPECT_TRUE(mlir::succeeded(layouts));
    return layouts->inPlace;
  }
};
} // namespace

TEST(InPlace, OverAnOperandThatEnds) {
  Planned planned(R"(
    %0 = nn.call @add(%x, %y) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %1 = nn.call @add(%y, %0) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %2 = nn.call @add(%y, %1) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %out = nn.call @add(%2, %y) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
)");
  EXPECT_TRUE(planned.isOver(1, 1));
  EXPECT_TRUE(planned.isOver(2, 1));
  // The caller's memory is its own.
  EXPECT_EQ(planned.program.calls[3].buffers.back().space, Space::Output);
  EXPECT_EQ(planned.program.arenaBytes, 256u);
  EXPECT_EQ(planned.program.arenaLowerBound, 256u);
  EXPECT_EQ(planned.pairs(), (llvm::SmallVector<int64_t>{1, 0}));
}

TEST(InPlace, NotOverInputsNorOverWhatIsReadLater) {
  Planned planned(R"(
    %0 = nn.call @add(%x, %y) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %1 = nn.call @add(%0, %y) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %out = nn.call @add(%0, %1) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
)");
  EXPECT_FALSE(planned.isOver(1, 0));
  EXPECT_EQ(planned.program.arenaBytes, 512u);
  EXPECT_TRUE(planned.pairs().empty());
}

TEST(InPlace, AViewThatIsReadLaterCounts) {
  Planned planned(R"(
    %0 = nn.call @add(%x, %y) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %v = nn.reshape %0 : tensor<64xf32> -> tensor<8x8xf32>
    %1 = nn.call @add(%0, %y) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %w = nn.reshape %v : tensor<8x8xf32> -> tensor<64xf32>
    %out = nn.call @add(%w, %1) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
)");
  EXPECT_FALSE(planned.isOver(1, 0));
}

TEST(InPlace, NotOverWhatAnotherOperandIs) {
  Planned planned(R"(
    %0 = nn.call @add(%x, %y) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %1 = nn.call @add(%0, %0) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %out = nn.call @add(%1, %y) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
)");
  EXPECT_FALSE(planned.isOver(1, 0));
}

// A turn must find what it shares with the next one, and the states of a loop have two places.
TEST(InPlace, NotOverWhatALoopReadsAgain) {
  Planned planned(R"(
    %0 = nn.call @add(%x, %y) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %s = nn.call @add(%x, %y) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %q = nn.reshape %x : tensor<64xf32> -> tensor<1x64xf32>
    %out0 = nn.scan states(%s) over(%q) shared(%0)
        : (tensor<64xf32>, tensor<1x64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    ^bb0(%state: tensor<64xf32>, %part: tensor<64xf32>, %outer: tensor<64xf32>):
      %t = nn.call @add(%outer, %state) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
      %u = nn.call @add(%t, %part) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
      %v = nn.call @add(%u, %part) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
      nn.yield %v : tensor<64xf32>
    }
    %out = nn.call @add(%out0, %y) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
)");
  // Calls: 0, 1, the loop, and three inside.
  EXPECT_FALSE(planned.isOver(3, 0));
  EXPECT_FALSE(planned.isOver(3, 1));
  EXPECT_TRUE(planned.isOver(4, 0));
  EXPECT_FALSE(planned.isOver(5, 0));
}
