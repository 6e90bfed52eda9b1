#include "kumiko/Equation/Class.h"
#include "Apply.h"

using namespace kumiko;
using namespace kumiko::eq;
using namespace kumiko::eq::test;

namespace {

std::string classes(const OpDef &op, llvm::StringRef given) {
  std::string text;
  for (const Statement &statement : instance(op, given).statements)
    text += (text.empty() ? "" : " ") + nameOf(classify(statement)).str();
  return text;
}

TEST(Class, OfBuiltIns) {
  struct {
    const char *op, *given, *expected;
  } rows[] = {
      {"relu", "f32[2,3]", "injective"},
      {"transpose", "f32[2,3]; perm=[1,0]", "injective"},
      {"gather", "f32[5,6], i64[2]; axis=0", "gather"},
      {"reduce", "f32[2,3]; kind=max, axes=[1]", "reduction"},
      {"softmax", "f32[2,3]; axis=1", "reduction injective reduction injective"},
      {"matmul", "f32[8,4], f32[4,16]", "contraction"},
      {"conv", "f32[1,3,8,8], f32[4,3,3,3]; stride=[1,1], dilation=[1,1], lo=[1,1], hi=[1,1]",
       "injective contraction injective"},
      {"cumulate", "f32[4]; kind=+, axis=0", "scan"},
      {"scatter_nd", "f32[4,5], i64[3,1], f32[3,5]; kind=+", "scatter"},
      {"concat", "f32[2], f32[3]; axis=0", "scatter scatter"},
      {"argreduce", "f32[2,3]; kind=max, axis=1", "reduction"},
      {"layer_norm", "f32[2,8], f32[8]; axis=1, eps=0.1",
       "reduction injective injective reduction injective injective"},
      {"sample", "f32[1,3,56], i32[1,2,4], f32[1,2,4]", "contraction"},
  };
  for (auto &row : rows)
    EXPECT_EQ(classes(builtin(row.op), row.given), row.expected) << row.op;
}

// A sum of squares reads each element once: no reuse, so no contraction. Neither is a row-wise dot product.
TEST(Class, ProductsWithoutReuseAreReductions) {
  EXPECT_EQ(classes(op("op f(x: T) -> y: T { y(i) += x(i, k) * x(i, k) }"), "f32[2,3]"), "reduction");
  EXPECT_EQ(classes(op("op f(a: T, b: T) -> y: T { y(i) += a(i, k) * b(i, k) }"), "f32[2,3], f32[2,3]"), "reduction");
  EXPECT_EQ(classes(op("op f(a: T, b: T) -> y: T { y(i) += a(i, k) * b(k) }"), "f32[2,3], f32[3]"), "contraction");
  EXPECT_EQ(classes(op("op f(a: T, b: T) -> y: T { y(i) max= a(i, k) * b(k) }"), "f32[2,3], f32[3]"), "reduction");
}

} // namespace
