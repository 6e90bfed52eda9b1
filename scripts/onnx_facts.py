#!/usr/bin/env python3
"""What is known of each ONNX op, a line each with tabs between: op, versions, types, evaluated, compiled, reasons.

    onnx_facts.py OUT.tsv

Versions come from the onnx package. Types are tried out: a test of the suite that has just this node is rewritten for
every type that the op allows, and `kumiko inspect` says whether it compiles. The counts are those of the suite's tests
that contain the op, less the ones listed in test/Import/Onnx/suite-refusals.txt, which the suite holds to be exact.
"""
import collections
import concurrent.futures
import glob
import os
import subprocess
import sys
import tempfile

import onnx

SUITE = "build/onnx-suite"
REFUSALS = "test/Import/Onnx/suite-refusals.txt"
KUMIKO = "build/release/bin/kumiko"
OLDEST = 7
NAMES = {
    "bool": "b1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16",
    "uint32": "u32", "uint64": "u64", "float16": "f16", "bfloat16": "bf16", "float": "f32", "double": "f64",
    "int4": "i4", "uint4": "u4", "int2": "i2", "uint2": "u2", "float8e4m3fn": "f8e4m3fn",
    "float8e4m3fnuz": "f8e4m3fnuz", "float8e5m2": "f8e5m2", "float8e5m2fnuz": "f8e5m2fnuz", "float8e8m0": "f8e8m0",
    "float6e2m3": "f6e2m3", "float6e3m2": "f6e3m2", "float4e2m1": "f4e2m1",
}


def refusals():
    """{test: [(kind, reason)...]}"""
    listed = collections.defaultdict(list)
    with open(REFUSALS, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                kind, name, reason = line.rstrip("\n").split(" ", 2)
                listed[name].append((kind, reason))
    return listed


def nodes_of(graph):
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for body in [attribute.g, *attribute.graphs]:
                yield from nodes_of(body)


def suite_tests():
    """(name, folder, model) of every test."""
    for path in sorted(glob.glob(f"{SUITE}/*/*/model.onnx")):
        folder = os.path.dirname(path)
        if os.path.getsize(path) < 1 << 20:
            yield os.path.basename(folder), folder, onnx.load(path)


def latest(name):
    return onnx.defs.get_schema(name)


def versions_of(history):
    """The versions that a model of operator set 7 or later can mean, newest first."""
    numbers = sorted({schema.since_version for schema in history}, reverse=True)
    oldest = max([n for n in numbers if n <= OLDEST], default=numbers[-1])
    return " ".join(str(n) for n in numbers if n >= oldest)


def formal(parameters, number):
    return parameters[min(number, len(parameters) - 1)]


def with_inputs_known(model, folder, kept):
    """The model with the test's inputs as initializers, but for the names in `kept`."""
    for number, value in enumerate(list(model.graph.input)):
        path = f"{folder}/test_data_set_0/input_{number}.pb"
        if value.name in kept or not os.path.exists(path) or not value.type.HasField("tensor_type"):
            continue
        tensor = onnx.TensorProto()
        with open(path, "rb") as file:
            tensor.ParseFromString(file.read())
        tensor.name = value.name
        model.graph.initializer.append(tensor)
        model.graph.input.remove(value)


def retyped(model, folder, schema, variable, element):
    """The model of one node with `element` for the type variable; null where that cannot be written."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    node = model.graph.node[0]
    changed = {name for i, name in enumerate(node.input) if name and formal(schema.inputs, i).type_str == variable}
    changed |= {name for i, name in enumerate(node.output) if name and formal(schema.outputs, i).type_str == variable}
    with_inputs_known(model, folder, changed)
    for value in [*model.graph.input, *model.graph.output]:
        if value.name in changed:
            if not value.type.HasField("tensor_type"):
                return None
            value.type.tensor_type.elem_type = element
    for tensor in model.graph.initializer:
        if tensor.name in changed:
            return None
    return model


def compiles(model, scratch, name):
    path = f"{scratch}/{name}.onnx"
    onnx.save(model, path)
    found = subprocess.run([KUMIKO, "inspect", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    os.remove(path)
    return found.returncode == 0


def types_of(name, tests, scratch):
    """The types of the op's main variable that compile, in the order of ONNX."""
    schema = latest(name)
    variable = schema.inputs[0].type_str if schema.inputs else ""
    constraint = next((c for c in schema.type_constraints if c.type_param_str == variable), None)
    if constraint is None:
        return ""
    found = []
    for text in constraint.allowed_type_strs:
        element = text.removeprefix("tensor(").removesuffix(")")
        if element not in NAMES:
            continue
        number = {"float": 1, "double": 11}.get(element) or getattr(onnx.TensorProto, element.upper(), None)
        for count, (folder, model) in enumerate(tests):
            variant = retyped(model, folder, schema, variable, number) if number else None
            if variant and compiles(variant, scratch, f"{name}-{element}-{count}"):
                found.append(NAMES[element])
                break
    order = list(NAMES.values())
    return " ".join(sorted(found, key=order.index))


def main(out):
    listed = refusals()
    histories = collections.defaultdict(list)
    for schema in onnx.defs.get_all_schemas_with_history():
        if schema.domain == "":
            histories[schema.name].append(schema)
    containing, alone = collections.defaultdict(list), collections.defaultdict(list)
    for name, folder, model in suite_tests():
        for op in {node.op_type for node in nodes_of(model.graph) if node.domain in ("", "ai.onnx")}:
            containing[op].append(name)
        # Few models are enough: they differ in attributes, and one that compiles shows the type.
        if len(model.graph.node) == 1 and len(alone[model.graph.node[0].op_type]) < 3:
            alone[model.graph.node[0].op_type].append((folder, model))
    names = [n for n in sorted(histories) if not all(s.deprecated for s in histories[n])]
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        types = dict(zip(names, pool.map(lambda n: types_of(n, alone[n], scratch), names)))
    with open(out, "w", encoding="utf-8") as file:
        for name in names:
            tests = containing[name]
            wrong = [t for t in tests if any(kind != "uncompiled" for kind, _ in listed.get(t, []))]
            uncompiled = [t for t in tests if t in listed]
            reasons = "; ".join(sorted({reason for t in uncompiled for _, reason in listed[t]}))
            count = lambda bad: f"{len(tests) - len(bad)} of {len(tests)}" if tests else "no test"
            file.write("\t".join([name, versions_of(histories[name]), types[name], count(wrong), count(uncompiled),
                                  reasons]) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
