//===- Cost.cpp - whether a merge brings more than it costs ----------------===//
#include "kumiko/Fuse/Cost.h"
#include "kumiko/Equation/Cost.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Nn/TypicalSize.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace kumiko;

/// Finding its work, its code and its buffers; some 60 nanoseconds.
constexpr double startOps = 400;
/// What a load or a store of a vector takes by where it lies. A cache holds other things, too: half of it is ours.
constexpr double firstCacheOps = 1, secondCacheOps = 2, memoryOps = 8;
/// To store a value and to load it again.
constexpr double spillOps = 2;
/// Memory is fetched ahead for so many tensors. Measured (docs/decisions/0010-fusion-cost.md): with 16 at once a load
/// from behind the second cache takes 1.6 times as long as with 12, with 24 2.7 times.
constexpr double fewStreams = 12;
/// Ops and points below which neither registers nor streams are worth counting.
constexpr size_t fewOps = 4;
constexpr double fewPoints = 64;
/// Cores that are there to share the work of a kernel. Machines have more, but not every run has them.
constexpr double cores = 4;
/// Beyond this many ops a kernel takes longer to compile than its parts.
constexpr size_t mostOps = 96;

/// Operations on a vector that elementary functions take, divisions and roots; reads across memory or where data say,
/// lane by lane; and reads that may lie outside.
constexpr int64_t elementaryWork = 16, divisionWork = 8, gatherWork = 8, checkedWork = 8;

double Merge::size(const Extent &extent) {
  open |= !extent.isStatic();
  return static_cast<double>(sizeOf(extent));
}

double Merge::bytesOf(Value value) {
  return size(eq::bytesOf(nn::toEquation(cast<RankedTensorType>(value.getType()))));
}

void Merge::readsAgain(Value value, int64_t times) { savedBytes -= bytesOf(value) * static_cast<double>(times); }

void Merge::saves(Value value, int64_t reads, bool isAlone) {
  double bytes = bytesOf(value);
  savedBytes += bytes * static_cast<double>(reads + isAlone);
  largestBytes = std::max(largestBytes, bytes);
}

void Merge::computesAgain(const Extent &points, const Extent &elements, int64_t work, bool isHoisted) {
  readPoints = size(points);
  this->elements = size(elements);
  this->work = static_cast<double>(work);
  hoisted = isHoisted;
}

static Pressure pressureOf(ArrayRef<Operation *> ops) {
  llvm::SmallPtrSet<Operation *, 32> inside(ops.begin(), ops.end());
  SmallVector<Operation *> order(ops);
  llvm::sort(order, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  llvm::DenseSet<Value> tensors;
  // From the last op to the first: a value is live above its last reader.
  llvm::DenseSet<Value> live;
  Pressure pressure;
  for (Operation *op : llvm::reverse(order)) {
    for (Value result : op->getResults()) {
      live.erase(result);
      if (llvm::any_of(result.getUsers(), [&](Operation *user) { return !inside.contains(user); }))
        tensors.insert(result);
    }
    for (Value operand : op->getOperands()) {
      if (inside.contains(operand.getDefiningOp()))
        live.insert(operand);
      else if (!operand.getDefiningOp<nn::ConstantOp>())
        tensors.insert(operand);
    }
    pressure.live = std::max(pressure.live, static_cast<int64_t>(live.size()));
  }
  pressure.streams = static_cast<int64_t>(tensors.size());
  return pressure;
}

void Merge::walks(const Extent &points, ArrayRef<Operation *> first, ArrayRef<Operation *> second) {
  // Few ops hold little, and few points are done before it matters.
  if (first.size() + second.size() <= fewOps || size(points) <= fewPoints)
    return;
  walked = size(points);
  parts[0] = pressureOf(first);
  parts[1] = pressureOf(second);
  SmallVector<Operation *> both(first);
  llvm::append_range(both, second);
  whole = pressureOf(both);
}

void Merge::keepsRows(Value value, const RowShape &rows, const Target &target) {
  double bytes = bytesOf(value);
  double inFlight = rows.reduced.back() ? 1 : static_cast<double>(target.lanes());
  if (bytes / std::max(size(rows.count()), 1.0) * inFlight > static_cast<double>(target.budget(2)))
    keptBytes += 2 * bytes;
}

void Merge::sharesRows(const RowShape &rows, const Extent &points, int64_t work) {
  this->rows = std::max(size(rows.count()), 1.0);
  rowPoints = size(points);
  rowWork = static_cast<double>(work);
}

/// What tensors that are walked along at once, and fit no cache, cost beyond loading each.
static double crowd(int64_t streams, double points, const Target &target) {
  auto count = static_cast<double>(streams);
  if (count <= fewStreams || 4 * count * points <= static_cast<double>(target.budget(2)))
    return 0;
  return count * (count - fewStreams) / (fewStreams / 2);
}

static double spilled(int64_t live, const Target &target) {
  return static_cast<double>(std::max<int64_t>(live - target.vectorRegisters, 0));
}

Decision Merge::pays(const Target &target) const {
  auto lanes = static_cast<double>(target.lanes()), vectorBytes = 4 * lanes;
  bool inFirst = 2 * largestBytes <= static_cast<double>(target.budget(1));
  bool inSecond = 2 * largestBytes <= static_cast<double>(target.budget(2));
  double traffic = inFirst ? firstCacheOps : inSecond ? secondCacheOps : memoryOps;
  double gain = static_cast<double>(starts) * startOps + savedBytes / vectorBytes * traffic;

  double computing = std::max(readPoints / (hoisted ? 1 : lanes) - elements / lanes, 0.0) * work;
  double crowding = crowd(whole.streams, walked, target), spilling = spilled(whole.live, target);
  for (const Pressure &part : parts) {
    crowding -= crowd(part.streams, walked, target);
    spilling -= spilled(part.live, target);
  }
  crowding = std::max(crowding, 0.0) * walked / lanes * memoryOps;
  spilling = std::max(spilling, 0.0) * walked / lanes * spillOps;
  double keeping = keptBytes / vectorBytes * memoryOps;
  double all = std::clamp(rowPoints * rowWork / double(scalarOpsPerChunk), 1.0, cores);
  double busy = rows > 0 ? std::min(rows, all) : all;
  double idle = rowPoints * rowWork / lanes * (1 / busy - 1 / all);
  double cost = computing + spilling + crowding + keeping + idle;
  if (gain > cost)
    return Decision::allow();

  std::string text;
  llvm::raw_string_ostream os(text);
  auto number = [](double value) { return llvm::format("%.0f", value); };
  os << "it would save " << number(savedBytes) << " bytes, worth " << number(gain) << " vector operations, for "
     << number(cost);
  if (computing > 0)
    os << "; " << number(elements) << " elements are computed at " << number(readPoints)
       << (hoisted ? " starts of a loop, " : " points, ") << number(work) << " operations each";
  if (spilling > 0)
    os << "; " << whole.live << " values are live at once, for " << target.vectorRegisters << " registers";
  if (crowding > 0)
    os << "; " << whole.streams << " tensors are walked along at once, at " << number(walked) << " points";
  if (keeping > 0)
    os << "; rows of " << number(keptBytes / 2) << " bytes in all leave the cache before they are read again";
  if (idle > 0)
    os << "; " << number(rows) << " rows keep only as many cores busy with " << number(rowPoints) << " elements, "
       << number(rowWork) << " operations each";
  return Decision::forbid(text);
}

Decision kumiko::pays(const Target &target, llvm::function_ref<void(Merge &)> tell) {
  for (Merge::SizeOf sizeOf : {typicalSize, largeSize}) {
    Merge merge(sizeOf);
    tell(merge);
    Decision decision = merge.pays(target);
    if (!decision || !merge.isOpen())
      return decision;
  }
  return Decision::allow();
}

Decision kumiko::fitsKernel(size_t ops) {
  return ops > mostOps ? Decision::forbid("the kernel would hold too many statements") : Decision::allow();
}

static int64_t workOf(const eq::Expr &expr, llvm::SmallPtrSetImpl<const eq::Expr *> &seen) {
  using eq::Function;
  // Arithmetic on indices is done once per loop or when compiling.
  if (expr.type == ElementType::Index || !seen.insert(&expr).second)
    return 0;
  int64_t work = expr.kind == eq::Expr::Kind::Select || expr.kind == eq::Expr::Kind::Cast;
  if (expr.kind == eq::Expr::Kind::Read)
    return expr.otherwise ? checkedWork + workOf(*expr.otherwise, seen) : 0;
  if (expr.kind == eq::Expr::Kind::Apply) {
    bool isElementary = (expr.function >= Function::Exp && expr.function <= Function::Sigmoid) ||
                        expr.function == Function::Pow || expr.function == Function::Atan2;
    bool isDivision =
        (expr.function >= Function::Div && expr.function <= Function::CeilDiv) || expr.function == Function::Sqrt;
    work = isElementary ? elementaryWork : isDivision ? divisionWork : 1;
  }
  for (const eq::Expr *operand : expr.operands)
    work += workOf(*operand, seen);
  return work;
}

/// Whether lanes along the innermost loop of the statement's target lie side by side in what is read, or read the same.
static bool readsAlongLanes(const eq::Access &access, const eq::Statement &statement) {
  std::optional<unsigned> lane;
  for (const eq::Expr *index : statement.targets.front().indices)
    if (std::optional<eq::AffineIndex> affine = eq::affineIndex(*index, statement.loops.size()))
      if (std::optional<unsigned> loop = affine->bareLoop(); loop && !statement.loops[*loop].extent.is(1))
        lane = loop;
  if (!lane)
    return true;
  // Behind the dimension of the lanes there may only be such as stand still.
  bool last = true;
  for (const auto &index : llvm::reverse(access.indices)) {
    if (!index)
      return false;
    const Extent &step = index->coefficients[*lane];
    if (!step.is(0) && !(last && step.is(1)))
      return false;
    last &= llvm::all_of(llvm::zip_equal(index->coefficients, statement.loops),
                         [](const auto &pair) { return std::get<0>(pair).is(0) || std::get<1>(pair).extent.is(1); });
  }
  return true;
}

int64_t kumiko::workOf(const eq::Instance &instance) {
  int64_t work = 0;
  for (const eq::Statement &statement : instance.statements) {
    llvm::SmallPtrSet<const eq::Expr *, 16> seen;
    for (const eq::Expr *value : statement.values)
      work += ::workOf(*value, seen);
    for (const eq::Access &access : eq::accessesOf(statement))
      work += access.dataDependent || !readsAlongLanes(access, statement) ? gatherWork : 0;
  }
  return work;
}

int64_t kumiko::workAt(ArrayRef<Operation *> ops, llvm::function_ref<int64_t(Operation *)> workOf) {
  int64_t work = 0;
  llvm::SmallPtrSet<Operation *, 16> inside(ops.begin(), ops.end());
  llvm::DenseSet<Value> read;
  for (Operation *op : ops) {
    work += workOf(op);
    for (Value operand : op->getOperands())
      if (auto type = cast<RankedTensorType>(operand.getType());
          !inside.contains(operand.getDefiningOp()) && !(type.hasStaticShape() && type.getNumElements() == 1))
        read.insert(operand);
  }
  return std::max<int64_t>(work + static_cast<int64_t>(read.size()) - 1, 0);
}
