//===- IntegerLayout.h - narrow integers as the code multiplies them -------===//
//
// Sums of narrow products run on words of 32 bits. A word holds `group` neighbours in depth, so that one instruction
// multiplies and adds them without ever leaving 32 bits:
//
//   group 2   two halves, widened with their sign; products of bytes never saturate (vpmaddwd, smull and addp)
//   group 4   four bytes as they are, one factor with a sign and one without (vpdpbusd)
//
//   rows      [row][words]                                                   copied to scratch by each chunk
//   columns   [batch][panel] of { start[columns], word[words][columns] }     packed at compile time where they are
//   constant
//
// Depth is filled up to whole words; zeros in the columns make what the rows hold there irrelevant. With group 4, rows
// whose sign is that of the columns are read with the other sign by turning their highest bit, which adds or subtracts
// 128: `start` is what the sums of a column have to begin with to make up for it. With group 2 there is no `start`.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Schedule/Schedule.h"

namespace kumiko {

struct IntegerLayout {
  int64_t group = 2;
  int64_t depth = 0;
  int64_t panelColumns = 16;
  unsigned columnBits = 8;
  bool columnSigned = true;
  /// The rows' highest bits are turned.
  bool turnsRows = false;

  int64_t words() const { return (depth + group - 1) / group; }
  int64_t startWords() const { return group == 4 ? panelColumns : 0; }
  int64_t panelWords() const { return startWords() + words() * panelColumns; }
  /// What the rows of a chunk take in scratch, up to where something else may begin.
  int64_t rowBytes(const ContractionShape &shape, const Schedule &schedule) const;
  /// What each unit of a column adds to its start.
  int64_t startFactor() const { return !turnsRows ? 0 : columnSigned ? -128 : 128; }
};

/// The layout of a contraction of integers, whose depth is a number.
IntegerLayout integerLayoutOf(const ContractionShape &shape, const Schedule &schedule);

} // namespace kumiko
