//===- Emitter.h - one statement on its way into the instance --------------===//
#pragma once
#include "kumiko/Equation/Instantiate/Emit.h"

namespace kumiko::eq {

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
  using Shape = llvm::SmallVector<Extent, 4>;

  Emitter(OpContext &context, const StatementDef &statement, EmitOptions options)
      : context(context), statement(statement), options(options),
        targetCount(options.firstTargetOnly ? 1 : statement.targets.size()) {}

  bool run();

private:
  // EmitParts.cpp
  bool findCombine();
  bool solveParts();
  bool numberOnLeft() const;
  bool shapeTarget(unsigned target);
  bool partShape(Part &part, unsigned target, Shape &shape);
  bool mergeShape(Shape &shape, const Shape &next, const Part &part, unsigned target);

  // Emit.cpp
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

} // namespace kumiko::eq
