//===- CombineProducts.cpp - products of one input become one product ------===//
//
// Query, key and value of attention are products of the same rows with weights of their own:
//
//   matmul(x, v) + a, matmul(x, w) + b    =    parts of y, y = matmul(x, concat(v, w)) + concat(a, b)
//
// The parts are boxes of y. That pays where whoever reads them can read a box (a product, a transpose): what was
// computed together with one of the products, an epilogue or a border, would become a kernel of its own instead.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Equation/Access.h"
#include "kumiko/Equation/Class.h"
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Optimize/Applied.h"
#include "kumiko/Optimize/ConstantTensor.h"
#include "kumiko/Optimize/Copy.h"
#include "kumiko/Optimize/Erase.h"
#include "kumiko/Optimize/GraphBuilder.h"
#include "kumiko/Optimize/Passes.h"
#include "kumiko/Optimize/Remark.h"
#include "kumiko/Optimize/WeightedOp.h"
#include "kumiko/Support/Decision.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace kumiko {
#define GEN_PASS_DEF_COMBINEPRODUCTSPASS
#include "kumiko/Optimize/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;

constexpr llvm::StringLiteral rule = "combine_products";

/// More columns than this are many tiles already, and the rows are read from the cache for each of them.
constexpr int64_t wideColumns = 4096;

namespace {

/// A product with constant weights, and what may be done with it afterwards as before.
struct Product {
  Operation *op = nullptr;
  WeightedOp weighted;
  /// What is added to its columns, null where nothing is: a constant of an op of its own.
  Value bias;
  /// The last op that belongs to it: itself, the addition, or a view that splits its columns.
  Operation *last = nullptr;
  /// Columns of a head where the view splits them, else 0.
  int64_t head = 0;

  int64_t columns() const { return cast<RankedTensorType>(op->getResult(0).getType()).getShape().back(); }
};

} // namespace

static Operation *onlyReader(Operation *op) {
  return op->getResult(0).hasOneUse() ? *op->getResult(0).user_begin() : nullptr;
}

/// The constant that `add` adds to the last dimension of `value`, if it does nothing else.
static Value columnBias(Operation *add, Value value) {
  auto op = dyn_cast_or_null<nn::AddOp>(add);
  if (!op || op->getResult(0).getType() != value.getType())
    return Value();
  Value other = op->getOperand(0) == value ? op->getOperand(1) : op->getOperand(0);
  auto type = cast<RankedTensorType>(other.getType());
  int64_t columns = cast<RankedTensorType>(value.getType()).getShape().back();
  bool fits = type.getRank() > 0 && type.hasStaticShape() && type.getNumElements() == columns &&
              type.getShape().back() == columns;
  return fits && constantOf(other) ? other : Value();
}

/// The columns of a head, where `op` only splits the last dimension of `value` into heads.
static int64_t headOf(Operation *op, Value value) {
  auto reshape = dyn_cast_or_null<nn::ReshapeOp>(op);
  auto from = cast<RankedTensorType>(value.getType());
  if (!reshape || reshape.getType().getRank() != from.getRank() + 1)
    return 0;
  SmallVector<Extent, 4> whole = nn::extentsOf(from), split = nn::extentsOf(reshape.getType());
  bool keeps = ArrayRef(whole).drop_back() == ArrayRef(split).drop_back(2);
  return keeps && split.back().isStatic() ? split.back().value() : 0;
}

/// Whether `op` reads a box of its operand as it reads a tensor of its own, and would not have been computed together
/// with a product that makes the operand.
static Decision readsInPlace(Operation *op, bool viewed) {
  if (!isa<nn::EquationInterface>(op))
    return Decision::forbid("what reads it wants memory of its own");
  llvm::Expected<eq::Instance> instance = nn::instantiate(op, /*onlyUsedResults=*/true);
  if (!instance) {
    llvm::consumeError(instance.takeError());
    return Decision::forbid("what reads it is not known");
  }
  bool multiplies = llvm::any_of(instance->statements, [](const eq::Statement &statement) {
    return eq::classify(statement) == eq::StatementClass::Contraction;
  });
  auto hasBorder = [](const eq::Statement &statement) {
    return llvm::any_of(eq::accessesOf(statement), [](const eq::Access &access) { return access.read->otherwise; });
  };
  bool moves = viewed && onlyMoves(*instance) && llvm::none_of(instance->statements, hasBorder);
  return multiplies || moves ? Decision::allow()
                             : Decision::forbid("what reads it is computed together with the product");
}

/// The operand of a product that is its bias, if it has one.
static Value biasOf(Operation *op, const WeightedOp &weighted) {
  SmallVector<Value, 4> slots = nn::operandSlots(op);
  return weighted.biasSlot && *weighted.biasSlot < slots.size() ? slots[*weighted.biasSlot] : Value();
}

/// The product that `op` is, with what belongs to it.
static std::optional<Product> productOf(Operation *op) {
  if (!isa<nn::EquationInterface>(op) || op->getNumResults() != 1 || op->use_empty())
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  auto group = op->getAttrOfType<IntegerAttr>("group");
  if (!type || type.getRank() < 2 || !type.getElementType().isF32() || (group && group.getInt() != 1) ||
      ShapedType::isDynamic(type.getShape().back()) || type.getShape().back() == 0)
    return std::nullopt;
  std::optional<WeightedOp> weighted = weightedOp(op, type.getRank() - 1);
  if (!weighted)
    return std::nullopt;
  // Two operands, and a bias: then all but the weights and what is added is the input.
  if (op->getNumOperands() != (biasOf(op, *weighted) ? 3u : 2u))
    return std::nullopt;
  Product product{op, *weighted, Value(), op, 0};
  Operation *reader = onlyReader(op);
  if (Value bias = columnBias(reader, op->getResult(0))) {
    product.bias = bias;
    product.last = reader;
    reader = onlyReader(reader);
  }
  if (int64_t head = headOf(reader, product.last->getResult(0))) {
    product.head = head;
    product.last = reader;
  }
  return product;
}

/// Tensors one after the other along a dimension.
static llvm::Expected<Tensor> joined(ArrayRef<Value> constants, int64_t dimension) {
  SmallVector<Tensor> parts;
  SmallVector<int64_t> shape;
  for (Value constant : constants) {
    llvm::Expected<Tensor> part = constantTensor(constantOf(constant));
    if (!part)
      return part.takeError();
    if (shape.empty())
      shape.assign(part->shape().begin(), part->shape().end());
    else
      shape[dimension] += part->shape()[dimension];
    parts.push_back(std::move(*part));
  }
  llvm::Expected<Tensor> whole = Tensor::zeros(parts.front().element(), shape);
  if (!whole)
    return whole;
  int64_t inner = bytesOf(whole->element()), outer = 1;
  for (auto [d, extent] : llvm::enumerate(shape))
    (int64_t(d) > dimension ? inner : outer) *= int64_t(d) == dimension ? 1 : extent;
  auto *to = whole->mutableData();
  for (int64_t row = 0; row < outer; ++row)
    for (const Tensor &part : parts) {
      int64_t bytes = part.shape()[dimension] * inner;
      std::memcpy(to, part.data() + row * bytes, bytes);
      to += bytes;
    }
  return whole;
}

namespace {

struct CombineProducts final : kumiko::impl::CombineProductsPassBase<CombineProducts> {
  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      combineIn(block);
  }

private:
  void combineIn(Block &block) {
    // Products that differ in their weights and biases alone, by what they have in common.
    llvm::MapVector<std::pair<Value, Attribute>, SmallVector<Product>> families;
    for (Operation &op : block)
      if (std::optional<Product> product = productOf(&op))
        families[{op.getOperand(product->weighted.weightSlot == 0 ? 1 : 0), kindOf(*product)}].push_back(*product);
    for (auto &[key, products] : families)
      if (products.size() > 1)
        combine(products);
  }

  /// All that must be the same in products that become one: the op, its attributes, the shape of its weights but for
  /// the columns, whether something is added, and the heads.
  Attribute kindOf(const Product &product) {
    Builder b(&getContext());
    Value weights = nn::operandSlots(product.op)[product.weighted.weightSlot];
    auto type = cast<RankedTensorType>(weights.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[product.weighted.weightDimension] = product.weighted.weightDimension;
    int64_t biases = bool(product.bias) + 2 * int64_t(bool(biasOf(product.op, product.weighted)));
    return b.getArrayAttr({product.op->getName().getIdentifier(), product.op->getAttrDictionary(),
                           b.getDenseI64ArrayAttr(shape), b.getI64IntegerAttr(biases),
                           b.getI64IntegerAttr(product.head), b.getI64IntegerAttr(product.op->getNumOperands())});
  }

  void combine(SmallVector<Product> &products) {
    llvm::erase_if(products, [](const Product &product) {
      if (product.columns() > wideColumns)
        return declined(product.op, rule, "it is wide enough alone"), true;
      for (Operation *reader : product.last->getUsers())
        if (Decision decision = readsInPlace(reader, product.head != 0); !decision)
          return declined(product.op, rule, decision.why()), true;
      return false;
    });
    if (products.size() < 2)
      return;
    const Product &first = products.front();
    OpBuilder b(first.op);
    SmallVector<Location> places;
    SmallVector<Value> weights, biases, added;
    for (const Product &product : products) {
      SmallVector<Value, 4> slots = nn::operandSlots(product.op);
      places.push_back(product.op->getLoc());
      if (product.bias)
        places.push_back((*product.op->user_begin())->getLoc());
      weights.push_back(slots[product.weighted.weightSlot]);
      biases.push_back(biasOf(product.op, product.weighted));
      added.push_back(product.bias);
    }
    Location loc = b.getFusedLoc(places);
    Value w = constantOfAll(b, loc, weights, first.weighted.weightDimension, first.op);
    Value bias = biases.front() ? constantOfAll(b, loc, biases, 0, first.op) : Value();
    Value add = added.front() ? constantOfAll(b, loc, added, rankOf(added.front()) - 1, first.op) : Value();
    if (!w || (biases.front() && !bias) || (added.front() && !add))
      return;
    SmallVector<Value, 4> slots = nn::operandSlots(first.op);
    slots[first.weighted.weightSlot] = w;
    if (bias)
      slots[*first.weighted.biasSlot] = bias;
    GraphBuilder g(b, loc);
    Value y = g.make(first.op->getName().getStringRef(), slots,
                     equationAttributes(first.op, *nn::definitionOf(first.op)).getAttrs());
    if (add)
      y = g.make("add", {y, add});
    SmallVector<Value> parts = y ? partsOf(g, b, y, products) : SmallVector<Value>();
    if (parts.empty())
      return declined(first.op, rule, g.why);
    for (auto [product, part] : llvm::zip_equal(products, parts)) {
      applied(product.op, rule);
      product.last->getResult(0).replaceAllUsesWith(part);
      eraseDead(product.last);
    }
    combined += products.size();
  }

  static int64_t rankOf(Value value) { return cast<RankedTensorType>(value.getType()).getRank(); }

  static Value constantOfAll(OpBuilder &b, Location loc, ArrayRef<Value> constants, int64_t dimension, Operation *op) {
    llvm::Expected<Tensor> whole = joined(constants, dimension);
    if (!whole)
      return declined(op, rule, llvm::toString(whole.takeError())), Value();
    return createConstant(b, loc, std::move(*whole), "joined");
  }

  /// The columns of each product, in heads where they were split; nothing where one could not be made.
  static SmallVector<Value> partsOf(GraphBuilder &g, OpBuilder &b, Value y, ArrayRef<Product> products) {
    int64_t head = products.front().head, unit = std::max<int64_t>(head, 1);
    SmallVector<Extent, 4> shape = nn::extentsOf(cast<RankedTensorType>(y.getType()));
    if (head) {
      shape.back() = Extent(shape.back().value() / head);
      shape.push_back(Extent(head));
      y = g.reshape(y, shape);
    }
    size_t cut = shape.size() - (head ? 2 : 1);
    SmallVector<Extent, 4> start(shape.size(), 0), step(shape.size(), 1);
    SmallVector<Value> parts;
    for (const Product &product : products) {
      shape[cut] = Extent(product.columns() / unit);
      GraphBuilder own(b, product.op->getLoc());
      parts.push_back(own.make("slice", {y},
                               {b.getNamedAttr("start", nn::numbersAttr(b.getContext(), start)),
                                b.getNamedAttr("step", nn::numbersAttr(b.getContext(), step)),
                                b.getNamedAttr("out", nn::numbersAttr(b.getContext(), shape))}));
      if (g.why = own.why; !g.why.empty())
        return {};
      start[cut] += shape[cut];
    }
    return parts;
  }
};

} // namespace
