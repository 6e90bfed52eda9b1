//===- ContractionShape.cpp - products, and the roles of their loops -------===//
#include "kumiko/Kernel/Arguments.h"
#include "kumiko/Kernel/KernelShape.h"
#include "kumiko/Lower/Exact.h"
#include "kumiko/Nn/Nn.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kumiko;

Extent ContractionShape::extentOf(ArrayRef<unsigned> loops) const {
  Extent product = 1;
  for (unsigned loop : loops)
    product *= extents[loop];
  return product;
}

Extent ContractionShape::partColumns() const {
  Extent all = extentOf(columns);
  return parts == 1 ? all : Extent(all.value() / parts);
}

Type ContractionShape::elementType() const { return getElementTypeOrSelf(linalg::GenericOp(op).getResultTypes()[0]); }

Extent kumiko::flopsOf(linalg::GenericOp op, KernelExtents &extents) {
  int64_t operations = 0;
  for (Operation &inner : op.getBody()->without_terminator())
    operations += !inner.hasTrait<OpTrait::ConstantLike>() && !isa<linalg::IndexOp>(inner);
  return product(extents.loopsOf(op)) * operations;
}

/// The block argument that `value` is, or is a float of 16 bits widened to f32; null for anything else.
static BlockArgument factorBehind(Value value) {
  auto wide = value.getDefiningOp<arith::ExtFOp>();
  if (wide && wide.getIn().getType().getIntOrFloatBitWidth() == 16 && value.getType().isF32())
    value = wide.getIn();
  return dyn_cast<BlockArgument>(value);
}

bool kumiko::isSumOfProducts(linalg::GenericOp op) {
  if (op.getNumDpsInputs() < 2 || op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0)
    return false;
  auto add = op.getBody()->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  BlockArgument accumulator = op.getRegionOutputArgs()[0];
  if (!add || !llvm::is_contained(add->getOperands(), Value(accumulator)))
    return false;
  Value other = add.getLhs() == accumulator ? add.getRhs() : add.getLhs();
  auto mul = other.getDefiningOp<arith::MulFOp>();
  if (!mul)
    return false;
  BlockArgument lhs = factorBehind(mul.getLhs()), rhs = factorBehind(mul.getRhs());
  auto helps = [&](Operation &inner) { return isa<arith::ExtFOp>(inner) || &inner == add || &inner == mul; };
  return lhs && rhs && lhs != rhs && llvm::all_of(op.getBody()->without_terminator(), helps);
}

/// The block argument that `value` is, widened from at most 16 bits; null for anything else.
static BlockArgument widenedArgument(Value value, bool &isSigned) {
  Operation *op = value.getDefiningOp();
  isSigned = isa_and_nonnull<arith::ExtSIOp>(op);
  if (!isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(op))
    return BlockArgument();
  auto argument = dyn_cast<BlockArgument>(op->getOperand(0));
  // Sixteen bits without a sign would not fit the signed products that machines have.
  unsigned bits = argument ? argument.getType().getIntOrFloatBitWidth() : 0;
  return bits == 8 || (bits == 16 && isSigned) ? argument : BlockArgument();
}

bool kumiko::isSumOfNarrowProducts(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0)
    return false;
  auto add = op.getBody()->getTerminator()->getOperand(0).getDefiningOp<arith::AddIOp>();
  BlockArgument accumulator = op.getRegionOutputArgs()[0];
  if (!add || !accumulator.getType().isInteger(32) || !llvm::is_contained(add->getOperands(), Value(accumulator)))
    return false;
  auto mul = (add.getLhs() == accumulator ? add.getRhs() : add.getLhs()).getDefiningOp<arith::MulIOp>();
  if (!mul || llvm::range_size(op.getBody()->without_terminator()) != 4)
    return false;
  bool isSigned = false;
  BlockArgument lhs = widenedArgument(mul.getLhs(), isSigned), rhs = widenedArgument(mul.getRhs(), isSigned);
  return lhs && rhs && lhs != rhs;
}

bool kumiko::describeFactors(ContractionShape &shape, std::string &why) {
  if (!shape.extentOf(shape.columns).isStatic() || !shape.extentOf(shape.depth).isStatic()) {
    why = "columns or depth of a contraction of integers are not known";
    return false;
  }
  for (Operation &inner : shape.op.getBody()->without_terminator()) {
    if (!isa<arith::ExtSIOp, arith::ExtUIOp>(inner))
      continue;
    auto argument = cast<BlockArgument>(inner.getOperand(0));
    bool isRow = argument.getArgNumber() == shape.rowOperand;
    (isRow ? shape.rowBits : shape.columnBits) = argument.getType().getIntOrFloatBitWidth();
    (isRow ? shape.rowSigned : shape.columnSigned) = isa<arith::ExtSIOp>(inner);
  }
  return true;
}

static bool usesLoop(AffineMap map, unsigned loop) { return map.isFunctionOfDim(loop); }

/// Whether they are many matrices of a few cache lines each, whose columns fill vectors: these are worth packing for
/// one row, unless sums are of few products.
static bool areSmallMatrices(const ContractionShape &shape) {
  constexpr int64_t fewProducts = 9, mostElements = 512, fewestColumns = 16;
  int64_t depth = typicalSize(shape.extentOf(shape.depth)), columns = typicalSize(shape.extentOf(shape.columns));
  return !shape.batch.empty() && depth > fewProducts && columns >= fewestColumns && depth * columns <= mostElements;
}

/// One row and columns that change from run to run: nothing is used twice. Where columns lie along the depth, lanes
/// along them would gather; a matrix of narrow integers would be packed for one row, however it lies.
static bool isMatrixTimesVector(const ContractionShape &shape) {
  linalg::GenericOp op = shape.op;
  Value matrix = op->getOperand(shape.columnOperand);
  BlockArgument argument = argumentBehind(matrix);
  auto kernel = op->getParentOfType<nn::KernelOp>();
  if (!shape.rows.empty() || !argument || !kernel || kernel.getArgAttr(argument.getArgNumber(), "nn.constant"))
    return false;
  if (isSumOfNarrowProducts(op) && !areSmallMatrices(shape))
    return true;
  for (AffineExpr expr : llvm::reverse(op.getIndexingMapsArray()[shape.columnOperand].getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || !shape.extents[dim.getPosition()].is(1))
      return dim && llvm::is_contained(shape.depth, dim.getPosition());
  }
  return false;
}

/// Elements side by side that are interleaved at most, and groups from which on lanes run along them.
constexpr int64_t mostInterleaved = 8, fewestGroups = 4;

/// The loop that walks along the innermost dimension of more than one element; nothing where several do.
static std::optional<unsigned> innermostLoop(AffineMap map, ArrayRef<Extent> loops, unsigned skipped = 0) {
  for (AffineExpr expr : llvm::reverse(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (dim && loops[dim.getPosition()].is(1))
      continue;
    if (!dim || skipped-- == 0)
      return dim ? std::optional(dim.getPosition()) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<FewPerGroup> kumiko::fewPerGroup(linalg::GenericOp op, ArrayRef<Extent> loops) {
  if (op.getNumResults() != 1 || op.getNumReductionLoops() == 0)
    return std::nullopt;
  AffineMap result = op.getIndexingMapsArray().back();
  std::optional<unsigned> few = innermostLoop(result, loops), groups = innermostLoop(result, loops, 1);
  if (!few || !groups || !loops[*few].isStatic() || loops[*few].value() > mostInterleaved ||
      typicalSize(loops[*groups]) < fewestGroups)
    return std::nullopt;
  unsigned along = 0, others = 0;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (op.getBody()->getArgument(input->getOperandNumber()).use_empty())
      continue;
    (!usesLoop(map, *few) && innermostLoop(map, loops) == groups ? along : others) += 1;
  }
  return along == 1 && others == 1 ? std::optional(FewPerGroup{*groups, *few}) : std::nullopt;
}

bool kumiko::assignRoles(ContractionShape &shape, std::string &why) {
  linalg::GenericOp op = shape.op;
  if (!shape.elementType().isF32() && !shape.elementType().isF64() && !isSumOfNarrowProducts(op)) {
    why = "the contraction is neither in f32 nor in f64 nor of narrow integers";
    return false;
  }
  SmallVector<unsigned> factors; // operand numbers of the two factors
  for (BlockArgument argument : op.getRegionInputArgs())
    if (!argument.use_empty())
      factors.push_back(argument.getArgNumber());
  if (factors.size() != 2) {
    why = "the contraction does not read two tensors";
    return false;
  }
  AffineMap result = op.getIndexingMapsArray().back();
  AffineMap maps[2] = {op.getIndexingMapsArray()[factors[0]], op.getIndexingMapsArray()[factors[1]]};

  // The result's innermost dimension that is longer than one gives the lanes, and with them the column operand.
  int lane = -1;
  for (AffineExpr expr : result.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr); dim && !shape.extents[dim.getPosition()].is(1))
      lane = dim.getPosition();
  if (lane < 0) {
    why = "the result has one element";
    return false;
  }
  bool inFirst = usesLoop(maps[0], lane), inSecond = usesLoop(maps[1], lane);
  if (inFirst == inSecond) {
    why = "both factors use the result's innermost dimension: there is no reuse along it";
    return false;
  }
  unsigned column = inFirst ? 0 : 1;
  shape.columnOperand = factors[column];
  shape.rowOperand = factors[1 - column];
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    if (shape.extents[loop].is(1))
      continue;
    bool inRow = usesLoop(maps[1 - column], loop), inColumn = usesLoop(maps[column], loop);
    bool kept = usesLoop(result, loop);
    // Columns other than the lanes' behave like a batch that the rows do not know of.
    if (kept)
      (int(loop) == lane ? shape.columns : inColumn ? shape.batch : shape.rows).push_back(loop);
    else if (inRow && inColumn)
      shape.depth.push_back(loop);
    else {
      why = "a reduced loop belongs to one factor only";
      return false;
    }
  }
  if (fewPerGroup(op, shape.extents)) {
    why = "each group has few columns, and one factor has the groups side by side";
    return false;
  }
  if (isMatrixTimesVector(shape)) {
    why = "nothing of the matrix is used twice";
    return false;
  }
  // Depth in the order in which the row operand lies in memory: width and channels of a window become one run.
  auto place = [&](unsigned loop) {
    for (auto [number, expr] : llvm::enumerate(maps[1 - column].getResults()))
      if (expr.isFunctionOfDim(loop))
        return number;
    return size_t(0);
  };
  llvm::sort(shape.depth, [&](unsigned a, unsigned b) { return std::pair(place(a), a) < std::pair(place(b), b); });
  return true;
}

bool kumiko::isContractionAlone(linalg::GenericOp op, KernelExtents &extents) {
  bool narrow = isSumOfNarrowProducts(op);
  if (!narrow && (op->hasAttr(exactAttribute) || !isSumOfProducts(op)))
    return false;
  ContractionShape shape;
  shape.op = op;
  shape.extents = extents.loopsOf(op);
  std::string why;
  return assignRoles(shape, why) && (!narrow || describeFactors(shape, why));
}
