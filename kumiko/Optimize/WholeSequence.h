//===- WholeSequence.h - what all steps of a scan compute alike ------------===//
//
// An op of a scan's body that reads slices of sequences, but no state, can be computed for all steps at once:
//
//   y_t = x_t * W          for each step, becomes       Y = X * W, and y_t is a slice of Y
//
// Which ops have such a form is asked of their equations: applied to whole sequences, the statement must be the old one
// with one more loop in front, which is the first index of the sequences and of the result, and of nothing else.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Nn/Nn.h"

namespace kumiko::optimize {

/// Moves such ops out of `scan`, contractions and what does not take more memory than the sequences it reads. Returns
/// how many.
unsigned computeWholeSequences(nn::ScanOp scan);

} // namespace kumiko::optimize
