"""Small models of one node, and what ONNX Runtime answers: written as folders that the suite's runner reads."""
import os

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

_NAMES = "abcdefghijklmnopqrstuvwxyz"


class Cases:
    """Collects folders below `root`, one per case."""

    def __init__(self, root):
        self.root = root
        self.names = []
        self.refused = []
        self.begin()

    def begin(self):
        """Numbers of a family do not depend on the families before it."""
        self.rng = np.random.default_rng(7)

    def real(self, *shape, scale=1.0, dtype=np.float32):
        return (self.rng.standard_normal(shape) * scale).astype(dtype)

    def whole(self, low, high, *shape, dtype=np.int8):
        """Whole numbers from low to high, both included."""
        return self.rng.integers(low, high, shape, endpoint=True).astype(dtype)

    def add(self, name, op, inputs, attributes=None, *, domain="", opset=17, outputs=1, constant=(), expect=None,
            may_refuse=False,
            clean=False, asked=None):
        """One case. An input that is None is left out; inputs numbered in `constant` are initializers. `outputs` is how
        many, or a list in which 0 leaves one out. `expect` replaces ONNX Runtime's answer where that has none. A case
        that ONNX Runtime refuses is counted in `refused` when it `may_refuse`, an error otherwise. `clean`: what is left of sums that
        cancel, less than a millionth of the largest answer, is 0. `asked` is the opset in which ONNX Runtime is asked when it does not know `opset`."""
        assert name not in self.names, name
        inputs = [None if value is None else np.asarray(value) for value in inputs]
        names = ["" if value is None else _NAMES[i] for i, value in enumerate(inputs)]
        while names and not names[-1]:
            names.pop()
        wanted = [1] * outputs if isinstance(outputs, int) else outputs
        results = [f"y{i}" if use else "" for i, use in enumerate(wanted)]
        node = helper.make_node(op, names, results, name=name, domain=domain, **(attributes or {}))
        graph_inputs, initializers, feeds = [], [], {}
        for i, value in enumerate(inputs):
            if value is None:
                continue
            if i in constant:
                initializers.append(numpy_helper.from_array(value, _NAMES[i]))
                continue
            kind = helper.np_dtype_to_tensor_dtype(value.dtype)
            graph_inputs.append(helper.make_tensor_value_info(_NAMES[i], kind, value.shape))
            feeds[_NAMES[i]] = value
        # Results have no declared type or shape: both sides must find them.
        graph = helper.make_graph(
            [node], name, graph_inputs, [onnx.ValueInfoProto(name=r) for r in results if r], initializers)
        imports = [helper.make_opsetid("", opset)]
        if domain:
            imports.append(helper.make_opsetid(domain, 1))
        model = helper.make_model(graph, opset_imports=imports, ir_version=8 if opset < 21 else 10)
        try:
            answers = expect if expect is not None else answers_of(model, feeds, asked or opset)
        except Exception as why:  # ONNX Runtime's have no common base
            if not may_refuse:
                raise
            self.refused.append(f"{name}: {str(why).splitlines()[0]}")
            return
        if clean:
            answers = [np.where(np.abs(each) < 1e-6 * np.abs(each).max(), 0, each).astype(each.dtype) for each in answers]
        self._write(name, model, list(feeds.values()), answers)

    def _write(self, name, model, inputs, outputs):
        folder = os.path.join(self.root, name)
        data = os.path.join(folder, "test_data_set_0")
        os.makedirs(data)
        onnx.save(model, os.path.join(folder, "model.onnx"))
        for kind, tensors in (("input", inputs), ("output", outputs)):
            for i, tensor in enumerate(tensors):
                with open(os.path.join(data, f"{kind}_{i}.pb"), "wb") as file:
                    file.write(numpy_helper.from_array(np.asarray(tensor)).SerializeToString())
        self.names.append(name)


def answers_of(model, feeds, opset):
    """Without ONNX Runtime's own rewrites: the op itself is asked."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    model.opset_import[0].version = opset
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)
