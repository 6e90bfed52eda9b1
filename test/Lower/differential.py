"""Lowered code against the evaluator, function by function.

    differential.py FILE.mlir... [--passes=PASSES] [--ulp=N] [--refused=NAME,...]

Each function of the files takes and returns tensors. Inputs are drawn at random, twice. The reference is what
kumiko-opt --nn-fold-constants makes of the function with the inputs as constants: the evaluator. The other side is
kumiko-opt with PASSES (default --nn-to-linalg), turned into loops and machine code by mlir-opt and mlir-runner, where the
inputs are arguments of a call and thus hidden. When PASSES do not lower (no --nn-to-linalg among them), the other side is
the evaluator too, on the rewritten function: that is how optimisations are judged.

An argument may say what it holds: {test.below = 5} (integers 0 to 4), {test.positive} (floats above 0),
{test.constant} (a constant for the passes too, as weights are), {test.nan} (some elements are NaN, infinite or -0).
Floats may differ by N units in the last place (default 16) of max(|reference|, largest / 4), because the evaluator sums in
f64 and sums cancel; integers not at all. --refused: functions that must not lower.
"""
import argparse
import math
import random
import re
import shutil
import struct
import subprocess
import sys

SIZES = {"i1": 1, "f64": 8, "f32": 4, "f16": 2, "bf16": 2}
MANTISSA = {"f64": 52, "f32": 23, "f16": 10, "bf16": 7}
LOOPS = """--canonicalize --convert-elementwise-to-linalg --one-shot-bufferize=bufferize-function-boundaries
  --convert-linalg-to-loops --convert-scf-to-cf --expand-strided-metadata --lower-affine --arith-expand=include-bf16=1
  --convert-math-to-llvm --math-expand-ops=ops=ctlz --convert-math-to-funcs --convert-math-to-libm --convert-scf-to-cf
  --convert-cf-to-llvm --convert-arith-to-llvm --finalize-memref-to-llvm --convert-func-to-llvm
  --convert-cf-to-llvm --reconcile-unrealized-casts""".split()


def fail(text):
    print(text)
    sys.exit(1)


def run(command, text):
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


class Type:
    def __init__(self, text):
        inside = re.fullmatch(r"tensor<(.*)>", text.strip()).group(1).split("x")
        self.text, self.element, self.shape = text.strip(), inside[-1], [int(n) for n in inside[:-1]]
        self.count = math.prod(self.shape)

    @property
    def width(self):
        """Bits of an integer; 0 for a float."""
        found = re.fullmatch(r"u?i(\d+)", self.element)
        return int(found.group(1)) if found else 0

    def bytes_per_element(self):
        return max(1, self.width // 8) if self.width else SIZES[self.element]

    def signless(self):
        """As lowering leaves it: no sign, and a byte for what is below 8 bits."""
        return re.sub(r"(?<=[x<])i[24](?=>)", "i8", self.text.replace("xui", "xi").replace("<ui", "<i"))


class Function:
    def __init__(self, text):
        head = re.match(r"func\.func @(?:case_)?(\w+)\((.*?)\) -> (.*?) \{\n", text, re.S)
        self.name, self.text, self.body = head.group(1), text, text[head.end():]
        self.symbol = "case_" + self.name  # a plain @exp would be taken for the one of libm
        self.arguments = []
        for name, kind, notes in re.findall(r"(%\w+): (tensor<[^>]*>)(?: (\{.*?\}))?", head.group(2)):
            self.arguments.append((name, Type(kind), notes))
        self.results = [Type(kind) for kind in re.findall(r"tensor<[^>]*>", head.group(3))]
        self.head = head.group(3)


def functions_of(path):
    text = re.sub(r"^\s*//.*\n", "", open(path).read(), flags=re.M)
    return [Function(part) for part in re.findall(r"func\.func @.*?\n\}\n", text, re.S)]


def draw(rng, kind, notes, positive):
    below = re.search(r"test\.below = (\d+)", notes)
    values = []
    for _ in range(kind.count):
        if kind.width == 1:
            values.append(rng.randrange(2))
        elif kind.width:
            low, high = (0, int(below.group(1))) if below else (0, 2)
            if not below and kind.width <= 16 and kind.width > 2:
                low, high = (0, 20) if kind.element[0] == "u" else (-8, 20)
            values.append(rng.randrange(low, min(high, 2 ** (kind.width - (kind.element[0] == "i")))))
        elif "test.nan" in notes and rng.random() < 0.3:
            values.append(rng.choice([math.nan, math.inf, -math.inf, -0.0, 0.0]))
        else:
            values.append(rng.uniform(0.05, 0.95) if positive or "test.positive" in notes else rng.uniform(-2, 2))
    return values


def packed(kind, values):
    """The elements as bytes in memory."""
    if kind.width:
        size = kind.bytes_per_element()
        return b"".join((v & (2 ** (8 * size) - 1)).to_bytes(size, "little") for v in values)
    if kind.element == "bf16":
        return b"".join(struct.pack("<f", v)[2:] for v in values)
    return b"".join(struct.pack({"f64": "<d", "f32": "<f", "f16": "<e"}[kind.element], v) for v in values)


def unpacked(kind, data):
    size = kind.bytes_per_element()
    parts = [data[i:i + size] for i in range(0, len(data), size)]
    if kind.width:
        signed = kind.element[0] == "i" and kind.width > 1
        values = []
        for part in parts:
            value = int.from_bytes(part, "little") & (2 ** kind.width - 1)
            values.append(value - 2 ** kind.width if signed and value >= 2 ** (kind.width - 1) else value)
        return values
    if kind.element == "bf16":
        return [struct.unpack("<f", b"\0\0" + part)[0] for part in parts]
    return [struct.unpack({"f64": "<d", "f32": "<f", "f16": "<e"}[kind.element], part)[0] for part in parts]


def dense(kind, values):
    if kind.count == 0:
        return f"dense<[]> : {kind.text}" if len(kind.shape) == 1 else f"dense<> : {kind.text}"
    if kind.width == 1 or kind.width in (2, 4):
        flat = [("true" if v else "false") if kind.width == 1 else str(v) for v in values]

        def nested(shape, items):
            if not shape:
                return items[0]
            step = len(items) // shape[0]
            return "[" + ", ".join(nested(shape[1:], items[i * step:(i + 1) * step]) for i in range(shape[0])) + "]"

        return f"dense<{nested(kind.shape, flat)}> : {kind.text}"
    if kind.count == 1:
        data = packed(kind, values)
        one = str(values[0]) if kind.width else "0x" + data[::-1].hex().upper()
        return f"dense<{one}> : {kind.text}"
    return f'dense<"0x{packed(kind, values).hex().upper()}"> : {kind.text}'


def parse_dense(text, kind):
    """Elements of a printed attribute `dense<...>`."""
    if text.startswith('"0x'):
        data = bytes.fromhex(text[3:-1])
        if kind.width == 1 and len(data) * 8 >= kind.count > len(data):
            return [(data[i // 8] >> (i % 8)) & 1 for i in range(kind.count)]
        if len(data) == kind.bytes_per_element():
            return unpacked(kind, data) * kind.count
        return unpacked(kind, data)
    values = []
    for word in re.findall(r"[^\s,\[\]]+", text):
        if word in ("true", "false"):
            values.append(int(word == "true"))
        elif word.startswith("0x") and not kind.width:
            values.append(unpacked(kind, bytes.fromhex(word[2:])[::-1])[0])
        else:
            values.append(int(word) if kind.width else float(word))
    return values * kind.count if len(values) == 1 else values


def with_constants(function, inputs, which=lambda notes: True):
    """The function with (some of) its arguments as constants."""
    arguments, lines = [], []
    for (name, kind, notes), values in zip(function.arguments, inputs):
        if which(notes):
            lines.append(f"  {name} = nn.constant {dense(kind, values)}\n")
        else:
            arguments.append(f"{name}: {kind.text}")
    return f"func.func @{function.symbol}({', '.join(arguments)}) -> {function.head} {{\n{''.join(lines)}{function.body}"


def evaluated(functions, inputs, passes):
    """Results of functions without arguments left, as the evaluator folds them."""
    text = "".join(with_constants(f, x) for f, x in zip(functions, inputs))
    code, out, errors = run(["kumiko-opt", "-", *passes, "--mlir-print-elementsattrs-with-hex-if-larger=0",
                             "--mlir-elide-resource-strings-if-larger=1000000000"], text)
    if code:
        fail("the evaluator's side failed:\n" + errors)
    results = {}
    for part in re.findall(r"func\.func @.*?\n  \}\n", out, re.S):
        name = re.match(r"func\.func @case_(\w+)", part).group(1)
        constants = {}
        for value, text, kind in re.findall(r"(%\w+) = nn\.constant dense<(.*?)> : (tensor<[^>]*>)", part):
            constants[value] = parse_dense(text, Type(kind))
        returned = re.search(r"return (.*?) :", part).group(1).split(", ")
        if any(value not in constants for value in returned):
            fail(f"{name}: the evaluator did not compute it\n{part}\n{errors}")
        results[name] = [constants[value] for value in returned]
    return [results[f.name] for f in functions]


def widened(kind, value, lines, fresh):
    """IR that turns a result into a tensor of i64 that can be printed."""
    def step(op, to):
        nonlocal value, kind
        new = fresh()
        lines.append(f"  {new} = {op} {value} : {kind} to {to}")
        value, kind = new, to
    element = Type(kind).element
    if not Type(kind).width:
        step("arith.bitcast", kind.replace(element + ">", f"i{8 * SIZES[element]}>"))
    if not kind.endswith("i64>"):
        step("arith.extui", re.sub(r"i\d+>", "i64>", kind))
    step("tensor.cast", "tensor<*xi64>")
    lines.append(f"  call @printMemrefI64({value}) : (tensor<*xi64>) -> ()")


def compiled(functions, inputs, passes):
    text = ""
    for f, x in zip(functions, inputs):
        text += with_constants(f, x, lambda notes: "test.constant" in notes)
    code, lowered, errors = run(["kumiko-opt", "-", *passes], text)
    if code:
        fail("lowering failed:\n" + errors)
    lines, number = ["func.func private @printMemrefI64(tensor<*xi64>)", "func.func @main() {"], 0

    def fresh():
        nonlocal number
        number += 1
        return f"%v{number}"

    for f, x in zip(functions, inputs):
        names, kinds = [], []
        for (_, kind, notes), values in zip(f.arguments, x):
            if "test.constant" in notes:
                continue
            signless = Type(kind.signless())
            names.append(fresh())
            kinds.append(signless.text)
            lines.append(f"  {names[-1]} = arith.constant {dense(signless, unpacked(signless, packed(kind, values)))}")
        results = [fresh() for _ in f.results]
        result_kinds = [kind.signless() for kind in f.results]
        lines.append(f"  {', '.join(results)} = call @{f.symbol}({', '.join(names)}) : ({', '.join(kinds)}) -> "
                     f"({', '.join(result_kinds)})")
        for value, kind in zip(results, result_kinds):
            widened(kind, value, lines, fresh)
    lines += ["  return", "}"]
    module = re.sub(r"\}\s*$", "\n".join(lines) + "\n}\n", lowered)
    code, machine, errors = run(["mlir-opt", "-", *LOOPS], module)
    if code:
        fail("mlir-opt failed:\n" + errors[:4000])
    libraries = shutil.which("mlir-runner").rsplit("/", 2)[0] + "/lib/"
    code, printed, errors = run(["mlir-runner", "-e", "main", "-entry-point-result=void", "-O1",
                                 f"-shared-libs={libraries}libmlir_runner_utils.so,{libraries}libmlir_c_runner_utils.so"],
                                machine)
    if code:
        fail("mlir-runner failed:\n" + errors[:4000])
    blocks = [block.split("data =", 1)[1] for block in printed.split("Unranked Memref")[1:]]
    results = []
    for f in functions:
        row = []
        for kind in f.results:
            size = kind.bytes_per_element()
            numbers = [int(v) for v in re.findall(r"-?\d+", blocks.pop(0))]
            row.append(unpacked(kind, b"".join((n & (2 ** (8 * size) - 1)).to_bytes(size, "little") for n in numbers)))
        results.append(row)
    return results


def distance(kind, got, want):
    """The largest difference, in units in the last place; infinite where there is no such number."""
    if len(got) != len(want):
        return math.inf
    if kind.width:
        return 0 if got == want else math.inf
    finite = [abs(v) for v in want if math.isfinite(v)]
    largest, worst = max(finite, default=0.0), 0.0
    for a, b in zip(got, want):
        if math.isnan(a) or math.isnan(b) or math.isinf(a) or math.isinf(b):
            if not (a == b or (math.isnan(a) and math.isnan(b))):
                return math.inf
            continue
        scale = max(abs(b), largest / 4, 1e-30)
        worst = max(worst, abs(a - b) / 2.0 ** (math.floor(math.log2(scale)) - MANTISSA[kind.element]))
    return worst


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+")
    parser.add_argument("--passes", default="--nn-to-linalg")
    parser.add_argument("--ulp", type=float, default=16)
    parser.add_argument("--refused", default="")
    options = parser.parse_args()
    passes, refused = options.passes.split(), [name for name in options.refused.split(",") if name]
    functions = [f for path in options.files for f in functions_of(path)]
    if len({f.name for f in functions}) != len(functions):
        fail("two functions have the same name")
    for f in functions:
        if f.name in refused:
            code, _, errors = run(["kumiko-opt", "-", *passes], f.text)
            if code == 0 or "is not yet compiled" not in errors:
                fail(f"{f.name} was expected to be refused\n{errors}")
    functions = [f for f in functions if f.name not in refused]
    bad = 0
    for seed, positive in ((1, False), (2, True)):
        rng = random.Random(seed)
        inputs = [[draw(rng, kind, notes, positive) for _, kind, notes in f.arguments] for f in functions]
        # What a tensor holds is rounded to its type before anybody computes with it.
        inputs = [[unpacked(kind, packed(kind, v)) for (_, kind, _), v in zip(f.arguments, x)]
                  for f, x in zip(functions, inputs)]
        want = evaluated(functions, inputs, ["--nn-fold-constants"])
        if "--nn-to-linalg" in passes:
            got = compiled(functions, inputs, passes)
        else:
            got = rewritten(functions, inputs, passes)
        for f, a, b in zip(functions, got, want):
            for number, (kind, x, y) in enumerate(zip(f.results, a, b)):
                ulp = distance(kind, x, y)
                if ulp > options.ulp:
                    bad += 1
                    print(f"{f.name} result {number} {kind.text}: {ulp:.1f} ulp\n  got  {x[:8]}\n  want {y[:8]}")
    print(f"{len(functions)} functions agree with the evaluator, {len(refused)} are refused" if not bad
          else f"{bad} results differ")
    sys.exit(bad != 0)


def rewritten(functions, inputs, passes):
    """The functions after PASSES, evaluated. Arguments become constants only after the passes have run."""
    text = "".join(with_constants(f, x, lambda notes: "test.constant" in notes) for f, x in zip(functions, inputs))
    code, out, errors = run(["kumiko-opt", "-", *passes, "--mlir-print-elementsattrs-with-hex-if-larger=0"], text)
    if code:
        fail("the passes failed:\n" + errors)
    after = [Function(re.sub(r"^  ", "", part, flags=re.M))
             for part in re.findall(r"  func\.func @.*?\n  \}\n", out, re.S)]
    by_name = {f.name: f for f in after}
    remaining = [[v for (_, _, notes), v in zip(f.arguments, x) if "test.constant" not in notes]
                 for f, x in zip(functions, inputs)]
    return evaluated([by_name[f.name] for f in functions], remaining, ["--nn-fold-constants"])


main()
