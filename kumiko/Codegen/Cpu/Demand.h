//===- Demand.h - emits the value of a tensor at a position ----------------===//
//
// A kernel's body is a small graph of linalg ops on tensors. No tensor in it but the arguments and results exists in
// memory: a template walks over the points of a result and *demands* the value there; the demand travels up through
// elementwise bodies, pads, slices and reshapes until it meets an argument (a load), a value the template has already
// computed (`define`: an accumulator, a row's maximum) or a reduction (an inline loop).
//
//   %m = linalg.generic max over k of %x        rows template: computed once for the row, then defined
//   %e = linalg.generic exp(%x - %m)            demanded at (r, k..k+7): load x, subtract m, exp
//
// Positions are forms (Form.h). A position with a lane stride asks for `lanes` neighbours at once and gets a vector;
// without one it gets a scalar. Of the lanes, only the first `active` are real: the last vector of a row is loaded and
// stored under a mask, with the same arithmetic as the others.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Codegen/Cpu/Blocks.h"
#include "kumiko/Codegen/Cpu/DemandParts.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <functional>

namespace kumiko::cpu {

/// The values of the loops that `position` of the result stands for; those of reductions are 0.
Position loopsAt(mlir::linalg::GenericOp op, unsigned result, llvm::ArrayRef<Form> position);

/// Lanes of the narrowest vectors that rows are worked on in, however few or short these are.
constexpr int64_t narrowestVector = 4;

class Demand {
public:
  using Known = std::function<mlir::Value(llvm::ArrayRef<Form>)>;

  Demand(mlir::OpBuilder &builder, mlir::Location loc, Entry &entry, Storage &storage, unsigned lanes)
      : lanes(lanes), active(lanes), blocks(builder, loc, entry, lanes), b(builder), loc(loc), entry(entry),
        storage(storage) {}

  unsigned lanes;
  /// At least one; a number or an expression.
  Extent active;
  /// What `emit` emits has vectors of `width` lanes, all of them active.
  void narrow(unsigned width, llvm::function_ref<void()> emit);
  /// What `emit` emits may rely on the condition, a value in a body, being so for all lanes.
  void given(mlir::Value condition, bool holds, llvm::function_ref<void()> emit);
  /// While a block is being emitted, reads across memory find their lanes there.
  Blocks blocks;

  /// `multipleOf` divides whatever the index will be, and it lies in `range`.
  unsigned addSlot(mlir::Value index, int64_t multipleOf = 1, IndexRange range = {});
  /// The position as an SSA index; it must have no lane.
  mlir::Value indexOf(const Form &form);
  mlir::Value indexOf(const Extent &extent) { return entry.valueOf(extent); }
  mlir::Value constantOf(mlir::TypedAttr value) { return entry.constantOf(value); }
  mlir::Value zeroOf(mlir::Type type);
  /// A truth value per lane: whether it is one of the active ones.
  mlir::Value mask() { return entry.maskOf(active, lanes); }
  /// One value per lane: vectors as they are, scalars broadcast.
  mlir::Value spread(mlir::Value value);

  /// `tensor` lives in the flat buffer `memref`.
  void bind(mlir::Value tensor, mlir::Value memref) { memory[tensor] = memref; }
  /// `tensor` has been computed where it will be asked for.
  void define(mlir::Value tensor, Known known) { defined[tensor] = std::move(known); }
  void undefine(mlir::Value tensor) { defined.erase(tensor); }
  /// `tensor`, whole or seen through reshapes, has this value wherever it will be asked for.
  void fix(mlir::Value tensor, mlir::Value value) { fixed[tensor] = value; }
  void unfix(mlir::Value tensor) { fixed.erase(tensor); }

  mlir::Value at(mlir::Value tensor, llvm::ArrayRef<Form> position);
  /// The results of `op`'s body for these loop values and block arguments. An argument that is null is demanded.
  llvm::SmallVector<mlir::Value> body(mlir::linalg::GenericOp op, llvm::ArrayRef<Form> dims,
                                      llvm::SmallVector<mlir::Value> arguments);

  /// The results of the reduction `op` at several positions, position by position, but computed step by step for all of
  /// them: neighbouring windows share what they read, and one sum does not wait for another.
  llvm::SmallVector<mlir::Value> reduceTogether(mlir::linalg::GenericOp op, llvm::ArrayRef<Position> positions);

  /// The same for scalars of a reduction that may be done in parts, with lanes along its last loop.
  llvm::SmallVector<mlir::Value> reduceAlong(mlir::linalg::GenericOp op, llvm::ArrayRef<Position> positions);
  /// The results of two parts of a reduction as one, where it has a simple combiner or is a selection (Selection.h),
  /// and those of the lanes of vectors.
  llvm::SmallVector<mlir::Value> combine(mlir::linalg::GenericOp op, llvm::ArrayRef<mlir::Value> first,
                                         llvm::ArrayRef<mlir::Value> second);
  llvm::SmallVector<mlir::Value> fold(mlir::linalg::GenericOp op, llvm::SmallVector<mlir::Value> vectors);

  /// One value inside of `op`'s body; it must not depend on the result.
  mlir::Value bodyValue(mlir::linalg::GenericOp op, llvm::ArrayRef<Form> dims, mlir::Value value);

  /// The buffer that `tensor` is, seen through reshapes only; null otherwise.
  mlir::Value bufferBehind(mlir::Value tensor) const;

  /// What the kernel returns: 0, or KUMIKO_E_INDEX after a read at a place that does not exist.
  mlir::Value status();
  /// A place that is not read does not exist.
  void fail();

  mlir::Value load(mlir::Value memref, const Form &offset, mlir::Type element);
  void store(mlir::Value value, mlir::Value memref, const Form &offset);
  /// A scalar of the kernel's body as a value of the emitted function: a constant, an element of a tensor, or what is
  /// computed from such.
  mlir::Value scalarOutside(mlir::Value scalar);
  /// Several vectors lane by lane: those of a lane lie side by side.
  void storeLanes(llvm::ArrayRef<mlir::Value> values, mlir::Value memref, llvm::ArrayRef<Form> offsets);

private:
  mlir::Value toldValue(mlir::Value tensor, llvm::ArrayRef<Form> position);
  mlir::Value fixedValue(mlir::Value tensor);
  /// Vectors whose lanes lie behind each other as whole vectors of memory.
  llvm::SmallVector<mlir::Value> weave(llvm::ArrayRef<mlir::Value> values);
  void storeInterleaved(llvm::ArrayRef<mlir::Value> values, mlir::Value memref, const Form &first);
  /// What was loaded, as it is in the body: a truth value takes a byte in memory.
  mlir::Value fromStored(mlir::Value loaded, mlir::Type element);
  /// As it lies in memory.
  mlir::Value asStored(mlir::Value value, mlir::Value memref);
  /// The first `count` elements from `index` on.
  mlir::Value loadSome(mlir::Value memref, mlir::Value index, mlir::Type stored, int64_t count);
  /// Lanes a few elements apart, chosen from the vectors that they lie in; null where that is not the way.
  mlir::Value sieve(mlir::Value memref, const Form &offset, mlir::Type stored);
  mlir::Value atGeneric(mlir::linalg::GenericOp op, unsigned result, llvm::ArrayRef<Form> position);
  /// One of two values, of which only that one is computed; `wide`: of all lanes.
  mlir::Value choose(mlir::Value condition, mlir::Type element, bool wide, llvm::function_ref<mlir::Value()> then,
                     llvm::function_ref<mlir::Value()> otherwise);
  /// One step of a reduction for all positions of its loops.
  llvm::SmallVector<mlir::Value> reduceStep(mlir::linalg::GenericOp op, llvm::ArrayRef<Position> dims,
                                            llvm::ArrayRef<mlir::Value> carried, bool wide);
  mlir::Value atRegion(Region region, llvm::ArrayRef<Form> position);
  /// A region of a buffer at lanes of which some are `outside`; `open` are the dimensions to be compared, with the
  /// extents of the region. Null where lanes must be asked for one by one.
  mlir::Value loadInside(mlir::Value tensor, llvm::ArrayRef<Form> position,
                         llvm::ArrayRef<std::pair<Form, Extent>> open, llvm::function_ref<mlir::Value()> outside);
  llvm::SmallVector<mlir::Value> choose(mlir::linalg::GenericOp op, llvm::ArrayRef<mlir::Value> first,
                                        llvm::ArrayRef<mlir::Value> second);

  mlir::Value atCollapsed(mlir::tensor::CollapseShapeOp op, llvm::ArrayRef<Form> position);
  mlir::Value extracted(mlir::tensor::ExtractOp op, llvm::SmallVector<mlir::Value> indices);
  /// The same, at indices that are inside.
  mlir::Value extractedInside(mlir::tensor::ExtractOp op, llvm::SmallVector<mlir::Value> indices);
  /// Places of several dimensions become one of the last: an address of it takes fewer steps than of all.
  void addUpPlaces(mlir::Value tensor, llvm::MutableArrayRef<mlir::Value> indices);
  /// What is known of an index as a form: it may be a vector that was computed from numbers of loops.
  std::optional<Form> formOf(mlir::Value index);
  /// The same for the result of `op`, whose operands are these.
  std::optional<Form> formOf(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands);
  /// Quotient or remainder of lanes that all lie between the same two multiples of the divisor; null for others.
  mlir::Value divided(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands);
  /// What the form can be at the active lanes.
  IndexRange rangeOf(const Form &form) const;
  /// The form of an index that was computed from numbers of loops alone.
  std::optional<Form> knownForm(mlir::Value index);
  /// The result of `op` where the ranges of numbers of loops decide it: a bound that is not reached, a remainder of
  /// what is smaller, a comparison. Null elsewhere.
  mlir::Value decided(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands);
  mlir::Value decidedBound(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands);
  mlir::Value decidedDivision(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands);
  mlir::Value decidedComparison(mlir::arith::CmpIPredicate predicate, llvm::ArrayRef<mlir::Value> operands);
  /// The form divided by a number, rounded down, where that has lanes that are as far apart for all of them.
  std::optional<Form> quotient(const Form &form, int64_t divisor);
  /// Whether two indices are the same, where that is known.
  mlir::Value compared(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands);
  /// The same for a number of 64 bits.
  std::optional<Form> formOfNumber(mlir::Value number);
  void rememberForm(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands, mlir::Value result);
  std::optional<Position> linearPosition(llvm::ArrayRef<mlir::Value> indices);
  mlir::OpFoldResult placeOf(const Extent &lane);
  /// The elements of a buffer at an index per lane; null where it is none, or its places take more than 32 bits.
  mlir::Value gather(mlir::Value tensor, llvm::ArrayRef<mlir::Value> indices);
  /// The same with an index that each lane finds by itself, where that takes a load and little more: it costs less than
  /// to take a vector of places apart. Else null.
  mlir::Value loadEach(mlir::Value tensor, llvm::ArrayRef<mlir::Value> indices);
  /// The lane of a vector, loaded and computed anew as a scalar.
  mlir::Value scalarAtLane(mlir::Value vector, int64_t lane);
  void remember(mlir::Value wrong);
  mlir::Value insideOrZero(mlir::Value index, const Extent &extent);
  /// A vector of what `laneValue` gives for the number of each lane.
  mlir::Value lanewise(mlir::Type element, llvm::function_ref<mlir::Value(const Extent &)> laneValue);
  mlir::Value indexValue(const Form &form);
  llvm::SmallVector<mlir::Value> bodyValues(mlir::linalg::GenericOp op, llvm::ArrayRef<Form> dims,
                                            llvm::SmallVector<mlir::Value> arguments,
                                            llvm::ArrayRef<mlir::Value> wanted);
  mlir::Value elementwise(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands);
  bool allActive() const { return active.is(lanes); }

  mlir::OpBuilder &b;
  mlir::Location loc;
  Entry &entry;
  Storage &storage;
  llvm::SmallVector<Slot> slots;
  llvm::DenseMap<mlir::Value, mlir::Value> memory;
  llvm::DenseMap<mlir::Value, Known> defined;
  llvm::DenseMap<mlir::Value, mlir::Value> fixed;
  /// Indices that are the numbers of loops, or computed from such.
  llvm::DenseMap<mlir::Value, Form> loopNumbers;
  /// The condition that is known, or null, and whether it holds.
  std::pair<mlir::Value, bool> known;
  /// A memref of one i32, on the stack: whether a place did not exist. Null while nothing was checked.
  mlir::Value failure;
};

} // namespace kumiko::cpu
