//===- ConvTransposeColumns.cpp - transposed convolutions as products ------===//
#include "kumiko/Optimize/ConvTransposeColumns.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;

namespace {
class ColumnsRewrite {
public:
  ColumnsRewrite(nn::ConvTransposeOp op, OpBuilder &builder, GraphBuilder &g)
      : op(op), b(builder), g(g), weights(cast<RankedTensorType>(op.getW().getType())),
        input(cast<RankedTensorType>(op.getX().getType())), rank(input.getRank()), groups(op.getGroup()),
        last(int64_t(op.getChannel()) == rank - 1 && rank > 2) {}

  Value run() {
    if (!weights.hasStaticShape() || weights.getNumElements() == 0 || groups < 1)
      return Value();
    auto stride = dyn_cast<DenseI64ArrayAttr>(op.getStrideAttr());
    if (!stride || llvm::any_of(stride.asArrayRef(), [](int64_t step) { return step < 1; }))
      return Value();
    Type element = weights.getElementType();
    // Sums of what is narrow are rounded once, at the end.
    Type wide = element.isF16() || element.isBF16() ? b.getF32Type() : element;
    Value product = g.make("matmul", {rows(wide), pixels(wide)});
    Value y = image(product);
    if (Value bias = g.cast(op.getBias(), wide); bias && y)
      y = g.make("add", {y, g.reshape(bias, perFeature())});
    if (last && y)
      y = g.make("transpose", {y}, {list("perm", channelsLast())});
    return g.cast(y, element);
  }

private:
  int64_t features() const { return weights.getDimSize(1); }
  int64_t taps() const { return weights.getNumElements() / (weights.getDimSize(0) * features()); }

  /// w as (g, (f, k...), c).
  Value rows(Type wide) {
    int64_t channels = weights.getDimSize(0) / groups;
    Value w = g.reshape(g.cast(op.getW(), wide), ArrayRef<int64_t>{groups, channels, features() * taps()});
    return w ? g.make("transpose", {w}, {list("perm", ArrayRef<int64_t>{0, 2, 1})}) : w;
  }

  /// x as (n, g, c, (i...)).
  Value pixels(Type wide) {
    Value x = g.cast(op.getX(), wide);
    if (last && x)
      x = g.make("transpose", {x}, {list("perm", channelsFirst())});
    if (!x)
      return x;
    SmallVector<Extent, 4> shape = nn::extentsOf(cast<RankedTensorType>(x.getType()));
    size = SmallVector<Extent, 4>(shape.begin() + 2, shape.end());
    return g.reshape(x, ArrayRef<Extent>{shape[0], Extent(groups), floorDiv(shape[1], groups), product(size)});
  }

  /// The columns added up where they belong.
  Value image(Value columns) {
    if (!columns)
      return columns;
    SmallVector<Extent, 4> shape = nn::extentsOf(cast<RankedTensorType>(columns.getType()));
    columns = g.reshape(columns, ArrayRef<Extent>{shape[0], shape[1] * shape[2], shape[3]});
    SmallVector<int64_t> kernel(weights.getShape().drop_front(2));
    return g.make("col2im", {columns},
                  {b.getNamedAttr("image", op.getOutAttr()), list("kernel", kernel),
                   b.getNamedAttr("stride", op.getStrideAttr()), b.getNamedAttr("dilation", op.getDilationAttr()),
                   b.getNamedAttr("lo", op.getLoAttr()), b.getNamedAttr("out", nn::numbersAttr(b.getContext(), size))});
  }

  SmallVector<int64_t> perFeature() const {
    SmallVector<int64_t> shape(rank - 1, 1);
    shape[0] = groups * features();
    return shape;
  }
  SmallVector<int64_t> channelsLast() const {
    auto perm = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    std::rotate(perm.begin() + 1, perm.begin() + 2, perm.end());
    return perm;
  }
  SmallVector<int64_t> channelsFirst() const {
    auto perm = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    std::rotate(perm.begin() + 1, perm.end() - 1, perm.end());
    return perm;
  }
  NamedAttribute list(StringRef name, ArrayRef<int64_t> numbers) {
    return b.getNamedAttr(name, b.getDenseI64ArrayAttr(numbers));
  }

  nn::ConvTransposeOp op;
  OpBuilder &b;
  GraphBuilder &g;
  RankedTensorType weights, input;
  int64_t rank, groups;
  bool last; ///< channels stand at the end
  SmallVector<Extent, 4> size;
};
} // namespace

Value kumiko::optimize::convTransposeByColumns(nn::ConvTransposeOp op, OpBuilder &builder, GraphBuilder &g) {
  return ColumnsRewrite(op, builder, g).run();
}
