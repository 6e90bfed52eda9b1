#!/usr/bin/env python3
"""Fuzzes the importer with libFuzzer, starting from the small models of the ONNX suite.

    fuzz.py SECONDS [--keep] [--seed N]

--keep goes on with the corpus of the last run; with --seed the mutations are the same every time.

Works in build/fuzz: `seeds` (models of the suite, also with empty and rank-0 inputs, and the bad models of test/Import), `words` (a dictionary: names of ops and attributes), `corpus` (what
libFuzzer found worth keeping), `found` (inputs that break something). Files in Crashes/ beside this script broke
something once and are run first. The last line is `N passed, N failed, N skipped`.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

import onnx

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = pathlib.Path(os.environ.get("KUMIKO_BUILD", ROOT / "build" / "asan"))
WORK = ROOT / "build" / "fuzz"
SEED_BYTES = 3000  # small inputs are what makes a fuzzer fast
SEED_FLOOR = 1000  # seeds that must be found, or the suite is not there
MEGABYTES, TIMEOUT = 2500, 20
# LLVM's libraries are not instrumented, so containers that cross into them cannot be tracked; neither can allocations
# that a context keeps for good.
SANITIZERS = {
    "ASAN_OPTIONS": "detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=0:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
}


def reshaped(model, dims):
    """The model with every input of this shape, and outputs of any."""
    for value in model.graph.input:
        if value.type.HasField("tensor_type"):
            shape = value.type.tensor_type.shape
            rank = len(shape.dim) if dims is None else dims
            del shape.dim[:]
            for _ in range(rank):
                shape.dim.add(dim_value=0)
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")
    return model.SerializeToString()


def make_seeds(folder):
    """Copies of the suite's small models, the same with empty and with rank-0 inputs, and every bad model. -> how many
    of the suite's own."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, ROOT / "test" / "Import" / "errors.py", "--write", folder], check=True)
    sys.path.append(str(ROOT / "test" / "Import"))
    import text
    # The file beside a model is never there.
    (folder / "text.kmk").write_text(re.sub("^weights.*", "", text.SEED).replace("x, w)", "x, f32[4, 4](1...))"))
    count = 0
    for path in sorted((ROOT / "build" / "onnx-suite").glob("**/*.onnx")):
        if path.stat().st_size > SEED_BYTES:
            continue
        name = "-".join(path.relative_to(ROOT / "build" / "onnx-suite").parts)
        shutil.copyfile(path, folder / name)
        (folder / f"empty-{name}").write_bytes(reshaped(onnx.load(path), None))
        (folder / f"scalar-{name}").write_bytes(reshaped(onnx.load(path), 0))
        count += 1
    return count


def make_words(path):
    """A dictionary of every word that the importer compares names with."""
    words = set()
    for source in sorted((ROOT / "kumiko" / "Import" / "Onnx").glob("**/*")):
        if source.suffix == ".def":
            words |= set(re.findall(r"KNOWN_OP\((\w+),", source.read_text()))
        elif source.suffix == ".cpp":
            words |= set(re.findall(r'"([A-Za-z_]\w{2,30})"', source.read_text()))
    # In a file a name has its length in front of it.
    path.write_text("".join(f'"\\x{len(word):02x}{word}"\n' for word in sorted(words)))


def fuzzer(*arguments):
    environment = dict(os.environ, **SANITIZERS)
    return subprocess.run([BUILD / "bin" / "import-fuzzer", *map(str, arguments)], cwd=WORK, env=environment)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", type=int)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--timeout", type=int, default=TIMEOUT, help="seconds per input; more where others want the cores")
    parser.add_argument("--seed", type=int, default=0, help="0: another one every time")
    arguments = parser.parse_args()
    if not arguments.keep:
        shutil.rmtree(WORK, ignore_errors=True)
    for name in ("corpus", "found"):
        (WORK / name).mkdir(parents=True, exist_ok=True)
    seeds = make_seeds(WORK / "seeds")
    make_words(WORK / "words")
    bounds = [f"-rss_limit_mb={MEGABYTES}", f"-malloc_limit_mb={MEGABYTES // 2}", f"-timeout={arguments.timeout}"]
    passed = failed = 0
    crashes = sorted((HERE / "Crashes").glob("*"))
    if crashes:
        good = fuzzer(*bounds, "-runs=1", *crashes).returncode == 0
        passed, failed = (len(crashes), 0) if good else (0, 1)
    if seeds < SEED_FLOOR:
        print(f"only {seeds} seeds, expected {SEED_FLOOR}: run scripts/setup")
        failed += 1
    limits = [f"-max_total_time={arguments.seconds}", f"-seed={arguments.seed}", "-max_len=6000"]
    limits += ["-print_final_stats=1", "-verbosity=1"]
    files = ["-dict=words", "-artifact_prefix=found/", "corpus", "seeds"]
    if fuzzer(*bounds, *limits, *files).returncode == 0:
        passed += 1
    else:
        failed += 1
        print("an input broke the importer; it is in build/fuzz/found. Mend it and keep the file in test/Fuzz/Crashes")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
