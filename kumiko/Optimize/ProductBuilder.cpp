#include "kumiko/Optimize/ProductBuilder.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Optimize/ConstantTensor.h"
#include "kumiko/Optimize/GraphBuilder.h"
#include "kumiko/Optimize/NarrowConstant.h"
#include "kumiko/Optimize/Permute.h"
#include <cmath>

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;
using Token = ProductToken;
using Group = ProductPlan::Group;

namespace {

class Maker {
public:
  Maker(OpBuilder &b, Operation *op, const eq::Instance &instance, const ProductForm &form, const ProductPlan &plan)
      : g(b, op->getLoc()), b(b), op(op), instance(instance), form(form), plan(plan) {}

  GraphBuilder g;

  Value run() {
    for (const Group &group : plan.y)
      order.append(group.begin(), group.end());
    llvm::erase_if(order, [&](const Token &token) { return !llvm::is_contained(form.y.tokens, token); });
    Type element = typeOf(elementOf(form.y));
    bool isOne = elementOf(form.x) == elementOf(form.y) && elementOf(form.w) == elementOf(form.y);
    bool isNarrowProduct = plan.name.starts_with("integer");
    Type inside = isOne ? element : typeOf(form.element);
    const ProductTensor &first = plan.isSwapped ? form.w : form.x, &second = plan.isSwapped ? form.x : form.w;
    Value x = arranged(first, plan.x), w = arranged(second, plan.w);
    if (!isNarrowProduct) {
      x = g.cast(x, inside);
      w = g.cast(w, inside);
    }
    Value z;
    if (form.kind == ProductForm::Kind::Matrix)
      z = g.make(plan.name, {x, w});
    else
      z = form.kind == ProductForm::Kind::Convolution ? convolution(x, w) : transposedConvolution(x, w);
    if (!z || !fits(z))
      return {};
    return g.cast(putBack(z), element);
  }

private:
  ElementType elementOf(const ProductTensor &tensor) const { return instance.tensors[tensor.tensor].type.element; }
  Type typeOf(ElementType element) const { return nn::fromEquation(b.getContext(), element); }

  Value refuse(const Twine &reason) {
    if (g.why.empty())
      g.why = reason.str();
    return {};
  }

  static Extent extentIn(const ProductTensor &tensor, const Group &group) {
    Extent product = 1;
    for (auto [token, extent] : llvm::zip_equal(tensor.tokens, tensor.extents))
      if (llvm::is_contained(group, token))
        product *= extent;
    return product;
  }
  static SmallVector<Extent> extentsIn(const ProductTensor &tensor, ArrayRef<Group> groups) {
    return llvm::map_to_vector(groups, [&](const Group &group) { return extentIn(tensor, group); });
  }

  /// The part of an operand that is read, in the order of `groups`.
  Value arranged(const ProductTensor &tensor, ArrayRef<Group> groups) {
    Value x = nn::operandSlots(op)[instance.tensors[tensor.tensor].number];
    if (tensor.isCut) {
      SmallVector<Extent> start, out;
      SmallVector<int64_t> step;
      for (const ProductTensor::Cut &cut : tensor.cuts) {
        start.push_back(cut.start);
        step.push_back(cut.step);
        out.push_back(cut.out);
      }
      x = slice(x, start, step, out);
    }
    x = unflipped(g.reshape(x, tensor.extents), tensor);
    Permutation perm;
    for (auto [place, token] : llvm::enumerate(tensor.tokens))
      if (token.kind == Token::Kind::One)
        perm.push_back(place);
    for (const Group &group : groups)
      for (const Token &token : group)
        if (auto found = llvm::find(tensor.tokens, token); found != tensor.tokens.end())
          perm.push_back(found - tensor.tokens.begin());
    return x ? g.reshape(transposed(b, op->getLoc(), x, perm), extentsIn(tensor, groups)) : x;
  }

  Value unflipped(Value x, const ProductTensor &tensor) {
    SmallVector<Extent> start;
    SmallVector<int64_t> step;
    for (auto [token, extent] : llvm::zip_equal(tensor.tokens, tensor.extents)) {
      bool isFlipped = token.kind == Token::Kind::Tap && form.windows[token.number].isFlipped;
      start.push_back(isFlipped ? extent - Extent(1) : Extent(0));
      step.push_back(isFlipped ? -1 : 1);
    }
    return llvm::is_contained(step, -1) ? slice(x, start, step, tensor.extents) : x;
  }

  Value slice(Value x, ArrayRef<Extent> start, ArrayRef<int64_t> step, ArrayRef<Extent> out) {
    return g.make("slice", {x}, {numbers("start", start), list("step", step), numbers("out", out)});
  }

  /// Windows in the order of the plan.
  SmallVector<const ProductWindow *> windows() const {
    SmallVector<const ProductWindow *> windows;
    for (const Group &group : ArrayRef(plan.y).drop_front(2))
      windows.push_back(&form.windows[group[0].number]);
    return windows;
  }

  Value convolution(Value x, Value w) {
    SmallVector<int64_t> stride, dilation;
    SmallVector<Extent> lo, hi;
    for (const ProductWindow *window : windows()) {
      stride.push_back(window->stride);
      dilation.push_back(window->dilation);
      lo.push_back(-window->constant);
      Extent last = (window->out - Extent(1)) * Extent(window->stride) +
                    (window->taps - Extent(1)) * Extent(window->dilation) + window->constant;
      Extent behind = last - (window->image - Extent(1));
      // What is left behind the last window is not read.
      bool isLeft = !behind.isStatic() || (behind.value() <= 0 && -behind.value() < window->stride);
      hi.push_back(isLeft ? Extent(0) : behind);
      if (!lo.back().isStatic())
        return refuse("the border of a window is not known");
    }
    auto isNegative = [](const Extent &amount) { return amount.value() < 0; };
    bool isInteger = plan.name != "conv";
    if (isInteger || llvm::any_of(lo, isNegative) || llvm::any_of(hi, isNegative)) {
      x = padded(x, lo, hi);
      lo.assign(lo.size(), 0);
      hi.assign(hi.size(), 0);
    }
    SmallVector<NamedAttribute> attributes{list("stride", stride), list("dilation", dilation)};
    if (!isInteger)
      attributes.append({numbers("lo", lo), numbers("hi", hi)});
    return grouped({x, w}, attributes);
  }

  Value transposedConvolution(Value x, Value w) {
    SmallVector<int64_t> stride, dilation;
    SmallVector<Extent> lo, out, before, behind;
    for (const ProductWindow *window : windows()) {
      if (!window->constant.isStatic())
        return refuse("the border of a window is not known");
      stride.push_back(window->stride);
      dilation.push_back(window->dilation);
      lo.push_back(-window->constant);
      out.push_back(window->out);
      if (form.isPadded && !border(*window, before, behind))
        return {};
    }
    if ((form.isPadded || form.skipsZeros) && !isFinite(w)) {
      if (form.skipsZeros)
        return refuse("weights that are not known may be infinite, which counts where the other factor is chosen as 0");
      // A place beside the image is 0 times a weight, too.
      x = padded(x, before, behind);
      for (auto [amount, front, step] : llvm::zip_equal(lo, before, stride))
        amount += front * Extent(step);
    }
    return grouped({x, w},
                   {list("stride", stride), list("dilation", dilation), numbers("lo", lo), numbers("out", out)});
  }

  /// How far beside the image (result - tap * dilation - constant) / stride is read.
  bool border(const ProductWindow &window, SmallVectorImpl<Extent> &before, SmallVectorImpl<Extent> &behind) {
    Extent reach = Extent(window.dilation) * (window.taps - Extent(1)) + window.constant;
    Extent first = floorDiv(reach, window.stride),
           last = floorDiv(window.out - Extent(1) - window.constant, window.stride) - (window.image - Extent(1));
    if (!first.isStatic() || !last.isStatic())
      return refuse("the border of a window is not known"), false;
    before.push_back(std::max<int64_t>(0, first.value()));
    behind.push_back(std::max<int64_t>(0, last.value()));
    return true;
  }

  static bool isFinite(Value w) {
    std::optional<Tensor> known = knownTensor(w);
    return known && llvm::all_of(doublesOf(*known), [](double weight) { return std::isfinite(weight); });
  }

  Value grouped(ArrayRef<Value> operands, ArrayRef<NamedAttribute> given) {
    Extent groups = 1;
    for (auto [token, extent] : llvm::zip_equal(form.x.tokens, form.x.extents))
      if (token.kind == Token::Kind::Loop && llvm::is_contained(form.w.tokens, token) &&
          llvm::is_contained(form.y.tokens, token))
        groups *= extent;
    if (!groups.isStatic())
      return refuse("the number of groups is not known");
    SmallVector<NamedAttribute> attributes(given);
    attributes.push_back(b.getNamedAttr("group", b.getI64IntegerAttr(groups.value())));
    return g.make(plan.name, operands, attributes);
  }

  /// Zeros around the spatial dimensions; less where an amount is negative.
  Value padded(Value x, ArrayRef<Extent> before, ArrayRef<Extent> behind) {
    auto isZero = [](const Extent &amount) { return amount.is(0); };
    if (llvm::all_of(before, isZero) && llvm::all_of(behind, isZero))
      return x;
    SmallVector<Extent> lo(2, 0), hi(2, 0);
    llvm::append_range(lo, before);
    llvm::append_range(hi, behind);
    return g.make("pad", {x}, {numbers("lo", lo), numbers("hi", hi)});
  }

  bool fits(Value z) {
    auto type = cast<RankedTensorType>(z.getType());
    if (type == nn::tensorOf(extentsIn(form.y, plan.y), type.getElementType()))
      return true;
    return refuse("the result would end elsewhere"), false;
  }

  /// From the plan's order to that of the result.
  Value putBack(Value z) {
    SmallVector<Extent> apart;
    for (const Token &token : order)
      apart.push_back(extentIn(form.y, {token}));
    z = g.reshape(z, apart);
    Permutation perm;
    for (const Token &token : form.y.tokens)
      if (token.kind != Token::Kind::One)
        perm.push_back(llvm::find(order, token) - order.begin());
    return g.reshape(transposed(b, op->getLoc(), z, perm), instance.tensors[form.y.tensor].type.shape);
  }

  NamedAttribute list(StringRef name, ArrayRef<int64_t> values) {
    return b.getNamedAttr(name, b.getDenseI64ArrayAttr(values));
  }
  NamedAttribute numbers(StringRef name, ArrayRef<Extent> values) {
    return b.getNamedAttr(name, nn::numbersAttr(b.getContext(), values));
  }

  OpBuilder &b;
  Operation *op;
  const eq::Instance &instance;
  const ProductForm &form;
  const ProductPlan &plan;
  Group order; ///< of the result's dimensions, in the normal form
};

} // namespace

Value optimize::buildProduct(OpBuilder &builder, Operation *op, const eq::Instance &instance, const ProductForm &form,
                             const ProductPlan &plan, std::string &why) {
  Maker maker(builder, op, instance, form, plan);
  Value y = maker.run();
  why = maker.g.why;
  return y;
}
