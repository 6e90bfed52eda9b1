//===- Nn.h - the graph dialect --------------------------------------------===//
//
// Classes of all ops: nn::ReluOp, nn::ConvOp, ... generated from the equations, nn::ConstantOp, nn::KernelOp, ... from
// Nn.td. Passes should ask `EquationInterface` and kumiko/Nn/Equations.h rather than for one class after the other.
//
// Every class of an equation has, besides MLIR's, a builder that infers the result types:
//   Value y = nn::AddOp::create(builder, loc, a, b);
// Its arguments must fit the equation; use kumiko/Nn/Build.h for those that come from a file.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Nn/Extents.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "kumiko/Nn/NnDialect.h.inc"
#include "kumiko/Nn/NnInterfaces.h.inc"
#define GET_OP_CLASSES
#include "kumiko/Nn/NnOps.h.inc"
