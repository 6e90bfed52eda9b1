"""Sampling of images, transforms of signals, losses, attention: whatever of them ONNX Runtime has."""
import itertools

import numpy as np


def _grids(cases):
    """Modes were renamed in opset 20, when volumes came."""
    for old, padding, align in itertools.product((True, False), ("zeros", "border", "reflection"), (0, 1)):
        for mode in ("bilinear", "nearest", "bicubic") if old else ("linear", "nearest", "cubic"):
            given = {"mode": mode, "padding_mode": padding, "align_corners": align}
            # Far from 0: sums of both signs that cancel would compare roundings.
            x, grid = cases.real(2, 2, 5, 4) + np.float32(4), (cases.rng.random((2, 3, 6, 2)) * 4.6 - 2.3).astype(np.float32)
            cases.add(f"grid_{mode}_{padding}_{align}_{old}", "GridSample", [x, grid], given, opset=16 if old else 20)
            if not old and mode != "cubic":
                x, grid = cases.real(1, 2, 3, 4, 5), (cases.rng.random((1, 2, 3, 2, 3)) * 5 - 2.5).astype(np.float32)
                cases.add(f"grid_volume_{mode}_{padding}_{align}", "GridSample", [x, grid], given, opset=20)
    for align, size in itertools.product((0, 1), ([2, 3, 4, 5], [1, 2, 3, 4, 2])):
        spatial = len(size) - 2
        theta = cases.real(size[0], spatial, spatial + 1)
        cases.add(f"affine_grid_{align}_{spatial}", "AffineGrid", [theta, np.int64(size)], {"align_corners": align}, opset=20, constant=(1,))


def _transforms(cases):
    for parts, inverse, onesided, length in itertools.product((1, 2), (0, 1), (0, 1), (None, 4, 9)):
        if onesided and (inverse or parts == 2):
            continue
        x = cases.whole(-4, 4, 2, 6, parts, dtype=np.float32)
        given = {"inverse": inverse, "onesided": onesided}
        size = None if length is None else np.array(length, np.int64)
        cases.add(f"dft_17_{parts}_{inverse}_{onesided}_{length}", "DFT", [x, size], {**given, "axis": 1}, opset=17, constant=(1,), clean=True)
        cases.add(f"dft_20_{parts}_{inverse}_{onesided}_{length}", "DFT", [x, size, np.array(-2, np.int64)], given, opset=20, constant=(1, 2), clean=True)
    for window, onesided in itertools.product((True, False), (0, 1)):
        x = cases.whole(-4, 4, 2, 20, 1, dtype=np.float32)
        inputs = [x, np.int64(3), cases.real(8) if window else None, np.int64(8)]
        cases.add(f"stft_{window}_{onesided}", "STFT", inputs, {"onesided": onesided}, opset=17, constant=(1, 3), clean=True)
    for op, periodic, size in itertools.product(("HannWindow", "HammingWindow", "BlackmanWindow"), (0, 1), (5, 8)):
        cases.add(f"{op.lower()}_{periodic}_{size}", op, [np.int64(size)], {"periodic": periodic}, opset=17, constant=(0,))


def _losses(cases):
    for op, reduction, weighted, ignore, spatial in itertools.product(
            ("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"), ("none", "sum", "mean"), (0, 1), (None, 1, -1), ((), (2, 3))):
        x, target = cases.real(4, 5, *spatial), cases.whole(0, 4, 4, *spatial, dtype=np.int64)
        if ignore is not None:
            target.reshape(-1)[0] = ignore
        inputs = [x, target, np.abs(cases.real(5)) + np.float32(0.1) if weighted else None]
        given = {"reduction": reduction, **({} if ignore is None else {"ignore_index": ignore})}
        outputs = 2 if op.startswith("S") and not weighted else 1
        cases.add(f"{op.lower()}_{reduction}_{weighted}_{ignore}_{len(spatial)}", op, inputs, given, opset=13, outputs=outputs)


def _columns(cases):
    for number, (image, block, given) in enumerate((
        ([5, 5], [2, 3], {}), ([6, 5], [2, 2], {"strides": [2, 1], "pads": [0, 1, 2, 0]}), ([7], [3], {}),
    )):
        strides, dilations = given.get("strides", [1] * len(image)), given.get("dilations", [1] * len(image))
        pads = given.get("pads", [0] * 2 * len(image))
        windows = [(e + pads[d] + pads[d + len(image)] - dilations[d] * (block[d] - 1) - 1) // strides[d] + 1 for d, e in enumerate(image)]
        x = cases.whole(-4, 4, 2, 3 * int(np.prod(block)), int(np.prod(windows)), dtype=np.float32)
        cases.add(f"col2im_{number}", "Col2Im", [x, np.int64(image), np.int64(block)], given, opset=18, constant=(1, 2))
    for number, (group, offsets, masked) in enumerate(itertools.product((1, 2), (1, 2), (False, True))):
        x, w = cases.real(1, 4, 6, 5), cases.real(4, 4 // group, 3, 2)
        given = {"strides": [2, 1], "pads": [1, 0, 0, 1], "dilations": [1, 2], "group": group, "offset_group": offsets}
        out = [3, 4]
        inputs = [x, w, cases.real(1, offsets * 12, *out), cases.real(4), cases.real(1, offsets * 6, *out) if masked else None]
        cases.add(f"deform_conv_{number}", "DeformConv", inputs, given, opset=19, may_refuse=True)


def _attention(cases):
    for number, (causal, masked, grouped, softcap) in enumerate(itertools.product((0, 1), (0, 1), (0, 1), (0.0, 1.5))):
        heads = 4 if grouped else 2
        q, k, v = cases.real(2, heads, 3, 6), cases.real(2, 2, 5, 6), cases.real(2, 2, 5, 4)
        given = {"is_causal": causal, "softcap": softcap, "scale": 0.3}
        inputs = [q, k, v, cases.real(3, 5) if masked else None]
        cases.add(f"attention_{number}", "Attention", inputs, given, opset=23, may_refuse=True)
    for interleaved, partial in itertools.product((0, 1), (0, 4)):
        depth = (partial or 6) // 2
        inputs = [cases.real(2, 3, 4, 6), cases.real(10, depth), cases.real(10, depth), cases.whole(0, 9, 2, 4, dtype=np.int64)]
        cases.add(f"rotary_{interleaved}_{partial}", "RotaryEmbedding", inputs, {"interleaved": interleaved, "rotary_embedding_dim": partial},
                  opset=23, may_refuse=True)


def add(cases):
    _grids(cases)
    _transforms(cases)
    _losses(cases)
    _columns(cases)
    _attention(cases)
