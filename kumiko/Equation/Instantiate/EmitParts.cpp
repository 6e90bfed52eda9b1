//===- EmitParts.cpp - how a statement is solved, and what shape it gives --===//
#include "kumiko/Equation/Instantiate/Emitter.h"
#include "llvm/ADT/StringSwitch.h"

namespace kumiko::eq {

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
      // What lies behind the others by as much as an index runs is the end: no index runs over less than nothing.
      Extent more = next[d] - shape[d];
      bool isBehind = llvm::any_of(part.solver.loops, [&](const LoopState &loop) { return loop.extent == more; });
      shape[d] = isBehind ? next[d] : max(shape[d], next[d]);
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

} // namespace kumiko::eq
