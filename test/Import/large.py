#!/usr/bin/env python3
"""Reading takes time and memory in proportion to the file.

    large.py [FOLDER]    works in FOLDER, by default a new one that is removed afterwards

`kumiko inspect` on chains of 250,000, 500,000 and 1,000,000 trivial nodes, and on a model with 2 GB of weights beside
it: these cost their mapping and no copy. The last line is `N passed, N failed, N skipped`.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Tool" / "Inputs"))
from small_model import message, number, value_info, varint  # noqa: E402

BUILD = pathlib.Path(os.environ.get("KUMIKO_BUILD", HERE.parents[1] / "build" / "release"))
KUMIKO = BUILD / "bin" / "kumiko"

SECONDS, BYTES = 20, 4 << 30  # for a million nodes
GROWTH = 1.5  # how much more than in proportion the time may grow: machines are not quiet
WEIGHTS = 2 << 30
EXTRA = 256 << 20  # what reading the model of 2 GB may take besides its mapping


def write_model(path, parts, inputs, outputs):
    """A model whose graph is `parts`, written piece by piece: a library would need gigabytes for it."""
    ends = [message(11, value) for value in inputs] + [message(12, value) for value in outputs]
    size = sum(map(len, parts)) + sum(map(len, ends))
    with open(path, "wb") as file:
        file.write(number(1, 8) + message(8, number(2, 17)) + varint(7 << 3 | 2) + varint(size))
        file.writelines(parts)
        file.writelines(ends)


def chain(path, count):
    """v0 -> Relu -> v1 -> Relu -> ..."""
    relu = message(4, "Relu")
    nodes = [message(1, message(1, f"v{i}") + message(2, f"v{i + 1}") + relu) for i in range(count)]
    write_model(path, nodes, [value_info("v0", [4])], [value_info(f"v{count}", [4])])


def heavy(path):
    """y = x + a + b, both of 1 GB in a sparse file beside the model."""
    data = path.with_suffix(".bin")
    with open(data, "wb") as file:
        file.truncate(WEIGHTS)
    size = WEIGHTS // 2
    parts = []
    for index, name in enumerate(("a", "b")):
        entries = {"location": data.name, "offset": index * size, "length": size}
        external = b"".join(message(13, message(1, key) + message(2, str(value))) for key, value in entries.items())
        parts.append(message(5, number(1, size // 4) + number(2, 1) + message(8, name) + external + number(14, 1)))
    for left, right, result in (("x", "a", "h"), ("h", "b", "y")):
        parts.append(message(1, message(1, left) + message(1, right) + message(2, result) + message(4, "Add")))
    write_model(path, parts, [value_info("x", [size // 4])], [value_info("y", [size // 4])])


def measure(path):
    """-> (exit code, seconds of the CPU, peak of resident memory in bytes)

    Reading runs on one thread, so the CPU's seconds are those of a quiet machine."""
    process = subprocess.Popen([KUMIKO, "inspect", path], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def check(name, good, text):
    print(f"{'ok  ' if good else 'FAIL'} {name}: {text}")
    return good


def run(folder):
    results, times = [], {}
    for count in (250_000, 500_000, 1_000_000):
        path = folder / "chain.onnx"
        chain(path, count)
        size = path.stat().st_size
        code, seconds, peak = measure(path)
        times[count] = seconds
        text = f"{size >> 20} MB, {seconds:.1f} s, {peak >> 20} MB resident, exit {code}"
        results.append(check(f"{count} nodes", code == 0 and seconds < SECONDS and peak < BYTES, text))
    growth = times[1_000_000] / times[250_000] / 4
    results.append(check("growth", growth < GROWTH, f"{growth:.2f} of linear from 250,000 to 1,000,000 nodes"))
    heavy(folder / "heavy.onnx")
    code, seconds, peak = measure(folder / "heavy.onnx")
    results.append(check("2 GB of weights", code == 0 and peak < EXTRA, f"{seconds:.1f} s, {peak >> 20} MB resident"))
    return results


def main():
    if len(sys.argv) > 1:
        results = run(pathlib.Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            results = run(pathlib.Path(folder))
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed, 0 skipped")
    sys.exit(not all(results))


if __name__ == "__main__":
    main()
