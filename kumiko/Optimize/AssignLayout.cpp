//===- AssignLayout.cpp - channels last, inside networks with convolutions -===//
//
// One walk from the inputs to the results. A convolution is put between two transposes; every other op that reads a
// transpose is asked whether it can work on the other side of it (Permute.h), and if so the transpose moves below the
// op. On its way down it meets the transpose above the next convolution, and the two vanish. What is left stands at the
// edges of the part of the network that convolutions reach.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Equation/Class.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Optimize/Applied.h"
#include "kumiko/Optimize/Erase.h"
#include "kumiko/Optimize/Passes.h"
#include "kumiko/Optimize/Permute.h"
#include "kumiko/Optimize/Remark.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kumiko {
#define GEN_PASS_DEF_ASSIGNLAYOUTPASS
#include "kumiko/Optimize/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;

constexpr llvm::StringLiteral rule = "channels_last";

/// Elements of a value, for comparison only: each symbol counts as 64.
static int64_t elements(Value value) {
  Extent count = product(nn::extentsOf(cast<RankedTensorType>(value.getType())));
  return count.evaluate([](StringRef) { return std::optional<int64_t>(64); }).value_or(int64_t(1) << 40);
}

/// From channels at dimension 1 to channels last, as the permutation of nn.transpose.
static Permutation channelsLast(int64_t rank) {
  Permutation permutation = llvm::to_vector<6>(llvm::seq<int64_t>(0, rank));
  std::rotate(permutation.begin() + 1, permutation.begin() + 2, permutation.end());
  return permutation;
}

/// An op that says where its channels are, has them at 1, and reuses data as a convolution does.
static bool isConvolution(Operation *op) {
  const eq::OpDef *def = nn::definitionOf(op);
  if (!def || op->getNumOperands() == 0)
    return false;
  auto channel = dyn_cast_or_null<IntegerAttr>(equationAttributes(op, *def).get("channel"));
  auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  if (!channel || channel.getInt() != 1 || type.getRank() < 3)
    return false;
  llvm::Expected<eq::Instance> instance = nn::instantiate(op, /*onlyUsedResults=*/true);
  if (!instance)
    return llvm::consumeError(instance.takeError()), false;
  return llvm::any_of(instance->statements, [](const eq::Statement &statement) {
    return eq::classify(statement) == eq::StatementClass::Contraction;
  });
}

/// A convolution with no more products in a sum takes less time than its result to be moved.
constexpr int64_t shortestSum = 8;

static bool hasShortSums(Operation *op) {
  int64_t features = cast<RankedTensorType>(op->getOperand(1).getType()).getDimSize(0);
  return features > 0 && elements(op->getOperand(1)) <= shortestSum * features;
}

/// Ops looked at in the search for the next convolution.
constexpr size_t farthest = 32;

/// Whether what `op` makes goes to a convolution, if not at once then through a few ops: there a transpose meets its
/// opposite.
static bool reachesConvolution(Operation *op) {
  llvm::SmallSetVector<Operation *, 16> open;
  open.insert(op);
  for (size_t next = 0; next < open.size() && next < farthest; ++next)
    for (Operation *user : open[next]->getUsers()) {
      if (isConvolution(user))
        return true;
      if (isa<nn::EquationInterface, nn::ReshapeOp>(user))
        open.insert(user);
    }
  return false;
}

namespace {

class LayoutWalk {
public:
  explicit LayoutWalk(MLIRContext *context) : builder(context) {}

  /// The number of convolutions that changed, in all blocks so far.
  unsigned run(Block &block) {
    // Ops that are made on the way stand before the one being looked at, so the walk does not meet them.
    for (Operation &op : llvm::make_early_inc_range(block)) {
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          run(inner);
      if (isa<nn::TransposeOp>(op)) {
        simplify(cast<nn::TransposeOp>(op));
      } else if (auto reshape = dyn_cast<nn::ReshapeOp>(op)) {
        sinkBelow(reshape);
      } else if (isa<nn::EquationInterface>(op)) {
        if (isConvolution(&op))
          convert(&op);
        else
          sinkBelow(&op);
      }
    }
    return converted;
  }

private:
  void replace(Operation *op, ArrayRef<Value> results) {
    for (auto [old, value] : llvm::zip_equal(op->getResults(), results))
      if (value)
        old.replaceAllUsesWith(value);
    // A transpose that nobody reads any more would count as a reader of what is above it.
    eraseDead(op);
  }

  void simplify(nn::TransposeOp transpose) {
    builder.setInsertionPoint(transpose);
    if (!transpose.getX().getDefiningOp<nn::TransposeOp>() && !isIdentity(transpose.getPerm()) &&
        !movesNothing(transpose.getPerm(), transpose.getX().getType().getShape()))
      return;
    replace(transpose, transposed(builder, transpose.getLoc(), transpose.getX(), transpose.getPerm()));
  }

  void convert(Operation *op) {
    int64_t rank = cast<RankedTensorType>(op->getOperand(0).getType()).getRank();
    std::optional<PermutedOp> found = permuted(op, 0, inverse(channelsLast(rank)));
    if (!found)
      return declined(op, rule, "its equation is not the same with channels last");
    if (hasShortSums(op) && !op->getOperand(0).getDefiningOp<nn::TransposeOp>() && !reachesConvolution(op))
      return declined(op, rule,
                      "it is the only one, and its sums are so short that its result would take longer to move");
    builder.setInsertionPoint(op);
    applied(op, rule);
    replace(op, createPermuted(builder, op, *found));
    ++converted;
  }

  /// A transpose costs something when it moves elements at run time.
  static bool costs(Value operand, ArrayRef<int64_t> permutation) {
    auto shape = cast<RankedTensorType>(operand.getType()).getShape();
    size_t missing = permutation.size() - shape.size();
    SmallVector<int64_t> whole(missing, 1);
    llvm::append_range(whole, shape);
    if (operand.getDefiningOp<nn::ConstantOp>())
      return false;
    return !movesNothing(inverse(permutation), whole);
  }

  /// f(transpose(x)) = transpose(f'(x)), unless that makes more elements move than before.
  void sinkBelow(Operation *op) {
    SmallVector<Value, 4> slots = nn::operandSlots(op);
    for (auto [slot, operand] : llvm::enumerate(slots)) {
      auto transpose = operand ? operand.getDefiningOp<nn::TransposeOp>() : nn::TransposeOp();
      if (!transpose)
        continue;
      std::optional<PermutedOp> found = permuted(op, slot, transpose.getPerm());
      if (!found) {
        declined(op, rule, "a transpose stays above it: its equation ties the order of dimensions");
        continue;
      }
      int64_t saved = 0, spent = 0;
      for (auto [other, permutation] : llvm::zip_equal(slots, found->operands)) {
        if (permutation.empty())
          continue;
        auto above = other.getDefiningOp<nn::TransposeOp>();
        if (above && ArrayRef(permutation).take_back(above.getPerm().size()) == above.getPerm())
          saved += elements(other);
        else if (costs(other, permutation))
          spent += elements(other);
      }
      for (auto [result, permutation] : llvm::zip_equal(op->getResults(), found->results))
        if (!movesNothing(inverse(permutation), cast<RankedTensorType>(result.getType()).getShape()))
          spent += elements(result);
      // The one below may meet its opposite; the ones above are certain. Twice is the limit of that hope, unless a
      // convolution is near, which an enlarged image is on its way to.
      if (spent > 2 * saved && !(saved > 0 && reachesConvolution(op))) {
        declined(op, rule, "a transpose stays above it: below, more elements would move");
        continue;
      }
      builder.setInsertionPoint(op);
      replace(op, createPermuted(builder, op, *found));
      return;
    }
  }

  void sinkBelow(nn::ReshapeOp reshape);

  OpBuilder builder;
  unsigned converted = 0;
};

struct AssignLayout final : kumiko::impl::AssignLayoutPassBase<AssignLayout> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || !llvm::hasSingleElement(function.getBody()))
      return;
    bool any =
        function.walk([](Operation *op) { return isConvolution(op) ? WalkResult::interrupt() : WalkResult::advance(); })
            .wasInterrupted();
    if (any)
      convolutions += LayoutWalk(function.getContext()).run(function.front());
  }
};

} // namespace

/// reshape(transpose(x, p)) = transpose(reshape(transpose(x, r)), q). The reshape ties together groups of dimensions;
/// the groups return to the order they have in x (that is q), and inside a group everything stays (r, often nothing:
/// then the reshape only splits or merges neighbours). The shuffle of channels is the case where r is the shuffle
/// itself.
void LayoutWalk::sinkBelow(nn::ReshapeOp reshape) {
  auto transpose = reshape.getX().getDefiningOp<nn::TransposeOp>();
  if (!transpose || llvm::is_contained(reshape.getType().getShape(), 0))
    return;
  SmallVector<Extent, 4> to = nn::extentsOf(reshape.getType());
  nn::DimensionGroups common = nn::commonGroups(nn::extentsOf(reshape.getX().getType()), to);
  struct Group {
    int64_t source;
    SmallVector<int64_t, 2> from, to;
  };
  SmallVector<Group> groups;
  ArrayRef<int64_t> perm = transpose.getPerm();
  for (auto [dimensionsFrom, dimensionsTo] : llvm::zip_equal(common.from, common.to)) {
    int64_t source = *llvm::min_element(llvm::map_to_vector(dimensionsFrom, [&](int64_t d) { return perm[d]; }));
    groups.push_back({source, dimensionsFrom, dimensionsTo});
  }
  llvm::sort(groups, [](const Group &a, const Group &b) { return a.source < b.source; });
  Permutation inner, outer;
  SmallVector<Extent, 4> shape;
  for (const Group &group : groups) {
    for (int64_t d : group.from)
      inner.push_back(perm[d]);
    for (int64_t d : group.to) {
      outer.push_back(d);
      shape.push_back(to[d]);
    }
  }
  outer = inverse(outer);
  bool moves = !movesNothing(inner, transpose.getX().getType().getShape());
  // Two transposes instead of one pay only when the lower one meets its opposite at once.
  if (moves && (isIdentity(outer) || !llvm::all_of(reshape->getUsers(), isConvolution)))
    return;
  builder.setInsertionPoint(reshape);
  Value x = transposed(builder, reshape.getLoc(), transpose.getX(), inner);
  x = builder.createOrFold<nn::ReshapeOp>(reshape.getLoc(), nn::tensorOf(shape, reshape.getType().getElementType()), x);
  replace(reshape, transposed(builder, reshape.getLoc(), x, outer));
}
