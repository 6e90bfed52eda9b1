//===- Patterns.h - rules of nn-simplify that are C++ ----------------------===//
//
// What a term of kumiko/Equation/Rule.h cannot say: lists of operands, elements of constants. Each has its entry in
// code.rules.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Equation/Rule.h"
#include "mlir/IR/PatternMatch.h"

namespace kumiko::optimize {

/// concat(concat(a, b), c) = concat(a, b, c), and a slice of a concatenation that lies in one part is a slice of it.
void addConcatPatterns(mlir::RewritePatternSet &patterns);

/// matmul(reshape(transpose(x)), w) = matmul(reshape(x), w'), with the rows of w in the order of x.
void addPermuteWeightsPattern(mlir::RewritePatternSet &patterns);

/// softmax(reshape(x), axis: a) = reshape(softmax(x, axis: b)), and the same for all that works along one dimension;
/// and reshape(transpose(reshape(x))) with one view less.
void addViewPatterns(mlir::RewritePatternSet &patterns);

/// reshape(f(reshape(x))) = f(x) for what works on rows that the views do not change.
void addRowsBetweenViewsPattern(mlir::RewritePatternSet &patterns);

} // namespace kumiko::optimize
