//===- Joins.cpp - parts that are written where the joined tensor has them --===//
#include "kumiko/Plan/Joins.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Nn/Views.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace kumiko;

/// Of a call all of whose parts lie in its result.
constexpr llvm::StringLiteral doneAttrName = "nn.done";

/// Places in tensors of more elements may not fit the 32 bits in which kernels compute some of them.
constexpr int64_t mostElements = int64_t(1) << 30;

bool kumiko::isRun(nn::CallOp call) { return !call->hasAttr(doneAttrName); }

/// Whether a tensor of this shape with these strides is one stretch of memory.
static bool isOneStretch(ArrayRef<Extent> shape, ArrayRef<Extent> strides) {
  Extent next = 1;
  for (auto [extent, stride] : llvm::reverse(llvm::zip_equal(shape, strides))) {
    if (extent.is(1))
      continue;
    if (stride != next)
      return false;
    next *= extent;
  }
  return true;
}

const JoinedPart *Joins::partOf(Value value) const {
  auto found = parts.find(value);
  return found == parts.end() ? nullptr : &found->second;
}

ArrayRef<Value> Joins::partsOf(Value whole) const {
  auto found = members.find(whole);
  return found == members.end() ? ArrayRef<Value>() : ArrayRef<Value>(found->second);
}

/// Whether the templates that go by strides can do this kernel.
static bool canGoByStrides(const Schedule &schedule, Block &body, KernelExtents &extents) {
  // Places from data are computed with numbers of elements.
  for (auto op : body.getOps<linalg::GenericOp>())
    if (!op.getBody()->getOps<tensor::ExtractOp>().empty())
      return false;
  if (schedule.kind == KernelKind::Contraction)
    return !shapeOfKernel(body, body.getTerminator()->getOperands(), extents).contraction.isInteger();
  return schedule.kind == KernelKind::Rows || schedule.kind == KernelKind::Points;
}

Joins::Known &Joins::known(nn::CallOp call) {
  std::unique_ptr<Known> &found = kernels[call.getCalleeAttr()];
  if (found)
    return *found;
  found = std::make_unique<Known>();
  found->op = symbols.lookup(call.getCallee());
  FailureOr<Schedule> schedule = Schedule::fromAttribute(found->op->getAttrOfType<DictionaryAttr>("schedule"));
  found->schedule.kind = KernelKind::Routine; // which nothing is said about, where there is no schedule
  if (failed(schedule))
    return *found;
  found->schedule = *schedule;
  if (FailureOr<Layouts> layouts = Layouts::of(found->op); succeeded(layouts))
    found->mayOverwrite = layouts->mayOverwrite;
  found->goesByStrides = canGoByStrides(*schedule, found->op.getBody().front(), found->extents);
  return *found;
}

void Joins::find(Block &block, const llvm::StringSet<> &sizes, ExtentsOf extents) {
  late = &sizes;
  extentsOf = extents;
  // From the end: a joined tensor knows where it lies before its parts are looked at.
  for (Operation &op : llvm::reverse(block)) {
    if (auto call = dyn_cast<nn::CallOp>(op))
      findIn(call);
    for (Region &region : op.getRegions())
      find(region.front(), sizes, extents);
  }
}

static void remarkJoined(nn::CallOp call, const Extent &bytes, bool isDone) {
  remark::passed(call.getLoc(), remark::RemarkOpts::name("join").category("Plan"))
      << remark::metric("class", "exact") << remark::metric("saved", isDone ? 1 : 0)
      << remark::metric("saved_bytes", 2 * typicalSize(bytes));
}

void Joins::findIn(nn::CallOp call) {
  Known &kernel = known(call);
  if (kernel.schedule.kind != KernelKind::Points)
    return;
  Block &body = kernel.op.getBody().front();
  bool isDone = true;
  Extent bytes = 0;
  for (auto [number, yielded] : llvm::enumerate(body.getTerminator()->getOperands())) {
    Value result = call->getResult(number);
    const JoinedPart *outer = partOf(result);
    JoinedPart around = outer ? *outer : JoinedPart{result, 0, {}};
    Extents strides = around.strides.empty() ? rowMajorStrides(kernel.extents.of(yielded)) : around.strides;
    Output output = traceOutput(yielded, kernel.extents, /*byRows=*/false, strides);
    isDone &= output.borders.empty() && output.pieces.size() > 1;
    llvm::DenseMap<Value, size_t> times;
    for (const Piece &piece : output.pieces)
      ++times[piece.source];
    for (const Piece &piece : output.pieces) {
      auto argument = dyn_cast<BlockArgument>(piece.source);
      if (!argument || output.pieces.size() < 2) {
        isDone = false;
        continue;
      }
      JoinedPart part{around.whole, around.offset + piece.constant, piece.strides};
      if (isOneStretch(kernel.extents.of(argument), part.strides))
        part.strides.clear();
      Value value = call->getOperand(argument.getArgNumber());
      Decision decision = times[argument] > 1 ? Decision::forbid("a part is in several places of the joined tensor")
                                              : canPlace(value, call, part);
      if (!decision) {
        isDone = false;
        remark::missed(call.getLoc(), remark::RemarkOpts::name("NotJoined").category("Plan"))
            << remark::reason("{0}", decision.why().str());
        continue;
      }
      place(cast<OpResult>(nn::underViews(value)), std::move(part));
      llvm::append_values(changes[call].layouts.placed, int64_t(argument.getArgNumber()), int64_t(number));
      bytes += product(kernel.extents.of(argument)) *
               int64_t(bytesOf(nn::toEquation(getElementTypeOrSelf(argument.getType()))));
    }
  }
  if (bytes.is(0))
    return;
  changes[call].isDone = isDone;
  remarkJoined(call, bytes, isDone);
}

/// Whether nothing but calls of the block has a say in where the value lies.
Decision Joins::isFree(Value value, Block *block, bool views) const {
  for (Operation *user : value.getUsers()) {
    if (isa<nn::ReshapeOp, nn::BitcastOp>(user)) {
      if (!views)
        return Decision::forbid("a part is read under another shape, and is not one stretch of the joined tensor");
      if (Decision decision = isFree(user->getResult(0), block, views); !decision)
        return decision;
    } else if (!isa<nn::CallOp>(user) || user->getBlock() != block) {
      return Decision::forbid("a part is a result of its own, or read by a loop or a branch");
    }
  }
  return Decision::allow();
}

Decision Joins::canPlace(Value value, nn::CallOp join, const JoinedPart &part) {
  auto base = dyn_cast<OpResult>(nn::underViews(value));
  if (!base || !isa<nn::CallOp>(base.getOwner()) || base.getOwner()->getBlock() != join->getBlock())
    return Decision::forbid("a part is an input or a constant, or made outside of the loop or branch");
  if (parts.contains(base) || members.contains(base))
    return Decision::forbid("a part has another place already");
  bool apart = !part.strides.empty();
  if (apart && base != value)
    return Decision::forbid("a part is seen under another shape, and is not one stretch of the joined tensor");
  if (Decision decision = isFree(base, join->getBlock(), /*views=*/!apart); !decision)
    return decision;
  Extent elements = product(extentsOf(base)), all = product(extentsOf(part.whole));
  if (elements.is(0))
    return Decision::forbid("a part has no elements");
  if (!isKnownInTime(part))
    return Decision::forbid("where a part lies is known only when it has been made");
  if (!apart)
    return Decision::allow();
  if (all.isStatic() && all.value() > mostElements)
    return Decision::forbid("the joined tensor is too large for strides");
  if (Decision decision = canWriteApart(base); !decision)
    return decision;
  for (OpOperand &use : base.getUses())
    if (Decision decision = canReadApart(use); !decision)
      return decision;
  return Decision::allow();
}

bool Joins::isKnownInTime(const JoinedPart &part) const {
  SmallVector<StringRef> names;
  part.offset.symbols(names);
  SmallVector<Extent, 4> numbers = extentsOf(part.whole);
  llvm::append_range(numbers, part.strides);
  for (const Extent &number : numbers) {
    if (number.overflowed())
      return false;
    number.symbols(names);
  }
  return !part.offset.overflowed() && llvm::none_of(names, [&](StringRef name) { return late->contains(name); });
}

Decision Joins::canWriteApart(OpResult value) {
  Known &kernel = known(cast<nn::CallOp>(value.getOwner()));
  if (!kernel.goesByStrides)
    return Decision::forbid("what makes a part writes it as one stretch");
  Value yielded = kernel.op.getBody().front().getTerminator()->getOperand(value.getResultNumber());
  Output output = traceOutput(yielded, kernel.extents, kernel.schedule.kind == KernelKind::Rows,
                              rowMajorStrides(kernel.extents.of(yielded)));
  if (!output.borders.empty())
    return Decision::forbid("a part has a border, which is filled in runs");
  return Decision::allow();
}

/// Whether `op` sees several dimensions as one.
static bool mergesDimensions(Operation *op, KernelExtents &extents) {
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(op);
  if (!collapse)
    return false;
  ArrayRef<Extent> shape = extents.of(collapse.getSrc());
  return llvm::any_of(collapse.getReassociationIndices(), [&](const ReassociationIndices &group) {
    return llvm::count_if(group, [&](int64_t d) { return !shape[d].is(1); }) > 1;
  });
}

Decision Joins::canReadApart(OpOperand &use) {
  auto call = cast<nn::CallOp>(use.getOwner());
  Known &kernel = known(call);
  BlockArgument argument = kernel.op.getBody().getArgument(use.getOperandNumber());
  // Its own concatenation reads it in no way.
  if (!kernel.goesByStrides)
    return Decision::forbid("what reads a part reads it as one stretch");
  if (llvm::any_of(argument.getUsers(), [&](Operation *user) { return mergesDimensions(user, kernel.extents); }))
    return Decision::forbid("what reads a part sees several of its dimensions as one");
  return Decision::allow();
}

void Joins::place(OpResult value, JoinedPart part) {
  members[part.whole].push_back(value);
  if (!part.strides.empty()) {
    auto maker = cast<nn::CallOp>(value.getOwner());
    changes[maker].layouts.apart.push_back({maker->getNumOperands() + value.getResultNumber(), part.strides});
    for (OpOperand &use : value.getUses())
      changes[use.getOwner()].layouts.apart.push_back({use.getOperandNumber(), part.strides});
  }
  parts[value] = std::move(part);
}

void Joins::apply() {
  llvm::SmallSetVector<Operation *, 8> old;
  for (auto &[op, change] : changes) {
    auto call = cast<nn::CallOp>(op);
    Known &kernel = known(call);
    // Of the proposals nothing is lost.
    Layouts layouts = change.layouts;
    layouts.mayOverwrite = kernel.mayOverwrite;
    llvm::sort(layouts.apart, llvm::less_first());
    old.insert(kernel.op);
    nn::KernelOp own = symbols.variantOf(kernel.op, layoutsAttrName, layouts.toAttribute(module.getContext()));
    call.setCallee(own.getName());
    if (change.isDone)
      call->setAttr(doneAttrName, UnitAttr::get(module.getContext()));
  }
  llvm::StringSet<> called;
  module.walk([&](nn::CallOp call) { called.insert(call.getCallee()); });
  for (Operation *kernel : old)
    if (!called.contains(cast<nn::KernelOp>(kernel).getName()))
      symbols.erase(cast<nn::KernelOp>(kernel));
}
