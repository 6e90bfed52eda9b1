#!/usr/bin/env python3
"""Models written as text and read back are the same program.

    text.py [--import-only] [--every N] [MODEL...]
    text.py --mutate N

Each MODEL (default: the sample, build/models, build/real and every N-th model of build/onnx-suite, N = 10) goes through
`kumiko inspect --as-text`; what is read back must give the same IR after import, apart from locations and the keys of
resources, and the same object file, apart from the digest of the model in its provenance and the order of strings. A model that cannot be
imported is skipped. With --mutate, N texts and weight files with random mistakes in them are read instead: each must be
taken or refused, within bounds of time and memory. The last line is `N passed, N failed, N skipped`.
"""
import argparse
import difflib
import os
import pathlib
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("KUMIKO_BUILD", ROOT / "build" / "release"))
KUMIKO = BUILD / "bin" / "kumiko"
SECONDS = 600


def run(*arguments):
    return subprocess.run([KUMIKO, *map(str, arguments)], capture_output=True, timeout=SECONDS)


def imported(model):
    """The IR after import, without what the two files need not share; None when there is none."""
    done = run("compile", model, "--stop-after=import")
    if done.returncode:
        return None
    text = done.stdout.decode()
    text = re.sub(r"(, )?nn\.source_nodes = \d+ : i64", "", text)
    text = text.replace("module attributes {}", "module")
    text = re.sub(r"dense_resource<[^>]*>", "dense_resource", text)
    return re.sub(r"\{-#.*", "", text, flags=re.DOTALL).rstrip()


def compiled(model, folder):
    """The sections of the object file, with the model's digest blotted out; a text when it does not compile."""
    folder.mkdir()
    done = run("compile", model, "-o", folder / "m.o")
    if done.returncode:
        return re.sub(r"-->.*", "", done.stderr.decode()).splitlines()[0]
    return sections((folder / "m.o").read_bytes())


def sections(data):
    """Code and tables of an ELF file as they are, and its strings as a set: the assembler orders them by content."""
    start, = struct.unpack_from("<Q", data, 40)
    size, count, names_at = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQ", data, start + i * size) for i in range(count)]
    names = data[headers[names_at][4]:][:headers[names_at][5]]
    result = []
    for name, kind, _, _, offset, length in headers:
        name = names[name:names.index(b"\0", name)]
        content = data[offset:offset + length] if kind != 8 else length
        if name.startswith(b".rodata.str"):
            content = sorted(re.sub(rb"blake3:[0-9a-f]{32}", b"blake3:", content).split(b"\0"))
        if not name.startswith((b".rela", b".symtab", b".strtab")):
            result.append((name, content))
    return result


def compare(model, folder, import_only):
    """None when equal, else what differs; "skip" when the model itself cannot be read."""
    # Under one name, because names are part of the provenance; formats are known by content.
    (folder / "a").mkdir()
    original, copy = folder / "a" / "m.kmk", folder / "m.kmk"
    for beside in model.parent.iterdir() if "suite" not in model.parts else [model]:
        if beside.is_file() and beside != model and beside.suffix in (".data", ".bin"):
            os.symlink(beside, folder / "a" / beside.name)
    shutil.copyfile(model, original)
    before = imported(original)
    if before is None:
        return "skip"
    done = run("inspect", original, "--as-text", "-o", copy, "--allow-symlinks")
    if done.returncode:
        return "not written: " + done.stderr.decode()
    after = imported(copy)
    if after is None:
        return "not read: " + run("compile", copy, "--stop-after=import").stderr.decode()
    if before != after:
        return "\n".join(list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0))[:12])
    if not import_only and compiled(original, folder / "1") != compiled(copy, folder / "2"):
        return "the objects differ"
    return None


SEED = """weights "m.safetensors"
op twice(x: T; n: int = 2) -> y: T { y(i...) = x(i...) * n }
model "a model"(x: f32[N, 4], c: b1, k: i64[1]) -> (a, last, b) {
  symbols N >= 1, data n;
  symbol n = k[0] clamp upper(N);
  let h = relu(matmul(x, w));
  let "a/b".1 = twice(h; n = 3);
  a = if(c) shared(v = "a/b".1) { yield v; } else { let z = neg(v); yield z; };
  let last, all = scan states(s = f32[4](0...)) over(row = h) { let s2 = add(s, row); yield s2, s2; };
  let t = f32[2, 2](1.5, -inf, 0x7fc00001, 3);
  let l = loop while(c) most(3) turn(i) states(s = t) shared(c2 = c) { yield c2, s; };
  b = expand(f32(1.0); shape = [n]);
  check atmost(n, 2*N + 1) "message";
}
"""


def weights():
    header = b'{"w":{"dtype":"F32","shape":[4,4],"data_offsets":[0,64]},"v":{"dtype":"I8","shape":[3],"data_offsets":[64,67]}}'
    return struct.pack("<Q", len(header)) + header + bytes(range(67))


def mutated(data, rng, words):
    """A few letters or words changed, left out, doubled or moved."""
    data = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data) + 1)
        length = rng.choice([1, 1, 2, 5, 20])
        change = rng.randrange(5)
        if change == 0:
            data[at:at + length] = bytes(rng.randrange(256) for _ in range(length))
        elif change == 1:
            del data[at:at + length]
        elif change == 2:
            data[at:at] = data[at:at + length] * rng.choice([1, 2, 300])
        elif change == 3:
            data[at:at] = rng.choice(words)
        else:
            data = data[:at] if rng.random() < 0.2 else data
    return bytes(data)


def bounded():
    resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
    if "asan" not in BUILD.name:
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))


def mutate(count):
    rng = random.Random(7)
    words = [b"99999999999999999999", b"-1", b"0", b"(" * 200, b"[" * 200, b"{" * 200, b"if(c) {", b"f32[", b"\"", b"yield",
             b"4294967296", b"f32[1000000, 1000000, 1000000](0...)", b"N*N", b"let", b"weight(", b"u8", b"9223372036854775807"]
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for number in range(count):
            text, data = SEED.encode(), weights()
            if number % 4 == 0:
                data = mutated(data, rng, words)
            else:
                text = mutated(text, rng, words)
            (folder / "m.kmk").write_bytes(text)
            (folder / "m.safetensors").write_bytes(data)
            done = subprocess.run([KUMIKO, "compile", folder / "m.kmk", "--stop-after=import"], capture_output=True,
                                  timeout=SECONDS, preexec_fn=bounded, check=False)
            if done.returncode not in (0, 3, 4) or (done.returncode and b"error[K" not in done.stderr):
                failed += 1
                print(f"mutation {number}: exit {done.returncode}: {done.stderr[-300:]!r}\n{text!r}", flush=True)
    print(f"{count - failed} passed, {failed} failed, 0 skipped")
    return failed != 0


def models(every):
    found = sorted((ROOT / "examples").glob("**/*.onnx"))
    found += sorted((ROOT / "build" / "models").glob("*.onnx")) + sorted((ROOT / "build" / "real").glob("**/*.onnx"))
    return found + sorted((ROOT / "build" / "onnx-suite").glob("**/*.onnx"))[::every]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="*", type=pathlib.Path)
    parser.add_argument("--import-only", action="store_true")
    parser.add_argument("--every", type=int, default=10)
    parser.add_argument("--mutate", type=int)
    options = parser.parse_args()
    if options.mutate:
        return mutate(options.mutate)
    passed = failed = skipped = 0
    for model in options.models or models(options.every):
        with tempfile.TemporaryDirectory() as folder:
            difference = compare(model.resolve(), pathlib.Path(folder), options.import_only)
        passed += difference is None
        skipped += difference == "skip"
        if difference not in (None, "skip"):
            failed += 1
            print(f"{model}: {difference}", flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
