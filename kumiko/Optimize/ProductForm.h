//===- ProductForm.h - what a sum of products is, by the roles of its loops -===//
//
// However a sum of products is written, its loops have roles: those of the result that one factor alone knows (rows,
// columns), those that both know (batch), and those that are summed over (depth). An index of two loops is a window:
//
//   y[m, n] += a[m, k] * b[n, k]                       rows m, columns n, depth k
//   y[n, f, o] += x[n, c, 2*o + k] * w[f, c, k]        a window of x: o walks, k is its tap
//   y[n, c, 2*i + k] += g[n, f, i] * w[f, c, k]        the same window of y: a transposed convolution
//   y[n, c, p] += g[n, f, (p - k) / 2] * w[f, c, k]    and once more, where (p - k) % 2 == 0
//
// The factor with windows, or that a window of the result walks along, is the image `x`; the other has the weights `w`.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Equation/Instance.h"

namespace kumiko::optimize {

/// What a dimension of a factor or of the result runs along, once it is cut and split.
struct ProductToken {
  enum class Kind : uint8_t { Loop, Window /* of the image or the result */, Tap, One };
  Kind kind = Kind::One;
  unsigned number = 0; ///< of the loop or of the window
  bool operator==(const ProductToken &other) const { return kind == other.kind && number == other.number; }
};

struct ProductTensor {
  unsigned tensor = 0; ///< of the instance
  /// What is read of each dimension of the tensor: all of it, or `out` elements from `start` on, `step` apart.
  struct Cut {
    Extent start = 0;
    int64_t step = 1;
    Extent out;
  };
  llvm::SmallVector<Cut, 4> cuts;
  bool isCut = false;
  /// The dimensions afterwards. A tuple is one dimension of the tensor and several of these.
  llvm::SmallVector<ProductToken, 6> tokens;
  llvm::SmallVector<Extent, 6> extents;

  void add(ProductToken token, const Extent &extent) {
    tokens.push_back(token);
    extents.push_back(extent);
  }
};

/// Of a convolution: image = out * stride + tap * dilation + constant. Of a transposed one, result = image * stride +
/// tap * dilation + constant. A part that does not occur has one element.
struct ProductWindow {
  int64_t stride = 1, dilation = 1;
  Extent constant = 0;
  Extent image = 1, out = 1, taps = 1;
  std::optional<unsigned> walk, tap; ///< loops
  /// Taps are counted from the last to the first.
  bool isFlipped = false;
};

struct ProductForm {
  enum class Kind : uint8_t { Matrix, Convolution, Transposed } kind = Kind::Matrix;
  ProductTensor x, w, y;
  llvm::SmallVector<ProductWindow, 3> windows;
  llvm::SmallVector<Extent, 6> loops;
  /// What factors are converted to before they are multiplied.
  ElementType element = ElementType::Invalid;
  /// Elements beside the image count as 0.
  bool isPadded = false;
  /// The statement multiplies weights by 0 that the normal form leaves out: the same only if these are finite.
  bool skipsZeros = false;
};

/// The statement as a sum of products; nothing where it is none, or is one that has no normal form: then `why` says the
/// reason.
std::optional<ProductForm> productFormOf(const eq::Instance &instance, const eq::Statement &statement,
                                         std::string &why);

} // namespace kumiko::optimize
