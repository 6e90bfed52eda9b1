//===- ExpandConvTranspose.cpp - transposed convolutions as convolutions ---===//
#include "kumiko/Optimize/ConstantTensor.h"
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
using eq::Extent;

constexpr llvm::StringLiteral rule = "expand_conv_transpose";

/// Taps that no phase has are multiplied all the same; so many times the real ones at most.
constexpr int64_t mostWaste = 4;

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

  Value run() {
    if (!readNumbers())
      return {};
    std::optional<Tensor> known = knownTensor(op.getW());
    if (!known)
      return refuse("its weights are not constant");
    Value weights = phaseWeights(*known);
    if (!weights)
      return {};
    size_t spatial = m.stride.size();
    SmallVector<int64_t> ones(spatial, 1), around;
    for (int64_t taps : m.taps)
      around.push_back(taps - 1);
    Value x = channel() == int64_t(spatial) + 1 ? op.getX() : permuted(op.getX(), channelsLast());
    Value z = g.make("conv", {x, weights},
                     {list("stride", ones), list("dilation", ones), list("lo", around), list("hi", around),
                      number("group", m.groups), number("channel", spatial + 1)});
    z = cropped(sideBySide(z));
    if (Value bias = op.getBias(); bias && z)
      z = g.make("add", {z, bias});
    return channel() == int64_t(spatial) + 1 ? z : permuted(z, channelsFirst());
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
  Value phaseWeights(const Tensor &w) {
    int64_t channels = w.shape()[0] / m.groups, features = w.shape()[1], bytes = bytesOf(w.element());
    SmallVector<int64_t> shape{m.groups * m.phases * features, channels};
    llvm::append_range(shape, m.taps);
    llvm::Expected<Tensor> v = Tensor::zeros(w.element(), shape);
    if (!v)
      return refuse(llvm::toString(v.takeError()));
    int64_t taps = eq::product(SmallVector<Extent>(m.taps.begin(), m.taps.end())).value();
    int64_t window = eq::product(SmallVector<Extent>(m.kernel.begin(), m.kernel.end())).value();
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
    return createConstant(b, op.getLoc(), std::move(*v), "phases");
  }

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

  /// The part of z that is asked for; zeros where it has nothing.
  Value cropped(Value z) {
    if (!z)
      return z;
    SmallVector<Extent> lo{Extent(0)}, hi{Extent(0)};
    SmallVector<Extent, 4> shape = nn::extentsOf(cast<RankedTensorType>(z.getType()));
    for (size_t d = 0; d < m.stride.size(); ++d) {
      lo.push_back(-m.lo[d]);
      hi.push_back(m.lo[d] + m.out[d] - shape[1 + d]);
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
      Value y = rewrite.run();
      if (!y || y.getType() != op.getY().getType()) {
        declined(op, rule, rewrite.g.why);
        continue;
      }
      applied(op, rule);
      ++expanded;
      op.getY().replaceAllUsesWith(y);
      eraseDead(op);
    }
  }
};

} // namespace
