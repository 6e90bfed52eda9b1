#!/usr/bin/env python3
"""Write the backend tests of the installed onnx package to a folder.

    make-onnx-suite.py FOLDER

The package keeps most tests only in memory or scattered over its own tree. Here each becomes
FOLDER/KIND/test_NAME/model.onnx with test_data_set_N/input_N.pb and output_N.pb; the light models,
which have no inputs, become FOLDER/light/NAME.onnx. Tests that only name a download are left out.
"""
import pathlib
import shutil
import sys
import warnings

import onnx
from onnx import numpy_helper
from onnx.backend.test.case import model as model_cases
from onnx.backend.test.loader import DATA_DIR, load_model_tests

FROM_PYTHON = {
    "map_type": numpy_helper.from_dict,
    "sequence_type": numpy_helper.from_list,
    "optional_type": numpy_helper.from_optional,
}


def to_proto(value, info):
    """The protobuf message for a test value; `info` is the graph's declaration of it."""
    if isinstance(value, onnx.TensorProto):
        return value
    convert = FROM_PYTHON.get(info.type.WhichOneof("value"), numpy_helper.from_array)
    return convert(value, info.name)


def write_case(case, folder):
    """One test that lives in memory, in the layout of those that live on disk."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(case.model.SerializeToString())
    for number, (inputs, outputs) in enumerate(case.data_sets):
        data = folder / f"test_data_set_{number}"
        data.mkdir(exist_ok=True)
        for word, values, infos in (
            ("input", inputs, case.model.graph.input),
            ("output", outputs, case.model.graph.output),
        ):
            for position, (value, info) in enumerate(zip(values, infos)):
                (data / f"{word}_{position}.pb").write_bytes(to_proto(value, info).SerializeToString())


def main(target):
    warnings.filterwarnings("ignore")  # NumPy speaks up about the overflows that some tests are made of.
    counts = {}
    in_memory = [("node", case) for case in load_model_tests(kind="node")]
    in_memory += [("simple", case) for case in model_cases.collect_testcases() if case.kind == "simple"]
    for kind, case in in_memory:
        write_case(case, target / kind / case.name)
        counts[kind] = counts.get(kind, 0) + 1
    for kind in ("pytorch-converted", "pytorch-operator", "light"):
        shutil.copytree(pathlib.Path(DATA_DIR) / kind, target / kind, dirs_exist_ok=True)
        counts[kind] = sum(1 for path in (target / kind).iterdir() if path.is_dir() or path.suffix == ".onnx")
    print(", ".join(f"{count} {kind}" for kind, count in counts.items()))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    main(pathlib.Path(sys.argv[1]))
