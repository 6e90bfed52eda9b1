#include "kumiko/Equation/Instantiate/Emit.h"
#include "llvm/ADT/StringSwitch.h"

namespace kumiko::eq {
namespace {

using Shape = llvm::SmallVector<Extent, 4>;

/// One solving of a statement: the whole, or the part for one operand of a variadic one.
struct Part {
  Part(OpContext &context, const StatementDef &statement, llvm::SmallVector<unsigned, 4> numbers)
      : numbers(std::move(numbers)), solver(context, statement, this->numbers), builder(solver) {}
  llvm::SmallVector<unsigned, 4> numbers;
  Solver solver;
  ValueBuilder builder;
};

class Emitter {
public:
  Emitter(OpContext &context, const StatementDef &statement, EmitOptions options)
      : context(context), statement(statement), options(options),
        targetCount(options.firstTargetOnly ? 1 : statement.targets.size()) {}

  bool run();

private:
  bool findCombine();
  bool solveParts();
  bool numberOnLeft() const;
  bool shapeTarget(unsigned target);
  bool partShape(Part &part, unsigned target, Shape &shape);
  bool mergeShape(Shape &shape, const Shape &next, const Part &part, unsigned target);
  void defineTarget(unsigned target, ElementType element);
  bool emitPart(Part &part, unsigned number, bool continues);
  bool emitTarget(Part &part, unsigned target, const Typed &value, Statement &result);
  bool targetIndices(Part &part, unsigned target, Target &result, bool &computed);
  bool checkLoops(Part &part, const Statement &result);
  ElementType elementOf(unsigned target, const Typed &value) const;

  OpContext &context;
  const StatementDef &statement;
  EmitOptions options;
  size_t targetCount;
  Combine combine = Combine::Set;
  llvm::SmallVector<std::unique_ptr<Part>, 1> parts;
  llvm::SmallVector<Shape, 2> shapes; ///< by target
};

bool Emitter::run() {
  context.statement = &statement;
  if (!findCombine() || !solveParts())
    return false;
  for (unsigned target = 0; target < targetCount; ++target)
    if (!shapeTarget(target))
      return false;
  if (!options.values) {
    for (unsigned target = 0; target < targetCount; ++target)
      defineTarget(target, ElementType::F32);
    return true;
  }
  bool continues = false;
  for (auto &part : parts) {
    for (unsigned number : part->numbers) {
      if (!emitPart(*part, number, continues))
        return false;
      continues = true;
    }
  }
  return true;
}

bool Emitter::findCombine() {
  switch (statement.assign) {
  case AssignKind::FromAttribute: {
    combine = llvm::StringSwitch<Combine>(context.attributes[statement.kindAttribute].string)
                  .Case("+", Combine::Sum)
                  .Case("*", Combine::Product)
                  .Case("max", Combine::Max)
                  .Case("min", Combine::Min)
                  .Case("and", Combine::And)
                  .Case("or", Combine::Or)
                  .Default(Combine::Set);
    break;
  }
  default:
    // Both lists are in the same order.
    combine = static_cast<Combine>(statement.assign);
  }
  if (statement.targets.size() == 2 && combine != Combine::Max && combine != Combine::Min) {
    context.fail("two targets need `max` or `min`, not '" + context.attributes[statement.kindAttribute].string + "'");
    return false;
  }
  return true;
}

bool Emitter::numberOnLeft() const {
  bool found = false;
  for (const TargetDef &target : statement.targets)
    walk(target.items, [&](const Node &node) {
      found |= node.binding == Node::Binding::Index && statement.indices[node.number].variadicNumber;
    });
  return found;
}

bool Emitter::solveParts() {
  size_t numbers = llvm::count_if(statement.indices, [](const IndexDef &index) { return index.variadicNumber; });
  llvm::SmallVector<unsigned, 4> all = {0};
  if (numbers > 1) {
    context.fail("a statement has one number of operands at most");
    return false;
  }
  if (numbers == 1) {
    unsigned count = context.tensors[*context.op.variadicOperand()].count;
    if (count == 0) {
      context.fail(context.op.operands[*context.op.variadicOperand()].name + " is empty");
      return false;
    }
    all = llvm::to_vector<4>(llvm::seq<unsigned>(count));
  }
  if (numbers == 1 && numberOnLeft()) {
    for (unsigned number : all)
      parts.push_back(std::make_unique<Part>(context, statement, llvm::SmallVector<unsigned, 4>{number}));
  } else {
    if (all.size() > 1 && combine == Combine::Set) {
      context.fail("`=` would define each point " + llvm::Twine(all.size()) + " times; combine with `+=` or another");
      return false;
    }
    parts.push_back(std::make_unique<Part>(context, statement, all));
  }
  for (auto &part : parts) {
    context.variadicNumber = part->numbers.front();
    if (!part->solver.solve())
      return false;
  }
  return true;
}

/// The shape of a target: as stated, or what its index list covers.
bool Emitter::shapeTarget(unsigned target) {
  Shape shape;
  if (const Shape *stated = parts.front()->solver.statedShape(statement.targets[target].tensor)) {
    shape = *stated;
  } else {
    for (auto &part : parts) {
      Shape next;
      context.variadicNumber = part->numbers.front();
      if (!partShape(*part, target, next) || !mergeShape(shape, next, *part, target))
        return false;
    }
  }
  if (product(shape).overflowed()) {
    context.fail(statement.targets[target].name + " would have more elements than can be counted");
    return false;
  }
  shapes.push_back(std::move(shape));
  return true;
}

bool Emitter::partShape(Part &part, unsigned target, Shape &shape) {
  Solver &solver = part.solver;
  for (const Entry &entry : solver.targetLayouts[target]) {
    const Node &value = *entry.value;
    if (solver.isIndex(value)) {
      shape.push_back(solver.loops[solver.loopOf(value, entry.element)].extent);
    } else if (value.kind == Node::Kind::Tuple) {
      shape.push_back(solver.extentProduct(solver.tupleLoops(value, entry.element)));
    } else if (value.kind == Node::Kind::Integer) {
      if (value.integer != 0) {
        context.fail("position " + llvm::Twine(value.integer) + " on the left needs a stated shape");
        return false;
      }
      shape.push_back(1);
    } else {
      auto last = part.builder.highest(*part.builder.index(value, entry.element));
      if (!last) {
        context.fail("the shape of " + statement.targets[target].name + " is not stated");
        return false;
      }
      shape.push_back(*last + Extent(1));
    }
  }
  return !context.failed();
}

/// Joins the shapes of the parts: computed positions take the largest, bare ones must agree.
bool Emitter::mergeShape(Shape &shape, const Shape &next, const Part &part, unsigned target) {
  if (&part == parts.front().get()) {
    shape = next;
    return true;
  }
  if (shape.size() != next.size()) {
    context.fail("operand " + llvm::Twine(part.numbers.front()) + " gives rank " + llvm::Twine(next.size()) +
                 " but operand 0 gives rank " + llvm::Twine(shape.size()));
    return false;
  }
  for (auto [d, entry] : llvm::enumerate(part.solver.targetLayouts[target])) {
    bool bare = part.solver.isIndex(*entry.value);
    if (!bare) {
      shape[d] = max(shape[d], next[d]);
    } else if (shape[d] != next[d]) {
      if (shape[d].isStatic() && next[d].isStatic()) {
        context.fail("dimension " + llvm::Twine(d) + " is " + shape[d].str() + " in operand 0 but " + next[d].str() +
                     " in operand " + llvm::Twine(part.numbers.front()));
        return false;
      }
      context.instance.checks.push_back({shape[d], next[d]});
    }
  }
  return true;
}

ElementType Emitter::elementOf(unsigned target, const Typed &value) const {
  unsigned tensor = statement.targets[target].tensor;
  if (context.op.tensors[tensor].role == TensorSymbol::Role::Result)
    return context.instance.tensors[context.tensors[tensor].first].type.element;
  if (!value.weak)
    return value.type;
  for (const ClauseDef &clause : statement.clauses)
    if (clause.kind == ClauseDef::Kind::Like && clause.number == tensor)
      return context.typeOf(clause.otherTensor)->element;
  return value.type == ElementType::Index ? ElementType::I64 : ElementType::F32;
}

void Emitter::defineTarget(unsigned target, ElementType element) {
  unsigned number = statement.targets[target].tensor;
  TensorState &state = context.tensors[number];
  if (state.known)
    return; // by the part before
  bool isResult = context.op.tensors[number].role == TensorSymbol::Role::Result;
  if (!isResult) {
    state.first = context.instance.tensors.size();
    Tensor temporary;
    temporary.name = statement.targets[target].name.str();
    temporary.type.element = element;
    context.instance.tensors.push_back(std::move(temporary));
  }
  Tensor &tensor = context.instance.tensors[state.first];
  // A result that nobody asked for but another statement reads is a temporary.
  if (isResult && !tensor.present)
    tensor.role = Tensor::Role::Temporary;
  tensor.present = true;
  tensor.type.shape = shapes[target];
  state.known = true;
}

bool Emitter::emitPart(Part &part, unsigned number, bool continues) {
  context.variadicNumber = number;
  Solver &solver = part.solver;
  Statement result;
  result.combine = combine;
  result.continues = continues;
  result.text = statement.text.str();
  result.kept = solver.kept;
  for (unsigned loop = 0; loop < solver.loops.size(); ++loop)
    result.loops.push_back({solver.nameOf(loop), solver.loops[loop].extent});
  if (statement.into)
    result.into = context.tensors[statement.into->number].first;
  for (const ClauseDef &clause : statement.clauses) {
    if (clause.kind != ClauseDef::Kind::Condition)
      continue;
    for (const Entry &entry : solver.layout(clause.items)) {
      const Expr *condition = part.builder.condition(*entry.value, entry.element);
      if (!isNumber(*condition, 1))
        result.conditions.push_back(condition);
    }
  }
  for (unsigned target = 0; target < targetCount && !context.failed(); ++target)
    if (!emitTarget(part, target, part.builder.build(*statement.values[target]), result))
      return false;
  if (context.failed() || !checkLoops(part, result))
    return false;
  context.instance.statements.push_back(std::move(result));
  return true;
}

bool Emitter::emitTarget(Part &part, unsigned target, const Typed &value, Statement &result) {
  if (context.failed())
    return false;
  const TargetDef &definition = statement.targets[target];
  ElementType element = elementOf(target, value);
  result.values.push_back(part.builder.stored(value, element, combine != Combine::Set, definition.name));
  defineTarget(target, element);
  Target place;
  place.tensor = context.tensors[definition.tensor].first;
  if (!targetIndices(part, target, place, result.computedLeft))
    return false;
  if (result.into && context.instance.tensors[*result.into].type.element != element) {
    context.fail(definition.name + " is " + nameOf(element) + " but starts as a copy of a tensor of " +
                 nameOf(context.instance.tensors[*result.into].type.element));
    return false;
  }
  result.targets.push_back(std::move(place));
  return true;
}

bool Emitter::targetIndices(Part &part, unsigned target, Target &result, bool &computed) {
  Solver &solver = part.solver;
  for (auto [entry, extent] : llvm::zip_equal(solver.targetLayouts[target], shapes[target])) {
    const Expr *index = part.builder.position(entry, -1, extent);
    result.indices.push_back(index);
    bool tuple = entry.value->kind == Node::Kind::Tuple;
    bool whole = index->kind == Expr::Kind::Loop && solver.loops[index->loop].extent == extent;
    bool onlyPoint = isNumber(*index, 0) && extent.is(1) && !entry.barePack;
    computed |= !tuple && !whole && !onlyPoint;
  }
  return !context.failed();
}

bool Emitter::checkLoops(Part &part, const Statement &result) {
  Solver &solver = part.solver;
  if (combine == Combine::Set && solver.loops.size() > solver.kept) {
    context.fail("index " + solver.nameOf(solver.kept) + " is not on the left of `=`; to sum over it write `+=`");
    return false;
  }
  // Both targets of an arg-max are written at the same points.
  for (unsigned target = 0; targetCount == 2 && target < targetCount; ++target) {
    llvm::SmallVector<bool, 8> used(solver.loops.size(), false);
    for (const Entry &entry : solver.targetLayouts[target]) {
      if (solver.isIndex(*entry.value))
        used[solver.loopOf(*entry.value, entry.element)] = true;
      else if (entry.value->kind == Node::Kind::Tuple)
        for (unsigned loop : solver.tupleLoops(*entry.value, entry.element))
          used[loop] = true;
    }
    if (result.computedLeft || llvm::is_contained(llvm::ArrayRef(used).take_front(solver.kept), false)) {
      context.fail("both targets must have the same indices, and nothing else");
      return false;
    }
  }
  return true;
}

} // namespace

bool emitStatement(OpContext &context, const StatementDef &statement, EmitOptions options) {
  return Emitter(context, statement, options).run();
}

} // namespace kumiko::eq
