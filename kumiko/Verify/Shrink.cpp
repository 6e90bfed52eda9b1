#include "kumiko/Verify/Shrink.h"
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Optimize/ConstantTensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace kumiko;

namespace {

/// A network that is being made smaller, step by step.
class Shrinker {
public:
  Shrinker(TestCase &test, llvm::function_ref<bool(TestCase &)> shows, unsigned tries)
      : test(test), shows(shows), tries(tries) {}

  void run() {
    for (bool again = true; again && tries;) {
      again = keepFewerResults();
      again |= cutOps();
      again |= skipOps();
      again |= reduceExtents();
    }
  }

private:
  using Change = llvm::function_ref<bool(TestCase &)>;

  func::FuncOp mainOf(TestCase &of) { return of.module->lookupSymbol<func::FuncOp>("main"); }

  /// Takes the change over when what comes out is valid and still shows it.
  bool attempt(Change change) {
    if (!tries)
      return false;
    TestCase candidate = test.clone();
    if (!change(candidate))
      return false;
    dropUnread(candidate);
    ScopedDiagnosticHandler quiet(candidate.module->getContext(), [](Diagnostic &) { return success(); });
    if (failed(verify(*candidate.module)))
      return false;
    --tries;
    if (!shows(candidate))
      return false;
    test = std::move(candidate);
    return true;
  }

  /// What nobody reads goes: ops, then arguments.
  void dropUnread(TestCase &candidate) {
    Block &body = mainOf(candidate).getBody().front();
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isOpTriviallyDead(&op))
        op.erase();
    llvm::BitVector unread(body.getNumArguments());
    std::vector<Tensor> kept;
    for (auto [argument, tensor] : llvm::zip_equal(body.getArguments(), candidate.inputs))
      if (argument.use_empty())
        unread.set(argument.getArgNumber());
      else
        kept.push_back(std::move(tensor));
    body.eraseArguments(unread);
    candidate.inputs = std::move(kept);
    func::FuncOp main = mainOf(candidate);
    main.removeArgAttrsAttr();
    main.removeResAttrsAttr();
    main.setType(
        FunctionType::get(main.getContext(), body.getArgumentTypes(), body.getTerminator()->getOperandTypes()));
  }

  bool keepFewerResults() {
    bool changed = false;
    for (unsigned i = 0; i < mainOf(test).getNumResults() && mainOf(test).getNumResults() > 1;) {
      bool dropped = attempt([&](TestCase &candidate) {
        mainOf(candidate).getBody().front().getTerminator()->eraseOperand(i);
        return true;
      });
      changed |= dropped;
      i += !dropped;
    }
    return changed;
  }

  Operation *opAt(TestCase &of, size_t number) { return &*std::next(mainOf(of).getBody().front().begin(), number); }
  size_t opCount() { return mainOf(test).getBody().front().getOperations().size() - 1; }

  bool cutOps() {
    bool changed = false;
    for (size_t number = 0; number < opCount(); ++number) {
      changed |= attempt([&](TestCase &candidate) { return cutAt(candidate, number); });
    }
    return changed;
  }

  /// Op `number` becomes arguments that have its values.
  bool cutAt(TestCase &candidate, size_t number) {
    Operation *op = opAt(candidate, number);
    if (isa<nn::ConstantOp>(op) || op->getNumResults() == 0)
      return false;
    SmallVector<Tensor> values;
    GraphOptions options;
    options.unusedResults = true;
    bool found = false;
    options.afterOp = [&](Operation *done, ArrayRef<const Tensor *>, ArrayRef<const Tensor *> results) -> llvm::Error {
      for (const Tensor *result : results) {
        if (done != op)
          break;
        found = true;
        llvm::Expected<Tensor> copy = result->copy();
        if (!copy)
          return copy.takeError();
        values.push_back(std::move(*copy));
      }
      return llvm::Error::success();
    };
    auto arguments = llvm::map_to_vector(candidate.inputs, [](const Tensor &tensor) { return &tensor; });
    auto results = evaluateGraph(mainOf(candidate), arguments, options);
    if (!results)
      llvm::consumeError(results.takeError());
    if (!found || values.size() != op->getNumResults())
      return false;
    Block &body = mainOf(candidate).getBody().front();
    for (auto [result, tensor] : llvm::zip_equal(op->getResults(), values)) {
      result.replaceAllUsesWith(body.addArgument(result.getType(), op->getLoc()));
      candidate.inputs.push_back(std::move(tensor));
    }
    return true;
  }

  /// An op becomes one of its operands.
  bool skipOps() {
    bool changed = false;
    for (size_t number = opCount(); number-- > 0 && number < opCount();)
      for (unsigned operand = 0; operand < opAt(test, number)->getNumOperands(); ++operand)
        if (attempt([&](TestCase &candidate) {
              Operation *op = opAt(candidate, number);
              if (op->getNumResults() == 0 || op->getOperand(operand).getType() != op->getResult(0).getType())
                return false;
              op->getResult(0).replaceAllUsesWith(op->getOperand(operand));
              return true;
            })) {
          changed = true;
          break;
        }
    return changed;
  }

  /// Each extent that an argument or a constant has, smaller wherever the number stands.
  bool reduceExtents() {
    llvm::SetVector<int64_t> extents;
    mainOf(test).walk([&](Operation *op) {
      for (Type type : op->getOperandTypes())
        if (auto tensor = dyn_cast<RankedTensorType>(type))
          for (int64_t extent : tensor.getShape())
            if (extent > 1)
              extents.insert(extent);
    });
    bool changed = false;
    for (int64_t extent : extents)
      for (int64_t smaller : {int64_t(1), int64_t(2), extent / 2, extent - 1})
        if (smaller < extent &&
            attempt([&](TestCase &candidate) { return replaceExtent(candidate, extent, smaller); })) {
          changed = true;
          break;
        }
    return changed;
  }

  static SmallVector<int64_t> replaced(ArrayRef<int64_t> numbers, int64_t from, int64_t to) {
    SmallVector<int64_t> result(numbers);
    std::replace(result.begin(), result.end(), from, to);
    return result;
  }

  /// The leading part of a tensor.
  static Tensor corner(const Tensor &tensor, ArrayRef<int64_t> shape) {
    Tensor result = llvm::cantFail(Tensor::zeros(tensor.element(), shape));
    SmallVector<int64_t> at(shape.size(), 0);
    unsigned width = bytesOf(tensor.element());
    for (int64_t i = 0; i < result.count(); ++i) {
      int64_t from = 0;
      for (auto [index, extent] : llvm::zip_equal(at, tensor.shape()))
        from = from * extent + index;
      std::memcpy(result.mutableData() + i * width, tensor.data() + from * width, width);
      for (size_t axis = at.size(); axis-- > 0 && ++at[axis] == shape[axis];)
        at[axis] = 0;
    }
    return result;
  }

  bool replaceExtent(TestCase &candidate, int64_t from, int64_t to) {
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](RankedTensorType type) {
      return RankedTensorType::get(replaced(type.getShape(), from, to), type.getElementType(), type.getEncoding());
    });
    replacer.addReplacement([&](DenseI64ArrayAttr list) -> Attribute {
      return DenseI64ArrayAttr::get(list.getContext(), replaced(list.asArrayRef(), from, to));
    });
    // A reshaped part is not the part of the reshaped; such a constant is left as it is, and the verifier refuses.
    replacer.addReplacement([&](DenseElementsAttr value) -> std::optional<std::pair<Attribute, WalkResult>> {
      llvm::Expected<Tensor> tensor = constantTensor(value);
      if (!tensor)
        return llvm::consumeError(tensor.takeError()), std::nullopt;
      Tensor part = corner(*tensor, replaced(tensor->shape(), from, to));
      return std::pair<Attribute, WalkResult>(optimize::attributeOf(value.getContext(), std::move(part), "part"),
                                              WalkResult::skip());
    });
    replacer.recursivelyReplaceElementsIn(*candidate.module, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    for (Tensor &input : candidate.inputs)
      input = corner(input, replaced(input.shape(), from, to));
    return true;
  }

  TestCase &test;
  llvm::function_ref<bool(TestCase &)> shows;
  unsigned tries;
};

} // namespace

void kumiko::shrink(TestCase &test, llvm::function_ref<bool(TestCase &)> shows, unsigned tries) {
  Shrinker(test, shows, tries).run();
}
