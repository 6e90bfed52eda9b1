"""Results whose order or size depends on values: sorting, selecting, boxes."""
import itertools

import numpy as np


def _sorted(cases):
    for largest, kind, axis in itertools.product((0, 1), (np.float32, np.float64, np.int32, np.int64), (0, -1)):
        x = cases.whole(-3, 3, 5, 6, dtype=kind)  # with ties
        given = {"axis": axis, "largest": largest, "sorted": 1}
        cases.add(f"topk_{largest}_{kind.__name__}_{axis}", "TopK", [x, np.int64([3])], given, opset=11, outputs=2, constant=(1,))
    cases.add("topk_all", "TopK", [cases.real(3, 7), np.int64([7])], {"axis": 1}, opset=11, outputs=2, constant=(1,))
    cases.add("topk_none", "TopK", [cases.real(3, 7), np.int64([0])], {"axis": 1}, opset=11, outputs=2, constant=(1,))
    cases.add("topk_1", "TopK", [cases.real(4, 5)], {"axis": 1, "k": 2}, opset=7, outputs=2)
    cases.add("topk_10", "TopK", [cases.real(4, 5), np.int64([4])], {"axis": 0}, opset=10, outputs=2, constant=(1,))
    for order, axis in itertools.product((0, 1), (None, 0, 1, -1)):
        x = cases.whole(0, 2, 4, 3, dtype=np.float32)
        given = {"sorted": order, **({} if axis is None else {"axis": axis})}
        cases.add(f"unique_{order}_{axis}", "Unique", [x], given, opset=11, outputs=4)
    cases.add("unique_integers", "Unique", [cases.whole(-2, 2, 9, dtype=np.int64)], {"sorted": 1}, opset=11, outputs=4)


def _selected(cases):
    for kind in (np.float32, np.int64, np.uint8, bool):
        cases.add(f"nonzero_{kind.__name__}", "NonZero", [cases.whole(0, 1, 2, 3, 4).astype(kind)], opset=13)
    cases.add("nonzero_none", "NonZero", [np.zeros((2, 3), np.float32)], opset=13)
    for axis in (None, 0, 1, -1):
        x = cases.real(3, 5)
        mask = cases.whole(0, 1, {None: 15, 0: 3}.get(axis, 5)).astype(bool)
        cases.add(f"compress_{axis}", "Compress", [x, mask], {} if axis is None else {"axis": axis}, opset=11)
    cases.add("compress_short", "Compress", [cases.real(3, 5), np.array([True, False, True])], {"axis": 1}, opset=11)


def _boxes(cases):
    for centered, classes, score, most in itertools.product((0, 1), (1, 2), (None, 0.3), (2, 10)):
        corner, size = cases.rng.random((2, 12, 2)) * 4, cases.rng.random((2, 12, 2)) * 3 + 0.5
        second = size if centered else corner + size
        boxes = np.concatenate([corner, second], -1).astype(np.float32)
        if not centered:
            boxes[:, ::3] = boxes[:, ::3][..., [2, 3, 0, 1]]  # any two opposite corners
        scores = cases.rng.random((2, classes, 12)).astype(np.float32)
        inputs = [boxes, scores, np.int64([most]), np.float32([0.4]), None if score is None else np.float32([score])]
        cases.add(f"nms_{centered}_{classes}_{score}_{most}", "NonMaxSuppression", inputs, {"center_point_box": centered}, opset=11, constant=(2, 3, 4))
    cases.add("nms_no_limit_given", "NonMaxSuppression", [boxes, scores], opset=11)
    for mode, ratio, opset in itertools.product(("avg", "max"), (0, 2), (10, 16, 22)):
        x = cases.real(2, 3, 8, 9)
        corner = cases.rng.random((4, 2)) * 5
        rois = np.concatenate([corner, corner + cases.rng.random((4, 2)) * 6 + 0.5], -1).astype(np.float32)
        given = {"mode": mode, "sampling_ratio": ratio, "output_height": 3, "output_width": 2, "spatial_scale": 0.8}
        cases.add(f"roi_align_{mode}_{ratio}_{opset}", "RoiAlign", [x, rois, np.int64([0, 1, 1, 0])], given, opset=opset, asked=min(opset, 16))
    x = cases.real(2, 3, 8, 9)
    whole = {"output_height": 3, "output_width": 2, "coordinate_transformation_mode": "output_half_pixel"}
    cases.add("roi_align_whole_pixel", "RoiAlign", [x, rois, np.int64([0, 1, 1, 0])], whole, opset=16)
    cases.add("det", "Det", [cases.real(3, 2, 4, 4)], opset=11)


def add(cases):
    _sorted(cases)
    _selected(cases)
    _boxes(cases)
