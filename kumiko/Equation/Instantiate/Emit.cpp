#include "kumiko/Equation/Instantiate/Emitter.h"

namespace kumiko::eq {

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

static bool usesLoop(llvm::ArrayRef<const Expr *> exprs, unsigned loop) {
  return llvm::any_of(exprs, [&](const Expr *expr) {
    return (expr->kind == Expr::Kind::Loop && expr->loop == loop) || usesLoop(expr->operands, loop);
  });
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
  // A step of 0 takes a loop out of the index: its points meet.
  for (unsigned loop = 0; loop < result.kept && !result.computedLeft; ++loop)
    result.computedLeft = !result.loops[loop].extent.is(1) && !usesLoop(place.indices, loop);
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

bool emitStatement(OpContext &context, const StatementDef &statement, EmitOptions options) {
  return Emitter(context, statement, options).run();
}

} // namespace kumiko::eq
