#!/usr/bin/env python3
"""The example of the README says what really happens.

    readme.py

Runs the lines that begin with `$ ` in the README's console block, from the project's root with the tools of
the build first in the path, and compares what they print. The last line is `N passed, N failed, N skipped`.
"""
import difflib
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import tool


def example():
    """The console block, line by line."""
    text = (tool.ROOT / "README.md").read_text()
    block = re.search(r"```console\n(.*?)```", text, re.S)
    return block[1].splitlines() if block else []


def replay(lines):
    """The same block with what the commands print now."""
    environment = dict(os.environ, PATH=f"{tool.KUMIKO.parent}{os.pathsep}{os.environ['PATH']}")
    played = []
    for line in lines:
        if line.startswith("$ "):
            run = ["bash", "-euc", line[2:]]
            done = subprocess.run(run, cwd=tool.ROOT, env=environment, capture_output=True, text=True, timeout=tool.SECONDS)
            played += [line, *done.stdout.splitlines()]
            if done.returncode:
                played += [f"exit {done.returncode}", *done.stderr.splitlines()]
    return played


def main():
    written = example()
    played = replay(written)
    good = bool(written) and written == played
    for line in difflib.unified_diff(written, played, "README.md", "what happens", lineterm=""):
        print(line)
    print("1 passed, 0 failed, 0 skipped" if good else "0 passed, 1 failed, 0 skipped")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
