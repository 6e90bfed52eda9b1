#!/usr/bin/env python3
"""Put one mistake at a time into the optimiser and see whether its tests notice.

    defects.py [--count N] [--first N] [--graphs 1500] [--build build/release]

The mistakes are those of defects.txt. Each is compiled from a copy of its file and linked into copies of the tools that the
tests call; neither the sources nor the build folder change. A mistake is noticed when it does not compile or link, when a
unit test or a lit test of Optimize and Fuse fails, or a random graph does; none may without a mistake. At least 85 % must
be noticed. The last line is `N passed, N failed, N skipped`: noticed, unnoticed (0 when enough are), and mistakes whose
text the sources do not have.
"""
import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import typing

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIT = "/usr/lib/llvm-22/bin/lit"
SHARE = 0.85
SECONDS = 600
TOOLS = ["kumiko-opt", "optimize-tests", "random-graphs"]


class Defect(typing.NamedTuple):
    what: str
    path: pathlib.Path
    old: str
    new: str


def read_defects():
    blocks = re.split(r"\n\s*\n", pathlib.Path(__file__).with_name("defects.txt").read_text().strip())
    for block in blocks:
        if not block.startswith("#"):
            what, path, old, new = block.split("\n")
            yield Defect(what, pathlib.Path(path), old.removeprefix("- "), new.removeprefix("+ "))


class Builder:
    """Repeats single commands of the build on other files."""

    def __init__(self, build, folder):
        self.build, self.folder = build.resolve(), folder
        commands = subprocess.run(["ninja", "-t", "commands", *TOOLS], cwd=build, capture_output=True, text=True, check=True)
        self.commands = [line.removeprefix(": && ").removesuffix(" && :") for line in commands.stdout.splitlines()]

    def run(self, command):
        return subprocess.run(command, shell=True, cwd=self.build, capture_output=True, text=True, timeout=SECONDS, check=False)

    def compile(self, source, text, include=None):
        """The object file of `source` with another text; None when it does not compile."""
        copy = self.folder / source.name
        copy.write_text(text)
        command = next(line for line in self.commands if f"-c {ROOT / source}" in line)
        output = re.search(r" -o (\S+)", command)[1]
        command = command.replace(f"-c {ROOT / source}", f"-c {copy}").replace(f" -o {output}", f" -o {self.folder / 'defect.o'}")
        # Warnings that a mistake causes would stop it before any test.
        command = command.replace("-Werror", "-Wno-everything")
        if include:
            command = command.replace(" -I", f" -I{include} -I", 1)
        return output if self.run(command).returncode == 0 else None

    def compile_rules(self, path, text):
        """The same for the file that holds the rules."""
        rules = self.folder / path.name
        rules.write_text(text)
        include = self.folder / "include/kumiko/Optimize"
        include.mkdir(parents=True, exist_ok=True)
        line = next(line for line in self.commands if "--emit=rules" in line and "RuleText.inc" in line)
        command = next(part for part in line.split(" && ") if "--emit=rules" in part)
        words = [str(rules) if word == str(ROOT / path) else word for word in shlex.split(command)]
        words[words.index("-o") + 1] = str(include / "RuleText.inc")
        if self.run(shlex.join(words)).returncode != 0:
            return None
        source = pathlib.Path("kumiko/Optimize/Rules.cpp")
        return self.compile(source, (ROOT / source).read_text(), self.folder / "include")

    def link(self, output):
        """All tools with the object file in place of `output`, in a folder of their own; None when that fails."""
        archive = next(line for line in self.commands if " qc " in line and f" {output} " in f"{line} ")
        name = re.search(r" qc (\S+)", archive)[1]
        changed = self.folder / pathlib.Path(name).name
        changed.unlink(missing_ok=True)
        objects = re.search(r" qc \S+\s+(.*?) && ", archive)[1].split()
        objects = [str(self.folder / "defect.o") if each == output else each for each in objects]
        tools = self.folder / "bin"
        tools.mkdir(exist_ok=True)
        commands = [f"ar qcs {changed} {shlex.join(objects)}"]
        for tool in TOOLS:
            line = next(line for line in self.commands if f" -o bin/{tool} " in line)
            commands.append(line.replace(f" -o bin/{tool} ", f" -o {tools / tool} ").replace(name, str(changed)))
        return tools if all(self.run(command).returncode == 0 for command in commands) else None


def failing_test(tools, options):
    """What notices the mistake, the quickest first; None when nothing does."""
    environment = dict(os.environ)
    steps = [
        ("optimize-tests", [tools / "optimize-tests", "--gtest_brief=1"]),
        ("lit", [LIT, "-q", "-j", "2", f"-Dbin={tools}", options.build / "test", "--filter", ":: (Optimize|Fuse)/"]),
        ("random graphs", [tools / "random-graphs", "--count", str(options.graphs), "--compile-each", "50", "--quick"]),
    ]
    for name, command in steps:
        try:
            done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return f"{name} (takes too long)"
        if done.returncode != 0:
            return name
    return None


def judge(defect, builder, options):
    """-> what noticed it, None, or 'skipped'."""
    text = (ROOT / defect.path).read_text()
    if text.count(defect.old) != 1:
        return "skipped"
    return judge_text(defect, text.replace(defect.old, defect.new), builder, options)


def judge_text(defect, text, builder, options):
    compile_it = builder.compile_rules if defect.path.suffix == ".rules" else builder.compile
    output = compile_it(defect.path, text)
    if not output:
        return "the compiler"
    tools = builder.link(output)
    return failing_test(tools, options) if tools else "the linker"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--graphs", type=int, default=1500)
    options = parser.parse_args()
    defects = list(read_defects())[options.first:][: options.count]
    noticed, unnoticed, skipped = 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        builder = Builder(options.build, pathlib.Path(folder))
        # Tests that fail without a mistake would notice every one.
        original = (ROOT / defects[0].path).read_text()
        if by := judge_text(defects[0], original, builder, options):
            sys.exit(f"without a mistake, {by} fails: build {', '.join(TOOLS)} and let their tests pass first")
        for defect in defects:
            by = judge(defect, builder, options)
            if by == "skipped":
                skipped += 1
                print(f"not there: {defect.path}: {defect.what}", flush=True)
            elif by:
                noticed += 1
                print(f"noticed by {by}: {defect.path}: {defect.what}", flush=True)
            else:
                unnoticed += 1
                print(f"UNNOTICED: {defect.path}: {defect.what}", flush=True)
    good = noticed >= SHARE * (noticed + unnoticed) and skipped <= 0.1 * len(defects)
    print(f"{noticed} of {noticed + unnoticed} noticed")
    print(f"{noticed} passed, {0 if good else unnoticed + skipped} failed, {skipped} skipped")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
