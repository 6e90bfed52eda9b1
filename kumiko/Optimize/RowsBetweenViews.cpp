//===- RowsBetweenViews.cpp - rows that were flattened and unfolded again --===//
//
//   r = reshape(x);  y = reshape(div(exp(r), reshape(reduce(exp(r), axes: 1))))
//
// where the first view joins (or splits) dimensions in front of the rows, and the last one undoes that: what lies in
// between works on rows, which neither view changes, and does not ask how they are numbered. It is done on x instead.
// A softmax of one op moves alone (ViewPatterns.cpp); one that is spelled in several ops must move as a whole, or views
// would stand between them.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Equation/Rule.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Optimize/GraphBuilder.h"
#include "kumiko/Optimize/Patterns.h"
#include "kumiko/Optimize/Remark.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;

namespace {

using Shape = SmallVector<Extent, 4>;

/// A norm in all its steps has about ten ops.
constexpr size_t mostOps = 32;

Shape shapeOf(Value value) { return nn::extentsOf(cast<RankedTensorType>(value.getType())); }

/// What stands above the view that ends it, from there up to views that begin it.
class RowRegion {
public:
  /// `behind` turns rows that are numbered by `flat` into rows that are numbered by `open`.
  explicit RowRegion(nn::ReshapeOp behind) : behind(behind) {
    Shape from = shapeOf(behind.getX()), to = shapeOf(behind.getY());
    size_t kept = 0;
    while (kept < std::min(from.size(), to.size()) && from[from.size() - 1 - kept] == to[to.size() - 1 - kept])
      ++kept;
    flat = Shape(ArrayRef(from).drop_back(kept));
    open = Shape(ArrayRef(to).drop_back(kept));
    rows = kept;
  }

  /// Whether all of it works on rows, some of it along them, and nothing else is made of it.
  bool find() {
    if (rows == 0 || flat.empty() || !isInRows(behind.getX()) || !works)
      return false;
    auto isInside = [&](Operation *user) { return user == behind || ops.contains(user); };
    return llvm::all_of(ops, [&](Operation *op) { return llvm::all_of(op->getUsers(), isInside); });
  }

  /// The same on rows that are numbered by `open`; null where an op does not fit after all.
  Value build(PatternRewriter &rewriter) {
    SmallVector<Operation *> order(ops.getArrayRef());
    llvm::sort(order, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    for (Operation *op : order) {
      GraphBuilder g(rewriter, op->getLoc());
      SmallVector<Value> operands;
      for (Value operand : op->getOperands())
        operands.push_back(opened(operand, restOf(op->getResult(0)).size(), g));
      Value made = isa<nn::ReshapeOp>(op) ? g.reshape(operands[0], withRows(open, restOf(op->getResult(0))))
                                          : g.make(op->getName().stripDialect(), operands, attributesOf(op, rewriter));
      if (!made)
        return {};
      done[op->getResult(0)] = made;
    }
    return done.lookup(behind.getX());
  }

private:
  /// The dimensions behind those that number the rows.
  ArrayRef<Extent> rest(ArrayRef<Extent> shape) const { return shape.drop_front(flat.size()); }
  Shape restOf(Value value) const { return Shape(rest(shapeOf(value))); }

  static Shape withRows(ArrayRef<Extent> numbers, ArrayRef<Extent> rest) {
    Shape shape(numbers);
    llvm::append_range(shape, rest);
    return shape;
  }

  bool hasRows(ArrayRef<Extent> shape) const {
    return shape.size() >= flat.size() && shape.take_front(flat.size()) == ArrayRef(flat);
  }

  /// Whether `view` begins the region: it turns rows numbered by `open` into rows numbered by `flat`.
  bool begins(nn::ReshapeOp view) const {
    return hasRows(shapeOf(view.getY())) && shapeOf(view.getX()) == withRows(open, restOf(view.getY()));
  }

  /// Whether `value`, over rows or a number per row, can be made of rows that are numbered otherwise.
  bool isInRows(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumResults() != 1 || op->getBlock() != behind->getBlock() || !hasRows(shapeOf(value)))
      return false;
    if (auto view = dyn_cast<nn::ReshapeOp>(op); (view && begins(view)) || ops.contains(op))
      return true;
    if (ops.size() == mostOps)
      return false;
    ops.insert(op);
    return isa<nn::ReshapeOp>(op) ? keepsRows(cast<nn::ReshapeOp>(op)) : worksOnRows(op);
  }

  /// Whether a view drops or adds dimensions of one element behind those that number the rows.
  bool keepsRows(nn::ReshapeOp view) {
    Shape from = shapeOf(view.getX());
    return hasRows(from) && product(rest(from)) == product(restOf(view.getY())) && isInRows(view.getX());
  }

  bool worksOnRows(Operation *op) {
    const eq::OpDef *def = isa<nn::EquationInterface>(op) ? nn::definitionOf(op) : nullptr;
    if (!def)
      return false;
    if (op->getNumOperands() == 1 && (op->hasAttr("axes") || op->hasAttr("axis"))) {
      works = true;
      return isBehindNumbers(op) && hasRows(shapeOf(op->getOperand(0))) && isInRows(op->getOperand(0));
    }
    return eq::isElementwise(*def) && llvm::all_of(op->getOperands(), [&](Value operand) {
             return isSame(operand, restOf(op->getResult(0)).size()) || isInRows(operand);
           });
  }

  /// Whether an op works along dimensions of the rows only.
  bool isBehindNumbers(Operation *op) const {
    auto inside = [&](int64_t axis) { return axis >= int64_t(flat.size()); };
    if (auto axis = op->getAttrOfType<IntegerAttr>("axis"))
      return inside(axis.getInt());
    auto axes = op->getAttrOfType<DenseI64ArrayAttr>("axes");
    return axes && llvm::all_of(axes.asArrayRef(), inside);
  }

  /// Whether an operand is the same for all rows: it has none of the dimensions that number them, or one row.
  bool isSame(Value operand, size_t rest) const {
    Shape shape = shapeOf(operand);
    if (shape.size() > rest && hasRows(shape) && shape.size() == flat.size() + rest)
      return false;
    size_t more = shape.size() > rest ? shape.size() - rest : 0;
    return llvm::all_of(ArrayRef(shape).take_front(more), [](const Extent &extent) { return extent.is(1); });
  }

  /// `operand` as the new op reads it.
  Value opened(Value operand, size_t rest, GraphBuilder &g) const {
    if (Value made = done.lookup(operand))
      return made;
    if (auto view = operand.getDefiningOp<nn::ReshapeOp>(); view && begins(view))
      return view.getX();
    Shape shape = shapeOf(operand);
    return shape.size() > rest ? g.reshape(operand, ArrayRef(shape).take_back(rest)) : operand;
  }

  SmallVector<NamedAttribute> attributesOf(Operation *op, Builder &b) const {
    int64_t more = int64_t(open.size()) - int64_t(flat.size());
    SmallVector<NamedAttribute> attributes;
    for (NamedAttribute attribute : op->getAttrs()) {
      if (attribute.getName() == "axis")
        attribute.setValue(b.getI64IntegerAttr(cast<IntegerAttr>(attribute.getValue()).getInt() + more));
      if (auto axes = dyn_cast<DenseI64ArrayAttr>(attribute.getValue()); axes && attribute.getName() == "axes")
        attribute.setValue(
            b.getDenseI64ArrayAttr(llvm::map_to_vector(axes.asArrayRef(), [&](int64_t axis) { return axis + more; })));
      attributes.push_back(attribute);
    }
    return attributes;
  }

  nn::ReshapeOp behind;
  Shape flat, open;
  size_t rows = 0;
  llvm::SetVector<Operation *> ops;
  DenseMap<Value, Value> done;
  bool works = false; ///< along rows
};

struct RowsBetweenViews final : OpRewritePattern<nn::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::ReshapeOp behind, PatternRewriter &rewriter) const override {
    RowRegion region(behind);
    if (!region.find())
      return rewriter.notifyMatchFailure(behind, "what it shows is not made row by row of another view");
    Value made = region.build(rewriter);
    if (!made || made.getType() != behind.getType())
      return failure();
    applied(behind, "rows_between_views", 1);
    rewriter.replaceOp(behind, made);
    return success();
  }
};

} // namespace

void optimize::addRowsBetweenViewsPattern(RewritePatternSet &patterns) {
  patterns.add<RowsBetweenViews>(patterns.getContext());
}
