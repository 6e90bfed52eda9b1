"""Reductions, positions, running sums, softmaxes and normalisations, over opsets, axes and types."""
import itertools

import numpy as np

_REDUCE = ("ReduceSum", "ReduceMean", "ReduceProd", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceLogSum",
           "ReduceLogSumExp", "ReduceSumSquare")


def _reductions(cases):
    for op, opset, keep in itertools.product(_REDUCE, (7, 11, 13, 18), (0, 1)):
        x = np.abs(cases.real(2, 3, 4)) + np.float32(0.5)
        as_input = opset >= (13 if op == "ReduceSum" else 18)
        for axes in (None, [1], [0, -1]):
            name = f"{op.lower()}_{opset}_{keep}_{'all' if axes is None else len(axes)}"
            given = {"keepdims": keep}
            if as_input:
                cases.add(name, op, [x, None if axes is None else np.int64(axes)], given, opset=opset, constant=(1,))
            else:
                cases.add(name, op, [x], {**given, **({} if axes is None else {"axes": axes})}, opset=opset)
        if as_input and keep:
            nothing = np.zeros(0, np.int64)
            cases.add(f"{op.lower()}_{opset}_noop", op, [x, nothing], {"noop_with_empty_axes": 1}, opset=opset, constant=(1,))
            cases.add(f"{op.lower()}_{opset}_empty_axes", op, [x, nothing], {"noop_with_empty_axes": 0}, opset=opset, constant=(1,))
    for op, kind in itertools.product(("ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceMean"), (np.int32, np.int64, np.float64)):
        x = cases.whole(-3, 9, 3, 4, dtype=kind)
        cases.add(f"{op.lower()}_{kind.__name__}", op, [x, np.int64([1])], {"keepdims": 0}, opset=18, constant=(1,), may_refuse=True)
    for op in ("ReduceMax", "ReduceMin"):
        for kind in (np.int8, np.uint8):
            cases.add(f"{op.lower()}_{kind.__name__}", op, [cases.whole(0, 99, 3, 4, dtype=kind), np.int64([0])], opset=18, constant=(1,))
        cases.add(f"{op.lower()}_bool", op, [cases.whole(0, 1, 3, 4).astype(bool), np.int64([0])], opset=20, constant=(1,))
    for op in ("ReduceSum", "ReduceProd"):
        cases.add(f"{op.lower()}_of_nothing", op, [np.zeros((2, 0), np.float32), np.int64([1])], {"keepdims": 0}, opset=18, constant=(1,))
    large = np.float32([[500, 501, -1000], [-500, -501, -2000]])
    cases.add("reducelogsumexp_large", "ReduceLogSumExp", [large, np.int64([1])], opset=18, constant=(1,))


def _positions(cases):
    for op, last, keep, axis in itertools.product(("ArgMax", "ArgMin"), (0, 1), (0, 1), (0, -1)):
        x = cases.whole(-2, 2, 4, 5, dtype=np.float32)  # with many ties
        given = {"axis": axis, "keepdims": keep, "select_last_index": last}
        cases.add(f"{op.lower()}_{last}_{keep}_{axis}", op, [x], given, opset=13)
    for op, kind in itertools.product(("ArgMax", "ArgMin"), (np.int32, np.int8, np.uint8, np.float64)):
        cases.add(f"{op.lower()}_{kind.__name__}", op, [cases.whole(0, 50, 3, 4, dtype=kind)], {"axis": 1}, opset=13, may_refuse=True)
    for exclusive, reverse, axis in itertools.product((0, 1), (0, 1), (0, -1)):
        given = {"exclusive": exclusive, "reverse": reverse}
        x = cases.whole(-9, 9, 3, 4, dtype=np.float32)
        cases.add(f"cumsum_{exclusive}_{reverse}_{axis}", "CumSum", [x, np.int64(axis)], given, opset=14, constant=(1,))


def _softmaxes(cases):
    for op, opset, axis in itertools.product(("Softmax", "LogSoftmax", "Hardmax"), (7, 11, 13), (0, 1, 2, None)):
        given = {} if axis is None else {"axis": axis}
        cases.add(f"{op.lower()}_{opset}_{axis}", op, [cases.real(2, 3, 4, scale=3)], given, opset=opset)
    cases.add("softmax_large", "Softmax", [np.float32([[1000, 1001, 900], [-1000, -1001, -2000]])], opset=13)


def _normalizations(cases):
    x = cases.real(2, 6, 3, 4)
    for axis, bias in itertools.product((1, 2, -1), (True, False)):
        shape = x.shape[axis:]
        inputs = [x, cases.real(*shape), cases.real(*shape) if bias else None]
        cases.add(f"layer_norm_{axis}_{bias}", "LayerNormalization", inputs, {"axis": axis, "epsilon": 0.2}, opset=17, outputs=3)
        cases.add(f"rms_norm_{axis}_{bias}", "RMSNormalization", inputs[:2], {"axis": axis, "epsilon": 0.2}, opset=23)
    for opset, groups in itertools.product((18, 21), (1, 2, 3, 6)):
        count = groups if opset == 18 else 6
        inputs = [x, cases.real(count), cases.real(count)]
        cases.add(f"group_norm_{opset}_{groups}", "GroupNormalization", inputs, {"num_groups": groups, "epsilon": 0.1}, opset=opset)
    cases.add("instance_norm", "InstanceNormalization", [x, cases.real(6), cases.real(6)], {"epsilon": 0.1}, opset=17)
    for opset in (7, 9, 14, 15):
        inputs = [x, cases.real(6), cases.real(6), cases.real(6), np.abs(cases.real(6))]
        cases.add(f"batch_norm_{opset}", "BatchNormalization", inputs, {"epsilon": 0.3}, opset=opset)
    for p, axis in itertools.product((1, 2), (0, -1)):
        cases.add(f"lp_norm_{p}_{axis}", "LpNormalization", [x], {"p": p, "axis": axis}, opset=22)
    for axes in ([0, 2, 3], [1, 2]):
        cases.add(f"mean_variance_{len(axes)}", "MeanVarianceNormalization", [x], {"axes": axes}, opset=13)
    for size in (1, 3, 5):
        given = {"size": size, "alpha": 0.9, "beta": 0.6, "bias": 1.5}
        cases.add(f"lrn_{size}", "LRN", [x], given, opset=13)


def add(cases):
    _reductions(cases)
    _positions(cases)
    _softmaxes(cases)
    _normalizations(cases)
