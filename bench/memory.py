#!/usr/bin/env python3
"""What a shared library costs besides time: resident memory, heap in the steady state, planning of a new shape.

    memory.py [--threads N] [MODEL=SIZE,SIZE... ...]

A model is a file of build/models or build/real without its ending; its symbols take each size in turn. Without `=` it is
compiled as it is and run on the inputs beside it. `light_resnet50` and `bert_encoder` have their first axes made a symbol. The memory
that loading and running add should be at most 1.1 of (weights + context) and 2 MB more.
"""
import argparse
import json
import pathlib
import subprocess

import numpy as np
import probe

PROGRAM = probe.BUILT / "memory"
FOLDERS = [probe.ROOT / "build" / "models", probe.ROOT / "build" / "real"]
DEFAULT = ["light_resnet50=1,2,3,4,1", "bert_encoder=1,2,3,2", "light_squeezenet", "light_shufflenet"]


def build():
    runtime = probe.ROOT / "runtime"
    source = pathlib.Path(__file__).with_name("memory.c")
    PROGRAM.parent.mkdir(parents=True, exist_ok=True)
    command = ["clang-22", "-std=c11", "-O2", "-fno-builtin", "-D_GNU_SOURCE", "-I", probe.ROOT, "-I", runtime / "include"]
    command += [source, *sorted((runtime / "src").glob("*.c")), "-lm", "-pthread", "-ldl", "-o", PROGRAM]
    subprocess.run(command, check=True)


def with_symbol(path):
    """The model with `batch` for the first axis of each input, and without the sizes that the file says follow."""
    import onnx

    model = onnx.load(path)
    initializers = {tensor.name for tensor in model.graph.initializer}
    for value in model.graph.input:
        if value.name not in initializers and value.type.tensor_type.shape.dim:
            value.type.tensor_type.shape.dim[0].dim_param = "batch"
    # A reshape to one row of everything keeps the rows that there are.
    shapes = {node.input[1] for node in model.graph.node if node.op_type == "Reshape"}
    constants = [node.attribute[0].t for node in model.graph.node if node.op_type == "Constant" and node.output[0] in shapes]
    for tensor in [*constants, *(tensor for tensor in model.graph.initializer if tensor.name in shapes)]:
        numbers = onnx.numpy_helper.to_array(tensor).copy()
        if len(numbers) and numbers[0] == 1:
            numbers[0] = 0
            tensor.CopyFrom(onnx.numpy_helper.from_array(numbers, tensor.name))
    del model.graph.value_info[:]
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")
    symbolic = probe.BUILT / f"{path.stem}_batch.onnx"
    onnx.save(model, symbolic)
    return symbolic


def write_inputs(path):
    """The inputs of a model as memory.c reads them, in the order of the graph."""
    import onnx

    graph = onnx.load(path, load_external_data=False).graph
    weights = {tensor.name for tensor in graph.initializer}
    names = [value.name for value in graph.input if value.name not in weights]
    file = probe.BUILT / f"{path.stem}.inputs"
    with np.load(path.with_suffix(".npz")) as arrays:
        parts = [np.array(arrays[name].shape, np.int64).tobytes() + np.ascontiguousarray(arrays[name]).tobytes() for name in names]
    file.write_bytes(b"".join(parts))
    return file


def measure(text, threads):
    name, _, sizes = text.partition("=")
    path = next((folder / f"{name}.onnx" for folder in FOLDERS if (folder / f"{name}.onnx").exists()), None)
    if not path:
        raise SystemExit(f"memory.py: there is no model {name}")
    if sizes and name in ("light_resnet50", "bert_encoder"):
        path = with_symbol(path)
    library = probe.BUILT / f"{path.stem}.so"
    subprocess.run([probe.ROOT / "build/release/bin/kumiko", "compile", path, "-o", library], check=True,
                   stderr=subprocess.DEVNULL)
    sizes = sizes.split(",") if sizes else [write_inputs(path)]
    report = json.loads(subprocess.run([PROGRAM, library, str(threads), *sizes], check=True, capture_output=True,
                                       text=True).stdout)
    allowed = 1.1 * (report["weights"] + report["context"]) + 2e6
    plans = ", ".join(f"{pathlib.Path(size).stem}: {us:.0f}" for size, us in zip(sizes, report["plan_us"]))
    print(f"{name:22} {report['added'] / 1e6:9.1f} {report['weights'] / 1e6:9.1f} {report['context'] / 1e6:9.1f} "
          f"{report['added'] / allowed:8.2f} {report['heap_calls']:6}  {plans}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("models", nargs="*")
    arguments = parser.parse_args()
    build()
    print(f"{'model':22} {'added MB':>9} {'weights':>9} {'context':>9} {'allowed':>8} {'heap':>6}  plan, µs")
    for text in arguments.models or DEFAULT:
        measure(text, arguments.threads)


if __name__ == "__main__":
    main()
