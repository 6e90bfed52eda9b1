//===- Writer.h - the nn dialect as a .kmk text --------------------------------------------===//
#pragma once
#include "kumiko/Import/Build/Safetensors.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Symbols.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace kumiko::text {

class Writer {
public:
  Writer(llvm::SmallVectorImpl<StoredTensor> &weights) : os(text), weights(weights) {}
  llvm::Expected<std::string> run(mlir::ModuleOp module, llvm::StringRef weightsFile);

private:
  std::string text, why;
  llvm::raw_string_ostream os;
  llvm::SmallVectorImpl<StoredTensor> &weights;
  llvm::StringMap<std::string> definitions; ///< of ops that the program brings, by name
  llvm::DenseMap<mlir::Attribute, std::string> stored;
  llvm::StringSet<> storedNames;
  llvm::DenseMap<mlir::Value, std::string> names;
  llvm::StringMap<unsigned> taken; ///< how often a name is used in the body at hand
  llvm::SmallVector<nn::ConstantOp> pending;
  unsigned indent = 1;

  void collectDefinitions(mlir::func::FuncOp main);
  void writeSignature(mlir::func::FuncOp main);
  void writeSymbols(mlir::func::FuncOp main);
  void writeBlock(mlir::Block &block);
  void writeOp(mlir::Operation *op);
  void writeCall(mlir::Operation *op);
  void writeIf(nn::IfOp choice);
  void writeScan(nn::ScanOp scan);
  void writeLoop(nn::LoopOp loop);
  void writeBody(mlir::Region &region, llvm::ArrayRef<std::string> arguments);
  void writeShared(llvm::StringRef word, mlir::ValueRange values, llvm::ArrayRef<std::string> arguments,
                   mlir::TypeRange types = {});
  void writeSymbolOp(nn::SymbolOp symbol);
  void writeCheck(const nn::Check &check);
  void writePending(mlir::Operation *user);
  bool isAbsorbed(nn::ConstantOp constant, mlir::Operation *user);
  std::string constantText(nn::ConstantOp constant);
  std::string store(nn::ConstantOp constant);
  std::string attributeText(mlir::Attribute attribute);
  llvm::SmallVector<std::string> argumentNames(mlir::Block &block);
  llvm::raw_ostream &line() { return os.indent(2 * indent); }
  std::string nameOfValue(mlir::Value value) { return names.lookup(value); }
  std::string newName(llvm::StringRef base);
  std::string list(mlir::ValueRange values) {
    return llvm::join(llvm::map_range(values, [&](mlir::Value value) { return nameOfValue(value); }), ", ");
  }
};

std::string baseOf(mlir::Location loc);
std::string typeText(mlir::Type type);
std::string extentText(const Extent &extent);
/// The name as it stands in the text; in quotes also where a word would be something else.
std::string asName(llvm::StringRef name);
std::string asString(llvm::StringRef content);

} // namespace kumiko::text
