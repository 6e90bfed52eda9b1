//===- PointsParts.cpp - vectors that are interleaved where they are stored ---===//
//
// Lanes along a result's innermost dimension are not always the best ones. Where that is a few features of each
// channel, lanes run along the channels; where what is read moves on by one for every few elements, as under a
// transposed convolution, lanes are so many elements apart. In both cases several vectors are computed for each point,
// and woven into each other.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Codegen/Cpu/PieceEmitter.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// Elements of a plane that are woven, at most, and how far apart lanes may lie where no function is computed.
constexpr int64_t mostWoven = 16, farthestLanes = 8;

/// Elements that what is read moves on by one for, at most; and rows, whose code is all there at once.
constexpr int64_t mostPhases = 16, mostRowPhases = 8;
/// The same where nothing is summed up.
constexpr int64_t mostPairs = 4;
/// Elements that share a quotient: more of them fill a vector, or nearly so.
constexpr int64_t mostShared = 4;

/// Whether the last two dimensions become one and the others stay.
static bool joinsLastTwo(tensor::CollapseShapeOp op) {
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  return !groups.empty() && groups.back().size() == 2 &&
         llvm::all_of(ArrayRef(groups).drop_back(), [](const auto &group) { return group.size() == 1; });
}

/// Whether each element of `tensor` is made of the element of `reduced` at the same position; or at the position with
/// the last dimension cut in two, where `joined` says so.
static bool isMadeInPlace(Value tensor, Value reduced, bool joined = false) {
  if (tensor == reduced)
    return !joined;
  if (auto collapse = tensor.getDefiningOp<tensor::CollapseShapeOp>())
    return joined && joinsLastTwo(collapse) && isMadeInPlace(collapse.getSrc(), reduced);
  auto op = tensor.getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumReductionLoops() != 0 || !op.getIndexingMapMatchingResult(cast<OpResult>(tensor)).isIdentity())
    return false;
  bool found = false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!isMadeInPlace(input->get(), reduced, joined))
      continue;
    if (!op.getMatchingIndexingMap(input).isIdentity())
      return false;
    found = true;
  }
  return found;
}

bool PieceEmitter::allMadeInPlace(linalg::GenericOp op, bool joined) const {
  return llvm::all_of(targets, [&](const Target &target) {
    return op.getNumResults() == 1 ? isMadeInPlace(target.piece->source, op->getResult(0), joined)
                                   : !joined && target.piece->source.getDefiningOp() == op;
  });
}

int64_t PieceEmitter::woven() const {
  int64_t lines = partLines ? partLines->extent.value() : 1;
  return parts ? lines * parts->extent.value() : phases;
}

void PieceEmitter::takeFewPerGroup() {
  linalg::GenericOp op = onlyReduction(k);
  std::optional<FewPerGroup> found =
      op && !parts ? fewPerGroup(op, k.storage.extents.loopsOf(op)) : std::optional<FewPerGroup>();
  if (!found)
    return;
  AffineMap map = op.getIndexingMapMatchingResult(op->getResult(0));
  auto dimensionOf = [&](unsigned loop) -> unsigned {
    return llvm::find(map.getResults(), getAffineDimExpr(loop, op.getContext())) - map.getResults().begin();
  };
  unsigned few = dimensionOf(found->few), groups = dimensionOf(found->groups);
  Extents extents = k.storage.extents.loopsOf(op);
  if (allMadeInPlace(op) && !loops.empty() && lane.loop == few && loops.back().loop == groups) {
    parts = lane;
    lane = loops.pop_back_val();
  } else if (few + 1 == map.getNumResults() && groups + 1 == few && allMadeInPlace(op, /*joined=*/true) &&
             lane.loop == groups && lane.extent == extents[found->groups] * extents[found->few]) {
    phases = extents[found->few].value();
    lane.extent = extents[found->groups];
    joinsParts = true;
  } else {
    return;
  }
  groupSums = op;
}

void PieceEmitter::takeShortRows() {
  if (woven() != 1 || loops.empty() || !hasFunctions(k.body) || !lane.extent.isStatic() ||
      2 * lane.extent.value() > k.demand.lanes || typicalSize(loops.back().extent) < k.demand.lanes)
    return;
  line = loops.back();
  if (!interleaves())
    return;
  parts = lane;
  lane = loops.pop_back_val();
}

void PieceEmitter::takeShortPlanes() {
  if (woven() != 1 || loops.size() < 2 || !lane.extent.isStatic() || !loops.back().extent.isStatic())
    return;
  MergedLoop lines = loops.back(), planes = loops[loops.size() - 2];
  int64_t length = lane.extent.value(), total = length * lines.extent.value();
  bool isPlain = llvm::all_of(k.body.getOps<linalg::GenericOp>(), [](linalg::GenericOp op) {
    return op.getNumReductionLoops() == 0 && op.getBody()->getOps<tensor::ExtractOp>().empty();
  });
  if (!isPlain || sources->opaque.any() || total > mostWoven || 2 * length > k.demand.lanes ||
      typicalSize(planes.extent) < k.demand.lanes)
    return;
  auto isNear = [&](const Form &form) {
    Extent apart = form.coefficientOf(planes.loop);
    return apart.isStatic() && std::abs(apart.value()) <= (hasFunctions(k.body) ? total : farthestLanes);
  };
  Position position = loopNumbers();
  auto lieSideBySide = [&](const Target &target) {
    Form offset = offsetOf(*target.piece, position);
    return offset.coefficientOf(lane.loop).is(1) && offset.coefficientOf(lines.loop).is(length) &&
           offset.coefficientOf(planes.loop).is(total);
  };
  if (!llvm::all_of(sources->forms, isNear) || !llvm::all_of(targets, lieSideBySide))
    return;
  parts = lane;
  partLines = loops.pop_back_val();
  lane = loops.pop_back_val();
}

/// The number that the place along `dimension` of the result is divided by, in the body of `op`; 0 where there is none,
/// or several.
static int64_t divisorAlong(linalg::GenericOp op, unsigned dimension) {
  auto loop = dyn_cast<AffineDimExpr>(op.getIndexingMapsArray().back().getResult(dimension));
  int64_t found = 0;
  for (Operation &inner : op.getBody()->without_terminator()) {
    llvm::APInt divisor;
    if (!isa<arith::FloorDivSIOp, arith::DivUIOp>(inner) || !inner.getResult(0).getType().isIndex() ||
        !matchPattern(inner.getOperand(1), m_ConstantInt(&divisor)))
      continue;
    llvm::SetVector<Operation *> from;
    from.insert(&inner);
    for (size_t next = 0; next < from.size(); ++next)
      for (Value operand : from[next]->getOperands())
        if (Operation *maker = operand.getDefiningOp(); maker && maker->getBlock() == op.getBody())
          from.insert(maker);
    bool along = llvm::any_of(from, [&](Operation *each) {
      auto index = dyn_cast<linalg::IndexOp>(each);
      return index && loop && index.getDim() == loop.getPosition();
    });
    if (!along)
      continue;
    if (found != 0 && found != divisor.getSExtValue())
      return 0;
    found = divisor.getSExtValue();
  }
  return found;
}

/// Whether `op` reads something only where a quotient by `divisor` is exact.
static bool needsExactQuotient(linalg::GenericOp op, int64_t divisor) {
  return llvm::any_of(op.getBody()->getOps<arith::CmpIOp>(), [&](arith::CmpIOp compare) {
    auto product = compare.getLhs().getDefiningOp<arith::MulIOp>();
    llvm::APInt factor;
    return compare.getPredicate() == arith::CmpIPredicate::eq && product &&
           product.getLhs().getDefiningOp<arith::FloorDivSIOp>() &&
           matchPattern(product.getRhs(), m_ConstantInt(&factor)) && factor.getSExtValue() == divisor;
  });
}

/// Whether `op` takes the quotient and the remainder of a place by `divisor`: pairs side by side, and the like.
static bool takesRemainder(linalg::GenericOp op, int64_t divisor) {
  return llvm::any_of(op.getBody()->getOps<arith::RemUIOp>(), [&](arith::RemUIOp rest) {
    llvm::APInt by;
    return rest.getType().isIndex() && matchPattern(rest.getRhs(), m_ConstantInt(&by)) && by.getSExtValue() == divisor;
  });
}

/// Whether `op` reads at the quotient of a place by `divisor`: so many neighbours read the same.
static bool readsAtQuotient(linalg::GenericOp op, int64_t divisor) {
  return llvm::any_of(op.getBody()->getOps<tensor::ExtractOp>(), [&](tensor::ExtractOp extract) {
    Operation *quotient = extract.getIndices().empty() ? nullptr : extract.getIndices().back().getDefiningOp();
    llvm::APInt by;
    return isa_and_nonnull<arith::DivUIOp, arith::FloorDivSIOp>(quotient) &&
           matchPattern(quotient->getOperand(1), m_ConstantInt(&by)) && by.getSExtValue() == divisor;
  });
}

void PieceEmitter::takePhases() {
  linalg::GenericOp op;
  for (auto each : k.body.getOps<linalg::GenericOp>())
    if (each.getNumReductionLoops() != 0) {
      if (op)
        return;
      op = each;
    }
  bool reduces = op != nullptr;
  if (!op)
    op = targets.front().piece->source.getDefiningOp<linalg::GenericOp>();
  if (!op || parts || phases != 1 || op.getNumResults() != 1 || !allMadeInPlace(op))
    return;
  int64_t divisor = divisorAlong(op, lane.loop);
  bool pairs = divisor <= mostPairs && takesRemainder(op, divisor), shares = readsAtQuotient(op, divisor);
  if (!reduces && !pairs && shares && divisor > mostShared && divisor % int64_t(k.demand.lanes) != 0 &&
      lane.extent.isStatic())
    stretch = std::min(divisor, lane.extent.value());
  if (!reduces && !pairs && !(shares && divisor <= mostShared))
    return;
  // Of two halves there are only two lanes: vectors along each of them have more.
  int64_t fewest = pairs && divisor > 2 ? 3 : 2;
  if (divisor >= 2 && divisor <= mostPhases && lane.extent.isStatic() && lane.extent.value() >= fewest * divisor) {
    phases = divisor;
    leftOver = lane.extent.value() % phases;
    lane.extent = lane.extent.value() / phases;
  }
  int64_t rows = 1;
  for (MergedLoop &loop : llvm::reverse(loops)) {
    int64_t size = loop.extent.isStatic() ? divisorAlong(op, loop.loop) : 0;
    if (size < 2 || rows * size > mostRowPhases || !needsExactQuotient(op, size))
      return;
    rows *= size;
    int64_t left = loop.extent.value() % size;
    loop.extent = ceilDiv(loop.extent, size);
    rowPhases.push_back({loop, size, left});
  }
}

void PieceEmitter::rowsOfGroup(llvm::function_ref<void()> whole, size_t depth) {
  if (depth == rowPhases.size())
    return whole();
  const Group &group = rowPhases[depth];
  Form &place = point[group.groups.loop];
  Form number = place;
  auto inner = [&] { rowsOfGroup(whole, depth + 1); };
  for (int64_t n = 0; n < group.size; ++n) {
    place = number * group.size + Form(n);
    if (group.left == 0 || n < group.left) {
      inner();
      continue;
    }
    Value last = k.index(group.groups.extent - 1);
    k.onlyIf(arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::ne, k.demand.indexOf(number), last), inner);
  }
  place = number;
}

std::vector<Position> PieceEmitter::partsOfPoint() {
  std::vector<Position> positions(woven(), point);
  for (auto [n, position] : llvm::enumerate(positions)) {
    if (parts)
      position[parts->loop] = Form(int64_t(n) % parts->extent.value());
    if (partLines)
      position[partLines->loop] = Form(int64_t(n) / parts->extent.value());
    if (!parts && phases != 1)
      position[lane.loop] = point[lane.loop] * phases + Form(int64_t(n));
  }
  return positions;
}

void PieceEmitter::storeInterleaved() {
  std::vector<Position> positions = partsOfPoint();
  if (groupSums)
    return sumsAt(groupSums, positions);
  SmallVector<SmallVector<Value>> values(targets.size());
  for (const Position &position : positions)
    for (const auto &[target, made] : llvm::zip_equal(targets, values))
      made.push_back(k.demand.at(target.piece->source, position));
  storeParts(positions, values);
}

void PieceEmitter::storeParts(ArrayRef<Position> positions, ArrayRef<SmallVector<Value>> values) {
  size_t count = woven();
  for (size_t n = 0; n < positions.size(); n += count)
    for (const auto &[target, made] : llvm::zip_equal(targets, values)) {
      SmallVector<Form> offsets;
      for (const Position &position : positions.slice(n, count))
        offsets.push_back(offsetOf(*target.piece, position));
      if (offsets.front().lane.is(int64_t(count)) && k.demand.active.is(k.demand.lanes))
        k.askAhead(target.memref, offsets.front().atLane(0), int64_t(count) * k.demand.lanes);
      if (count > 1)
        k.demand.storeLanes(ArrayRef(made).slice(n, count), target.memref, offsets);
      else
        k.demand.store(made[n], target.memref, offsets[0]);
    }
}

void PieceEmitter::sumsAt(linalg::GenericOp op, ArrayRef<Position> positions) {
  std::vector<Position> summed(positions);
  if (joinsParts)
    for (auto [n, position] : llvm::enumerate(summed)) {
      int64_t part = n % phases;
      Form group = point[lane.loop];
      position.back() = group;
      position.push_back(Form(part));
    }
  SmallVector<Value> sums = alongSums ? k.demand.reduceAlong(op, summed) : k.demand.reduceTogether(op, summed);
  SmallVector<SmallVector<Value>> values(targets.size()); // of each target, at all positions
  size_t each = op.getNumResults();
  for (const auto &[n, position] : llvm::enumerate(positions)) {
    for (auto [reduced, sum] : llvm::zip_equal(op->getResults(), ArrayRef(sums).slice(n * each, each)))
      k.demand.fix(reduced, sum);
    for (const auto &[target, made] : llvm::zip_equal(targets, values))
      made.push_back(k.demand.at(target.piece->source, position));
    for (Value reduced : op->getResults())
      k.demand.unfix(reduced);
  }
  storeParts(positions, values);
}
