//===- Contraction.cpp - matrix products -------------------------------------===//
#include "kumiko/Import/Onnx/Ops/Contraction.h"
#include "kumiko/Import/Onnx/Registry.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {

Value matrixProduct(NodeContext &n, Value a, Value b) {
  if (n.failed())
    return {};
  int64_t rankA = n.rankOf(a), rankB = n.rankOf(b);
  if (rankA == 0 || rankB == 0) {
    n.fail(Code::OperandRank, "operands must have at least one dimension").helped("scalars are multiplied with Mul");
    return {};
  }
  if (rankA == 1)
    a = n.reshape(a, {1, n.sizesOf(a)[0]});
  if (rankB == 1)
    b = n.reshape(b, {n.sizesOf(b)[0], 1});
  if (n.failed())
    return {};
  Extent columns = n.sizesOf(a).back(), rows = n.sizesOf(b)[n.rankOf(b) - 2];
  if (!n.agree(columns, rows, "inner dimensions are equal")) {
    n.fail(Code::OperandShape, "inner dimensions differ: " + columns.str() + " and " + rows.str())
        .helped("the last dimension of the first operand must be the " + Twine(rankB == 1 ? "only" : "second to last") +
                " one of the second; a Transpose may be missing");
    return {};
  }
  Value y = n.make("matmul", {a, b});
  if (!y || (rankA > 1 && rankB > 1))
    return y;
  Sizes shape = n.sizesOf(y);
  if (rankB == 1)
    shape.pop_back();
  if (rankA == 1)
    shape.erase(shape.end() - (rankB == 1 ? 1 : 2));
  return n.reshape(y, shape);
}

namespace {

Results importMatMul(NodeContext &n) { return {matrixProduct(n, n.input(0), n.input(1))}; }

/// alpha A B + beta C
Results importGemm(NodeContext &n) {
  if (!n.expectRank(0, 2, 2) || !n.expectRank(1, 2, 2))
    return {};
  Value a = n.input(0), b = n.input(1), c = n.input(2);
  n.ignore("broadcast"); // before opset 7; NumPy's rule gives the same
  if (n.flag("transA"))
    a = n.transpose(a, {1, 0});
  if (n.flag("transB"))
    b = n.transpose(b, {1, 0});
  double alpha = n.real("alpha", 1), beta = n.real("beta", 1);
  Value y = matrixProduct(n, a, b);
  if (!y)
    return {};
  Sizes shape = n.sizesOf(y);
  if (alpha != 1)
    y = n.make("mul", {n.scalar(alpha, y), y});
  if (c && beta != 1)
    c = n.make("mul", {n.scalar(beta, c), c});
  if (c)
    y = n.make("add", {y, c});
  if (y && !llvm::equal(n.sizesOf(y), shape, [&](const Extent &a, const Extent &b) {
        return n.agree(a, b, "C broadcasts to the product");
      })) {
    n.fail(Code::OperandShape, "C does not broadcast to the product")
        .helped("C may only add to the result's own shape");
    return {};
  }
  return {y};
}

constexpr OpCode codes[] = {
    {"Gemm", 2, 3, 1, importGemm},
    {"MatMul", 2, 2, 1, importMatMul},
};

} // namespace

ArrayRef<OpCode> contractionOps() { return codes; }

} // namespace kumiko::onnx
