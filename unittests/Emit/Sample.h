//===- Sample.h - a small hand-made program for the tests of Emit -----------===//
#pragma once
#include "kumiko/Codegen/Common/Objects.h"
#include "kumiko/Plan/Program.h"

namespace kumiko {

/// y[2,8] = exp(x[2,8] * scale[8]) + shift[8], by two kernels: the product goes through the arena, the exponential
/// through scratch; the second kernel answers 14 when it meets a negative x in the first column.
class Sample {
public:
  Sample();

  Program program;
  Target target;
  std::vector<Object> kernels;

  static float expected(float x, unsigned column);
};

} // namespace kumiko
