//===- ExpandPadding.cpp - padding of windows becomes an op of its own -----===//
#include "kumiko/Equation/Access.h"
#include "kumiko/Nn/Build.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Optimize/Applied.h"
#include "kumiko/Optimize/ConstantTensor.h"
#include "kumiko/Optimize/Copy.h"
#include "kumiko/Optimize/Match.h"
#include "kumiko/Optimize/Passes.h"
#include "kumiko/Optimize/Remark.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kumiko {
#define GEN_PASS_DEF_EXPANDPADDINGPASS
#include "kumiko/Optimize/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;
using eq::Expr;

constexpr llvm::StringLiteral rule = "expand_padding";

namespace {

/// p[i] = x[i - lo] else value, for a whole operand.
struct Padding {
  unsigned slot = 0;
  unsigned operand = 0, padded = 0; ///< tensor numbers
  SmallVector<int64_t> lo, hi;
  double value = 0;
};

} // namespace

static std::optional<double> constantValue(const Expr &expr) {
  if (expr.kind == Expr::Kind::Real)
    return expr.real;
  if (expr.kind == Expr::Kind::Integer && !expr.symbolic)
    return double(expr.integer);
  return expr.kind == Expr::Kind::Cast ? constantValue(*expr.operands[0]) : std::nullopt;
}

/// The padding that the first statement is, if some amount of it is not 0 and none is negative.
static std::optional<Padding> paddingOf(const eq::Instance &instance) {
  if (instance.statements.empty())
    return std::nullopt;
  const eq::Statement &first = instance.statements[0];
  const Expr &read = *first.values[0];
  if (first.combine != eq::Combine::Set || first.targets.size() != 1 || first.computedLeft || first.into ||
      !first.conditions.empty() || read.kind != Expr::Kind::Read || !read.otherwise)
    return std::nullopt;
  std::optional<double> value = constantValue(*read.otherwise);
  const eq::Tensor &operand = instance.tensors[read.tensor];
  if (!value || operand.role != eq::Tensor::Role::Operand)
    return std::nullopt;
  Padding padding{operand.number, read.tensor, first.targets[0].tensor, {}, {}, *value};
  bool any = false;
  for (auto [index, target, extent] : llvm::zip_equal(read.operands, first.targets[0].indices, operand.type.shape)) {
    std::optional<eq::AffineIndex> affine = eq::affineIndex(*index, first.loops.size());
    if (!affine || target->kind != Expr::Kind::Loop || !affine->constant.isStatic())
      return std::nullopt;
    for (auto [loop, coefficient] : llvm::enumerate(affine->coefficients))
      if (!coefficient.is(loop == target->loop))
        return std::nullopt;
    const Extent &points = first.loops[target->loop].extent;
    int64_t lo = -affine->constant.value();
    Extent after = points - extent - Extent(lo);
    int64_t hi = after.isStatic() ? after.value() : -1;
    if (lo < 0 || hi < 0)
      return std::nullopt;
    any |= lo != 0 || hi != 0;
    padding.lo.push_back(lo);
    padding.hi.push_back(hi);
  }
  return any ? std::optional(padding) : std::nullopt;
}

/// The op without padding on the padded operand says what the op says after its first statement.
static bool saysTheSame(const eq::Instance &before, const eq::Instance &after, const Padding &padding) {
  if (before.statements.size() != after.statements.size() || before.tensors.size() != after.tensors.size())
    return false;
  const eq::Statement &copy = after.statements[0];
  if (copy.targets[0].tensor != padding.padded || !isPlainRead(after, copy, *copy.values[0]) ||
      copy.values[0]->tensor != padding.operand)
    return false;
  InstanceMatch match(before, after);
  for (auto [number, tensor] : llvm::enumerate(before.tensors))
    if ((tensor.role == eq::Tensor::Role::Operand && number != padding.operand) || number == padding.padded)
      match.place(number, llvm::to_vector(llvm::seq<unsigned>(0, tensor.type.shape.size())));
  // The operand itself has no placement, so a statement that still reads it does not match.
  for (auto [x, y] : llvm::zip_equal(ArrayRef(before.statements).drop_front(), ArrayRef(after.statements).drop_front()))
    if (!match.statements(x, y))
      return false;
  return true;
}

namespace {

struct ExpandPadding final : kumiko::impl::ExpandPaddingPassBase<ExpandPadding> {
  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      for (Operation &op : llvm::make_early_inc_range(block))
        if (isa<nn::EquationInterface>(op) && op.hasAttr("lo") && op.hasAttr("hi") && !op.use_empty())
          expand(&op);
  }

private:
  void expand(Operation *op) {
    const eq::OpDef *def = nn::definitionOf(op);
    llvm::Expected<eq::Instance> before = nn::instantiate(op, /*onlyUsedResults=*/true);
    if (!before)
      return llvm::consumeError(before.takeError());
    std::optional<Padding> padding = paddingOf(*before);
    if (!padding || before->statements.size() < 2)
      return;

    SmallVector<RankedTensorType, 4> types = slotTypes(op);
    SmallVector<Extent, 4> shape = nn::extentsOf(types[padding->slot]);
    for (auto [extent, lo, hi] : llvm::zip_equal(shape, padding->lo, padding->hi))
      extent += Extent(lo + hi);
    types[padding->slot] = nn::tensorOf(shape, types[padding->slot].getElementType());
    NamedAttrList attributes = equationAttributes(op, *def);
    Builder build(op->getContext());
    for (StringRef name : {"lo", "hi"}) {
      auto list = dyn_cast<DenseI64ArrayAttr>(op->getAttr(name));
      if (!list)
        return;
      attributes.set(name, build.getDenseI64ArrayAttr(SmallVector<int64_t>(list.size(), 0)));
    }
    llvm::Expected<eq::Instance> after = instantiateOn(*def, types, attributes, usedResults(op));
    if (!after)
      return declined(op, rule, llvm::toString(after.takeError()));
    if (!saysTheSame(*before, *after, *padding))
      return declined(op, rule, "its other statements depend on the padding");
    rewrite(op, *padding, attributes);
  }

  void rewrite(Operation *op, const Padding &padding, const NamedAttrList &attributes) {
    OpBuilder builder(op);
    SmallVector<Value, 4> operands = nn::operandSlots(op);
    SmallVector<Value, 2> padOperands{operands[padding.slot]};
    auto type = cast<RankedTensorType>(padOperands[0].getType());
    if (padding.value != 0) {
      Attribute value = isa<FloatType>(type.getElementType())
                            ? Attribute(FloatAttr::get(type.getElementType(), padding.value))
                            : IntegerAttr::get(type.getElementType(), int64_t(padding.value));
      auto dense = DenseElementsAttr::get(RankedTensorType::get({}, type.getElementType()), value);
      padOperands.push_back(nn::ConstantOp::create(builder, op->getLoc(), dense.getType(), dense));
    }
    std::string why;
    SmallVector<NamedAttribute> amounts{builder.getNamedAttr("lo", builder.getDenseI64ArrayAttr(padding.lo)),
                                        builder.getNamedAttr("hi", builder.getDenseI64ArrayAttr(padding.hi))};
    FailureOr<Operation *> pad = nn::buildEquationOp(builder, op->getLoc(), "pad", padOperands, amounts, why);
    if (failed(pad))
      return declined(op, rule, why);
    operands[padding.slot] = (*pad)->getResult(0);
    FailureOr<Operation *> built =
        nn::buildEquationOp(builder, op->getLoc(), op->getName().getStringRef(), operands, attributes.getAttrs(), why);
    if (failed(built))
      return (*pad)->erase(), declined(op, rule, why);
    applied(op, rule);
    for (auto [old, value] : llvm::zip_equal(op->getResults(), (*built)->getResults()))
      if (!old.use_empty())
        old.replaceAllUsesWith(value);
    op->erase();
    ++expanded;
  }
};

} // namespace
