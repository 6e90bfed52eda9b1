#include "kumiko/Verify/BindSymbols.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Symbols.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace kumiko;
using mlir::Attribute;

void kumiko::bindSymbols(mlir::ModuleOp module, const llvm::StringMap<int64_t> &values) {
  auto lookUp = [&](llvm::StringRef name) -> std::optional<int64_t> {
    auto value = values.find(name);
    return value == values.end() ? std::nullopt : std::optional(value->second);
  };
  auto bind = [&](const Extent &extent) {
    std::optional<int64_t> value = extent.evaluate(lookUp);
    return value ? Extent(*value) : extent;
  };
  mlir::AttrTypeReplacer replacer;
  replacer.addReplacement([&](nn::ExtentAttr attribute) -> std::optional<Attribute> {
    return nn::numberAttr(attribute.getContext(), bind(attribute.getExtent()));
  });
  // A list of numbers has another form than a list with expressions.
  replacer.addReplacement([&](mlir::ArrayAttr attribute) -> std::optional<std::pair<Attribute, mlir::WalkResult>> {
    auto extents = nn::isNumbers(attribute) ? nn::extentsOf(attribute) : std::nullopt;
    if (!extents)
      return std::nullopt;
    auto numbers = llvm::map_to_vector<4>(*extents, bind);
    return std::pair(nn::numbersAttr(attribute.getContext(), numbers), mlir::WalkResult::skip());
  });
  replacer.addReplacement([&](mlir::RankedTensorType type) -> std::optional<std::pair<mlir::Type, mlir::WalkResult>> {
    auto extents = llvm::map_to_vector<4>(nn::extentsOf(type), bind);
    if (type.hasStaticShape() || llvm::any_of(extents, std::mem_fn(&Extent::overflowed)))
      return std::nullopt;
    return std::pair<mlir::Type, mlir::WalkResult>(nn::tensorOf(extents, type.getElementType()),
                                                   mlir::WalkResult::skip());
  });
  llvm::SmallVector<mlir::Operation *> done;
  module.walk([&](mlir::Operation *op) {
    if (llvm::isa<nn::SymbolOp, nn::CheckOp>(op))
      done.push_back(op);
    op->removeAttr(nn::symbolsAttrName);
    op->removeAttr(nn::checksAttrName);
  });
  for (mlir::Operation *op : done)
    op->erase();
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/true);
}
