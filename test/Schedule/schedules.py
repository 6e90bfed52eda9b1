"""Schedules as text: what --explain prints is taken back, right ones keep every bit, wrong ones are refused.

Last line: `N passed, N failed, N skipped`.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "Models")]
from elf import Object  # noqa: E402
from tool import KUMIKO, ROOT, Failure, call, run_model  # noqa: E402

# A rule that fits no kernel: it changes the provenance as another file does, and nothing else.
NOTHING = "for kind contraction where rows < 1\n  product: unroll depth 4\n"


def small_model(path):
    """A convolution, a product of two inputs, attention, a product of bytes, and one with an open number of rows."""
    random = np.random.default_rng(7)
    weight = lambda name, *shape: numpy_helper.from_array(random.standard_normal(shape, np.float32) / 8, name)
    value = lambda name, *shape, kind=TensorProto.FLOAT: helper.make_tensor_value_info(name, kind, shape)
    nodes = [
        helper.make_node("Conv", ["image", "w"], ["features"], "stage/conv", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["features"], ["bent"], "stage/relu"),
        helper.make_node("MatMul", ["a", "b"], ["ab"], "pair"),
        helper.make_node("MatMul", ["q", "kt"], ["scores"], "qk"),
        helper.make_node("Softmax", ["scores"], ["weights"], "soft", axis=-1),
        helper.make_node("MatMul", ["weights", "v"], ["out"], "av"),
        helper.make_node("MatMulInteger", ["bytes", "wb"], ["sums"], "narrow"),
        helper.make_node("MatMul", ["rows", "wr"], ["mapped"], "open"),
    ]
    constants = [
        weight("w", 96, 32, 3, 3),
        numpy_helper.from_array(random.integers(-128, 128, (64, 48)).astype(np.int8), "wb"),
        weight("wr", 64, 80),
    ]
    inputs = [
        value("image", 1, 32, 15, 15), value("a", 3, 50, 40), value("b", 3, 40, 70), value("q", 4, 100, 64),
        value("kt", 4, 64, 100), value("v", 4, 100, 64), value("bytes", 40, 64, kind=TensorProto.UINT8),
        value("rows", "many", 64),
    ]
    outputs = [
        value("bent", 1, 96, 15, 15), value("ab", 3, 50, 70), value("out", 4, 100, 64),
        value("sums", 40, 48, kind=TensorProto.INT32), value("mapped", "many", 80),
    ]
    graph = helper.make_graph(nodes, "g", inputs, outputs, constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    arrays = {
        each.name: random.standard_normal([d.dim_value or 23 for d in each.type.tensor_type.shape.dim]).astype(np.float32)
        for each in inputs
    }
    arrays["bytes"] = random.integers(0, 256, (40, 64)).astype(np.uint8)
    np.savez(path.with_suffix(".npz"), **arrays)


# Every word with numbers that the kernels above can have on any machine of at least 16 registers and 8 lanes.
RIGHT = [
    "for op stage/conv\n  stage/conv/s: tile o0*o1 5; unroll k0*k1*c 8; chunk o0*o1 3 f 1",
    "for op stage/conv\n  product: no fetch; tile rows 1",
    "for op stage/conv\n  product: no pack; tile rows 4",
    "for op stage/relu\n  product: split columns 32; tile rows 1 columns 32",
    "for op stage/conv\n  stage/conv/s: pack w by 96; tile rows 1 columns 96",
    "for op pair\n  pair/y: chunk p0 2 m 2 n 1; unroll k 3",
    "for op pair\n  pair/y: tile m 3 n 32; split n 32",
    "for op qk\n  scores: tile rows 3; unroll depth 2; no pack\n  row: inline",
    "for op qk\n  scores: pack columns; chunk rows 4; split columns 16\n  values: split columns 32; tile columns 32",
    "for op narrow\n  product: with pair16; tile rows 2; chunk rows 5",
    "for op narrow\n  product: no pack; with pair16",
    "for op open\n  product: tile rows 4; chunk rows 9; unroll depth 1",
    "for kind contraction on cpu where columns >= 64 and depth <= 300  # all but the bytes\n  product: tile rows 2;",
]
# A wrong file, what is said about it, and where: on x86-64-v3 with 16 registers and vectors of 8.
WRONG = [
    ("tile rows 6", "it is not said what this is for|a statement is NAME: WORDS", "1:"),
    ("# nothing\n", "holds no schedule", "1:1"),
    ("for op pair\n", "nothing is said about 'pair'", "1:8"),
    ("for ops pair\n  pair/y: unroll k 2", "what is it for", "1:5"),
    ("for kind contractions\n  product: unroll depth 2", "did you mean 'contraction'", "1:10"),
    ("for kind points\n  product: unroll depth 2", "no schedules for the kind 'points'", "1:10"),
    ("for op pair on x86-64-v9\n  pair/y: unroll k 2", "no target of that name", "1:16"),
    ("for op pair where m => 8\n  pair/y: unroll k 2", "a condition is LOOP >= NUMBER", "1:21"),
    ("for op pair where m >= 800\n  pair/y: unroll k 2", "m is 50", "1:19"),
    ("for op par\n  pair/y: unroll k 2", "did you mean 'pair'", "1:8"),
    ("for kernel k_0\n  product: unroll k 2", "there is no kernel 'k_0'", "1:12"),
    ("for op pair\n  pair/z: unroll k 2", "no statement 'pair/z'.*pair/y", "2:3"),
    ("for op pair\n  pair/y: unrol k 2", "unknown word 'unrol'.*did you mean 'unroll'", "2:11"),
    ("for op pair\n  pair/y: parallel k", "'parallel' is no word.*order in which it is added", "2:11"),
    ("for op pair\n  pair/y: reduce-in 4", "'reduce-in' is no word.*order", "2:11"),
    ("for op pair\n  pair/y: bind m 2", "'bind' is no word.*GPUs", "2:11"),
    ("for op pair\n  pair/y: tile q 2", "no loop 'q'.*m .rows., n .columns., k .depth.", "2:16"),
    ("for op stage/conv\n  product: tile o1 2", "not a loop of its own.*write o0.o1", "2:17"),
    ("for op stage/conv\n  product: tile n 2", "has one iteration|has no loop 'n'", "2:17"),
    ("for op pair\n  pair/y: chunk k 2", "'chunk' does not go with k, the depth.*one order", "2:17"),
    ("for op pair\n  pair/y: tile k 2", "'tile' does not go with k, the depth.*one order", "2:16"),
    ("for op pair\n  pair/y: unroll m 2", "'unroll' does not go with m", "2:18"),
    ("for op pair\n  pair/y: tile m 0", "'tile m' cannot be 0", "2:18"),
    ("for op pair\n  pair/y: tile m -3", "'tile m' cannot be -3", "2:18"),
    ("for op pair\n  pair/y: tile m 99999999999999999999", "cannot be 9999", "2:18"),
    ("for op pair\n  pair/y: tile m six", "wants a whole number, not 'six'", "2:18"),
    ("for op pair\n  pair/y: tile m 12 n 16", "26 registers of 16", "2:18"),
    ("for op pair\n  pair/y: tile m 51", "a tile of 51 rows is larger than the loop m, 50", "2:18"),
    ("for op pair\n  pair/y: tile m 1 n 96", "a tile of 96 columns is larger than the loop n, 70", "2:22"),
    ("for op pair\n  pair/y: tile n 24", "no whole number of panels of 16", "2:18"),
    ("for op pair\n  pair/y: split n 12", "no whole number of vectors of 8", "2:19"),
    ("for op pair\n  pair/y: vectorize n 5", "vectors of 5 are not to be had", "2:23"),
    ("for op pair\n  pair/y: unroll k 64", "too much code", "2:20"),
    ("for op pair\n  pair/y: chunk m 1000", "a chunk of 1000 tiles is larger", "2:19"),
    ("for op pair\n  pair/y: chunk p0 4", "a chunk of 4 products is larger than the batch, 3", "2:20"),
    ("for op pair\n  pair/y: pack b", "these columns cannot be packed", "2:11"),
    ("for op pair\n  pair/y: fetch ahead b", "only packed columns", "2:11"),
    ("for op stage/conv\n  product: pack x", "'x' is not the tensor whose columns", "2:17"),
    ("for op stage/conv\n  product: no tile rows", "'tile' cannot be left out", "2:15"),
    ("for op pair\n  pair/y: with byte4", "multiplies floats", "2:11"),
    ("for op narrow\n  product: with byte4", "no instruction that adds four products of bytes", "2:12"),
    ("for op narrow\n  product: with byte8", "no instruction 'byte8'.*byte4", "2:17"),
    ("for op qk\n  scores: vectorize columns 8", "'vectorize' is no word.*lane by lane", "2:11"),
    ("for op qk\n  scores: chunk columns 1", "does not go with columns.*all columns", "2:17"),
    ("for op qk\n  values: tile rows 2", "is said of", "2:16"),
    ("for op qk\n  row: tile rows 2", "'tile' is no word of", "2:8"),
    ("for op open\n  product: tile rows 6; chunk rows 1", "too small for tiles of 6 rows", "2:36"),
    ("for op pair\n  pair/y: unroll k 2; unroll k 4", "says again", "2:23"),
    ("for op pair\n  pair/y: unroll k 2 3", "wants a whole number", "2:23"),
    ('for op "pair\n  pair/y: unroll k 2', "a quoted name does not end", "1:8"),
    ("for op pair\n  pair/y: unroll k 2\nfor op pair\n  pair/y: unroll k 4", "the one in line 1 fits, too", "3:8"),
]


class Cases:
    def __init__(self, only):
        self.passed = self.failed = 0
        self.only = only

    def run(self, name, test):
        if self.only and not any(word in name for word in self.only):
            return
        try:
            test()
            self.passed += 1
        except Failure as failure:
            self.failed += 1
            print(f"FAILED {name}: {failure}", flush=True)


def explained(model, *options):
    return json.loads(call([KUMIKO, "compile", model, "--explain=json", *options]))


def printed_schedules(model, *options):
    """What --explain prints of all kernels, as a file."""
    return "".join(dict.fromkeys(kernel.get("schedule", "") for kernel in explained(model, *options)["kernels"]))


def check_returns(model, folder, *options):
    """The printed schedules, read back, give the same object file but for the digest of the file of schedules."""
    text = printed_schedules(model, *options)
    if not text:
        raise Failure("no schedule is printed")
    artefacts = []
    for number, content in enumerate([text, NOTHING]):
        file, artefact = folder / f"{number}.schedule", folder / "same.o"
        file.write_text(content)
        call([KUMIKO, "compile", model, "-o", artefact, "--schedule", file, *options])
        marked = artefact.read_bytes()
        digest = re.search(rb"schedule blake3:[0-9a-f]{32}", marked)
        if not digest:
            raise Failure("the file is not in the provenance")
        artefacts.append(Object(marked.replace(digest[0], b"schedule blake3:" + 32 * b"0")).holds())
    for section, content in artefacts[0].items():
        if content != artefacts[1].get(section):
            raise Failure(f"another {section} than without them")
    again = printed_schedules(model, "--schedule", folder / "0.schedule", *options)
    if again != text:
        raise Failure("the text is printed in another way when it has been read")


def check_same_bits(model, text, expected, folder):
    file = folder / "right.schedule"
    file.write_text(text + "\n")
    got = run_model(model, model.with_suffix(".npz"), 2, folder, "--schedule", file)
    before, after = printed_schedules(model), printed_schedules(model, "--schedule", file)
    if before == after and "inline" not in text:
        raise Failure(f"nothing has changed: {text}")
    for name, array in expected.items():
        if array.tobytes() != got[name].tobytes():
            raise Failure(f"{name} has other bits with: {text}")


def check_refused(model, text, reason, place, folder):
    file = folder / "wrong.schedule"
    file.write_text(text if text.endswith("\n") else text + "\n")
    done = subprocess.run([KUMIKO, "compile", model, "--stop-after=schedule", "--target=x86-64-v3", "--schedule", file],
                          capture_output=True, text=True, timeout=300)
    said = " ".join(done.stderr.split())
    if done.returncode != 2 or "error[K0003]" not in said or " help: " not in said:
        raise Failure(f"exit {done.returncode} and: {said or 'no message'}; for: {text!r}")
    if not re.search(reason, said):
        raise Failure(f"not the reason {reason!r} but: {said}; for: {text!r}")
    if f"wrong.schedule:{place}" not in said:
        raise Failure(f"not the place {place} but: {said}; for: {text!r}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="only cases whose names contain one of these")
    parser.add_argument("--model", action="append", default=[], type=pathlib.Path, help="another model to print and read")
    options = parser.parse_args()
    cases = Cases(options.names)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        model = folder / "small.onnx"
        small_model(model)
        for number, (text, reason, place) in enumerate(WRONG):
            cases.run(f"wrong {number}", lambda: check_refused(model, text, reason, place, folder))
        expected = run_model(model, model.with_suffix(".npz"), 1, folder)
        for number, text in enumerate(RIGHT):
            cases.run(f"right {number}", lambda: check_same_bits(model, text, expected, folder))
        for target in ["host", "x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64"]:
            cases.run(f"returns small {target}", lambda: check_returns(model, folder, f"--target={target}"))
        cases.run("returns sample", lambda: check_returns(ROOT / "examples/sample/sample.onnx", folder))
        for path in options.model:
            cases.run(f"returns {path.name}", lambda: check_returns(path, folder))
    print(f"{cases.passed} passed, {cases.failed} failed, 0 skipped")
    sys.exit(cases.failed != 0)


if __name__ == "__main__":
    main()
