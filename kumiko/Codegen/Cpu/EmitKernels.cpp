//===- EmitKernels.cpp - one function per kernel ---------------------------===//
#include "kumiko/Codegen/Common/KernelFunction.h"
#include "kumiko/Codegen/Common/Routine.h"
#include "kumiko/Codegen/Cpu/Kernel.h"
#include "kumiko/Codegen/Cpu/Passes.h"
#include "kumiko/Kernel/Arguments.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Schedule/Packing.h"

namespace kumiko {
#define GEN_PASS_DEF_EMITKERNELSPASS
#include "kumiko/Codegen/Cpu/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// What the kernel does is a function of its own that gets its `count` buffers as pointers of which LLVM knows that
/// nothing writes there but through them: a plan gives no result of a call the memory of another buffer, `shared` ones
/// aside. Without that, everything would be read again after each store.
static func::FuncOp createInside(OpBuilder &b, func::FuncOp entry, size_t count, const llvm::SmallBitVector &shared) {
  Location loc = entry.getLoc();
  SmallVector<Value> operands(entry.getArguments());
  for (size_t n = 0; n < count; ++n)
    operands.push_back(bufferPointer(b, loc, entry.getArgument(0), int32_t(n)));
  auto type = b.getFunctionType(TypeRange(ValueRange(operands)), entry.getResultTypes());
  std::string name = (entry.getName() + "_inside").str();
  func::ReturnOp::create(b, loc, func::CallOp::create(b, loc, name, type.getResults(), operands).getResults());
  b.setInsertionPointAfter(entry);
  auto inside = func::FuncOp::create(b, loc, name, type);
  inside.setPrivate();
  keepCopies(inside);
  inside->setAttr("llvm.linkage", LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::Internal));
  for (size_t n = 0; n < count; ++n)
    if (!shared.test(n))
      inside.setArgAttr(entry.getNumArguments() + n, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
  b.setInsertionPointToStart(inside.addEntryBlock());
  return inside;
}

/// Strides belong to buffers that are there, and to templates that go by them.
static LogicalResult checkPlaces(nn::KernelOp kernel, const Schedule &schedule, const Layouts &layouts) {
  SmallVector<Type> buffers(kernel.getArgumentTypes());
  llvm::append_range(buffers, kernel.getResultTypes());
  for (const auto &[number, strides] : layouts.apart)
    if (number >= int64_t(buffers.size()) ||
        cast<RankedTensorType>(buffers[number]).getRank() != int64_t(strides.size()))
      return kernel.emitError("its layouts' apart names a buffer that is not there, or of another rank");
  if (!layouts.apart.empty() && schedule.kind != KernelKind::Contraction && schedule.kind != KernelKind::Rows &&
      schedule.kind != KernelKind::Points)
    return kernel.emitError("the schedule's template takes no buffers that lie apart");
  return success();
}

/// The results of a kernel as boxes, without what lies there already; nothing for a routine.
static std::vector<Output> outputsOf(Block &body, const Schedule &schedule, const Layouts &layouts,
                                     KernelExtents &extents) {
  std::vector<Output> outputs;
  if (schedule.kind == KernelKind::Routine)
    return outputs;
  for (auto [number, result] : llvm::enumerate(body.getTerminator()->getOperands())) {
    Extents strides = layouts.stridesOf(body.getNumArguments() + number, extents.of(result));
    Output &output = outputs.emplace_back(traceOutput(result, extents, schedule.kind == KernelKind::Rows, strides));
    llvm::erase_if(output.pieces, [&, number = number](const Piece &piece) {
      auto argument = dyn_cast<BlockArgument>(piece.source);
      return argument && layouts.isPlaced(argument.getArgNumber(), number);
    });
  }
  return outputs;
}

static bool isEmpty(const Output &output) { return output.pieces.empty() && output.borders.empty(); }

/// The loops of the kernel, by its template.
static void emitTemplate(Kernel &k) {
  switch (k.schedule.kind) {
  case KernelKind::Contraction:
    emitContraction(k);
    break;
  case KernelKind::Rows:
    emitRows(k);
    break;
  case KernelKind::Attention:
    emitAttention(k);
    break;
  case KernelKind::Scatter:
    emitScatter(k);
    break;
  case KernelKind::Running:
    emitRunning(k);
    break;
  case KernelKind::Points:
    emitPoints(k);
    break;
  case KernelKind::Routine:
  case KernelKind::Plain:
    llvm_unreachable("done above, and no kernel's shape");
  }
}

/// Arguments and results as the buffers behind `pointers`.
static void bindBuffers(Kernel &k, Block::BlockArgListType pointers) {
  auto packings = packingsOf(k.shape, k.schedule, k.body);
  for (BlockArgument argument : k.body.getArguments()) {
    const Packing *packing = packingOfArgument(packings, argument.getArgNumber());
    Extent elements = packing ? Extent(packing->elementCount()) : k.storage.extents.elementsOf(argument);
    // A packed contraction finds its panels itself; any other reader goes by strides.
    Value tensor = argument;
    if (packing && k.schedule.kind != KernelKind::Contraction) {
      tensor = asRead(argument);
      k.storage.strides[tensor] = llvm::to_vector_of<Extent, 6>(packing->strides());
    }
    if (const Extents *strides = k.layouts.apartOf(argument.getArgNumber())) {
      k.storage.strides[argument] = *strides;
      elements = Extent::overflow(); // lies in something of any size
    }
    bool words = packing && packing->integers;
    k.demand.bind(tensor, memrefFromPointer(k.b, k.loc, pointers[argument.getArgNumber()],
                                            words ? MemRefType::get({elements.value()}, k.b.getI32Type())
                                                  : storageOf(argument.getType(), elements)));
  }
  for (auto [number, result] : llvm::enumerate(k.body.getTerminator()->getOperands())) {
    bool apart = k.layouts.apartOf(k.body.getNumArguments() + number);
    Extent elements = apart ? Extent::overflow() : k.storage.extents.elementsOf(result);
    k.outputs.push_back(memrefFromPointer(k.b, k.loc, pointers[k.body.getNumArguments() + number],
                                          storageOf(result.getType(), elements)));
  }
}

static LogicalResult emitKernel(nn::KernelOp kernel, ArrayRef<std::string> symbols) {
  FailureOr<Schedule> schedule = Schedule::fromAttribute(kernel->getAttrOfType<DictionaryAttr>("schedule"));
  if (failed(schedule))
    return kernel.emitError("has no usable schedule");
  FailureOr<Layouts> layouts = Layouts::of(kernel);
  if (failed(layouts))
    return failure();
  Block &body = kernel.getBody().front();
  ValueRange results = body.getTerminator()->getOperands();
  Storage storage;
  if (failed(schedule->kind == KernelKind::Routine ? checkRoutine(kernel, symbols)
                                                   : checkSizes(kernel, storage.extents, symbols)))
    return failure();
  KernelShape shape = shapeOfKernel(body, results, storage.extents);
  if (shape.kind != schedule->kind)
    return kernel.emitError("the schedule's template does not fit the kernel: ") << shape.why;

  OpBuilder b(kernel);
  Location loc = kernel.getLoc();
  if (schedule->kind != KernelKind::Routine && failed(checkPlaces(kernel, *schedule, *layouts)))
    return failure();
  std::vector<Output> written = outputsOf(body, *schedule, *layouts, storage.extents);
  if (!written.empty() && llvm::all_of(written, isEmpty))
    return success(); // all that it would write is there
  func::FuncOp function = createFunction(b, kernel);
  if (schedule->kind == KernelKind::Routine) {
    emitRoutine(b, function, cast<nn::RoutineOp>(body.front()), results, schedule->chunks, symbols);
    return success();
  }
  size_t arguments = body.getNumArguments(), buffers = arguments + results.size();
  llvm::SmallBitVector shared(buffers);
  for (size_t pair = 0; pair + 1 < layouts->inPlace.size(); pair += 2) {
    shared.set(layouts->inPlace[pair]);
    shared.set(arguments + layouts->inPlace[pair + 1]);
  }
  function = createInside(b, function, buffers, shared);
  Block *block = &function.getBody().front();
  Block::BlockArgListType pointers = block->getArguments().take_back(buffers);
  Entry entry(block, loc, block->getArgument(1), symbols);
  Kernel k{b,
           loc,
           storage,
           Demand(b, loc, entry, storage, schedule->lanes),
           *schedule,
           *layouts,
           shape,
           body,
           std::move(written),
           {},
           Value(),
           Value()};
  bindBuffers(k, pointers);
  k.chunk = arith::IndexCastOp::create(b, loc, b.getIndexType(), block->getArgument(2));
  entry.anchor = k.chunk.getDefiningOp();
  if (const Extent &bytes = schedule->scratchBytes; !bytes.is(0))
    k.scratch =
        memrefFromPointer(b, loc, block->getArgument(3),
                          MemRefType::get({bytes.isStatic() ? bytes.value() : ShapedType::kDynamic}, b.getI8Type()));

  emitTemplate(k);
  func::ReturnOp::create(b, loc, k.demand.status());
  if (entry.overflowed())
    return kernel.emitError("a place in a tensor takes more than 64 bits");
  return success();
}

namespace {
struct EmitKernels final : kumiko::impl::EmitKernelsPassBase<EmitKernels> {
  void runOnOperation() override {
    SmallVector<nn::KernelOp> kernels(getOperation().getOps<nn::KernelOp>());
    SmallVector<std::string> symbols = symbolsOfProgram(getOperation());
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      function.erase();
    for (nn::KernelOp kernel : kernels)
      if (failed(emitKernel(kernel, symbols)))
        return signalPassFailure();
    for (nn::KernelOp kernel : kernels)
      kernel.erase();
  }
};
} // namespace
