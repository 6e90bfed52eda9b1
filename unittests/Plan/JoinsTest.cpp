//===- JoinsTest.cpp - parts that lie in the joined tensor from the beginning ===//
#include "kumiko/Kernel/Layouts.h"
#include "kumiko/Pipeline/Explain.h"
#include "kumiko/Pipeline/Session.h"
#include "kumiko/Plan/Plan.h"
#include "kumiko/Schedule/Schedule.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace kumiko;

namespace {
constexpr llvm::StringLiteral points =
    "attributes {schedule = {template = \"points\", lanes = 8 : i64, chunks = 1 : i64, scratch_bytes = 0 : i64}}";

/// A kernel that negates a tensor of this type.
std::string negation(llvm::StringRef name, llvm::StringRef type) {
  return ("nn.kernel @" + name + "(%x: " + type + ") -> " + type + " " + points + R"( {
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%x : )" +
          type + ") outs(%x : " + type + R"() {
    ^bb0(%p: f32, %o: f32):
      %0 = arith.negf %p : f32
      linalg.yield %0 : f32
    } -> )" +
          type + "\n nn.yield %y : " + type + "\n}\n")
      .str();
}

/// A kernel that joins two tensors of 4 x 8: side by side, or one below the other.
std::string joining(llvm::StringRef name, bool below) {
  std::string type = below ? "tensor<8x8xf32>" : "tensor<4x16xf32>", place = below ? "[4, 0]" : "[0, 8]";
  std::string part = "tensor<4x8xf32>", size = " [4, 8] [1, 1] : " + part + " into " + type + "\n";
  return "nn.kernel @" + name.str() + "(%a: " + part + ", %b: " + part + ") -> " + type + " " + points.str() +
         "{\n %e = tensor.empty() : " + type + "\n %0 = tensor.insert_slice %a into %e[0, 0]" + size +
         "%1 = tensor.insert_slice %b into %0" + place + size + "nn.yield %1 : " + type + "\n}\n";
}

struct Planned {
  Session session{1};
  Explanation explanation;
  RemarkCollector collector{session.context(), explanation};
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Program program;

  /// `calls` are the body of @main, of which %x is the input; `results` the types of what it returns.
  Planned(llvm::StringRef calls, llvm::StringRef results, llvm::StringRef kernels = "") {
    std::string text = kernels.str() + negation("neg", "tensor<4x8xf32>") + negation("wide", "tensor<4x16xf32>") +
                       negation("high", "tensor<8x8xf32>") + joining("beside", false) + joining("below", true) +
                       "func.func @main(%x: tensor<4x8xf32>) -> (" + results.str() + ") {\n" + calls.str() + "\n}";
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &session.context());
    EXPECT_TRUE(bool(module)) << text;
    auto planned = planProgram(*module, "test");
    EXPECT_TRUE(mlir::succeeded(planned));
    EXPECT_TRUE(mlir::succeeded(mlir::verify(*module)));
    if (mlir::succeeded(planned))
      program = std::move(*planned);
  }

  const BufferRef &resultOf(size_t call) const { return program.calls[call].buffers.back(); }
  bool wasRefused(llvm::StringRef why) const {
    return llvm::any_of(explanation.refusals,
                        [&](const auto &each) { return each.second == ("NotJoined: " + why).str(); });
  }
  Layouts layoutsOf(size_t call) { return *Layouts::of(module->lookupSymbol(program.calls[call].kernel)); }
};

constexpr llvm::StringLiteral twoParts = R"(
    %a = nn.call @neg(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %b = nn.call @neg(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
)";
constexpr llvm::StringLiteral besideBoth = R"(
    %c = nn.call @beside(%a, %b) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
)";
constexpr llvm::StringLiteral endWide = R"(
    %out = nn.call @wide(%c) : (tensor<4x16xf32>) -> tensor<4x16xf32>
    return %out : tensor<4x16xf32>
)";
} // namespace

// Rows of the parts are as far apart as those of the whole, also for the kernel that reads one of them.
TEST(Joins, SideBySide) {
  Planned planned((twoParts + besideBoth + endWide).str(), "tensor<4x16xf32>");
  ASSERT_EQ(planned.program.calls.size(), 3u);
  EXPECT_EQ(planned.program.omitted.size(), 1u);
  EXPECT_EQ(planned.program.omitted[0].kernel, "beside");
  EXPECT_EQ(planned.program.omitted[0].before, 2u);
  EXPECT_TRUE(planned.resultOf(1).offset == planned.resultOf(0).offset + 32);
  EXPECT_TRUE(planned.program.calls[2].buffers[0].offset == planned.resultOf(0).offset);
  EXPECT_EQ(planned.program.arenaBytes, 256u);
  EXPECT_EQ(planned.program.calls[1].origin, "neg");
  Layouts second = planned.layoutsOf(1);
  ASSERT_EQ(second.apart.size(), 2u);
  EXPECT_TRUE(second.apart[0].second == (Extents{16, 1}) && second.apart[1].second == (Extents{16, 1}));
  // The last of four rows is whole, of the others all but the last half is between the first byte and the last.
  EXPECT_TRUE(planned.resultOf(0).bytes == Extent((3 * 16 + 8) * 4));
  // Both parts are neither read nor written again.
  const Explanation::Uses &uses = planned.explanation.rules[{"join", "exact"}];
  EXPECT_EQ(uses.count, 1u);
  EXPECT_EQ(uses.savedOps, 1u);
  EXPECT_EQ(uses.savedBytes, 2u * 2 * 128);
  // What reads the whole, and what nobody calls any more.
  EXPECT_TRUE(planned.layoutsOf(2).apart.empty());
  EXPECT_FALSE(planned.module->lookupSymbol("beside"));
}

// One stretch each: kernels stay as they are, and a part may be seen under another shape.
TEST(Joins, OneBelowTheOther) {
  Planned planned((twoParts + R"(
    %v = nn.reshape %b : tensor<4x8xf32> -> tensor<32xf32>
    %w = nn.reshape %v : tensor<32xf32> -> tensor<4x8xf32>
    %c = nn.call @below(%a, %w) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %out = nn.call @high(%c) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %out : tensor<8x8xf32>)")
                      .str(),
                  "tensor<8x8xf32>");
  ASSERT_EQ(planned.program.calls.size(), 3u);
  EXPECT_EQ(planned.program.calls[0].kernel, "neg");
  EXPECT_EQ(planned.program.calls[1].kernel, "neg");
  EXPECT_TRUE(planned.resultOf(1).offset == planned.resultOf(0).offset + 128);
}

// The caller's memory is as good a place.
TEST(Joins, InAResultOfTheNetwork) {
  Planned planned((twoParts + besideBoth + "return %c : tensor<4x16xf32>").str(), "tensor<4x16xf32>");
  ASSERT_EQ(planned.program.calls.size(), 2u);
  EXPECT_EQ(planned.resultOf(1).space, Space::Output);
  EXPECT_TRUE(planned.resultOf(1).offset == Extent(32));
  EXPECT_EQ(planned.program.arenaBytes, 0u);
}

// A chain shares one buffer: 4 x 16 side by side with itself, below which nothing is copied.
TEST(Joins, PartsOfParts) {
  Planned planned((twoParts + besideBoth + R"(
    %d = nn.call @wide(%c) : (tensor<4x16xf32>) -> tensor<4x16xf32>
    %e = nn.call @wider(%c, %d) : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x32xf32>
    return %e : tensor<4x32xf32>)")
                      .str(),
                  "tensor<4x32xf32>",
                  "nn.kernel @wider(%a: tensor<4x16xf32>, %b: tensor<4x16xf32>) -> tensor<4x32xf32> " + points.str() +
                      R"( {
    %e = tensor.empty() : tensor<4x32xf32>
    %0 = tensor.insert_slice %a into %e[0, 0] [4, 16] [1, 1] : tensor<4x16xf32> into tensor<4x32xf32>
    %1 = tensor.insert_slice %b into %0[0, 16] [4, 16] [1, 1] : tensor<4x16xf32> into tensor<4x32xf32>
    nn.yield %1 : tensor<4x32xf32>
  })");
  ASSERT_EQ(planned.program.calls.size(), 3u);
  EXPECT_EQ(planned.program.omitted.size(), 2u);
  EXPECT_TRUE(planned.resultOf(1).offset == Extent(32));
  EXPECT_TRUE(planned.resultOf(2).offset == Extent(64));
  EXPECT_TRUE(planned.layoutsOf(1).apart[1].second == (Extents{32, 1}));
}

// What has a say in where a part lies keeps it apart: the concatenation copies it, and the other part alone is joined.
TEST(Joins, NotWhatHasAPlaceOfItsOwn) {
  // An input of the network.
  Planned input(R"(
    %b = nn.call @neg(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %c = nn.call @beside(%x, %b) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
    return %c : tensor<4x16xf32>)",
                "tensor<4x16xf32>");
  ASSERT_EQ(input.program.calls.size(), 2u);
  EXPECT_EQ(input.layoutsOf(1).placed, (llvm::SmallVector<int64_t>{1, 0}));
  EXPECT_TRUE(input.resultOf(1).isPartial);
  EXPECT_TRUE(input.wasRefused("a part is an input or a constant, or made outside of the loop or branch"));
  // A result of the network.
  Planned output((twoParts + besideBoth + "return %c, %b : tensor<4x16xf32>, tensor<4x8xf32>").str(),
                 "tensor<4x16xf32>, tensor<4x8xf32>");
  ASSERT_EQ(output.program.calls.size(), 3u);
  EXPECT_EQ(output.layoutsOf(2).placed, (llvm::SmallVector<int64_t>{0, 0}));
  EXPECT_TRUE(output.wasRefused("a part is a result of its own, or read by a loop or a branch"));
  // A part of two tensors lies in the last of them.
  Planned two((twoParts + besideBoth + R"(
    %d = nn.call @beside(%b, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
    return %c, %d : tensor<4x16xf32>, tensor<4x16xf32>)")
                  .str(),
              "tensor<4x16xf32>, tensor<4x16xf32>");
  ASSERT_EQ(two.program.calls.size(), 4u);
  EXPECT_EQ(two.layoutsOf(2).placed, (llvm::SmallVector<int64_t>{0, 0}));
  EXPECT_EQ(two.layoutsOf(3).placed, (llvm::SmallVector<int64_t>{0, 0}));
  EXPECT_TRUE(two.wasRefused("a part has another place already"));
}

TEST(Joins, NotAPartThatIsThereTwice) {
  Planned planned((twoParts + R"(
    %c = nn.call @beside(%b, %b) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
    return %c : tensor<4x16xf32>)")
                      .str(),
                  "tensor<4x16xf32>");
  // As two operands it lies in the first place and is copied to the second.
  ASSERT_EQ(planned.program.calls.size(), 3u);
  EXPECT_EQ(planned.layoutsOf(2).placed.size(), 2u);
  std::string once = "nn.kernel @twice(%a: tensor<4x8xf32>) -> tensor<4x16xf32> " + points.str() + R"( {
    %e = tensor.empty() : tensor<4x16xf32>
    %0 = tensor.insert_slice %a into %e[0, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<4x16xf32>
    %1 = tensor.insert_slice %a into %0[0, 8] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<4x16xf32>
    nn.yield %1 : tensor<4x16xf32>
  })";
  Planned single((twoParts + R"(
    %c = nn.call @twice(%b) : (tensor<4x8xf32>) -> tensor<4x16xf32>
    return %c : tensor<4x16xf32>)")
                     .str(),
                 "tensor<4x16xf32>", once);
  ASSERT_EQ(single.program.calls.size(), 3u);
  EXPECT_TRUE(single.layoutsOf(2).placed.empty());
  EXPECT_TRUE(single.wasRefused("a part is in several places of the joined tensor"));
}

// Strides do not go through a view, nor into a loop.
TEST(Joins, NotWhatIsSeenUnderAnotherShape) {
  Planned planned((twoParts + R"(
    %v = nn.reshape %b : tensor<4x8xf32> -> tensor<8x4xf32>
    %w = nn.reshape %v : tensor<8x4xf32> -> tensor<4x8xf32>
    %c = nn.call @beside(%a, %w) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
    return %c : tensor<4x16xf32>)")
                      .str(),
                  "tensor<4x16xf32>");
  ASSERT_EQ(planned.program.calls.size(), 3u);
  EXPECT_EQ(planned.layoutsOf(2).placed, (llvm::SmallVector<int64_t>{0, 0}));
}

// A result may take the place of a joined tensor only when none of its parts is read any more, and never that of a
// part.
TEST(Joins, NothingIsWrittenOverAPart) {
  std::string over = negation("over", "tensor<4x16xf32>"), part = negation("part", "tensor<4x8xf32>");
  for (std::string *kernel : {&over, &part})
    kernel->replace(kernel->find("schedule = "), 0, "layouts = {may_overwrite = array<i64: 0, 0>}, ");
  Planned late((twoParts + besideBoth + R"(
    %d = nn.call @over(%c) : (tensor<4x16xf32>) -> tensor<4x16xf32>
    %e = nn.call @over(%d) : (tensor<4x16xf32>) -> tensor<4x16xf32>
    %f = nn.call @neg(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %out = nn.call @wide(%e) : (tensor<4x16xf32>) -> tensor<4x16xf32>
    return %out, %f : tensor<4x16xf32>, tensor<4x8xf32>)")
                   .str(),
               "tensor<4x16xf32>, tensor<4x8xf32>", over);
  ASSERT_EQ(late.program.calls.size(), 6u);
  EXPECT_FALSE(late.resultOf(2).offset == late.program.calls[2].buffers[0].offset);
  EXPECT_TRUE(late.resultOf(3).offset == late.program.calls[3].buffers[0].offset);
  Planned early((twoParts + besideBoth + R"(
    %d = nn.call @over(%c) : (tensor<4x16xf32>) -> tensor<4x16xf32>
    %out = nn.call @wide(%d) : (tensor<4x16xf32>) -> tensor<4x16xf32>
    return %out : tensor<4x16xf32>)")
                    .str(),
                "tensor<4x16xf32>", over);
  EXPECT_TRUE(early.resultOf(2).offset == early.program.calls[2].buffers[0].offset);
  Planned first((twoParts + R"(
    %d = nn.call @part(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %c = nn.call @below(%a, %b) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %out = nn.call @high(%c) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %last = nn.call @neg(%d) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    return %out, %last : tensor<8x8xf32>, tensor<4x8xf32>)")
                    .str(),
                "tensor<8x8xf32>, tensor<4x8xf32>", part);
  ASSERT_EQ(first.program.calls.size(), 5u);
  EXPECT_FALSE(first.resultOf(2).offset == first.program.calls[2].buffers[0].offset);
}
