//===- EinsumTest.cpp - sums of products; the numbers are NumPy's -----------------===//
#include "Computed.h"
#include "gtest/gtest.h"

using namespace kumiko;
using namespace kumiko::onnx;
using namespace kumiko::onnx::test;

namespace {

using List = std::vector<double>;
using Shape = std::vector<int64_t>;

Computed einsum(const char *equation, std::vector<Given> inputs) {
  return Computed("Einsum", std::move(inputs), {attribute("equation", equation)});
}

#define EXPECT_EINSUM(equation, shape, list, ...)                                                                      \
  {                                                                                                                    \
    Computed got = einsum(equation, {__VA_ARGS__});                                                                    \
    ASSERT_EQ(got.problems, "");                                                                                       \
    EXPECT_EQ(got.shapes[0], (Shape shape)) << equation;                                                               \
    EXPECT_EQ(got.values[0], (List list)) << equation;                                                                 \
  }

TEST(Einsum, Products) {
  Given a = counting({2, 3}), b = counting({3, 4}, -5), c = counting({4, 2}, 1);
  EXPECT_EINSUM("ij,jk,kl->il", ({2, 2}), ({182, 220, 344, 400}), a, b, c);
  EXPECT_EINSUM("ij, jk", ({2, 4}), ({5, 8, 11, 14, -4, 8, 20, 32}), a, b);
  EXPECT_EINSUM("ij,ij->", ({}), ({55}), a, a);
  EXPECT_EINSUM("i,j->ji", ({3, 2}), ({3, 6, 4, 8, 5, 10}), f32({2}, {1, 2}), f32({3}, {3, 4, 5}));
  EXPECT_EINSUM("ba", ({3, 2}), ({0, 3, 1, 4, 2, 5}), a);
}

TEST(Einsum, Diagonals) {
  EXPECT_EINSUM("ii->", ({}), ({12}), counting({3, 3}));
  EXPECT_EINSUM("ii->i", ({3}), ({0, 4, 8}), counting({3, 3}));
  EXPECT_EINSUM("iii->i", ({2}), ({0, 7}), counting({2, 2, 2}));
  EXPECT_EINSUM("...ii->...i", ({2, 2}), ({0, 3, 4, 7}), counting({2, 2, 2}));
  EXPECT_EINSUM("iij,kj->ik", ({2, 2}), ({5, 14, 32, 122}), counting({2, 2, 3}), counting({2, 3}));
}

TEST(Einsum, Ellipsis) {
  EXPECT_EINSUM("b...,b...->...", ({3}), ({12, 22, 36}), counting({2, 3}), counting({2, 3}, 1));
  EXPECT_EINSUM("...j,jk->...k", ({1, 2, 4}), ({5, 8, 11, 14, -4, 8, 20, 32}), counting({1, 2, 3}),
                counting({3, 4}, -5));
  EXPECT_EINSUM("a...b,b->...", ({2}), ({52, 88}), counting({2, 2, 3}), f32({3}, {1, 2, 3}));
}

TEST(Einsum, DimensionsOfOneBroadcast) {
  EXPECT_EINSUM("ij,kj->ik", ({2, 2}), ({3, 12, 6, 24}), f32({2, 1}, {1, 2}), counting({2, 3}));
}

TEST(Einsum, Integers) { EXPECT_EINSUM("ij,j->i", ({2}), ({2, 5}), i64({2, 2}, {1, 1, 2, 3}), i64({2}, {1, 1})); }

TEST(Einsum, BadEquations) {
  Given a = counting({2, 3});
  for (auto [equation, code] : {std::pair("", "K0405"),
                                {"i?->i", "K0405"},
                                {"ij->ik", "K0405"},
                                {"ij->ii", "K0405"},
                                {"ijk->i", "K0405"},
                                {"ij,j->i", "K0405"},
                                {"ii->i", "K0412"},
                                {"i......", "K0405"},
                                {"i...->i", "K0405"},
                                {"ij->i->j", "K0405"}})
    EXPECT_NE(einsum(equation, {a}).problems.find(code), std::string::npos) << equation;
  EXPECT_NE(einsum("ij,ij->i", {a, counting({2, 2})}).problems.find("K0412"), std::string::npos);
  // Would be 2^60 elements.
  EXPECT_NE(einsum("a,b,c,d->abcd", {counting({32768}), counting({32768}), counting({32768}), counting({32768})})
                .problems.find("K0507"),
            std::string::npos);
}

} // namespace
