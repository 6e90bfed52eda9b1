#include "kumiko/Optimize/ProductForm.h"
#include "kumiko/Equation/Class.h"
#include "kumiko/Optimize/ProductReads.h"

using namespace kumiko;
using namespace kumiko::optimize;
using eq::Expr;
using Token = ProductToken;

namespace {

using Index = ProductIndex;

class FormReader {
public:
  FormReader(const eq::Instance &instance, const eq::Statement &statement, std::string &why)
      : instance(instance), statement(statement), why(why) {
    for (const eq::Loop &loop : statement.loops)
      form.loops.push_back(loop.extent);
  }

  std::optional<ProductForm> read() {
    form.element = statement.values[0]->type;
    std::optional<ProductReads> found = productReadsOf(instance, statement, why);
    if (!found)
      return std::nullopt;
    reads = std::move(*found);
    form.y.tensor = reads.tensors[2];
    form.skipsZeros = reads.choosesZero;
    bool divides = llvm::any_of(reads.indices[0], isDivided) || llvm::any_of(reads.indices[1], isDivided);
    bool good = statement.computedLeft ? scattered() : divides ? gathered() : plain();
    return good && hasRoles() ? std::optional(std::move(form)) : std::nullopt;
  }

private:
  bool refuse(const llvm::Twine &reason) {
    if (why.empty())
      why = reason.str();
    return false;
  }
  static bool isDivided(const Index &index) { return index.isDivided(); }
  bool isKept(unsigned loop) const { return loop < statement.kept; }
  bool uses(unsigned side, unsigned loop) const {
    return llvm::any_of(reads.indices[side], [&](const Index &index) { return index.uses(loop); });
  }
  llvm::ArrayRef<Extent> shapeOf(unsigned tensor) const { return instance.tensors[tensor].type.shape; }

  //===--- dimensions -------------------------------------------------------------------------------===//

  /// A dimension that is one loop, a part of it, a tuple of loops, or one element.
  bool direct(ProductTensor &to, const Index &index, const Extent &extent, bool isPadded, bool mayCut) {
    ProductTensor::Cut cut{Extent(0), 1, extent};
    if (index.divisor != 1 || isPadded)
      return false;
    if (index.terms.size() > 1)
      return tuple(to, index, extent);
    Extent points = index.terms.empty() ? Extent(1) : form.loops[index.terms[0].first];
    Extent step = index.terms.empty() ? Extent(1) : index.terms[0].second;
    if (!step.isStatic())
      return false;
    if (!index.constant.is(0) || !step.is(1) || points != extent) {
      if (!mayCut)
        return false;
      cut = {index.constant, step.value(), points};
      to.isCut = true;
    }
    to.cuts.push_back(cut);
    to.add(index.terms.empty() ? Token() : Token{Token::Kind::Loop, index.terms[0].first}, points);
    return true;
  }

  /// (g, c): the first coefficient is the product of the extents behind it, and so on down to 1.
  bool tuple(ProductTensor &to, const Index &index, const Extent &extent) {
    auto terms = index.terms;
    llvm::SmallVector<unsigned> order;
    Extent below = 1;
    while (!terms.empty()) {
      auto next = llvm::find_if(terms, [&](const auto &term) { return term.second == below; });
      if (next == terms.end())
        return false;
      order.insert(order.begin(), next->first);
      below *= form.loops[next->first];
      terms.erase(next);
    }
    if (!index.constant.is(0) || below != extent)
      return false;
    to.cuts.push_back({Extent(0), 1, extent});
    for (unsigned loop : order)
      to.add({Token::Kind::Loop, loop}, form.loops[loop]);
    return true;
  }

  bool directTarget() {
    for (auto [index, extent] : llvm::zip_equal(reads.indices[2], shapeOf(form.y.tensor)))
      if (!direct(form.y, index, extent, /*isPadded=*/false, /*mayCut=*/false))
        return refuse("the result is written in part");
    return true;
  }

  bool directFactor(ProductTensor &to, unsigned side) {
    to.tensor = reads.tensors[side];
    for (auto [index, extent] : llvm::zip_equal(reads.indices[side], shapeOf(to.tensor)))
      if (!direct(to, index, extent, reads.padded[side], /*mayCut=*/true))
        return refuse("both factors are read through windows");
    return true;
  }

  /// Loops of a window: one that walks and one that is a tap, which the other factor has by itself.
  bool windowTerms(const Index &index, unsigned other, ProductWindow &window, Extent &walk, Extent &tap) {
    for (const auto &[loop, coefficient] : index.terms) {
      std::optional<unsigned> &place = isKept(loop) ? window.walk : window.tap;
      if (place || !coefficient.isStatic() || uses(other, loop) == isKept(loop))
        return refuse("an index of '" + instance.tensors[reads.tensors[1 - other]].name + "' is no window");
      place = loop;
      (isKept(loop) ? walk : tap) = coefficient;
    }
    window.constant = index.constant;
    window.taps = window.tap ? form.loops[*window.tap] : Extent(1);
    return true;
  }

  void addWindow(ProductTensor &to, ProductWindow window) {
    to.cuts.push_back({Extent(0), 1, window.image});
    to.add({Token::Kind::Window, unsigned(form.windows.size())}, window.image);
    form.windows.push_back(window);
  }

  /// Of the other tensors, loops of windows by their windows.
  void nameWindowLoops() {
    for (auto [number, window] : llvm::enumerate(form.windows))
      for (ProductTensor *tensor : {&form.x, &form.w, &form.y})
        for (Token &token : tensor->tokens) {
          if (token.kind != Token::Kind::Loop)
            continue;
          if (window.walk == token.number)
            token = {Token::Kind::Window, unsigned(number)};
          else if (window.tap == token.number)
            token = {Token::Kind::Tap, unsigned(number)};
        }
  }

  //===--- the three ways to write it -----------------------------------------------------------------===//

  /// Two loops of which one walks and the other is a tap. Where windows do not overlap they are a tuple as well.
  bool isWindow(const Index &index, unsigned side) const {
    return index.terms.size() == 2 && isKept(index.terms[0].first) != isKept(index.terms[1].first) &&
           llvm::all_of(index.terms,
                        [&](const auto &term) { return uses(1 - side, term.first) != isKept(term.first); });
  }

  bool isDirect(unsigned side) {
    ProductTensor trial;
    for (auto [index, extent] : llvm::zip_equal(reads.indices[side], shapeOf(reads.tensors[side])))
      if (isWindow(index, side) || !direct(trial, index, extent, reads.padded[side], /*mayCut=*/true))
        return false;
    return true;
  }

  bool plain() {
    unsigned image = isDirect(0) ? (isDirect(1) ? 2 : 1) : 0;
    if (!directTarget())
      return false;
    if (image == 2)
      return directFactor(form.x, 0) && directFactor(form.w, 1);
    form.kind = ProductForm::Kind::Convolution;
    form.isPadded = reads.padded[image];
    form.x.tensor = reads.tensors[image];
    for (auto [index, extent] : llvm::zip_equal(reads.indices[image], shapeOf(form.x.tensor)))
      if (!convolved(index, extent, image))
        return false;
    if (!directFactor(form.w, 1 - image))
      return false;
    nameWindowLoops();
    return true;
  }

  bool convolved(const Index &index, const Extent &extent, unsigned image) {
    bool isWhole = index.terms.size() == 1 && index.constant.is(0) && index.terms[0].second.is(1) &&
                   form.loops[index.terms[0].first] == extent;
    if (isWhole)
      return direct(form.x, index, extent, /*isPadded=*/false, /*mayCut=*/false);
    if (!isWindow(index, image) && direct(form.x, index, extent, reads.padded[image], /*mayCut=*/true))
      return true;
    ProductWindow window;
    Extent walk = 1, tap = 1;
    if (!windowTerms(index, 1 - image, window, walk, tap))
      return false;
    window.out = window.walk ? form.loops[*window.walk] : Extent(1);
    window.image = extent;
    window.stride = walk.value();
    window.dilation = tap.value();
    if (window.stride < 1 || !window.taps.isStatic())
      return refuse("a window walks backwards, or its taps are not known");
    if (window.dilation < 0) { // the first tap is the last
      window.constant += Extent(window.dilation) * (window.taps - Extent(1));
      window.dilation = -window.dilation;
      window.isFlipped = true;
    }
    addWindow(form.x, window);
    return true;
  }

  /// result = image * stride + tap * dilation + constant.
  bool scattered() {
    form.kind = ProductForm::Kind::Transposed;
    if (statement.into)
      return refuse("the result does not start from 0");
    // Taps of a window should lie side by side: phases are for these.
    unsigned image = 0;
    auto isDense = [&](unsigned side) {
      return llvm::all_of(reads.indices[2], [&](const Index &index) {
        return index.terms.size() < 2 ||
               llvm::all_of(
                   index.terms, [&](const auto &term) { return !uses(1 - side, term.first) || term.second.is(1); });
      });
    };
    if (!isDense(0) && isDense(1))
      image = 1;
    if (!directFactor(form.x, image) || !directFactor(form.w, 1 - image))
      return false;
    for (auto [index, extent] : llvm::zip_equal(reads.indices[2], shapeOf(form.y.tensor)))
      if (!scatteredTo(index, extent, image))
        return false;
    nameWindowLoops();
    return !form.windows.empty() || refuse("the result is written in part");
  }

  bool scatteredTo(const Index &index, const Extent &extent, unsigned image) {
    if (direct(form.y, index, extent, /*isPadded=*/false, /*mayCut=*/false))
      return true;
    ProductWindow window;
    window.constant = index.constant;
    window.out = extent;
    for (const auto &[loop, coefficient] : index.terms) {
      bool inImage = uses(image, loop), isBoth = inImage && uses(1 - image, loop);
      std::optional<unsigned> &place = inImage ? window.walk : window.tap;
      if (place || isBoth || !coefficient.isStatic() || coefficient.value() < 1)
        return refuse("an index of the result is no window");
      place = loop;
      (inImage ? window.stride : window.dilation) = coefficient.value();
      (inImage ? window.image : window.taps) = form.loops[loop];
    }
    form.y.add({Token::Kind::Window, unsigned(form.windows.size())}, extent);
    form.windows.push_back(window);
    return true;
  }

  /// image = (result - tap * dilation + constant) / stride.
  bool gathered() {
    form.kind = ProductForm::Kind::Transposed;
    unsigned image = llvm::any_of(reads.indices[0], isDivided) ? 0 : 1;
    if (llvm::any_of(reads.indices[1 - image], isDivided))
      return refuse("both factors are read through windows");
    form.x.tensor = reads.tensors[image];
    form.isPadded = reads.padded[image];
    if (!directTarget())
      return false;
    for (auto [index, extent] : llvm::zip_equal(reads.indices[image], shapeOf(form.x.tensor)))
      if (!gatheredFrom(index, extent, image))
        return false;
    if (!directFactor(form.w, 1 - image))
      return false;
    nameWindowLoops();
    return true;
  }

  bool gatheredFrom(const Index &index, const Extent &extent, unsigned image) {
    bool isWhole = index.terms.size() == 1 && index.constant.is(0) && index.terms[0].second.is(1) &&
                   form.loops[index.terms[0].first] == extent && !isDivided(index);
    if (isWhole)
      return direct(form.x, index, extent, /*isPadded=*/false, /*mayCut=*/false);
    ProductWindow window;
    Extent walk = 1, tap = -1;
    if (!windowTerms(index, 1 - image, window, walk, tap))
      return false;
    if (!walk.is(1) || tap.value() >= 0 || !window.walk)
      return refuse("an index is divided that is no place less a tap");
    window.stride = index.divisor;
    window.dilation = -tap.value();
    window.constant = -index.constant;
    window.image = extent;
    window.out = form.loops[*window.walk];
    addWindow(form.x, window);
    return true;
  }

  //===--- roles --------------------------------------------------------------------------------------===//

  /// Every loop is known to two of the three, at least.
  bool hasRoles() {
    auto knows = [](const ProductTensor &tensor, unsigned loop) {
      return llvm::is_contained(tensor.tokens, Token{Token::Kind::Loop, loop});
    };
    for (unsigned loop = 0; loop < form.loops.size(); ++loop) {
      int count = knows(form.x, loop) + knows(form.w, loop) + knows(form.y, loop);
      if (count == 1)
        return refuse("'" + statement.loops[loop].name + "' belongs to one factor alone");
    }
    return true;
  }

  const eq::Instance &instance;
  const eq::Statement &statement;
  std::string &why;
  ProductForm form;
  ProductReads reads;
};

} // namespace

std::optional<ProductForm> optimize::productFormOf(const eq::Instance &instance, const eq::Statement &statement,
                                                   std::string &why) {
  const Expr &value = *statement.values[0];
  bool isSum = statement.combine == eq::Combine::Sum && statement.targets.size() == 1 && !statement.continues &&
               value.kind == Expr::Kind::Apply && value.function == eq::Function::Mul;
  bool reuses = statement.computedLeft || eq::classify(statement) == eq::StatementClass::Contraction;
  return isSum && reuses ? FormReader(instance, statement, why).read() : std::nullopt;
}
