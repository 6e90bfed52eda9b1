#include "kumiko/Optimize/ProductPlan.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/TypicalSize.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;
using Token = ProductToken;
using Group = ProductPlan::Group;

/// For comparison only.
static int64_t countOf(ArrayRef<Extent> extents) {
  int64_t count = 1;
  for (const Extent &extent : extents)
    count = std::min<int64_t>(count * std::max<int64_t>(typicalSize(extent), 1), int64_t(1) << 40);
  return count;
}

static bool isNarrow(ElementType type) {
  return type == ElementType::I8 || type == ElementType::U8 || type == ElementType::I16;
}

bool optimize::isKnown(Operation *op, const eq::Instance &instance, const ProductTensor &factor) {
  const eq::Tensor &tensor = instance.tensors[factor.tensor];
  Value operand = tensor.role == eq::Tensor::Role::Operand ? nn::operandSlots(op)[tensor.number] : Value();
  return operand && operand.getDefiningOp<nn::ConstantOp>();
}

namespace {

class Planner {
public:
  Planner(const ProductForm &form, const eq::Instance &instance, Operation *op)
      : form(form), instance(instance), xKnown(isKnown(op, instance, form.x)), wKnown(isKnown(op, instance, form.w)) {}

  ProductPlan best() {
    ProductPlan best;
    best.moved = INT64_MAX;
    bool isMatrix = form.kind == ProductForm::Kind::Matrix;
    for (bool swapped : {false, true})
      for (unsigned choice = 0; choice < 48 && (isMatrix || !swapped); ++choice)
        if (ProductPlan plan = planned(swapped, choice); plan.moved < best.moved)
          best = std::move(plan);
    best.name = nameOf();
    best.reuses = reuses(best) && !best.name.empty() &&
                  llvm::none_of(form.loops, [](const Extent &extent) { return extent.is(0); });
    return best;
  }

private:
  static bool has(const ProductTensor &tensor, const Token &token) { return llvm::is_contained(tensor.tokens, token); }

  /// Loops that `in` and `also` have and `without` has not, in the order of `order`.
  static Group select(const ProductTensor &order, const ProductTensor &in, const ProductTensor &also,
                      const ProductTensor *without) {
    Group group;
    for (const Token &token : order.tokens)
      if (token.kind == Token::Kind::Loop && has(in, token) && has(also, token) && (!without || !has(*without, token)))
        group.push_back(token);
    return group;
  }

  ProductPlan planned(bool swapped, unsigned choice) const {
    const ProductTensor &x = swapped ? form.w : form.x, &w = swapped ? form.x : form.w, &y = form.y;
    const ProductTensor *orders[] = {&y, &x, &w};
    Group batch;
    for (const Token &token : select(*orders[choice % 3], x, w, nullptr))
      if (has(y, token))
        batch.push_back(token);
    Group rows = select(choice / 3 % 2 ? x : y, x, y, &w), columns = select(choice / 6 % 2 ? w : y, w, y, &x),
          depth = select(choice / 12 % 2 ? w : x, x, w, &y);
    ProductPlan plan;
    plan.isSwapped = swapped;
    if (form.kind == ProductForm::Kind::Matrix)
      asMatrix(plan, batch, rows, columns, depth);
    else
      asWindows(plan, batch, rows, columns, depth, choice / 24 ? y : x);
    auto movedIn = [&](ArrayRef<Group> inX, ArrayRef<Group> inW, ArrayRef<Group> inY) {
      return moved(x, inX, swapped ? wKnown : xKnown) + moved(w, inW, swapped ? xKnown : wKnown) + moved(y, inY, false);
    };
    plan.moved = movedIn(plan.x, plan.w, plan.y);
    // A later pass may put channels and features last, where transposes meet their opposites.
    if (form.kind == ProductForm::Kind::Convolution)
      plan.moved = std::min(
          plan.moved, movedIn(featuresLast(plan.x, {1}), featuresLast(plan.w, {1, 0}), featuresLast(plan.y, {1})));
    return plan;
  }

  /// The first groups behind the others; one that is not among them stays in front.
  static SmallVector<Group, 6> featuresLast(ArrayRef<Group> groups, ArrayRef<unsigned> last) {
    SmallVector<Group, 6> order;
    if (last.size() == 1)
      order.push_back(groups[0]);
    llvm::append_range(order, groups.drop_front(2));
    for (unsigned number : last)
      order.push_back(groups[number]);
    return order;
  }

  static void asMatrix(ProductPlan &plan, const Group &batch, const Group &rows, const Group &columns,
                       const Group &depth) {
    for (const Token &token : batch)
      for (auto *groups : {&plan.x, &plan.w, &plan.y})
        groups->push_back({token});
    // Without a batch there may be any number of rows' dimensions.
    SmallVector<Group> apart;
    for (const Token &token : rows)
      apart.push_back({token});
    if (!batch.empty() || rows.empty())
      apart = {rows};
    llvm::append_range(plan.x, apart);
    llvm::append_range(plan.y, apart);
    plan.x.push_back(depth);
    plan.w.append({depth, columns});
    plan.y.push_back(columns);
  }

  void asWindows(ProductPlan &plan, const Group &batch, const Group &rows, const Group &columns, const Group &depth,
                 const ProductTensor &order) const {
    Group inside(batch), outside(batch);
    llvm::append_range(inside, depth);
    llvm::append_range(outside, columns);
    plan.x.append({rows, inside});
    plan.y.append({rows, outside});
    if (form.kind == ProductForm::Kind::Convolution)
      plan.w.append({outside, depth});
    else
      plan.w.append({inside, columns});
    SmallVector<unsigned> numbers;
    for (const Token &token : order.tokens)
      if (token.kind == Token::Kind::Window)
        numbers.push_back(token.number);
    for (unsigned number = 0; number < form.windows.size(); ++number)
      if (!llvm::is_contained(numbers, number))
        numbers.push_back(number);
    for (unsigned number : numbers) {
      plan.x.push_back({{Token::Kind::Window, number}});
      plan.y.push_back({{Token::Kind::Window, number}});
      plan.w.push_back({{Token::Kind::Tap, number}});
    }
  }

  /// Elements that are copied to bring a tensor into its order.
  int64_t moved(const ProductTensor &tensor, ArrayRef<Group> groups, bool isKnown) const {
    if (isKnown)
      return 0;
    SmallVector<Token> from, to;
    for (auto [token, extent] : llvm::zip_equal(tensor.tokens, tensor.extents))
      if (!extent.is(1))
        from.push_back(token);
    for (const Group &group : groups)
      llvm::copy_if(group, std::back_inserter(to), [&](const Token &token) { return llvm::is_contained(from, token); });
    bool isFlipped = llvm::any_of(from, [&](const Token &token) {
      return token.kind == Token::Kind::Tap && form.windows[token.number].isFlipped;
    });
    return tensor.isCut || isFlipped || from != to ? countOf(tensor.extents) : 0;
  }

  bool isNarrowProduct() const {
    return form.element == ElementType::I32 && instance.tensors[form.y.tensor].type.element == ElementType::I32 &&
           isNarrow(instance.tensors[form.x.tensor].type.element) &&
           isNarrow(instance.tensors[form.w.tensor].type.element);
  }

  /// Empty where no op does it. Wide integers have no tile.
  StringRef nameOf() const {
    bool isFloatProduct = isFloat(form.element);
    switch (form.kind) {
    case ProductForm::Kind::Matrix:
      return isFloatProduct ? "matmul" : isNarrowProduct() ? "integer_matmul" : "";
    case ProductForm::Kind::Convolution:
      return isFloatProduct ? "conv" : isNarrowProduct() ? "integer_conv" : "";
    case ProductForm::Kind::Transposed:
      return isFloatProduct ? "conv_transpose" : "";
    }
    llvm_unreachable("all kinds are listed");
  }

  /// More than one row and more than one column.
  bool reuses(const ProductPlan &plan) const {
    auto countIn = [&](const ProductTensor &mine, const ProductTensor &others) {
      SmallVector<Extent> extents;
      for (auto [token, extent] : llvm::zip_equal(mine.tokens, mine.extents))
        if (token.kind == Token::Kind::Window || (has(form.y, token) && !has(others, token)))
          extents.push_back(extent);
      return countOf(extents);
    };
    bool hasRows = countIn(form.x, form.w) > 1, hasColumns = countIn(form.w, form.x) > 1;
    return form.kind == ProductForm::Kind::Transposed || (hasRows && hasColumns);
  }

  const ProductForm &form;
  const eq::Instance &instance;
  bool xKnown, wKnown;
};

} // namespace

ProductPlan optimize::planOf(const ProductForm &form, const eq::Instance &instance, Operation *op) {
  return Planner(form, instance, op).best();
}
