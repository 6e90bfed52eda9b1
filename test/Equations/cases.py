#!/usr/bin/env python3
"""Judge the equations of kumiko/Nn by cases whose results NumPy computed.

    cases.py [--build build/release]

Every op has at least one case. The last line is `N passed, N failed, N skipped`.
"""
import argparse
import importlib
import pathlib
import subprocess
import sys
import tempfile

import table

ROOT = pathlib.Path(__file__).resolve().parents[2]
EQUATIONS = sorted((ROOT / "kumiko/Nn").glob("*.eq"))
FAMILIES = ["elementwise", "movement", "reduction", "normalize", "contraction", "window", "images"]


def load():
    """Fills the table with the cases of all families."""
    for family in FAMILIES:
        importlib.import_module(family)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    options = parser.parse_args()
    load()
    with tempfile.NamedTemporaryFile(suffix=".cases") as file:
        table.write(file.name)
        command = [options.build / "bin/equation-cases", file.name, *EQUATIONS]
        sys.exit(subprocess.run(command, check=False).returncode)


if __name__ == "__main__":
    main()
