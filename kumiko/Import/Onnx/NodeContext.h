//===- NodeContext.h - one node on its way into the nn dialect ---------------===//
//
// What the code of an ONNX op sees: inputs as values, attributes with their types checked, constants as numbers, and
// functions that make nn ops. Failures are sticky: `fail` records a problem with the node's place and operands, and
// from then on every maker returns null. So op code is written straight on, and looks at `failed()` only before it uses
// a shape or a number it got.
//
//   Results importReciprocal(NodeContext &n) {
//     Value x = n.input(0);
//     return {n.make("div", {n.scalar(1.0, x), x})};
//   }
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Extents/Extent.h"
#include "kumiko/Import/Build/Datum.h"
#include "kumiko/Import/Onnx/Onnx.h"
#include "kumiko/Import/Onnx/Proto.h"
#include "kumiko/Support/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallBitVector.h"

namespace kumiko::eq {
struct OpDef;
} // namespace kumiko::eq

namespace kumiko::onnx {

class GraphImporter;
struct Scope;

/// One value per output of the node; null where the op has none.
using Results = llvm::SmallVector<mlir::Value, 2>;
using Ints = llvm::SmallVector<int64_t, 6>;
/// Extents: numbers, or expressions over symbols.
using Sizes = llvm::SmallVector<Extent, 6>;

/// A shape as an argument: of numbers, or of extents.
class SizeList {
public:
  SizeList() = default;
  SizeList(llvm::ArrayRef<int64_t> list) : sizes(list.begin(), list.end()) {}
  SizeList(const Ints &list) : SizeList(llvm::ArrayRef(list)) {}
  SizeList(llvm::ArrayRef<Extent> list) : sizes(list) {}
  SizeList(const Sizes &list) : sizes(list) {}
  SizeList(std::initializer_list<Extent> list) : sizes(list) {}
  operator llvm::ArrayRef<Extent>() const { return sizes; }
  const Sizes &list() const { return sizes; }

private:
  Sizes sizes;
};

/// What an element of a tensor may be that only a run can tell: nn.symbol.
struct DataBounds {
  /// Added to a negative value.
  std::optional<Extent> wrap = std::nullopt;
  std::optional<Extent> upper = std::nullopt;
  /// A value outside is brought to the bounds instead of refused.
  bool clamp = false;
};

/// from, from + 1, ..., to - 1.
inline Ints counting(int64_t from, int64_t to) { return llvm::to_vector<6>(llvm::seq(from, std::max(from, to))); }

class NodeContext {
public:
  NodeContext(GraphImporter &importer, Scope &scope, const Node &node, uint64_t index, int64_t opset);

  const Node &node;
  const uint64_t index;
  const int64_t opset;

  //===--- Inputs and outputs ---===//

  /// Inputs without those left out at the end.
  size_t inputCount() const { return values.size(); }
  /// Null when it is left out.
  mlir::Value input(size_t number) const { return number < values.size() ? values[number] : mlir::Value(); }
  llvm::ArrayRef<mlir::Value> inputs() const { return values; }
  /// Whether somebody may read output `number`.
  bool wants(size_t number) const { return number < node.outputs.size() && !node.outputs[number].empty(); }
  size_t outputCount() const { return node.outputs.size(); }
  /// The shape that the file declares for an output, where it says something.
  std::optional<llvm::ArrayRef<Dimension>> declaredShape(size_t output) const;
  /// Where it says nothing and the rank depends on whether open dimensions are 1: whether all of them are to be.
  bool guessOnes();

  /// For op code that needs numbers (OpCode::needsNumbers): fails when one is not, and gives 1 for it.
  llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);
  static Sizes sizesOf(mlir::Value value);
  static int64_t rankOf(mlir::Value value) { return mlir::cast<mlir::RankedTensorType>(value.getType()).getRank(); }
  static mlir::Type elementOf(mlir::Value value);
  /// Elements in total; checked when the value was made. As a number, like shapeOf, or as an extent.
  int64_t countOf(mlir::Value value);
  static Extent elementsOf(mlir::Value value) { return product(sizesOf(value)); }
  /// Whether two extents can be equal; when only a run can tell, `what` is the message of a check that they are.
  bool agree(const Extent &a, const Extent &b, const llvm::Twine &what);
  /// The same for two that are equal or of which one is 1.
  bool broadcasts(const Extent &a, const Extent &b, const llvm::Twine &what);
  /// A check that a <= b, unless that is known.
  void atMost(const Extent &a, const Extent &b, const llvm::Twine &what);

  //===--- Attributes: reading one marks it as known to the op ---===//

  bool has(llvm::StringRef name);
  std::optional<int64_t> integer(llvm::StringRef name);
  int64_t integer(llvm::StringRef name, int64_t otherwise) { return integer(name).value_or(otherwise); }
  int64_t requiredInteger(llvm::StringRef name);
  bool flag(llvm::StringRef name, bool otherwise = false) { return integer(name, otherwise) != 0; }
  double real(llvm::StringRef name, double otherwise);
  std::optional<double> real(llvm::StringRef name);
  llvm::StringRef text(llvm::StringRef name, llvm::StringRef otherwise);
  std::optional<Ints> integers(llvm::StringRef name);
  std::optional<llvm::ArrayRef<float>> reals(llvm::StringRef name);
  std::optional<llvm::ArrayRef<llvm::StringRef>> texts(llvm::StringRef name);
  const TensorProto *tensor(llvm::StringRef name);
  /// A subgraph, which must be there.
  const Graph *graph(llvm::StringRef name);
  const SparseTensor *sparse(llvm::StringRef name);
  /// The attribute is one of ONNX's and has no influence on us.
  void ignore(llvm::StringRef name) { (void)find(name); }
  /// A problem for each attribute that nobody has asked for.
  void reportUnknownAttributes();

  //===--- Constants ---===//

  /// The value of an input that must be known now; fails when it is not.
  std::optional<kumiko::Tensor> constant(size_t number, llvm::StringRef role);
  /// The same for any value.
  std::optional<kumiko::Tensor> constantOf(mlir::Value value, llvm::StringRef role);
  /// The same for an integer tensor of any shape, as a list. An input left out gives nothing and does not fail.
  std::optional<Ints> constantIntegers(size_t number, llvm::StringRef role);
  /// The list from the attribute `name`, or (later opsets) from the constant input `number`.
  std::optional<Ints> integersFrom(llvm::StringRef name, size_t number);

  /// Whether these inputs are constants, or follow from constants.
  bool isConstant(std::initializer_list<size_t> numbers);
  /// Whether every element of an input of integers is a number or follows from shapes.
  bool followsFromShapes(size_t number);
  /// The elements of an integer tensor as extents: numbers, what follows from shapes, and for all else a symbol that is
  /// read while the model runs, within the bounds for that element. Fails when that cannot be, for one when the number
  /// of elements is not known and the op does not say how many there must be (`count`). An input left out gives nothing
  /// and does not fail.
  std::optional<Sizes> sizes(size_t number, llvm::StringRef role,
                             llvm::function_ref<DataBounds(size_t)> bounds = nullptr,
                             std::optional<int64_t> count = std::nullopt);
  /// The list from the attribute `name`, or (later opsets) from the input `number`.
  std::optional<Sizes> sizesFrom(llvm::StringRef name, size_t number,
                                 llvm::function_ref<DataBounds(size_t)> bounds = nullptr,
                                 std::optional<int64_t> count = std::nullopt);

  /// An element of a list of integers as an extent: what is known of it, or a symbol that is read while the model runs
  /// and is not negative. `resolved`: the list to read from, when it is not the same one.
  Extent readExtent(mlir::Value list, size_t element = 0, mlir::Value resolved = {});
  /// Whether what is not known may become a symbol.
  bool takesSymbols() const;

  /// With all inputs of the model at hand: see kumiko/Import/Onnx/Interpret.h.
  bool interprets() const;
  /// A value whose extents follow from data: in interpretation computed now, so that they are numbers. `x` otherwise.
  mlir::Value known(mlir::Value x);

  //===--- Subgraphs ---===//

  /// The outputs of `body` for these arguments; empty after a failure.
  std::optional<Results> run(const Graph &body, llvm::ArrayRef<mlir::Value> arguments);
  /// Before every turn of a loop: false with a problem when there were too many.
  bool anotherTurn(const Graph &body);
  /// Nobody needs it any more; in interpretation it is freed now, not with the node.
  void discard(mlir::Value value);
  /// x[i], for a number i inside; in interpretation nothing is copied.
  mlir::Value part(mlir::Value x, int64_t i);
  /// All parts, which must be of one type, along a new first axis; `type` is that of a part when there is none.
  mlir::Value stack(llvm::ArrayRef<mlir::Value> parts, mlir::RankedTensorType type);

  //===--- Sequences and optionals: only in interpretation ---===//

  /// What an input stands for.
  Datum datum(size_t number) { return datumOf(input(number)); }
  /// What a value stands for that is an input, or comes from `known` or `run`.
  Datum datumOf(mlir::Value value);
  mlir::Value valueOf(Datum datum);

  //===--- Problems ---===//

  bool failed() const { return hasFailed; }
  /// Records a problem of this node. The op's type is put in front of `what`.
  Problem &fail(Code code, const llvm::Twine &what);
  /// The evaluator refused: above a limit, or operands that break the op's rules.
  void failEvaluation(llvm::Error error);
  /// `axis` as 0 .. rank-1; fails outside [-rank, rank-1] (`end`: rank is allowed too).
  int64_t axis(int64_t axis, int64_t rank, bool end = false);
  /// All of them, sorted; fails when one comes twice.
  Ints axes(llvm::ArrayRef<int64_t> list, int64_t rank);
  /// Fails unless lowest <= rank <= highest.
  bool expectRank(size_t input, int64_t lowest, int64_t highest = 64);

  //===--- Making nn ops ---===//

  mlir::OpBuilder &builder();
  mlir::Location location() const { return loc; }
  mlir::MLIRContext *context();

  /// An attribute of an nn op.
  mlir::NamedAttribute is(llvm::StringRef name, int64_t value);
  mlir::NamedAttribute is(llvm::StringRef name, int value) { return is(name, int64_t(value)); }
  mlir::NamedAttribute is(llvm::StringRef name, double value);
  mlir::NamedAttribute is(llvm::StringRef name, bool value);
  mlir::NamedAttribute is(llvm::StringRef name, llvm::ArrayRef<int64_t> value);
  mlir::NamedAttribute is(llvm::StringRef name, const Ints &value) { return is(name, llvm::ArrayRef(value)); }
  mlir::NamedAttribute is(llvm::StringRef name, const Extent &value);
  mlir::NamedAttribute is(llvm::StringRef name, llvm::ArrayRef<Extent> value);
  mlir::NamedAttribute is(llvm::StringRef name, const Sizes &value) { return is(name, llvm::ArrayRef(value)); }
  mlir::NamedAttribute is(llvm::StringRef name, llvm::StringRef value);
  mlir::NamedAttribute is(llvm::StringRef name, const char *value) { return is(name, llvm::StringRef(value)); }
  mlir::NamedAttribute is(llvm::StringRef name, mlir::Type value);

  /// The first result of a new nn op; null operands are optional ones left out.
  mlir::Value make(llvm::StringRef op, llvm::ArrayRef<mlir::Value> operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  /// All its results. Where values decide the size of a result, they must be known: the op is computed at once, and its
  /// results are constants.
  Results makeAll(llvm::StringRef op, llvm::ArrayRef<mlir::Value> operands,
                  llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  /// A view with other extents; `x` itself when they are the same.
  mlir::Value reshape(mlir::Value x, const SizeList &shape);
  mlir::Value cast(mlir::Value x, mlir::Type element);
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> permutation);
  /// A rank-0 constant of the element type of `like`.
  mlir::Value scalar(double value, mlir::Value like) {
    return failed() ? mlir::Value() : scalar(value, elementOf(like));
  }
  mlir::Value scalar(double value, mlir::Type element);
  mlir::Value constantOf(llvm::ArrayRef<int64_t> list, llvm::ArrayRef<int64_t> shape);
  /// An i64 tensor of extents: a constant where all are numbers.
  mlir::Value numbersOf(llvm::ArrayRef<Extent> list, llvm::ArrayRef<int64_t> shape);
  mlir::Value constantOfReals(llvm::ArrayRef<float> list, llvm::ArrayRef<int64_t> shape);
  /// All elements are `value`; takes no memory where the shape is one of numbers.
  mlir::Value filled(mlir::Attribute value, mlir::Type element, const SizeList &shape);
  /// A tensor of the model file.
  mlir::Value constantOf(const TensorProto &tensor);
  mlir::Value constantOf(const SparseTensor &tensor);
  /// `element[shape]`; null with a problem when it is over the size limit or its rank absurd.
  mlir::RankedTensorType typeOf(const SizeList &shape, mlir::Type element);

private:
  friend class GraphImporter;
  GraphImporter &importer;
  Scope &scope;
  mlir::Location loc;
  llvm::SmallVector<mlir::Value, 4> values;
  llvm::SmallBitVector asked; // attributes that were asked for
  bool hasFailed = false;

  const Attribute *find(llvm::StringRef name);
  const Attribute *find(llvm::StringRef name, Attribute::Kind kind);
  Results computeNow(mlir::Operation *op);
  mlir::FailureOr<mlir::Operation *> withDataSymbol(mlir::Operation *op);
  void collectChecks(mlir::Operation *op);
  bool typesAgree(const eq::OpDef *def, llvm::ArrayRef<mlir::Value> operands);
  bool explainTypes(const eq::OpDef &def, llvm::ArrayRef<mlir::Value> operands,
                    llvm::ArrayRef<mlir::NamedAttribute> attributes);
  void explain(llvm::StringRef op, llvm::ArrayRef<mlir::Value> operands,
               llvm::ArrayRef<mlir::NamedAttribute> attributes, const std::string &why);
};

} // namespace kumiko::onnx
