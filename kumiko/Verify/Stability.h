//===- Stability.h - how far rounding alone may move a result ----------------===//
//
// A rewrite of class rounding may round every value of a network once more, at another place or in another order. What
// that does to a result depends on the network: a sum may cancel, an exponential magnifies. So the bound is measured,
// not guessed: the network is evaluated in f64 while every float that enters or leaves an op, inputs and constants
// included, is changed by a random share of the last place of its declared type. The largest change of an element over
// several such runs, times a margin, is what rounding explains.
//
// A result that jumps (a comparison, a rounding to integers, a position of a maximum) moves by as much as a run of
// these shows, or not at all.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Support/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <deque>

namespace kumiko {

/// The results of the function in f64, with every float changed by up to `units` units in the last place of its type,
/// at random; with 0 units just the results.
llvm::Expected<llvm::SmallVector<Tensor, 2>>
evaluateDisturbed(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> arguments, double units, uint64_t seed);

/// One element that rounding does not explain.
struct Outlier {
  unsigned result = 0;
  int64_t element = 0;
  double got = 0, reference = 0, allowed = 0;
  std::string text() const;
};

/// The first element that is not the same in every bit; any NaN is any other.
std::optional<Outlier> firstDifference(llvm::ArrayRef<Tensor> got, llvm::ArrayRef<Tensor> wanted);

class RoundingJudge {
public:
  /// `function` and `arguments` must outlive the judge; `units` says how coarse a rewrite may be, 1 for rounding. A
  /// network that takes long is disturbed a `share` as often.
  RoundingJudge(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> arguments, double units = 1, double share = 1);

  /// The undisturbed results.
  llvm::Expected<llvm::ArrayRef<Tensor>> reference();

  struct Answer {
    std::optional<Outlier> outlier;
    /// Only large disturbances reach a result: it hangs on the last places of its operands.
    bool unstable = false;
  };
  /// Compares results, in f64 or in the declared types, with the reference.
  llvm::Expected<Answer> judge(llvm::ArrayRef<Tensor> got);

private:
  /// Adds runs until there are `count` with this many units.
  llvm::Error disturb(double units, unsigned count);
  std::optional<Outlier> firstOutlier(llvm::ArrayRef<Tensor> got) const;
  double allowedAt(unsigned result, int64_t element, double largest) const;

  mlir::func::FuncOp function;
  llvm::ArrayRef<Tensor> arguments;
  double units, share;
  size_t effortsDone = 0;                  ///< what was seen for one comparison serves the next
  llvm::SmallVector<ElementType> declared; ///< of the results
  llvm::SmallVector<Tensor, 2> right;
  struct Run {
    llvm::SmallVector<Tensor, 2> results;
    double margin; ///< how much more than this run shows is allowed
  };
  std::deque<Run> runs;
};

} // namespace kumiko
