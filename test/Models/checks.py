"""What is done to a case: every way to run it, and what else must hold.

A check takes a Trial and yields attempts: a label and a function that gives a text or raises tool.Failure.
"""
import filecmp
import functools
import json
import os
import pathlib
import shutil

import judge
import numpy as np
import onnx
import tool


def once(function):
    """A method that is computed once for each of its arguments; a failure is remembered, too."""
    name = f"_{function.__name__}"

    @functools.wraps(function)
    def remembered(self, *key):
        known = self.__dict__.setdefault(name, {})
        if key not in known:
            try:
                known[key] = function(self, *key), None
            except tool.Failure as failure:
                known[key] = None, failure
        value, failure = known[key]
        if failure:
            raise failure
        return value

    return remembered


class Trial:
    """One build of a case, in a folder of its own. What several checks need is made once, by the first."""

    def __init__(self, case, network, wanted_checks, options, folder):
        self.case, self.network, self.options, self.folder = case, network, list(options), folder
        self.ways = [name for name in wanted_checks if name in WAYS] or [".so"]
        self.model, self.sets = network.model, range(len(network.sets))

    @once
    def account(self):
        """Compiles the shared library. -> what `--explain` says of it, if anybody asks."""
        return tool.compile_model(self.model, self.library_path, *self.options, *["--explain=json"] * bool(self.case.kernels))

    @property
    def library_path(self):
        return self.folder / "model.so"

    def library(self):
        self.account()
        return self.library_path

    @once
    def object(self):
        path = self.folder / "model.o"
        tool.compile_model(self.model, path, *self.options)
        return path

    def run(self, what, number, threads):
        options = self.options if what == self.model else []
        return tool.run_model(what, self.network.inputs(number), threads, self.folder, *options)

    @once
    def by(self, way, number):
        """The answer to a set of inputs by one of WAYS."""
        return WAYS[way](self, number)

    def first(self, number):
        """The answer that all others must equal in every bit: by the first way that is gone."""
        return self.by(self.ways[0], number)

    def attempts(self, number, function):
        """One attempt for a set of inputs, or one for each output, whose name `function` gets; None is all of them."""
        label = self.network.sets[number][0]
        for name in self.network.wanted(number) if self.case.each_output else [None]:
            yield " ".join(filter(None, [label, name])), functools.partial(function, number, name)


def part(outputs, name):
    return outputs if name is None else {name: outputs[name]}


class Network:
    """A case's model as a file, its sets of inputs, and the right answers; all builds share them."""

    def __init__(self, case, folder):
        self.case, self.folder = case, folder
        self.model, self.sets = case.make()
        if isinstance(self.model, onnx.ModelProto):
            path = folder / "model.onnx"
            onnx.save(self.model, path)
            self.model = path

    @once
    def inputs(self, number):
        path = self.folder / f"inputs{number}.npz"
        np.savez(path, **self.sets[number][1])
        return path

    @once
    def wanted(self, number):
        return judge.answers(self.case.judge, self.model, self.sets[number][1], self.inputs(number), self.folder)


def run_object(trial, number):
    program = tool.link_object(trial.object())
    given = trial.network.sets[number][1]
    answer = tool.run_object(program, given, trial.network.wanted(number), 2, trial.folder)
    program.unlink()
    return answer


# How a network is run; the first that a case names computes its answers.
WAYS = {
    "JIT": lambda trial, number: trial.run(trial.model, number, trial.case.threads[0]),
    ".so": lambda trial, number: trial.run(trial.library(), number, trial.case.threads[0]),
    ".o": run_object,
}


def judged(way, trial):
    """Near what is right, with the same bits as by the first way."""

    def near(number, name):
        answer, first = trial.by(way, number), trial.first(number)
        said = judge.check(trial.case.judge, answer, part(trial.network.wanted(number), name))
        judge.check_bits(answer, part(first, name), f"than by {trial.ways[0]}")
        return said

    for number in trial.sets:
        yield from trial.attempts(number, near)


def bits(trial):
    """The same bits for every number of threads."""

    @functools.cache
    def answer(number, count):
        return trial.run(trial.library(), number, count)

    def same(number, name):
        for count in trial.case.threads[1:]:
            judge.check_bits(answer(number, count), part(trial.first(number), name), f"with {count} threads")
        return "threads " + ",".join(map(str, trial.case.threads))

    for number in trial.sets:
        yield from trial.attempts(number, same)


def place_copy(source, target):
    """A second name costs nothing; across file systems it must be a copy."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def same_bytes(trial):
    """The same file elsewhere, compiled from elsewhere with one job, gives the same artefacts."""

    def compare():
        other = trial.folder / "another folder"
        other.mkdir()
        place_copy(trial.model, other / trial.model.name)
        for first in (trial.library(), trial.object()):
            second = other / first.name
            tool.compile_model(trial.model.name, second, "--jobs", 1, *trial.options, folder=other)
            if not filecmp.cmp(first, second, shallow=False):
                raise tool.Failure(f"{first.name} differs between two folders")
            second.unlink()
        return "identical .so, .o"

    yield "", compare


def evaluator(trial):
    """`kumiko run --reference` is near what is right."""

    def near(number):
        got = judge.by_evaluator(trial.model, trial.network.inputs(number), trial.folder)
        return judge.check(trial.case.judge, got, trial.network.wanted(number))

    for number in trial.sets:
        yield trial.network.sets[number][0], functools.partial(near, number)


def verify(trial):
    """`kumiko verify` is content with the library, which has the evaluator as its judge."""
    for number in trial.sets:
        command = [tool.KUMIKO, "verify", trial.library_path, "--model", trial.model, "--inputs", trial.network.inputs(number)]
        yield trial.network.sets[number][0], lambda command=command: trial.library() and tool.call(command).strip()


def kernels(trial):
    """What the case says of the kernels that it becomes."""
    yield "", lambda: trial.case.kernels(json.loads(trial.account()))


def inspect(trial):
    """`kumiko inspect` can tell what the file holds."""

    def tell():
        ops = json.loads(tool.call([tool.KUMIKO, "inspect", "--json", trial.model]))["ops"]
        if not ops:
            raise tool.Failure("inspect names no ops")
        return f"{len(ops)} kinds of ops"

    yield "", tell


CHECKS = {"inspect": inspect, "kernels": kernels, **{way: functools.partial(judged, way) for way in WAYS}, "bits": bits,
          "bytes": same_bytes, "evaluator": evaluator, "verify": verify}  # fmt: skip
