"""Resize and Upsample: every mode with every way to place coordinates, and what else they take."""
import itertools

import numpy as np

_NEAREST = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
_PLACES = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric", "tf_crop_and_resize")


def _resize(cases, name, x, attributes, scales=None, sizes=None, roi=None, opset=19):
    inputs = [x, roi, None if scales is None else np.float32(scales), None if sizes is None else np.int64(sizes)]
    cases.add(f"resize_{name}", "Resize", inputs, attributes, opset=opset, constant=(1, 2, 3), may_refuse=True)


def _places(cases):
    for place, mode in itertools.product(_PLACES, ("nearest", "linear", "cubic")):
        attributes = {"mode": mode, "coordinate_transformation_mode": place}
        roi = np.float32([0, 0, 0.2, 0.1, 1, 1, 0.9, 1.3]) if place == "tf_crop_and_resize" else None
        if roi is not None:
            attributes["extrapolation_value"] = 7.5
        x = cases.real(1, 2, 5, 4)
        for way, (scales, sizes) in {
            "up": ([1, 1, 1.8, 2.25], None), "down": ([1, 1, 0.6, 0.75], None), "both": ([1, 1, 0.4, 2], None),
            "sizes": (None, [1, 2, 7, 3]), "to_one": (None, [1, 2, 1, 6]),
        }.items():
            _resize(cases, f"{mode}_{place}_{way}", x, attributes, scales, sizes, roi)


def _nearest(cases):
    for rounding, place in itertools.product(_NEAREST, ("half_pixel", "asymmetric", "align_corners")):
        attributes = {"mode": "nearest", "nearest_mode": rounding, "coordinate_transformation_mode": place}
        x = cases.real(1, 1, 6, 5)
        # An exact double and half: coordinates that lie between two pixels.
        # With align_corners sizes are whole: ONNX Runtime takes the length after it was made whole, the ONNX suite before.
        others = [1, 1, 1.5, 0.8] if place == "align_corners" else [1, 1, 1.3, 0.7]
        for way, scales in (("double", [1, 1, 2, 2]), ("half", [1, 1, 0.5, 0.4]), ("fifths", [1, 1, 2.5, 0.8]), ("others", others)):
            _resize(cases, f"{rounding}_{place}_{way}", x, attributes, scales)


def _kernels(cases):
    for exclude, a, place in itertools.product((0, 1), (-0.75, -0.5), ("half_pixel", "asymmetric")):
        attributes = {"mode": "cubic", "exclude_outside": exclude, "cubic_coeff_a": a, "coordinate_transformation_mode": place}
        for way, scales in (("up", [1, 1, 1.7, 2.0]), ("down", [1, 1, 0.8, 0.55])):
            _resize(cases, f"cubic_{exclude}_{-a}_{place}_{way}", cases.real(1, 1, 6, 7), attributes, scales)
    for mode, exclude in itertools.product(("linear", "cubic"), (0, 1)):
        attributes = {"mode": mode, "antialias": 1, "exclude_outside": exclude}
        for way, scales in (("down", [1, 1, 0.6, 0.35]), ("up", [1, 1, 1.5, 2.0])):
            _resize(cases, f"antialias_{mode}_{exclude}_{way}", cases.real(1, 2, 8, 9), attributes, scales)


def _ranks(cases):
    # In double precision 10 times the float next to 0.7 is below 7.
    _resize(cases, "size_of_floats", cases.real(1, 1, 10, 30), {"mode": "nearest"}, [1, 1, 0.7, 0.9])
    _resize(cases, "one_dimension", cases.real(1, 2, 7), {"mode": "linear"}, [1, 1, 1.8])
    _resize(cases, "volume", cases.real(1, 1, 3, 4, 3), {"mode": "linear"}, [1, 1, 1.5, 2, 0.7])
    _resize(cases, "volume_nearest", cases.real(1, 1, 3, 4, 3), {"mode": "nearest"}, [1, 1, 1.5, 2, 0.7])
    _resize(cases, "plain_matrix", cases.real(4, 5), {"mode": "linear"}, [1.5, 0.8])
    _resize(cases, "last_channel", cases.real(1, 4, 5, 3), {"mode": "linear"}, [1, 1.5, 2, 1])
    _resize(cases, "bytes", cases.whole(0, 255, 1, 1, 4, 4, dtype=np.uint8), {"mode": "nearest"}, [1, 1, 2, 1.5])
    _resize(cases, "axes", cases.real(1, 2, 4, 5), {"mode": "linear", "axes": [2, 3]}, [1.5, 2])
    _resize(cases, "axes_turned", cases.real(1, 2, 4, 5), {"mode": "linear", "axes": [3, 2]}, [1.5, 2])
    for policy in ("stretch", "not_larger", "not_smaller"):
        attributes = {"mode": "linear", "axes": [2, 3], "keep_aspect_ratio_policy": policy}
        _resize(cases, f"ratio_{policy}", cases.real(1, 2, 4, 6), attributes, sizes=[7, 9])


def _old(cases):
    x = cases.real(1, 2, 3, 4)
    for opset, mode in itertools.product((7, 9), ("nearest", "linear")):
        scales = np.float32([1, 1, 2, 3])
        if opset == 7:
            cases.add(f"upsample_7_{mode}", "Upsample", [x], {"mode": mode, "scales": scales.tolist()}, opset=7)
        else:
            cases.add(f"upsample_9_{mode}", "Upsample", [x, scales], {"mode": mode}, opset=9, constant=(1,))
    for mode, scale in itertools.product(("nearest", "linear"), ([1, 1, 2, 1.5], [1, 1, 0.6, 0.5])):
        cases.add(f"resize_10_{mode}_{scale[2]}", "Resize", [x, np.float32(scale)], {"mode": mode}, opset=10, constant=(1,))
    for opset, mode in itertools.product((11, 13, 18), ("nearest", "linear", "cubic")):
        attributes = {"mode": mode, "coordinate_transformation_mode": "half_pixel"}
        roi = np.zeros(0, np.float32)
        _resize(cases, f"{opset}_{mode}", x, attributes, [1, 1, 1.4, 2.2], roi=roi, opset=opset)


def add(cases):
    _places(cases)
    _nearest(cases)
    _kernels(cases)
    _ranks(cases)
    _old(cases)
