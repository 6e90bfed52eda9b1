"""The systems that are compared, each behind the same calls: open, outputs, burst, peak_bytes.

`plain` is Kumiko without its graph level.
"""
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import numpy as np
from probe import ROOT, pinned

HERE = pathlib.Path(__file__).resolve().parent
# All of the graph level: names for --without.
GRAPH_LEVEL = ["fusion", "nn-simplify", "nn-fold-constants", "nn-simplify-loops", "nn-quantized-products",
               "nn-integer-products", "nn-expand-transforms", "nn-fold-batch-norm", "nn-expand-conv-transpose",
               "nn-assign-layout", "nn-spread-taps", "nn-expand-padding", "nn-sink-shuffles"]  # fmt: skip
KUMIKO = pathlib.Path(os.environ.get("KUMIKO", ROOT / "build" / "release" / "bin" / "kumiko"))


class Failure(Exception):
    """A system could not do the model; the text says why in one line."""


def last_line(text):
    lines = text.strip().splitlines()
    return next((line for line in lines if line.startswith("error")), lines[-1] if lines else "no message")


# Prints how many KiB a command has resident at most. Linux counts what its parent had before the command began, so the
# parent must be small.
PEAK = """import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))"""


class Peer:
    """Another engine, alive in a process of its own that sleeps between its turns."""

    def __init__(self, kind, model, inputs, threads, folder):
        self.name, self.folder = kind, folder
        environment = dict(os.environ, ORT_DISABLE_TELEMETRY="1")
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            pinned(threads) + [sys.executable, HERE / "peer.py", kind, model, inputs, str(threads)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True, env=environment,
        )
        about = self.read()
        self.version, self.setting = about["version"], about["setting"]

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            self.errors.seek(0)
            raise Failure(last_line(self.errors.read()))
        return json.loads(line)

    def ask(self, line):
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # read() finds out why it ended.
        return self.read()

    def outputs(self):
        path = self.folder / f"{self.name}.npz"
        self.ask(f"save {path}")
        return dict(np.load(path))

    def burst(self, seconds):
        """-> (minimum, median) in ms."""
        times = self.ask(f"burst {seconds}")["ms"]
        return min(times), statistics.median(times)

    def peak_bytes(self):
        """The most that the process has had resident."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return 1024 * int(re.search(r"VmHWM:\s+(\d+)", status).group(1))

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Kumiko:
    """Our own: compiled once to a shared library, timed in process by `kumiko bench`."""

    version, setting = "(this build)", "compiled to a shared library, timed by kumiko bench"

    def __init__(self, name, model, inputs, threads, folder, without=()):
        self.name, self.inputs, self.threads, self.folder = name, inputs, threads, folder
        self.artefact = folder / f"{name}.so"
        if not KUMIKO.exists():
            raise Failure(f"no {KUMIKO}; run ./scripts/build first")
        self.call("compile", model, "-o", self.artefact, *(word for part in without for word in ("--without", part)))

    def call(self, *arguments):
        done = subprocess.run([*pinned(self.threads), KUMIKO, *arguments], capture_output=True, text=True)
        if done.returncode:
            raise Failure(f"exit {done.returncode}: {last_line(done.stderr)}")
        return done.stdout

    def peak_bytes(self):
        """The most that a process which runs the library has resident."""
        run = ["run", self.artefact, "--inputs", self.inputs, "--outputs", self.folder / "peak.npz"]
        done = subprocess.run([sys.executable, "-c", PEAK, KUMIKO, *run, "--threads", str(self.threads)],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failure(f"exit {done.returncode}: {last_line(done.stderr)}")
        return 1024 * int(done.stdout)

    def outputs(self):
        path = self.folder / f"{self.name}.npz"
        self.call("run", self.artefact, "--inputs", self.inputs, "--outputs", path, "--threads", str(self.threads))
        return dict(np.load(path))

    def burst(self, seconds):
        """-> (minimum, median) in ms; the length is the command's own, at least two seconds."""
        text = self.call("bench", self.artefact, "--inputs", self.inputs, "--threads", str(self.threads), "--json")
        self.report = json.loads(text)
        return self.report["min_ms"], self.report["median_ms"]

    def close(self):
        pass


def open_system(kind, model, inputs, threads, folder):
    if kind in ("kumiko", "plain"):
        return Kumiko(kind, model, inputs, threads, folder, GRAPH_LEVEL if kind == "plain" else ())
    return Peer(kind, model, inputs, threads, folder)
