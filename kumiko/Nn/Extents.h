//===- Extents.h - expressions over symbols, in types and attributes -------===//
//
// What is not known when a model is compiled is an integer symbol with a name, and everything else an expression over
// symbols (kumiko/Extents/Extent.h). In the IR expressions are
//
//   tensor<?x768xf32, #nn.extents<"batch*seq", 768>>    the encoding of a tensor type: all extents, present exactly
//   when
//                                                      one is not a number; `?` stands exactly where it is not
//   #nn.extent<"seq - 1">                               an integer of an attribute; never a plain number
//
// Both hold the extents themselves; the text is their normal form, so equal attributes are equal extents.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Extents/Extent.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TensorEncoding.h"

namespace mlir {
class AsmParser;
class AsmPrinter;
} // namespace mlir

namespace kumiko::nn {

namespace detail {
struct ExtentStorage;
struct ExtentsStorage;
} // namespace detail

/// Of an argument or result of a function whose type has plain `?`, as below Lower: its extents, #nn.extents.
constexpr llvm::StringLiteral extentsAttrName = "nn.extents";

class ExtentAttr : public mlir::Attribute::AttrBase<ExtentAttr, mlir::Attribute, detail::ExtentStorage> {
public:
  using Base::Base;
  static constexpr llvm::StringLiteral name = "nn.extent";
  /// The extent is symbolic: neither a number nor overflowed.
  static ExtentAttr get(mlir::MLIRContext *context, const Extent &extent);
  const Extent &getExtent() const;
};

class ExtentsAttr : public mlir::Attribute::AttrBase<ExtentsAttr, mlir::Attribute, detail::ExtentsStorage,
                                                     mlir::VerifiableTensorEncoding::Trait> {
public:
  using Base::Base;
  static constexpr llvm::StringLiteral name = "nn.extents";
  /// None has overflowed.
  static ExtentsAttr get(mlir::MLIRContext *context, llvm::ArrayRef<Extent> extents);
  llvm::ArrayRef<Extent> getExtents() const;

  llvm::LogicalResult verifyEncoding(llvm::ArrayRef<int64_t> shape, mlir::Type elementType,
                                     llvm::function_ref<mlir::InFlightDiagnostic()> emitError) const;
};

/// An integer of an attribute: i64 or #nn.extent.
bool isNumber(mlir::Attribute attribute);
/// A list of them: array<i64: ...>, or an array with at least one #nn.extent.
bool isNumbers(mlir::Attribute attribute);

/// Nothing when the attribute is not such a number or list.
std::optional<Extent> extentOf(mlir::Attribute attribute);
std::optional<llvm::SmallVector<Extent, 4>> extentsOf(mlir::Attribute attribute);
/// As attributes store them: i64 and array<i64> where all are numbers. None has overflowed.
mlir::Attribute numberAttr(mlir::MLIRContext *context, const Extent &extent);
mlir::Attribute numbersAttr(mlir::MLIRContext *context, llvm::ArrayRef<Extent> extents);

/// The extents of a tensor; overflowed where the type has `?` and no encoding says more.
llvm::SmallVector<Extent, 4> extentsOf(mlir::RankedTensorType type);
/// The tensor type of these extents, with an encoding where one is needed.
mlir::RankedTensorType tensorOf(llvm::ArrayRef<Extent> extents, mlir::Type elementType);

/// Smallest groups of neighbouring dimensions of `from` and `to` that hold the same elements, for shapes of as many
/// elements; where expressions do not tell, the rest is one group. Both lists are empty when one shape is.
struct DimensionGroups {
  llvm::SmallVector<llvm::SmallVector<int64_t, 2>> from, to;
};
DimensionGroups commonGroups(llvm::ArrayRef<Extent> from, llvm::ArrayRef<Extent> to);

/// Of the dialect's hooks.
mlir::Attribute parseExtents(mlir::AsmParser &parser, mlir::Type type);
void printExtents(mlir::Attribute attribute, mlir::AsmPrinter &printer);

} // namespace kumiko::nn

MLIR_DECLARE_EXPLICIT_TYPE_ID(kumiko::nn::ExtentAttr)
MLIR_DECLARE_EXPLICIT_TYPE_ID(kumiko::nn::ExtentsAttr)
