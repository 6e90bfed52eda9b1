//===- KernelFunction.h - the function that a kernel becomes ----------------===//
//
// `i32 k(ptr buffers, ptr symbols, i64 chunk, ptr scratch)`, whatever stands inside.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Kernel/KernelExtents.h"
#include "kumiko/Nn/Nn.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

namespace kumiko {

/// The names of the symbols of the program that the module is, or that it is a unit of, in the order of their table.
llvm::SmallVector<std::string> symbolsOfProgram(mlir::ModuleOp module);

/// A function of that type in a module of its own, both of the kernel's name, in front of the kernel; `b` stands at its
/// start.
mlir::func::FuncOp createFunction(mlir::OpBuilder &b, nn::KernelOp kernel);
/// See there.
void keepCopies(mlir::func::FuncOp function);

/// Entry `number` of the table of buffers.
mlir::Value bufferPointer(mlir::OpBuilder &b, mlir::Location loc, mlir::Value table, int32_t number);
/// A bare pointer as a flat memref.
mlir::Value memrefFromPointer(mlir::OpBuilder &b, mlir::Location loc, mlir::Value pointer, mlir::MemRefType type);
/// Flat storage of a tensor.
mlir::MemRefType storageOf(mlir::Type tensor, const Extent &elements);

/// A constant as memory that is part of the code of `module`, where its elements lie as those of any tensor.
mlir::Value constantTable(mlir::OpBuilder &b, mlir::ModuleOp module, mlir::DenseElementsAttr elements);

/// Every size is a number or an expression over symbols of the program.
mlir::LogicalResult checkSizes(nn::KernelOp kernel, KernelExtents &extents, llvm::ArrayRef<std::string> symbols);
/// The same for the parameters of a routine, whose results may have any size, and for the symbols that it finds.
mlir::LogicalResult checkRoutine(nn::KernelOp kernel, llvm::ArrayRef<std::string> symbols);

/// From control flow, arithmetic and memory to the LLVM dialect: the end of every back end's way.
void addKernelToLlvm(mlir::OpPassManager &kernelModules);

} // namespace kumiko
