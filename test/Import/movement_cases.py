"""Elements that move: Pad, Slice, gathers and scatters, splits, shapes, over opsets and types."""
import itertools

import numpy as np


def _i64(*values):
    return np.array(values, np.int64)


def _pads(cases):
    x = cases.real(2, 3, 4)
    amounts = [1, 0, 2, 0, 2, 1]
    for mode in ("constant", "reflect", "edge"):
        cases.add(f"pad_2_{mode}", "Pad", [x], {"mode": mode, "pads": amounts}, opset=7)
        for opset in (11, 13, 18, 19):
            cases.add(f"pad_{opset}_{mode}", "Pad", [x, _i64(*amounts)], {"mode": mode}, opset=opset, constant=(1,))
    cases.add("pad_19_wrap", "Pad", [x, _i64(*amounts)], {"mode": "wrap"}, opset=19, constant=(1,))
    cases.add("pad_value_2", "Pad", [x], {"pads": amounts, "value": 1.5}, opset=7)
    cases.add("pad_value", "Pad", [x, _i64(*amounts), np.float32(1.5)], opset=13, constant=(1,))
    cases.add("pad_crop", "Pad", [x, _i64(-1, 1, 0, 0, -1, -2), np.float32(3)], opset=13, constant=(1, 2))
    cases.add("pad_edge_crop", "Pad", [x, _i64(0, -1, 2, 1, 2, -1)], {"mode": "edge"}, opset=13, constant=(1,))
    cases.add("pad_axes", "Pad", [x, _i64(2, 1, 0, 1), None, _i64(-1, 0)], {"mode": "reflect"}, opset=18, constant=(1, 3))
    cases.add("pad_integers", "Pad", [cases.whole(-9, 9, 3, 2, dtype=np.int32), _i64(1, 1, 0, 2), np.int32(-7)], opset=13, constant=(1,))
    cases.add("pad_bytes", "Pad", [cases.whole(0, 9, 3, 2, dtype=np.uint8), _i64(1, 1, 0, 2), np.uint8(7)], opset=13, constant=(1,))


def _slices(cases):
    x = cases.real(5, 6, 7)
    large = 2**63 - 1
    for number, (starts, ends, axes, steps) in enumerate((
        ([1], [4], [0], None), ([1, 2], [4, 6], None, None), ([-3, -5], [-1, large], [2, 0], [1, 2]),
        ([5], [0], [1], [-1]), ([-1, -1], [-large, -large], [0, 2], [-1, -2]), ([large], [-large], [-1], [-3]),
        ([4], [2], [0], [1]), ([0], [100], [1], [4]), ([-100], [3], [1], [1]), ([3], [-100], [-2], [-2]),
        ([0, 0, 0], [5, 6, 7], [0, 1, 2], [5, 6, 7]), ([2], [2], [0], None), ([6], [0], [2], [-10]),
    )):
        inputs = [x, _i64(*starts), _i64(*ends), None if axes is None else _i64(*axes), None if steps is None else _i64(*steps)]
        for opset in (10, 13):
            cases.add(f"slice_{opset}_{number}", "Slice", inputs, opset=opset, constant=(1, 2, 3, 4))
        narrow = [x, *[None if each is None else np.clip(each, -2**31, 2**31 - 1).astype(np.int32) for each in inputs[1:]]]
        cases.add(f"slice_i32_{number}", "Slice", narrow, opset=13, constant=(1, 2, 3, 4))
        if steps is None and axes is not None:
            cases.add(f"slice_1_{number}", "Slice", [x], {"starts": starts, "ends": ends, "axes": axes}, opset=7)


def _gathers(cases):
    x = cases.real(4, 3, 5)
    for axis, kind, opset in itertools.product((0, 1, -1), (np.int32, np.int64), (11, 13)):
        n = x.shape[axis]
        index = cases.whole(-n, n - 1, 2, 3, dtype=kind)
        cases.add(f"gather_{opset}_{axis}_{kind.__name__}", "Gather", [x, index], {"axis": axis}, opset=opset)
        shape = [2, 3, 4]
        elements = cases.whole(-n, n - 1, *shape, dtype=kind)
        cases.add(f"gather_elements_{opset}_{axis}_{kind.__name__}", "GatherElements", [x, elements], {"axis": axis}, opset=opset)
    cases.add("gather_scalar", "Gather", [x, np.int64(-1)], {"axis": 1})
    for number, (shape, batch) in enumerate((((2, 3), 0), ((2, 2), 0), ((3, 1), 0), ((4, 2), 1), ((4, 3, 1), 2), ((4, 2, 2), 1))):
        index = np.stack([cases.whole(-x.shape[batch + q], x.shape[batch + q] - 1, *shape[:-1], dtype=np.int64) for q in range(shape[-1])], -1)
        cases.add(f"gather_nd_{number}", "GatherND", [x, index], {"batch_dims": batch}, opset=13)


def _scatters(cases):
    x = cases.whole(-9, 9, 4, 5, dtype=np.float32)
    for axis, reduction, opset in itertools.product((0, -1), ("none", "add", "mul", "max", "min"), (16, 18)):
        if reduction in ("max", "min") and opset < 18:
            continue
        # Without a reduction the same place twice has no defined result.
        index = np.stack([cases.rng.permutation(4)[:3] for _ in range(2)], axis=1 if axis == 0 else 0).astype(np.int64)
        if reduction != "none":
            index[0, 0] = index[-1, 0] - x.shape[axis]
        update = cases.whole(-5, 5, *index.shape, dtype=np.float32)
        given = {"axis": axis, "reduction": reduction}
        cases.add(f"scatter_elements_{opset}_{axis}_{reduction}", "ScatterElements", [x, index, update], given, opset=opset)
        points = _i64([1, -1], [3, 2], [-4, 0])
        if reduction != "none":
            points[2] = [1, 4]
        values = cases.whole(-5, 5, 3, dtype=np.float32)
        cases.add(f"scatter_nd_{opset}_{axis}_{reduction}", "ScatterND", [x, points, values], {"reduction": reduction}, opset=opset)
    rows = cases.whole(-5, 5, 2, 5, dtype=np.float32)
    cases.add("scatter_nd_rows", "ScatterND", [x, _i64([2], [-4]), rows], opset=13)
    cases.add("scatter_9", "Scatter", [x, _i64([1, 0, 2]), np.float32([[7, 8, 9]])], {"axis": 1}, opset=9)


def _splits(cases):
    x = cases.real(6, 5)
    cases.add("split_2", "Split", [x], {"axis": 0, "split": [1, 3, 2]}, opset=7, outputs=3)
    cases.add("split_2_even", "Split", [x], {"axis": 0}, opset=11, outputs=3)
    cases.add("split_13", "Split", [x, _i64(4, 1)], {"axis": -1}, opset=13, outputs=2, constant=(1,))
    cases.add("split_13_even", "Split", [x], {"axis": 0}, opset=13, outputs=2)
    cases.add("split_13_empty", "Split", [x, _i64(0, 6)], {"axis": 0}, opset=13, outputs=2, constant=(1,))
    cases.add("split_18_uneven", "Split", [x], {"axis": 1, "num_outputs": 3}, opset=18, outputs=3)
    cases.add("concat", "Concat", [x, x[:2], x[3:]], {"axis": -2})
    cases.add("tile", "Tile", [x[:2], _i64(2, 3)], opset=13, constant=(1,))
    cases.add("tile_none", "Tile", [x[:2], _i64(0, 3)], opset=13, constant=(1,))
    cases.add("expand", "Expand", [x[:, :1], _i64(2, 1, 4)], constant=(1,))
    cases.add("expand_keeps", "Expand", [x, _i64(1, 1)], constant=(1,))
    for op, mode, opset in (("DepthToSpace", "DCR", 11), ("DepthToSpace", "CRD", 13), ("SpaceToDepth", None, 13)):
        image = cases.real(2, 8, 2, 3) if op == "DepthToSpace" else cases.real(2, 3, 4, 6)
        cases.add(f"{op.lower()}_{mode}", op, [image], {"blocksize": 2, **({"mode": mode} if mode else {})}, opset=opset)
    for upper, k in itertools.product((0, 1), (-2, 0, 1, 9)):
        cases.add(f"trilu_{upper}_{k}", "Trilu", [cases.real(2, 4, 3), np.int64(k)], {"upper": upper}, opset=14, constant=(1,))
    for time, batch in ((0, 1), (1, 0)):
        cases.add(f"reverse_sequence_{time}", "ReverseSequence", [cases.real(4, 4, 3), _i64(1, 4, 2, 3)], {"time_axis": time, "batch_axis": batch})


def _shapes(cases):
    x = cases.real(2, 3, 4)
    for number, (shape, zero) in enumerate((([6, 4], 0), ([0, -1], 0), ([-1], 0), ([4, 0, 2], 0), ([2, 1, 0, -1], 0))):
        cases.add(f"reshape_{number}", "Reshape", [x, _i64(*shape)], {"allowzero": zero}, opset=14, constant=(1,), may_refuse=True)
    cases.add("reshape_to_nothing", "Reshape", [np.zeros((0, 3), np.float32), _i64(3, 0)], {"allowzero": 1}, opset=14, constant=(1,))
    for axis in (0, 1, 3, -1):
        cases.add(f"flatten_{axis}", "Flatten", [x], {"axis": axis}, opset=13)
    for opset, axis in itertools.product((7, 13), (0, 2)):
        one = x[:1, :, :1]
        if opset == 7:
            cases.add(f"squeeze_7_{axis}", "Squeeze", [one], {"axes": [axis]}, opset=7)
            cases.add(f"unsqueeze_7_{axis}", "Unsqueeze", [x], {"axes": [0, axis + 1]}, opset=7)
        else:
            cases.add(f"squeeze_13_{axis}", "Squeeze", [one, _i64(axis - 3)], opset=13, constant=(1,))
            cases.add(f"unsqueeze_13_{axis}", "Unsqueeze", [x, _i64(axis, -1)], opset=13, constant=(1,))
    cases.add("squeeze_all", "Squeeze", [x[:1, :, :1]], opset=13)
    cases.add("transpose_default", "Transpose", [x])
    cases.add("transpose", "Transpose", [x], {"perm": [2, 0, 1]})
    for start, end in ((0, None), (1, None), (-2, -1), (5, 9), (2, 1)):
        given = {"start": start, **({} if end is None else {"end": end})}
        cases.add(f"shape_{start}_{end}", "Shape", [x], given, opset=15)
    cases.add("size", "Size", [x])
    cases.add("onehot", "OneHot", [_i64([1, -1], [9, 0]), np.int64(4), np.float32([0.5, 2])], {"axis": 1}, opset=11, constant=(1,))
    cases.add("onehot_last", "OneHot", [_i64(1, -4, 4, -5), np.int64(4), _i64(3, 8)], opset=11, constant=(1,))
    for k in (-1, 0, 2):
        cases.add(f"eye_like_{k}", "EyeLike", [cases.real(3, 4)], {"k": k}, opset=9)
    cases.add("range_down", "Range", [np.float32(3), np.float32(-1.5), np.float32(-0.75)], opset=11, constant=(0, 1, 2))
    cases.add("range_empty", "Range", [np.int64(3), np.int64(1), np.int64(1)], opset=11, constant=(0, 1, 2))
    cases.add("range_uneven", "Range", [np.int32(1), np.int32(8), np.int32(3)], opset=11, constant=(0, 1, 2))


def add(cases):
    _pads(cases)
    _slices(cases)
    _gathers(cases)
    _scatters(cases)
    _splits(cases)
    _shapes(cases)
