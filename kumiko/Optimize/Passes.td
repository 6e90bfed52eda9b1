//===- Passes.td - passes of the Optimize stage ----------------------------===//
#ifndef KUMIKO_OPTIMIZE_PASSES_TD
#define KUMIKO_OPTIMIZE_PASSES_TD

include "mlir/Pass/PassBase.td"

def SimplifyPass : Pass<"nn-simplify", "::mlir::func::FuncOp"> {
  let summary = "applies the rules that are equations";
  let description = [{
    Class: that of each rule; `allow` is the last one that may be used.

    Drops what nobody reads, removes every op whose equation only copies an operand (a cast to the same type, a transpose
    that keeps the order, a slice of everything, a concat of one) and every op without elements, applies the rules of
    kumiko/Optimize/*.rules that are equations, until none fits, and merges equal ops.
    ```mlir
    %0 = nn.transpose %x {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %1 = nn.transpose %0 {perm = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>   // = %x
    ```
  }];
  let options = [Option<"allow", "allow", "std::string", "\"exact\"", "the class of rules to go up to">,
                 ListOption<"without", "without", "std::string", "rules to leave out">,
                 Option<"keepPadding", "keep-padding", "bool", "false",
                        "leave padding that nn-expand-padding has put apart where it is">];
  let statistics = [Statistic<"removed", "removed", "ops replaced by one of their operands">,
                    Statistic<"rewritten", "rewritten", "rules applied">];
  let dependentDialects = ["::kumiko::nn::NnDialect"];
}

def FoldConstantsPass : Pass<"nn-fold-constants", "::mlir::func::FuncOp"> {
  let summary = "computes what is known";
  let description = [{
    Class: exact (the evaluator in the declared types).

    An op whose operands are all `nn.constant` becomes a constant, if its results take at most 4 MiB (1 MiB where
    it only repeats what is there), or if it computes nothing and its result is no larger than its operands (a transposed
    weight).
    ```mlir
    %0 = nn.add %c1, %c2 : tensor<4xf32>      // %0 = nn.constant dense<...>
    ```
    Work is bounded; an op above the bounds stays and is reported. Afterwards equations may still read constants.
  }];
  let statistics = [Statistic<"folded", "folded", "ops computed at compile time">];
  let dependentDialects = ["::kumiko::nn::NnDialect"];
}

def SimplifyLoopsPass : Pass<"nn-simplify-loops", "::mlir::func::FuncOp"> {
  let summary = "leaves in a loop what changes from turn to turn";
  let description = [{
    Class: exact.

    What a body computes from constants and shared operands alone is computed before the loop. Constants stand inside,
    where their readers see them; states that never change are shared; stacked results that nobody reads are not made. A
    scan of one step is its body, and one of no step its first states. What reads slices of sequences but no state, such
    as the product of an input with its weights, is computed for all steps at once.
    ```mlir
    %y = nn.scan states(%h) over(%x) shared(%w) ... {
    ^bb0(%s: ..., %i: ..., %a: ...):
      %0 = nn.exp %a                          // goes before the loop
      %1 = nn.mul %s, %0
    ```
  }];
  let statistics = [Statistic<"hoisted", "hoisted", "ops that are computed once instead of in every turn">];
  let dependentDialects = ["::kumiko::nn::NnDialect"];
}

def NormalizeProductsPass : Pass<"nn-normalize-products", "::mlir::func::FuncOp"> {
  let summary = "sums of products in any form become matrix products and convolutions";
  let description = [{
    Class: rounding (sums run in another order).

    A statement that sums products of two tensors has its loops sorted into batch, rows, columns and depth, whatever their
    order, and windows found in its indices. It becomes nn.matmul, nn.conv or nn.conv_transpose (or the op of integers)
    between transposes and views, if no tile would take it as it stands and these pay; constants move for nothing.
    ```mlir
    %y = nn.custom %a, %b {nn.definition = "op p(a: T, b: T) -> y: T { y(m, n) += a(m, k) * b(n, k) }"}
    // becomes
    %t = nn.transpose %b {perm = array<i64: 1, 0>}
    %y = nn.matmul %a, %t
    ```
    An op of a user with several statements is taken apart around its sum of products. Afterwards no other op holds a sum
    of products that pays to be one of these.
  }];
  let statistics = [Statistic<"normalized", "normalized", "sums of products in their normal form">];
  let dependentDialects = ["::kumiko::nn::NnDialect"];
}

def FoldBatchNormPass : Pass<"nn-fold-batch-norm", "::mlir::func::FuncOp"> {
  let summary = "puts scales and shifts per channel into weights";
  let description = [{
    Class: rounding (weights are scaled in f64 and rounded once).

    A batch normalisation with constant statistics is y = x * a + b. After a convolution or matrix product with constant
    weights that nobody else reads, a goes into the weights and b into the bias; so do multiplications and additions of
    constants per channel. Without one it becomes a multiplication and an addition, which fuse with their neighbours.
    ```mlir
    %0 = nn.conv %x, %w {...}
    %y = nn.batch_norm %0, %scale, %bias, %mean, %var {eps = 1.0e-5}
    // becomes
    %y = nn.conv %x, %scaled_w, %new_bias {...}
    ```
  }];
  let statistics = [Statistic<"folded", "folded", "scales and shifts that became part of weights">,
                    Statistic<"split", "split", "normalisations that became a multiplication and an addition">];
  let dependentDialects = ["::kumiko::nn::NnDialect"];
}

def QuantizedProductsPass : Pass<"nn-quantized-products", "::mlir::func::FuncOp"> {
  let summary = "products of dequantised tensors become products of integers";
  let description = [{
    Class: rounding (a sum of integers is exact where the float reading rounds; scales are multiplied once, at the end).

    A matrix product or convolution of two dequantised tensors is a product of their integers times both scales.
    ```mlir
    %y = nn.matmul dequantize(%a, %sa, %za), dequantize(%b, %sb, %zb)
    // becomes
    %p = nn.matmul sub(i32(%a), i32(%za)), sub(i32(%b), i32(%zb)) : i32
    %y = nn.mul f32(%p), (%sa * %sb)
    ```
    On the way, dequantisation moves below transposes, reshapes, slices, concatenations and maxima, which then move and
    compare bytes; quantising what has just been dequantised with the same parameters is nothing. The quantisation that
    follows a product becomes part of its kernel.
  }];
  let statistics = [Statistic<"products", "products", "products on integers">,
                    Statistic<"moved", "moved", "dequantisations moved down">];
  let dependentDialects = ["::kumiko::nn::NnDialect"];
}

def IntegerProductsPass : Pass<"nn-integer-products", "::mlir::func::FuncOp"> {
  let summary = "products of narrow integers stay narrow";
  let description = [{
    Class: exact (sums in i32 wrap, in whatever order).

    A product in i32 of bytes minus their zero points reads the bytes; zero points are made up for afterwards, by sums
    that are known where a factor is constant.
    ```mlir
    %y = nn.matmul sub(i32(%a), %za), sub(i32(%b), %zb) : i32
    // becomes, with constant %b
    %p = nn.integer_matmul %a, %narrow : (tensor<MxKxui8>, tensor<KxNxi8>) -> tensor<MxNxi32>
    %y = nn.sub %p, %za * (sums of the columns)
    ```
  }];
  let statistics = [Statistic<"narrow", "narrow", "products that read narrow integers">];
  let dependentDialects = ["::kumiko::nn::NnDialect"];
}

def ExpandTransformsPass : Pass<"nn-expand-transforms", "::mlir::func::FuncOp"> {
  let summary = "Fourier transforms become products with tables of rotations";
  let description = [{
    Class: rounding (the table is rounded to the type of the samples, and so are the sums).

    A transform whose length is a number is a product of matrices, for which there is a register tile. A long one is done
    in two steps, each over a divisor of the length, so that it costs n * (n1 + n2) instead of n * n.
    ```mlir
    %y = nn.dft %x {axis = 1 : i64, inverse = false, n = 512 : i64, out = 257 : i64} : (tensor<8x512x1xf32>) -> tensor<8x257x2xf32>
    // becomes
    %w = nn.constant dense<...> : tensor<512x514xf32>
    %z = nn.matmul %x', %w : (tensor<8x512xf32>, tensor<512x514xf32>) -> tensor<8x514xf32>      // %x' and %y are reshapes
    ```
    Tables are bounded; a transform that would need a larger one stays and is reported.
  }];
  let statistics = [Statistic<"expanded", "expanded", "transforms that are products">];
  let dependentDialects = ["::kumiko::nn::NnDialect"];
}

def ExpandConvTransposePass : Pass<"nn-expand-conv-transpose", "::mlir::func::FuncOp"> {
  let summary = "transposed convolutions become convolutions of their phases, or products";
  let description = [{
    Class: rounding (sums in another order).

    Results that lie a stride apart see the same taps of the window, so each such phase is a convolution with a part of
    the window. Phases along the last dimension are features of one convolution, which lie where they belong; those along
    the others are parts, which follow each other row by row. Parts with few features are computed together. What is done
    to each element afterwards is done before.
    ```mlir
    %y = nn.conv_transpose %x, %w {stride = array<i64: 2, 2>, ...} : (tensor<1x8x4x4xf32>, tensor<8x3x2x2xf32>) -> tensor<1x3x8x8xf32>
    // becomes, with channels last
    %z = nn.conv %x', %v {stride = array<i64: 1, 1>, ...} : (tensor<1x4x4x8xf32>, tensor<12x8x1x1xf32>) -> tensor<1x4x4x12xf32>
    %0 = nn.slice %z {start = array<i64: 0, 0, 0, 0>, ...}, seen as tensor<1x4x1x4x6xf32>
    %1 = nn.slice %z {start = array<i64: 0, 0, 0, 6>, ...}, seen as tensor<1x4x1x4x6xf32>
    %y' = nn.concat %0, %1 {axis = 2 : i64}, seen as tensor<1x8x8x3xf32>
    ```
    With several groups the phases are put side by side by a transpose. Weights that are not constant, dilated windows and
    strides much longer than the window have no phases: there a product makes the columns of all taps, which nn.col2im adds
    to the result.
  }];
  let statistics = [Statistic<"expanded", "expanded", "transposed convolutions that are convolutions or products">];
  let dependentDialects = ["::kumiko::nn::NnDialect"];
}

def ExpandPaddingPass : Pass<"nn-expand-padding", "::mlir::func::FuncOp"> {
  let summary = "padding of windows becomes an op of its own";
  let description = [{
    Class: exact.

    An op whose first statement pads an operand by its attributes `lo` and `hi` becomes nn.pad and the same op without
    padding, so that whoever makes the operand can write it with its border.
    ```mlir
    %y = nn.conv %x, %w {lo = array<i64: 1, 1>, hi = array<i64: 1, 1>, ...}
    // becomes
    %p = nn.pad %x {lo = array<i64: 0, 0, 1, 1>, hi = array<i64: 0, 0, 1, 1>}
    %y = nn.conv %p, %w {lo = array<i64: 0, 0>, hi = array<i64: 0, 0>, ...}
    ```
    Only where the other statements stay the same: not for an average that does not count its border, nor for a maximum
    whose position is read.
  }];
  let statistics = [Statistic<"expanded", "expanded", "ops whose padding stands apart">];
  let dependentDialects = ["::kumiko::nn::NnDialect"];
}

def CombineProductsPass : Pass<"nn-combine-products", "::mlir::func::FuncOp"> {
  let summary = "products of one input become one product";
  let description = [{
    Class: exact.

    Products and convolutions of one input that differ in their constant weights alone, as query, key and value of
    attention do, become one with all the weights; what they gave are parts of its columns.
    ```mlir
    %0 = nn.matmul %x, %v : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    %1 = nn.matmul %x, %w : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    // becomes
    %y = nn.matmul %x, %vw : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %0 = nn.slice %y {start = array<i64: 0, 0>, ...}
    %1 = nn.slice %y {start = array<i64: 0, 4>, ...}
    ```
    An addition per column and a view that splits columns into heads stay in front of the slices. Only where all that
    read a part can read it in place. Before: weights are constants, padding stands apart.
  }];
  let statistics = [Statistic<"combined", "combined", "products that became parts of another">];
  let dependentDialects = ["::kumiko::nn::NnDialect"];
}

def ShareBordersPass : Pass<"nn-share-borders", "::mlir::func::FuncOp"> {
  let summary = "a tensor with and without its border is one";
  let description = [{
    Class: exact.

    Where a tensor is read with a constant around it and by others without, the others read the inside of what has the
    border, so that whoever makes the tensor writes it once, border included.
    ```mlir
    %p = nn.pad %x {lo = array<i64: 0, 1>, hi = array<i64: 0, 1>} : (tensor<4x8xf32>) -> tensor<4x10xf32>
    %y = nn.matmul %x, %w
    // becomes
    %p = nn.pad %x {lo = array<i64: 0, 1>, hi = array<i64: 0, 1>} : (tensor<4x8xf32>) -> tensor<4x10xf32>
    %s = nn.slice %p {start = array<i64: 0, 1>, ...} : (tensor<4x10xf32>) -> tensor<4x8xf32>
    %y = nn.matmul %s, %w
    ```
    Behind nn-simplify, which would undo it.
  }];
  let statistics = [Statistic<"shared", "shared", "tensors that are read inside of their border">];
  let dependentDialects = ["::kumiko::nn::NnDialect"];
}

def SinkShufflesPass : Pass<"nn-sink-shuffles", "::mlir::func::FuncOp"> {
  let summary = "shuffles of channels move down to products in groups";
  let description = [{
    Class: exact.

    A shuffle of channels, which is a transpose between two views, moves below what works on each channel by itself:
    functions, borders, and depthwise convolutions, whose constants change their order. It stops in front of a
    convolution with constant weights, whose kernel reads through it.
    ```mlir
    %1 = nn.conv %shuffled, %w {channel = 3, group = 12, ...}
    %2 = nn.conv %1, %v {channel = 3, group = 3, ...}
    // becomes
    %1 = nn.conv %x, %w' {channel = 3, group = 12, ...}
    %2 = nn.conv %1 shuffled, %v {channel = 3, group = 3, ...}
    ```
    Only with channels last, and where nothing else reads what is in between.
  }];
  let statistics = [Statistic<"sunk", "sunk", "shuffles that stand in front of a product">];
  let dependentDialects = ["::kumiko::nn::NnDialect"];
}

def SpreadTapsPass : Pass<"nn-spread-taps", "::mlir::func::FuncOp"> {
  let summary = "taps of a convolution with few features as features";
  let description = [{
    Class: rounding (the sums run in another order).

    A convolution with one feature, or a few, leaves most lanes empty where they run along features. The taps along one
    dimension become features of another convolution, and each result is a sum of its neighbours'.
    ```mlir
    %y = nn.conv %x, %w {channel = 2, ...} : (tensor<1x10x32xf32>, tensor<1x32x3xf32>) -> tensor<1x8x1xf32>
    // becomes
    %z = nn.conv %x, %v {channel = 2, ...} : (tensor<1x10x32xf32>, tensor<3x32x1xf32>) -> tensor<1x10x3xf32>
    %0 = nn.slice %z {start = array<i64: 0, 0, 0>, ...}
    %1 = nn.slice %z {start = array<i64: 0, 1, 1>, ...}
    %2 = nn.slice %z {start = array<i64: 0, 2, 2>, ...}
    // and the sum of the three
    ```
    Only with channels last, constant weights, one group, and products enough for each sum.
  }];
  let statistics = [Statistic<"spread", "spread", "convolutions whose taps became features">];
  let dependentDialects = ["::kumiko::nn::NnDialect"];
}

def OpenWeightsPass : Pass<"nn-open-weights", "::mlir::func::FuncOp"> {
  let summary = "weights that are computed have features last";
  let description = [{
    Class: rounding (sums run in another order).

    Constant weights are packed when compiling. Others are read as they lie, and a convolution with channels last runs its
    lanes along features, which lie apart there.
    ```mlir
    %y = nn.conv %x, %w {channel = 3, ...} : (tensor<1x8x8x16xf32>, tensor<32x16x3x3xf32>) -> tensor<1x6x6x32xf32>
    // becomes
    %t = nn.transpose %w {perm = array<i64: 2, 3, 1, 0>}
    %y = nn.custom %x, %t {channel = 3, ..., nn.definition = "op conv_open..."}    // the same sum over w(k..., c, f)
    ```
    Before: channels are last, and what is known of weights has been folded.
  }];
  let statistics = [Statistic<"reordered", "reordered", "convolutions whose weights have features last">];
  let dependentDialects = ["::kumiko::nn::NnDialect"];
}

def AssignLayoutPass : Pass<"nn-assign-layout", "::mlir::func::FuncOp"> {
  let summary = "channels last inside networks with convolutions";
  let description = [{
    Class: rounding (sums of convolutions run in another order; everything else is exact).

    Starts at convolutions: ops with a `channel` attribute of 1 and a contraction in their equation.
    ```mlir
    %0 = nn.conv %x, %w {...} : (tensor<1x3x8x8xf32>, ...) -> tensor<1x16x8x8xf32>
    %1 = nn.relu %0 : tensor<1x16x8x8xf32>
    // becomes
    %t = nn.transpose %x {perm = array<i64: 0, 2, 3, 1>}
    %0 = nn.conv %t, %w {channel = 3, ...} : (tensor<1x8x8x3xf32>, ...) -> tensor<1x8x8x16xf32>
    %1 = nn.relu %0 : tensor<1x8x8x16xf32>
    %y = nn.transpose %1 {perm = array<i64: 0, 3, 1, 2>}
    ```
    Transposes move down through every op whose equation allows it and vanish where two meet. Constants that have to
    move along are transposed by ops that nn-fold-constants folds.
  }];
  let statistics = [Statistic<"convolutions", "convolutions", "convolutions with channels last">];
  let dependentDialects = ["::kumiko::nn::NnDialect"];
}

#endif // KUMIKO_OPTIMIZE_PASSES_TD
