//===- ExpandConvTranspose.cpp - transposed convolutions as convolutions ---===//
#include "kumiko/Equation/Rule.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Optimize/ConstantTensor.h"
#include "kumiko/Optimize/ConvTransposeColumns.h"
#include "kumiko/Optimize/Erase.h"
#include "kumiko/Optimize/GraphBuilder.h"
#include "kumiko/Optimize/NarrowConstant.h"
#include "kumiko/Optimize/Passes.h"
#include "kumiko/Optimize/Remark.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kumiko {
#define GEN_PASS_DEF_EXPANDCONVTRANSPOSEPASS
#include "kumiko/Optimize/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;

constexpr llvm::StringLiteral rule = "expand_conv_transpose";

/// Taps that no phase has are multiplied all the same; so many times the real ones at most.
constexpr int64_t mostWaste = 4;
/// Features from which on a product of their own is as good as one of more.
constexpr int64_t fullVector = 16;

namespace {

/// The numbers of one transposed convolution. Along each spatial dimension, with o + lo = q * stride + p:
///
///   y[o] = sum over j of x[q - j] * w[j * stride + p]
///
/// so each phase p is a convolution with every stride-th tap, in reverse order, and they differ in their taps only.
struct Phases {
  SmallVector<int64_t, 3> stride, kernel, taps; ///< taps of a phase
  SmallVector<Extent, 4> lo, out;
  int64_t groups = 1, phases = 1;
};

class ConvTransposeRewrite {
public:
  explicit ConvTransposeRewrite(nn::ConvTransposeOp op) : b(op), g(b, op.getLoc()), op(op) {}

  OpBuilder b;
  GraphBuilder g;

  /// The result, and in `replaced` the op whose result it is: the last of those that work on each element alone behind
  /// the convolution, and have been moved in front of the places that its phases go to.
  Value run(Operation *&replaced) {
    replaced = op;
    if (!readNumbers())
      return {};
    std::optional<Tensor> known = knownTensor(op.getW());
    if (!known)
      return refuse("its weights are not constant");
    std::optional<Tensor> weights = phaseWeights(*known);
    if (!weights)
      return {};
    bool early = m.groups == 1 && cutsOnly();
    Value z = cropped(m.groups == 1 ? inRows(*weights, early, replaced) : sideBySide(convolved(std::move(*weights))));
    if (Value bias = op.getBias(); bias && z && !early)
      z = g.make("add", {z, bias});
    return channel() == rank() - 1 ? z : permuted(z, channelsFirst());
  }

private:
  int64_t channel() { return op.getChannel(); }
  int64_t rank() const { return m.stride.size() + 2; }

  bool readNumbers() {
    auto weights = cast<RankedTensorType>(op.getW().getType());
    auto stride = dyn_cast<DenseI64ArrayAttr>(op.getStrideAttr()),
         dilation = dyn_cast<DenseI64ArrayAttr>(op.getDilationAttr());
    std::optional<SmallVector<Extent, 4>> lo = nn::extentsOf(op.getLoAttr()), out = nn::extentsOf(op.getOutAttr());
    if (!stride || !dilation || !lo || !out || !weights.hasStaticShape() || weights.getNumElements() == 0)
      return refuse("its window is not known"), false;
    if (llvm::any_of(stride.asArrayRef(), [](int64_t step) { return step < 1; }))
      return refuse("its stride is not above 0"), false;
    if (llvm::any_of(dilation.asArrayRef(), [](int64_t step) { return step != 1; }))
      return refuse("its window is dilated"), false;
    m.groups = op.getGroup();
    m.lo = *lo;
    m.out = *out;
    int64_t real = 1, done = 1;
    for (auto [step, kernel] : llvm::zip_equal(stride.asArrayRef(), weights.getShape().drop_front(2))) {
      m.stride.push_back(step);
      m.kernel.push_back(kernel);
      m.taps.push_back((kernel + step - 1) / step);
      m.phases *= step;
      real *= kernel;
      done *= step * m.taps.back();
    }
    return done <= mostWaste * real ? true : (refuse("its stride is much longer than its window"), false);
  }

  /// w((g, c), f, k...) as v((g, p..., f), c, j...) = w((g, c), f, (taps - 1 - j) * stride + p...).
  std::optional<Tensor> phaseWeights(const Tensor &w) {
    int64_t channels = w.shape()[0] / m.groups, features = w.shape()[1], bytes = bytesOf(w.element());
    SmallVector<int64_t> shape{m.groups * m.phases * features, channels};
    llvm::append_range(shape, m.taps);
    llvm::Expected<Tensor> v = Tensor::zeros(w.element(), shape);
    if (!v)
      return refuse(llvm::toString(v.takeError())), std::nullopt;
    int64_t taps = product(SmallVector<Extent>(m.taps.begin(), m.taps.end())).value();
    int64_t window = product(SmallVector<Extent>(m.kernel.begin(), m.kernel.end())).value();
    for (int64_t p = 0; p < m.phases; ++p)
      for (int64_t j = 0; j < taps; ++j) {
        std::optional<int64_t> k = placeInWindow(p, j);
        for (int64_t group = 0; k && group < m.groups; ++group)
          for (int64_t f = 0; f < features; ++f)
            for (int64_t c = 0; c < channels; ++c) {
              int64_t to = (((group * m.phases + p) * features + f) * channels + c) * taps + j;
              int64_t from = ((group * channels + c) * features + f) * window + *k;
              std::memcpy(v->mutableData() + to * bytes, w.data() + from * bytes, bytes);
            }
      }
    return std::move(*v);
  }

  /// The convolution with the phases of `weights`.
  Value convolved(Tensor weights, Value bias = Value()) {
    size_t spatial = m.stride.size();
    SmallVector<int64_t> ones(spatial, 1), around;
    for (int64_t taps : m.taps)
      around.push_back(taps - 1);
    Value x = channel() == rank() - 1 ? op.getX() : permuted(op.getX(), channelsLast());
    Value w = createConstant(b, op.getLoc(), std::move(weights), "phases");
    SmallVector<Value> operands{x, w};
    if (bias)
      operands.push_back(bias);
    return g.make("conv", operands,
                  {list("stride", ones), list("dilation", ones), list("lo", around), list("hi", around),
                   number("group", m.groups), number("channel", spatial + 1)});
  }

  //===--- one group: phases of a row lie side by side as they are --------------------------------===//

  /// y(n, (q, p)..., f) row by row. The features (p, f) of the last dimension's phases are where they belong; those of
  /// the other dimensions are parts, which follow each other. Where `early` says so, the bias is added before, and what
  /// works on each element alone behind it is computed before, too.
  Value inRows(const Tensor &weights, bool early, Operation *&replaced) {
    int64_t features = weights.shape()[0] / m.phases, row = features * m.stride.back(),
            parts = m.phases / m.stride.back();
    // Features that do not fill a vector are computed with those of the other parts.
    bool together = row < fullVector;
    int64_t joint = together ? parts : 1;
    Value bias = early ? repeated(op.getBias(), m.stride.back() * joint) : Value();
    SmallVector<Follower> followers;
    if (early && !together)
      followers = followersOf(replaced, features, m.stride.back());
    SmallVector<Value> made;
    for (int64_t part = 0; part < parts; part += joint) {
      std::optional<Tensor> rows = rowsOf(weights, part * row, joint * row);
      Value z = rows ? convolved(std::move(*rows), bias) : Value();
      for (const Follower &follower : followers) {
        auto operands = llvm::map_to_vector(follower.operands, [&](Value each) { return each ? each : z; });
        if (z)
          z = g.make(follower.op->getName().getStringRef(), operands, llvm::to_vector(follower.op->getAttrs()));
      }
      if (!z)
        return z;
      for (int64_t inside = 0; inside < joint; ++inside)
        made.push_back(joint == 1 ? z : channelsOf(z, inside * row, row));
    }
    return joined(std::move(made), features);
  }

  Value repeated(Value bias, int64_t times) {
    return bias && times > 1 ? g.make("concat", SmallVector<Value>(times, bias), {number("axis", 0)}) : bias;
  }

  /// An op that works on each element of the result alone, perhaps together with a constant per feature.
  struct Follower {
    Operation *op;
    SmallVector<Value, 2> operands; ///< null where the element goes
  };

  /// Such ops behind `last`, one after the other, as long as nobody else reads what is in between.
  SmallVector<Follower> followersOf(Operation *&last, int64_t features, int64_t times) {
    SmallVector<Follower> followers;
    while (last->getNumResults() == 1 && last->hasOneUse()) {
      Operation *next = *last->user_begin();
      const eq::OpDef *def = nn::definitionOf(next);
      if (!def || next->getNumOperands() != def->operands.size() || !eq::isElementwise(*def) ||
          next->getResult(0).getType() != op.getY().getType())
        break;
      Follower follower{next, {}};
      for (Value operand : next->getOperands()) {
        bool isChain = operand == last->getResult(0);
        follower.operands.push_back(isChain ? Value() : perFeature(operand, features, times));
        if (!isChain && !follower.operands.back())
          return followers;
      }
      followers.push_back(follower);
      last = next;
    }
    return followers;
  }

  /// A constant with a number per feature, or one for all, as it is beside `times` phases; null for other values.
  Value perFeature(Value value, int64_t features, int64_t times) {
    auto type = cast<RankedTensorType>(value.getType());
    int64_t place = channel() - (rank() - type.getRank());
    auto constant = value.getDefiningOp<nn::ConstantOp>();
    if (!constant || constant->getBlock() != op->getBlock() || type.getRank() > rank())
      return {};
    // It is read in front of the convolution from now on.
    if (!constant->isBeforeInBlock(op))
      constant->moveBefore(op);
    if (type.getNumElements() == 1)
      return g.scalar(value);
    if (type.getNumElements() != features || place < 0 || type.getDimSize(place) != features)
      return {};
    return repeated(g.reshape(value, ArrayRef<int64_t>(features)), times);
  }

  std::optional<Tensor> rowsOf(const Tensor &weights, int64_t first, int64_t count) {
    SmallVector<int64_t> shape(weights.shape());
    shape[0] = count;
    llvm::Expected<Tensor> rows = Tensor::zeros(weights.element(), shape);
    if (!rows)
      return refuse(llvm::toString(rows.takeError())), std::nullopt;
    int64_t bytes = bytesOf(weights.element());
    for (int64_t extent : ArrayRef(shape).drop_front())
      bytes *= extent;
    std::memcpy(rows->mutableData(), weights.data() + first * bytes, count * bytes);
    return std::move(*rows);
  }

  Value channelsOf(Value z, int64_t first, int64_t count) {
    SmallVector<Extent, 4> out = nn::extentsOf(cast<RankedTensorType>(z.getType()));
    SmallVector<int64_t> start(out.size(), 0), step(out.size(), 1);
    start.back() = first;
    out.back() = count;
    return g.make(
        "slice", {z},
        {list("start", start), list("step", step), b.getNamedAttr("out", nn::numbersAttr(b.getContext(), out))});
  }

  /// Parts by the phases of all dimensions but the last, the innermost of which follow each other first.
  Value joined(SmallVector<Value> parts, int64_t features) {
    if (!parts.front())
      return {};
    SmallVector<Extent> shape(nn::extentsOf(cast<RankedTensorType>(parts.front().getType()))), whole{shape[0]};
    for (size_t d = 0; d < m.stride.size(); ++d)
      whole.push_back(shape[1 + d] * m.stride[d]);
    whole.push_back(features);
    for (size_t d = m.stride.size() - 1; d-- > 0;) {
      shape.insert(shape.begin() + d + 2, Extent(1));
      SmallVector<Value> outer;
      for (size_t first = 0; first < parts.size(); first += m.stride[d]) {
        auto rows = llvm::map_to_vector(ArrayRef(parts).slice(first, m.stride[d]),
                                        [&](Value part) { return g.reshape(part, shape); });
        outer.push_back(rows.size() == 1 ? rows[0] : g.make("concat", rows, {number("axis", d + 2)}));
        if (!outer.back())
          return {};
      }
      shape[d + 2] = m.stride[d];
      parts = std::move(outer);
    }
    return g.reshape(parts.front(), whole);
  }

  //===--- several groups -------------------------------------------------------------------------===//

  /// The flat place in the window of tap number `tap` of phase number `phase`, both flat; nothing for a tap that the
  /// phase does not have.
  std::optional<int64_t> placeInWindow(int64_t phase, int64_t tap) const {
    int64_t place = 0, scale = 1;
    for (size_t d = m.stride.size(); d-- > 0;) {
      int64_t k = (m.taps[d] - 1 - tap % m.taps[d]) * m.stride[d] + phase % m.stride[d];
      if (k >= m.kernel[d])
        return std::nullopt;
      place += k * scale;
      scale *= m.kernel[d];
      tap /= m.taps[d];
      phase /= m.stride[d];
    }
    return place;
  }

  /// z(n, q..., (g, p..., f)) as y(n, (q, p)..., (g, f)).
  Value sideBySide(Value z) {
    if (!z)
      return z;
    size_t spatial = m.stride.size();
    SmallVector<Extent, 4> shape = nn::extentsOf(cast<RankedTensorType>(z.getType()));
    Extent features = floorDiv(shape.back(), m.groups * m.phases);
    SmallVector<Extent> apart(shape.begin(), shape.end() - 1), joined{shape[0]};
    apart.push_back(m.groups);
    apart.append(m.stride.begin(), m.stride.end());
    apart.push_back(features);
    SmallVector<int64_t> perm{0};
    for (size_t d = 0; d < spatial; ++d) {
      perm.append({int64_t(1 + d), int64_t(2 + spatial + d)});
      joined.push_back(shape[1 + d] * m.stride[d]);
    }
    perm.append({int64_t(1 + spatial), int64_t(2 + 2 * spatial)});
    joined.push_back(features * m.groups);
    return g.reshape(permuted(g.reshape(z, apart), perm), joined);
  }

  /// What is missing behind the last phase along spatial dimension `d`; less than 0 where there is more.
  Extent missing(size_t d) {
    Extent in = nn::extentsOf(cast<RankedTensorType>(op.getX().getType()))[channel() == rank() - 1 ? 1 + d : 2 + d];
    return m.lo[d] + m.out[d] - (in + (m.taps[d] - 1)) * m.stride[d];
  }

  /// Whether the result is all in what the phases make.
  bool cutsOnly() {
    return llvm::all_of(llvm::seq<size_t>(0, m.stride.size()),
                        [&](size_t d) { return m.lo[d].knownNonNegative() && (-missing(d)).knownNonNegative(); });
  }

  /// The part of z that is asked for; zeros where it has nothing.
  Value cropped(Value z) {
    if (!z)
      return z;
    SmallVector<Extent> lo{Extent(0)}, hi{Extent(0)};
    for (size_t d = 0; d < m.stride.size(); ++d) {
      lo.push_back(-m.lo[d]);
      hi.push_back(missing(d));
    }
    lo.push_back(0);
    hi.push_back(0);
    auto isZero = [](const Extent &amount) { return amount.is(0); };
    if (llvm::all_of(lo, isZero) && llvm::all_of(hi, isZero))
      return z;
    return g.make("pad", {z},
                  {b.getNamedAttr("lo", nn::numbersAttr(b.getContext(), lo)),
                   b.getNamedAttr("hi", nn::numbersAttr(b.getContext(), hi))});
  }

  SmallVector<int64_t> channelsLast() const {
    SmallVector<int64_t> perm{0};
    for (int64_t d = 2; d < rank(); ++d)
      perm.push_back(d);
    perm.push_back(1);
    return perm;
  }
  SmallVector<int64_t> channelsFirst() const {
    SmallVector<int64_t> perm{0, rank() - 1};
    for (int64_t d = 1; d + 1 < rank(); ++d)
      perm.push_back(d);
    return perm;
  }
  Value permuted(Value x, ArrayRef<int64_t> perm) { return x ? g.make("transpose", {x}, {list("perm", perm)}) : x; }

  NamedAttribute list(StringRef name, ArrayRef<int64_t> numbers) {
    return b.getNamedAttr(name, b.getDenseI64ArrayAttr(numbers));
  }
  NamedAttribute number(StringRef name, int64_t value) { return b.getNamedAttr(name, b.getI64IntegerAttr(value)); }
  Value refuse(const Twine &reason) {
    if (g.why.empty())
      g.why = reason.str();
    return {};
  }

  nn::ConvTransposeOp op;
  Phases m;
};

struct ExpandConvTranspose final : kumiko::impl::ExpandConvTransposePassBase<ExpandConvTranspose> {
  void runOnOperation() override {
    SmallVector<nn::ConvTransposeOp> ops;
    getOperation()->walk([&](nn::ConvTransposeOp op) { ops.push_back(op); });
    for (nn::ConvTransposeOp op : ops) {
      ConvTransposeRewrite rewrite(op);
      Operation *replaced = nullptr;
      Value y = rewrite.run(replaced);
      if (!y || y.getType() != op.getY().getType()) {
        GraphBuilder columns(rewrite.b, op.getLoc());
        replaced = op;
        y = convTransposeByColumns(op, rewrite.b, columns);
        if (!y || y.getType() != op.getY().getType()) {
          declined(op, rule, rewrite.g.why);
          continue;
        }
      }
      applied(op, rule);
      ++expanded;
      replaced->getResult(0).replaceAllUsesWith(y);
      eraseDead(replaced);
    }
  }
};

} // namespace
