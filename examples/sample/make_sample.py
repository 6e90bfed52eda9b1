#!/usr/bin/env python3
"""Make the sample network and its input: sample.onnx and sample.npz beside this file.

    make_sample.py          (Python of build/venv; both files are committed, so nobody has to run it)

A small convolutional network tells circles, squares, triangles and crosses apart in noisy 28x28
pictures. The convolutions are seeded random filters; only the last layer is fitted, by ridge
regression on seeded pictures, which takes a second and needs nothing but NumPy.
"""
import pathlib

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

HERE = pathlib.Path(__file__).resolve().parent
LABELS = ["circle", "square", "triangle", "cross"]
SIZE, CHANNELS = 28, (8, 32)
FEATURES = CHANNELS[1] * 7 * 7


def inside(kind, x, y):
    """Whether points of the plane lie in a shape of size about one, centred."""
    if kind == "circle":
        return x * x + y * y < 0.8
    if kind == "square":
        return np.maximum(abs(x), abs(y)) < 0.8
    if kind == "triangle":
        return (y < 0.6) & (y > 2 * abs(x) - 1)
    return (np.minimum(abs(x), abs(y)) < 0.25) & (np.maximum(abs(x), abs(y)) < 1)


def draw(kind, random):
    """A picture [1, SIZE, SIZE] with values about 0 to 1: shifted, scaled, turned a little, noisy."""
    rows, columns = np.mgrid[0:SIZE, 0:SIZE].astype(np.float32)
    centre = SIZE / 2 + random.uniform(-3, 3, 2)
    scale, angle = random.uniform(6, 10), random.uniform(-0.3, 0.3)
    v, u = (rows - centre[0]) / scale, (columns - centre[1]) / scale
    x, y = u * np.cos(angle) - v * np.sin(angle), u * np.sin(angle) + v * np.cos(angle)
    return (inside(kind, x, y) + random.normal(0, 0.15, (SIZE, SIZE))).astype(np.float32)[None]


def pictures(count, random):
    """-> (pictures [count, 1, SIZE, SIZE], number of the label of each)."""
    kinds = random.integers(len(LABELS), size=count)
    return np.stack([draw(LABELS[kind], random) for kind in kinds]), kinds


def he(shape, random):
    return random.standard_normal(shape, np.float32) * np.float32(np.sqrt(2 / np.prod(shape[1:])))


def feature_nodes():
    """Two convolutions, each halved by a maximum: picture -> FEATURES numbers."""
    nodes, x = [], "picture"
    for number in (1, 2):
        conv, relu, pool = f"conv{number}", f"relu{number}", f"pool{number}"
        weights = [f"{conv}.weight", f"{conv}.bias"]
        nodes += [
            helper.make_node("Conv", [x, *weights], [conv], conv, kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
            helper.make_node("Relu", [conv], [relu], relu),
            helper.make_node("MaxPool", [relu], [pool], pool, kernel_shape=[2, 2], strides=[2, 2]),
        ]
        x = pool
    return nodes + [helper.make_node("Flatten", [x], ["features"], "flatten", axis=1)]


def to_model(nodes, weights, output, width, batch):
    declare, single = helper.make_tensor_value_info, onnx.TensorProto.FLOAT
    graph = helper.make_graph(
        nodes,
        "shapes",
        [declare("picture", single, [batch, 1, SIZE, SIZE])],
        [declare(output, single, [batch, width])],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="kumiko sample")


def evaluate(model, batch):
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"picture": batch})[0]


def fit(features, kinds):
    """Ridge regression onto +-5: -> (weight [classes, features], bias)."""
    wanted = np.where(np.eye(len(LABELS))[kinds] > 0, 5.0, -5.0)
    centre = features.mean(axis=0, dtype=np.float64)
    x = features - centre
    weight = np.linalg.solve(x.T @ x + 100 * np.eye(x.shape[1]), x.T @ (wanted - wanted.mean(axis=0)))
    return weight.T.astype(np.float32), (wanted.mean(axis=0) - centre @ weight).astype(np.float32)


def main():
    random = np.random.default_rng(28)
    weights = {
        "conv1.weight": he((CHANNELS[0], 1, 3, 3), random),
        "conv1.bias": random.standard_normal(CHANNELS[0], np.float32) * np.float32(0.1),
        "conv2.weight": he((CHANNELS[1], CHANNELS[0], 3, 3), random),
        "conv2.bias": random.standard_normal(CHANNELS[1], np.float32) * np.float32(0.1),
    }
    train, train_kinds = pictures(4000, random)
    features = evaluate(to_model(feature_nodes(), weights, "features", FEATURES, len(train)), train)
    weights["fc.weight"], weights["fc.bias"] = fit(features, train_kinds)
    head = [
        helper.make_node("Gemm", ["features", "fc.weight", "fc.bias"], ["scores"], "fc", transB=1),
        helper.make_node("Softmax", ["scores"], ["probability"], "softmax", axis=1),
    ]
    nodes = feature_nodes() + head

    unseen, kinds = pictures(1000, random)
    answers = evaluate(to_model(nodes, weights, "probability", len(LABELS), len(unseen)), unseen).argmax(axis=1)
    print(f"right on {100 * (answers == kinds).mean():.1f} % of 1000 unseen pictures")

    model = to_model(nodes, weights, "probability", len(LABELS), 1)
    helper.set_model_props(model, {"labels": ",".join(LABELS)})
    onnx.checker.check_model(model, full_check=True)
    (HERE / "sample.onnx").write_bytes(model.SerializeToString())
    np.savez(HERE / "sample.npz", picture=draw("triangle", random)[None])


if __name__ == "__main__":
    main()
