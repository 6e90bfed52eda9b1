//===- Emit.h - solved statements become part of the instance --------------===//
#pragma once
#include "kumiko/Equation/Instantiate/Values.h"

namespace kumiko::eq {

/// What is wanted of a statement.
struct EmitOptions {
  /// False: only the shapes of the targets (for inferResults, and when nobody needs the elements).
  bool values = true;
  /// The second target of an arg-max is not needed.
  bool firstTargetOnly = false;
};

/// Solves the statement and adds it, with the types of its targets, to the instance. False after an error.
bool emitStatement(OpContext &context, const StatementDef &statement, EmitOptions options);

} // namespace kumiko::eq
