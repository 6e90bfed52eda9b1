//===- GraphBuilder.h - a few ops in a row ---------------------------------===//
#pragma once
#include "kumiko/Nn/Build.h"
#include "kumiko/Nn/Extents.h"
#include "kumiko/Nn/Nn.h"
#include "mlir/IR/Builders.h"

namespace kumiko::optimize {

/// Makes ops one after the other. After the first that does not fit its operands every result is null and `why` says
/// what was wrong; nothing that has been made is read by anybody then.
class GraphBuilder {
public:
  GraphBuilder(mlir::OpBuilder &builder, mlir::Location loc) : b(builder), loc(loc) {}

  std::string why;

  mlir::Value make(llvm::StringRef name, llvm::ArrayRef<mlir::Value> operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    if (!why.empty())
      return {};
    mlir::FailureOr<mlir::Operation *> op = nn::buildEquationOp(b, loc, name, operands, attributes, why);
    return mlir::failed(op) ? mlir::Value() : (*op)->getResult(0);
  }
  mlir::Value cast(mlir::Value x, mlir::Type to) {
    if (!x || mlir::getElementTypeOrSelf(x.getType()) == to)
      return x;
    return make("cast", {x}, {b.getNamedAttr("to", mlir::TypeAttr::get(to))});
  }
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape) {
    return reshape(x, llvm::SmallVector<Extent>(shape.begin(), shape.end()));
  }
  mlir::Value scalar(mlir::Value x) { return reshape(x, llvm::ArrayRef<Extent>()); }
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<Extent> shape) {
    mlir::Type type = x ? nn::tensorOf(shape, mlir::getElementTypeOrSelf(x.getType())) : mlir::Type();
    return !x || x.getType() == type ? x : nn::ReshapeOp::create(b, loc, type, x).getResult();
  }

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
};

} // namespace kumiko::optimize
