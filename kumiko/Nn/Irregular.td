//===- Irregular.td - ops that sort, count or draw -------------------------===//
//
// What they compute is said by a function each in kumiko/Evaluate/Irregular. Result types follow from operands and
// attributes (`inferTypes` in Irregular.cpp). An extent that values decide is a data symbol, which the op defines and
// `symbols` names; without that attribute it is `?`, as where a graph is only evaluated.
//
//===----------------------------------------------------------------------===//
#ifndef KUMIKO_NN_IRREGULAR_TD
#define KUMIKO_NN_IRREGULAR_TD

include "kumiko/Nn/NnBase.td"

class Nn_IrregularOp<string mnemonic, string why, list<Trait> traits = []>
    : Nn_Op<mnemonic, !listconcat(traits, [Pure, DeclareOpInterfaceMethods<Nn_IrregularInterface>])> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::llvm::StringRef $cppClass::whyIrregular() { return "}] # why # [{"; }
    ::llvm::LogicalResult $cppClass::verify() { return ::kumiko::nn::detail::verifyIrregularOp(*this); }
  }];
}

def Nn_TopkOp : Nn_IrregularOp<"topk", "it sorts"> {
  let summary = "the `k` largest or smallest elements along `axis`, sorted, and where they are";
  let description = [{
    Of equal elements the one with the lower index comes first. NaN counts as larger than every number.
    (C1) the axis is one of the operand's, (C2) and has at least `k` elements.
    ```mlir
    %v, %i = nn.topk %x {axis = 1, k = 2, largest = true} : (tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xi64>)
    ```
  }];
  let arguments = (ins AnyRankedTensor:$x, Nn_IntAttr:$axis, Nn_NumberAttr:$k, BoolAttr:$largest);
  let results = (outs AnyRankedTensor:$values, AnyRankedTensor:$index);
}

def Nn_NonzeroOp : Nn_IrregularOp<"nonzero", "the number of results depends on values"> {
  let summary = "the positions of all elements that are not 0, one column each, in row-major order";
  let description = [{
    ```mlir
    %i = nn.nonzero %x {symbols = ["n"]} : (tensor<3x4xf32>) -> tensor<2x?xi64, #nn.extents<2, "n">>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$x, OptionalAttr<StrArrayAttr>:$symbols);
  let results = (outs AnyRankedTensor:$index);
}

def Nn_UniqueOp : Nn_IrregularOp<"unique", "the number of results depends on values"> {
  let summary = "the different slices along `axis`";
  let description = [{
    Sorted in the order of their elements, or in the order in which they come. Further results: where each comes first,
    which result each slice of the operand is, and how often each comes. All NaN are equal, and larger than every number.
    (C1) the axis is one of the operand's.
    ```mlir
    %y, %first, %which, %count = nn.unique %x {axis = 0, sorted = true}
        : (tensor<6xi32>) -> (tensor<?xi32>, tensor<?xi64>, tensor<6xi64>, tensor<?xi64>)
    ```
  }];
  let arguments = (ins AnyRankedTensor:$x, Nn_IntAttr:$axis, BoolAttr:$sorted, OptionalAttr<StrArrayAttr>:$symbols);
  let results = (outs AnyRankedTensor:$y, AnyRankedTensor:$first, AnyRankedTensor:$which, AnyRankedTensor:$count);
}

def Nn_NmsOp : Nn_IrregularOp<"nms", "the number of results depends on values"> {
  let summary = "boxes that remain when those are dropped that overlap a better one too much";
  let description = [{
    For each batch entry and class, boxes are taken in the order of their scores, those above `threshold` only; one whose
    overlap (intersection over union) with a box already taken is above `iou` is dropped; at most `limit` are taken.
    A row of the result is (batch entry, class, box). Boxes are two corners (y, x, y, x) in any order, or with `centered`
    (x, y, width, height) around their centre.
    (C1) boxes are batch x boxes x 4, (C2) scores are batch x classes x boxes.
    ```mlir
    %i = nn.nms %boxes, %scores {limit = 3, iou = 0.5, threshold = 0.0, centered = false}
        : (tensor<1x6x4xf32>, tensor<1x1x6xf32>) -> tensor<?x3xi64>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$boxes, AnyRankedTensor:$scores, Nn_IntAttr:$limit, Nn_FloatAttr:$iou,
                       Nn_FloatAttr:$threshold, BoolAttr:$centered, OptionalAttr<StrArrayAttr>:$symbols);
  let results = (outs AnyRankedTensor:$index);
}

def Nn_DetOp : Nn_IrregularOp<"det", "it factorises"> {
  let summary = "the determinants of the matrices in the last two dimensions";
  let description = [{
    (C1) the last two dimensions are there and equal.
    ```mlir
    %y = nn.det %x : (tensor<5x3x3xf32>) -> tensor<5xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$x);
  let results = (outs AnyRankedTensor:$y);
}

def Nn_RoiAlignOp : Nn_IrregularOp<"roi_align", "the number of samples depends on values"> {
  let summary = "regions of images, resampled to `height` x `width`";
  let description = [{
    Region r is (x, y, x, y) in image `batch[r]`, times `scale`. Each of its bins is the average, or with `mode` "max" the
    maximum, of `sampling` x `sampling` bilinear samples; 0 samples means as many as the bin has pixels. With `half_pixel`
    the centre of a pixel is at .5, and regions may be smaller than a pixel.
    (C1) images are batch x channels x height x width, (C2) there is one region of 4 numbers for each integer in `batch`,
    (C3) sizes are at least 1 and `sampling` at least 0, (C4) `mode` is avg or max.
    ```mlir
    %y = nn.roi_align %x, %rois, %batch {height = 2, width = 2, sampling = 0, scale = 1.0, half_pixel = true, mode = "avg"}
        : (tensor<1x3x8x8xf32>, tensor<5x4xf32>, tensor<5xi64>) -> tensor<5x3x2x2xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$x, AnyRankedTensor:$rois, AnyRankedTensor:$batch, Nn_IntAttr:$height,
                       Nn_IntAttr:$width, Nn_IntAttr:$sampling, Nn_FloatAttr:$scale, BoolAttr:$half_pixel,
                       StrAttr:$mode);
  let results = (outs AnyRankedTensor:$y);
}

def Nn_MaxRoiPoolOp : Nn_IrregularOp<"max_roi_pool", "the windows depend on values"> {
  let summary = "regions of images, each cut into `height` x `width` bins of which the maximum is taken";
  let description = [{
    A region is (image, x, y, x, y); its corners, times `scale`, are rounded to pixels and both belong to it. A bin outside
    the image gives 0.
    (C1) images are batch x channels x height x width, (C2) regions have 5 numbers, (C3) sizes are at least 1.
    ```mlir
    %y = nn.max_roi_pool %x, %rois {height = 2, width = 2, scale = 1.0}
        : (tensor<1x3x8x8xf32>, tensor<5x5xf32>) -> tensor<5x3x2x2xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$x, AnyRankedTensor:$rois, Nn_IntAttr:$height, Nn_IntAttr:$width,
                       Nn_FloatAttr:$scale);
  let results = (outs AnyRankedTensor:$y);
}

def Nn_NgramCountOp : Nn_IrregularOp<"ngram_count", "it looks words up"> {
  let summary = "how often each n-gram of a pool occurs in each row";
  let description = [{
    `pool` holds all 1-grams, then all 2-grams, ...; `starts` says where each length begins. The count of the i-th n-gram
    is column `columns[i]`. Lengths from `shortest` to `longest` are counted, with 0 to `skips` elements left out between
    two of an n-gram.
    (C1) the operand has integers in two dimensions, (C2) the pool divides into n-grams, one for each number in `columns`,
    (C3) columns are at least 0, and there is one.
    ```mlir
    %y = nn.ngram_count %x {pool = array<i64: 2, 3, 5, 4>, starts = array<i64: 0, 0>, columns = array<i64: 0, 1>,
        shortest = 2, longest = 2, skips = 0} : (tensor<1x7xi64>) -> tensor<1x2xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$x, DenseI64ArrayAttr:$pool, DenseI64ArrayAttr:$starts,
                       DenseI64ArrayAttr:$columns, Nn_IntAttr:$shortest, Nn_IntAttr:$longest, Nn_IntAttr:$skips);
  let results = (outs AnyRankedTensor:$y);
}

def Nn_RandomBitsOp : Nn_IrregularOp<"random_bits", "it draws"> {
  let summary = "independent, uniform 32-bit numbers: a function of `key` and position";
  let description = [{
    Element i is word i mod 4 of Philox 4x32-10 with counter i / 4 and this key: see docs/random.md.
    (C1) no extent is negative.
    ```mlir
    %y = nn.random_bits {shape = array<i64: 2, 3>, key = 7} : () -> tensor<2x3xui32>
    ```
  }];
  let arguments = (ins Nn_NumbersAttr:$shape, Nn_IntAttr:$key);
  let results = (outs AnyRankedTensor:$y);
}

#endif // KUMIKO_NN_IRREGULAR_TD
