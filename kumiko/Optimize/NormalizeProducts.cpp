//===- NormalizeProducts.cpp - sums of products as matmul, conv, conv_transpose -===//
//
// Whoever writes a sum of products orders its dimensions as the problem has them; a register tile wants columns side by
// side. Each statement that is such a sum (ProductForm.h) and that no tile would take as it stands becomes transposes
// and views around nn.matmul, nn.conv or nn.conv_transpose, whichever its windows make it. Of all orders that batch,
// rows, columns and depth may have, and of both ways to name the factors, the one is taken that moves the fewest
// elements; constants move for nothing. A statement that is one of several is made an op of its own first
// (SplitDefinition.h).
//
//===----------------------------------------------------------------------===//
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/TypicalSize.h"
#include "kumiko/Optimize/Erase.h"
#include "kumiko/Optimize/Passes.h"
#include "kumiko/Optimize/ProductBuilder.h"
#include "kumiko/Optimize/Remark.h"
#include "kumiko/Optimize/SplitDefinition.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kumiko {
#define GEN_PASS_DEF_NORMALIZEPRODUCTSPASS
#include "kumiko/Optimize/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;
using Token = ProductToken;

constexpr llvm::StringLiteral rule = "normal_product";

/// Products from which on an element may be moved for their sake.
constexpr int64_t productsPerMove = 4;

/// Whether some statement adds up products: by the text, as an instance costs more than all the rest.
static bool mayBeProduct(const eq::OpDef &def) {
  return llvm::any_of(def.statements, [](const eq::StatementDef &statement) {
    const eq::Node &value = *statement.values[0];
    return statement.assign == eq::AssignKind::Sum && value.kind == eq::Node::Kind::Binary &&
           value.op == eq::Operator::Mul;
  });
}

/// A result whose lanes run along one factor only, side by side in it, and constants in any order are what a tile
/// takes.
static bool isTakenAsIs(const ProductForm &form, const eq::Instance &instance, Operation *op) {
  auto innermost = [](const ProductTensor &tensor) -> std::optional<Token> {
    for (auto [token, extent] : llvm::reverse(llvm::zip_equal(tensor.tokens, tensor.extents)))
      if (!extent.is(1))
        return token;
    return std::nullopt;
  };
  std::optional<Token> lane = innermost(form.y);
  bool inFirst = lane && llvm::is_contained(form.x.tokens, *lane),
       inSecond = lane && llvm::is_contained(form.w.tokens, *lane);
  if (inFirst == inSecond || form.x.isCut || form.w.isCut)
    return false;
  const ProductTensor &columns = inFirst ? form.x : form.w;
  return innermost(columns) == lane || isKnown(op, instance, columns);
}

namespace {

struct NormalizeProducts final : kumiko::impl::NormalizeProductsPassBase<NormalizeProducts> {
  void runOnOperation() override {
    SmallVector<Operation *> open;
    getOperation()->walk([&](Operation *op) {
      if (isa<nn::EquationInterface>(op))
        open.push_back(op);
    });
    while (!open.empty())
      normalize(open.pop_back_val(), open);
  }

private:
  void normalize(Operation *op, SmallVectorImpl<Operation *> &open) {
    const eq::OpDef *def = nn::definitionOf(op);
    // Definitions of several statements that are built in are what other passes know.
    if (!def || (def->statements.size() != 1 && !isa<nn::CustomOp>(op)) || op->use_empty() || !mayBeProduct(*def))
      return;
    llvm::Expected<eq::Instance> instance = nn::instantiate(op, /*onlyUsedResults=*/true);
    if (!instance)
      return llvm::consumeError(instance.takeError());
    for (auto [number, statement] : llvm::enumerate(instance->statements)) {
      std::string why;
      std::optional<ProductForm> form = productFormOf(*instance, statement, why);
      if (!form && !why.empty())
        declined(op, rule, why);
      if (!form || !isWorthwhile(op, *instance, *form))
        continue;
      if (instance->statements.size() > 1) {
        FailureOr<SmallVector<Operation *>> parts = splitAround(cast<nn::CustomOp>(op), *instance, number, why);
        if (failed(parts))
          return declined(op, rule, why);
        open.append(*parts);
        return;
      }
      return rewrite(op, *instance, *form);
    }
  }

  /// Whether the product is another one than it is by now, and pays for what has to be moved.
  static bool isWorthwhile(Operation *op, const eq::Instance &instance, const ProductForm &form) {
    ProductPlan plan = planOf(form, instance, op);
    if (plan.name == nn::definitionOf(op)->name || !plan.reuses)
      return false;
    if (form.kind == ProductForm::Kind::Matrix && isTakenAsIs(form, instance, op) && plan.moved != 0)
      return false;
    int64_t products = 1;
    for (const Extent &extent : form.loops)
      products = std::min<int64_t>(products * std::max<int64_t>(typicalSize(extent), 1), int64_t(1) << 50);
    if (plan.moved <= products / productsPerMove)
      return true;
    declined(op, rule, "its operands would take longer to be moved than what is computed with them");
    return false;
  }

  void rewrite(Operation *op, const eq::Instance &instance, const ProductForm &form) {
    OpBuilder builder(op);
    std::string why;
    Value y = buildProduct(builder, op, instance, form, planOf(form, instance, op), why);
    if (!y || y.getType() != op->getResult(0).getType())
      return declined(op, rule, why.empty() ? "its result would have another type" : why);
    applied(op, rule);
    ++normalized;
    op->getResult(0).replaceAllUsesWith(y);
    eraseDead(op);
  }
};

} // namespace
