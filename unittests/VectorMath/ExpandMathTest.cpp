#include "kumiko/Codegen/Common/Math/Passes.h"
#include "kumiko/Target/TargetAttr.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <map>

using namespace mlir;

namespace {

/// How many ops of each name are left after the pass.
std::map<std::string, int> expanded(llvm::StringRef body, bool fma = true) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<arith::ArithDialect, func::FuncDialect, math::MathDialect, scf::SCFDialect, tensor::TensorDialect,
                      vector::VectorDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(body, &context);
  PassManager pm(&context);
  if (module && !fma)
    kumiko::setTarget(*module, llvm::cantFail(kumiko::rowNamed("x86-64-v2")));
  pm.addPass(kumiko::createExpandMathPass());
  std::map<std::string, int> names;
  if (!module || failed(pm.run(*module))) {
    ADD_FAILURE() << "does not parse or run: " << body.str();
    return names;
  }
  module->walk([&](Operation *op) { names[op->getName().getStringRef().str()]++; });
  return names;
}

// Everything that would become a call of libm, on scalars and on vectors.
TEST(ExpandMath, NoFunctionIsLeft) {
  for (const char *name : {"exp",  "exp2", "expm1", "log",  "log2", "log10", "log1p", "sin",   "cos",   "tan",
                           "asin", "acos", "atan",  "sinh", "cosh", "tanh",  "asinh", "acosh", "atanh", "erf"})
    for (const char *type :
         {"f32", "vector<8xf32>", "vector<2x3xf32>", "vector<5xf16>", "bf16", "f64", "vector<4xf64>"}) {
      std::string source = std::string("func.func @f(%x: ") + type + ") -> " + type + " {\n  %y = math." + name +
                           " %x : " + type + "\n  return %y : " + type + "\n}\n";
      auto names = expanded(source);
      // Sine, cosine and tangent of large numbers are in a branch, and of f64 they are left there.
      bool branches = llvm::is_contained({"sin", "cos", "tan"}, llvm::StringRef(name));
      bool isLeft = branches && llvm::StringRef(type).contains("f64");
      EXPECT_EQ(names["scf.if"], branches ? 1 : 0) << name << type;
      for (auto &[op, count] : names)
        EXPECT_TRUE(!llvm::StringRef(op).starts_with("math.") || op == "math.fma" || op == "math.sqrt" || isLeft)
            << name << op;
    }
}

TEST(ExpandMath, TwoArgumentsInsideALoop) {
  auto names = expanded(R"(
    func.func @f(%x: vector<8xf32>, %n: index) -> vector<8xf32> {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> vector<8xf32> {
        %p = math.powf %a, %x : vector<8xf32>
        %q = math.atan2 %p, %a : vector<8xf32>
        scf.yield %q : vector<8xf32>
      }
      return %r : vector<8xf32>
    })");
  EXPECT_EQ(names["math.powf"] + names["math.atan2"], 0);
  EXPECT_GT(names["math.fma"], 10);
}

// Tensors belong to earlier stages, and single instructions stay as they are.
TEST(ExpandMath, LeavesAlone) {
  auto names = expanded(R"(
    func.func @f(%t: tensor<4xf32>, %v: vector<8xf32>) -> (tensor<4xf32>, vector<8xf32>) {
      %b = math.tanh %t : tensor<4xf32>
      %c = math.sqrt %v : vector<8xf32>
      %d = math.absf %c : vector<8xf32>
      %e = math.floor %d : vector<8xf32>
      return %b, %e : tensor<4xf32>, vector<8xf32>
    })");
  for (const char *kept : {"math.tanh", "math.sqrt", "math.absf", "math.floor"})
    EXPECT_EQ(names[kept], 1) << kept;
  EXPECT_EQ(names["math.fma"], 0);
}

// A constant exponent, also behind a broadcast and a conversion.
TEST(ExpandMath, SomePowersAreRootsAndProducts) {
  auto names = expanded(R"(
    func.func @f(%x: vector<8xf32>, %h: vector<4xf16>) -> (vector<8xf32>, vector<4xf16>) {
      %c = arith.constant 7.5e-01 : f32
      %e = vector.broadcast %c : f32 to vector<8xf32>
      %y = math.powf %x, %e : vector<8xf32>
      %two = arith.constant dense<2.0> : vector<4xf16>
      %z = math.powf %h, %two : vector<4xf16>
      return %y, %z : vector<8xf32>, vector<4xf16>
    })");
  EXPECT_EQ(names["math.fma"], 0);
  EXPECT_EQ(names["math.sqrt"], 2);
}

// Powers and remainders of doubles count on products whose rounding is known.
TEST(ExpandMath, PowersAndRemaindersOfDoublesWantFma) {
  const char *source = R"(
    func.func @f(%x: vector<4xf64>) -> vector<4xf64> {
      %y = math.powf %x, %x : vector<4xf64>
      return %y : vector<4xf64>
    })";
  EXPECT_EQ(expanded(source)["math.powf"], 0);
  EXPECT_EQ(expanded(source, /*fma=*/false)["math.powf"], 1);
  const char *remainder = R"(
    func.func @f(%x: vector<4xf64>) -> vector<4xf64> {
      %y = arith.remf %x, %x : vector<4xf64>
      return %y : vector<4xf64>
    })";
  // The one that is left is for large quotients.
  EXPECT_EQ(expanded(remainder)["arith.remf"], 1);
  EXPECT_EQ(expanded(remainder)["scf.if"], 1);
  EXPECT_EQ(expanded(remainder, /*fma=*/false)["scf.if"], 0);
}

} // namespace
