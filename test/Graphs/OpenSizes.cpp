#include "test/Graphs/OpenSizes.h"
#include "kumiko/Nn/Build.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Symbols.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::graphs;
using Extents = SmallVector<Extent, 4>;

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

namespace {
/// One symbol, or none, per dimension of an argument.
class Names {
public:
  explicit Names(func::FuncOp function) {
    for (Type type : function.getArgumentTypes())
      for (int64_t extent : cast<RankedTensorType>(type).getShape()) {
        values["s" + std::to_string(of.size())] = extent;
        of.push_back("s" + std::to_string(of.size()));
      }
  }

  Extent extentAt(size_t dimension, int64_t number) const {
    return of[dimension].empty() ? Extent(number) : Extent::symbol(of[dimension]);
  }
  std::optional<int64_t> valueOf(const Extent &extent) const {
    return extent.evaluate([&](StringRef name) -> std::optional<int64_t> { return values.lookup(name); });
  }
  /// Fewer symbols than before: two of the same value become one, or, where there are no two, all become numbers.
  void reduce(ArrayRef<std::string> names) {
    for (size_t i = 0; i < names.size(); ++i)
      for (size_t j = i + 1; j < names.size(); ++j)
        if (values.lookup(names[i]) == values.lookup(names[j]))
          return replace(names[j], names[i]);
    for (const std::string &name : names)
      replace(name, "");
  }
  const llvm::StringMap<int64_t> &all() const { return values; }

private:
  void replace(const std::string &from, const std::string &to) {
    std::replace(of.begin(), of.end(), from, to);
    values.erase(from);
  }

  std::vector<std::string> of; ///< by dimension, those of all arguments in a row
  llvm::StringMap<int64_t> values;
};

/// Makes the graph again with the types that symbols give it.
class Opener {
public:
  Opener(func::FuncOp from, const Names &names) : from(from), names(names), builder(from.getContext()) {}

  /// False where an op does not take its operands with these symbols; `misfits` are those it has seen.
  bool open(OwningOpRef<ModuleOp> &module);
  std::vector<std::string> misfits;

private:
  func::FuncOp createMain();
  bool openOp(Operation *op);
  Operation *makeAgain(Operation *op);
  SmallVector<NamedAttribute> attributesOf(Operation *op);
  /// The extents of a reshape's result; nothing where they cannot be said.
  std::optional<Extents> reshaped(nn::ReshapeOp op);
  bool holds(Operation *op);
  Extents extents(Value old) { return nn::extentsOf(tensorType(map.lookup(old))); }

  func::FuncOp from;
  const Names &names;
  OpBuilder builder;
  IRMapping map;
  SmallVector<nn::Check> checks;
};
} // namespace

func::FuncOp Opener::createMain() {
  auto main = func::FuncOp::create(builder, from.getLoc(), "main", builder.getFunctionType({}, {}));
  Block &body = *main.addEntryBlock();
  size_t dimension = 0;
  for (BlockArgument argument : from.getArguments()) {
    Extents list;
    for (int64_t extent : tensorType(argument).getShape())
      list.push_back(names.extentAt(dimension++, extent));
    map.map(argument, body.addArgument(nn::tensorOf(list, tensorType(argument).getElementType()), argument.getLoc()));
  }
  builder.setInsertionPointToEnd(&body);
  return main;
}

bool Opener::open(OwningOpRef<ModuleOp> &module) {
  module = ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToEnd(module->getBody());
  func::FuncOp main = createMain();
  for (Operation &op : from.getBody().front())
    if (!openOp(&op))
      return false;
  Block &body = main.getBody().front();
  main.setType(builder.getFunctionType(body.getArgumentTypes(), body.getTerminator()->getOperandTypes()));
  SmallVector<nn::Symbol> symbols;
  for (const auto &entry : names.all())
    symbols.push_back({entry.getKey().str()});
  llvm::sort(symbols, [](const nn::Symbol &a, const nn::Symbol &b) { return a.name < b.name; });
  nn::setSymbols(main, symbols);
  nn::setChecks(main, checks);
  return true;
}

bool Opener::openOp(Operation *op) {
  Operation *made = makeAgain(op);
  if (made && holds(made) && llvm::equal(op->getResults(), made->getResults(), [&](Value before, Value after) {
        return llvm::equal(tensorType(before).getShape(), nn::extentsOf(tensorType(after)),
                           [&](int64_t number, const Extent &extent) { return names.valueOf(extent) == number; });
      })) {
    for (auto [before, after] : llvm::zip_equal(op->getResults(), made->getResults()))
      map.map(before, after);
    return true;
  }
  llvm::StringSet<> seen;
  for (Value operand : op->getOperands())
    for (const Extent &extent : extents(operand)) {
      SmallVector<StringRef> here;
      extent.symbols(here);
      for (StringRef name : here)
        if (seen.insert(name).second)
          misfits.push_back(name.str());
    }
  return false;
}

Operation *Opener::makeAgain(Operation *op) {
  if (auto reshape = dyn_cast<nn::ReshapeOp>(op)) {
    std::optional<Extents> to = reshaped(reshape);
    if (!to)
      return nullptr;
    auto type = nn::tensorOf(*to, reshape.getY().getType().getElementType());
    return nn::ReshapeOp::create(builder, op->getLoc(), type, map.lookup<Value>(reshape.getX()));
  }
  if (isa<nn::EquationInterface>(op)) {
    std::string why;
    auto operands = llvm::map_to_vector<4>(nn::operandSlots(op), [&](Value value) { return map.lookupOrNull(value); });
    auto made =
        nn::buildEquationOp(builder, op->getLoc(), op->getName().getStringRef(), operands, attributesOf(op), why);
    return succeeded(made) ? *made : nullptr;
  }
  bool isSame =
      llvm::all_of(op->getOperands(), [&](Value value) { return value.getType() == map.lookup(value).getType(); });
  return isSame || isa<func::ReturnOp>(op) ? builder.clone(*op, map) : nullptr;
}

/// Sizes that an op says in numbers, said in symbols where they are those of its operand.
SmallVector<NamedAttribute> Opener::attributesOf(Operation *op) {
  SmallVector<NamedAttribute> attributes;
  for (NamedAttribute attribute : op->getAttrs())
    if (attribute.getName() != "operandSegmentSizes")
      attributes.push_back(attribute);
  auto change = [&](StringRef name, llvm::function_ref<void(Extents &)> edit) {
    for (NamedAttribute &attribute : attributes)
      if (attribute.getName() == name) {
        Extents list = *nn::extentsOf(attribute.getValue());
        edit(list);
        attribute.setValue(nn::numbersAttr(builder.getContext(), list));
      }
  };
  if (isa<nn::ExpandOp>(op)) {
    Extents mine = extents(op->getOperand(0));
    ArrayRef<int64_t> before = tensorType(op->getOperand(0)).getShape();
    change("shape", [&](Extents &shape) {
      for (size_t i = 0; i < std::min(shape.size(), mine.size()); ++i)
        if (Extent &extent = shape.rbegin()[i]; extent.is(before.rbegin()[i]) && !extent.is(1))
          extent = mine.rbegin()[i];
    });
  } else if (isa<nn::SliceOp>(op)) {
    Extents mine = extents(op->getOperand(0));
    ArrayRef<int64_t> before = tensorType(op->getOperand(0)).getShape();
    Extents step = *nn::extentsOf(op->getAttr("step")), start = *nn::extentsOf(op->getAttr("start"));
    auto isWhole = [&](size_t axis, const Extent &count) {
      return count.is(before[axis]) && ((step[axis].is(1) && start[axis].is(0)) || step[axis].is(-1));
    };
    Extents out = *nn::extentsOf(op->getAttr("out"));
    change("start", [&](Extents &list) {
      for (size_t i = 0; i < list.size(); ++i)
        if (isWhole(i, out[i]) && step[i].is(-1))
          list[i] = mine[i] - 1;
    });
    change("out", [&](Extents &list) {
      for (size_t i = 0; i < list.size(); ++i)
        if (isWhole(i, list[i]))
          list[i] = mine[i];
    });
  }
  return attributes;
}

std::optional<Extents> Opener::reshaped(nn::ReshapeOp op) {
  Extents mine = extents(op.getX()), before = nn::extentsOf(op.getX().getType()),
          after = nn::extentsOf(op.getY().getType());
  if (mine == before)
    return after;
  nn::DimensionGroups groups = nn::commonGroups(before, after);
  if (groups.from.empty())
    return std::nullopt;
  Extents result = after;
  for (auto [sources, targets] : llvm::zip_equal(groups.from, groups.to)) {
    Extent all = 1;
    for (int64_t source : sources)
      all *= mine[source];
    if (all.isStatic())
      continue;
    // The whole group, or what is left when the numbers of others are taken out of it.
    SmallVector<int64_t> wide = llvm::filter_to_vector(targets, [&](int64_t target) { return !after[target].is(1); });
    if (wide.size() > 1)
      return std::nullopt;
    if (wide.empty() && targets.empty())
      return std::nullopt;
    result[wide.empty() ? targets.back() : wide[0]] = all;
  }
  return result;
}

/// What the op asks of its sizes is so; it becomes a check of the program.
bool Opener::holds(Operation *op) {
  if (!isa<nn::EquationInterface>(op))
    return true;
  auto instance = nn::instantiate(op);
  if (!instance) {
    llvm::consumeError(instance.takeError());
    return false;
  }
  using Relation = nn::Check::Relation;
  auto take = [&](const auto &pairs, Relation relation, auto isSo) {
    for (const auto &[a, b] : pairs) {
      std::optional<int64_t> left = names.valueOf(a), right = names.valueOf(b);
      if (!left || !right || !isSo(*left, *right))
        return false;
      checks.push_back({a, b, relation, a.str() + " does not fit " + b.str()});
    }
    return true;
  };
  return take(instance->checks, Relation::Equal, std::equal_to<>()) &&
         take(instance->broadcastChecks, Relation::Broadcast,
              [](int64_t a, int64_t b) { return a == b || a == 1 || b == 1; }) &&
         take(instance->boundChecks, Relation::AtMost, std::less_equal<>()) && instance->repeatChecks.empty();
}

std::optional<OpenGraph> graphs::openSizes(const TestCase &graph) {
  auto main = graph.module.get().lookupSymbol<func::FuncOp>("main");
  Names names(main);
  while (!names.all().empty()) {
    Opener opener(main, names);
    OwningOpRef<ModuleOp> module;
    if (opener.open(module))
      return OpenGraph{std::move(module), names.all()};
    if (opener.misfits.empty())
      return std::nullopt;
    names.reduce(opener.misfits);
  }
  return std::nullopt;
}
