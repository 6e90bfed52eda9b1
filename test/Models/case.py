"""What a case is: a network, how it is compiled and run, and what its answers are held against."""
import dataclasses
from typing import Callable


class Missing(Exception):
    """What the case needs cannot be brought here; it is skipped."""


@dataclasses.dataclass(frozen=True)
class Judge:
    """Whose answers are right, and how far others may be from them.

    reference  "optimised": ONNX Runtime as users run it; "plain": one thread and none of its optimisations;
               "evaluator": ours, which must itself be at most a step from plain ONNX Runtime
    relative   of floats, to the largest magnitude of each output
    steps      of integers
    any_empty  an empty result may have other extents, where ONNX Runtime cannot know them
    """

    reference: str = "optimised"
    relative: float = 1e-5
    steps: int = 0
    any_empty: bool = False


@dataclasses.dataclass(frozen=True)
class Case:
    """One network.

    make         -> the model or the path of its file, and its sets of inputs: (label, inputs by name) each
    checks       names in checks.CHECKS
    builds       label -> options of the compiler; each build goes through all checks
    threads      the first computes the answers, the others must give the same bits
    kernels      takes what `--explain=json` says and raises a Failure when it is not as it should be
    each_output  many small cases in one model: each output counts by itself
    action       takes a folder, and is the whole case; what it says is printed
    """

    name: str
    make: Callable = None
    checks: tuple = (".so", "bits")
    builds: dict = dataclasses.field(default_factory=lambda: {"": ()})
    judge: Judge = Judge()
    threads: tuple = (1, 3)
    kernels: Callable = None
    each_output: bool = False
    action: Callable = None
