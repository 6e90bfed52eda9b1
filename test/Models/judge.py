"""Right answers, and how far others are from them."""
import numpy as np
import onnxruntime
import tool

LEAST = 1e-30  # of a magnitude that is divided by


def by_runtime(model, inputs, plain=False):
    """ONNX Runtime's outputs by name; `plain`: on one thread, without any of its optimisations."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    if plain:
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        return dict(zip((output.name for output in session.get_outputs()), session.run(None, inputs)))
    except Exception as error:  # its errors have no base of their own
        raise tool.Failure(f"ONNX Runtime has no answer: {error}") from None


def by_evaluator(model, inputs, folder):
    """The evaluator's outputs by name. `inputs` is an .npz file."""
    path = folder / "reference.npz"
    tool.call([tool.KUMIKO, "run", model, "--reference", "--inputs", inputs, "--outputs", path])
    with np.load(path) as arrays:
        return dict(arrays)


def answers(judge, model, inputs, path, folder):
    """What is right by name, for inputs that are also in the file `path`."""
    if judge.reference == "optimised":
        return by_runtime(model, inputs)
    plain = by_runtime(model, inputs, plain=True)
    if judge.reference == "plain":
        return plain
    ours = by_evaluator(model, path, folder)
    for name, values in plain.items():
        if text := difference(ours[name], values, relative=judge.relative, steps=1)[1]:
            raise tool.Failure(f"the evaluator and ONNX Runtime disagree about {name}: {text}")
    return ours


def describe(array):
    return f"{array.dtype}{list(array.shape)}"


def difference(got, wanted, relative, steps, any_empty=False):
    """-> (error, what is wrong or nothing): of floats relative to the largest magnitude, of integers in steps."""
    if any_empty and got.size == wanted.size == 0 and got.ndim == wanted.ndim:
        return 0.0, ""
    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        return np.inf, f"{describe(got)}, expected {describe(wanted)}"
    if not wanted.size:
        return 0.0, ""
    if not np.issubdtype(wanted.dtype, np.floating):
        far = np.abs(got.astype(np.float64) - wanted.astype(np.float64)).max() if steps else float((got != wanted).any())
        if far <= steps:
            return far, ""
        place = np.unravel_index(np.argmax(np.abs(got.astype(np.float64) - wanted.astype(np.float64))), wanted.shape)
        return far, f"{got[place]} at {list(map(int, place))}, expected {wanted[place]}, at most {steps} steps away"
    finite = np.isfinite(wanted)
    if not np.array_equal(np.where(finite, 0, wanted), np.where(np.isfinite(got), 0, got), equal_nan=True):
        return np.inf, "infinite or no number in other places"
    left, right = got[finite].astype(np.float64), wanted[finite].astype(np.float64)
    error = np.abs(left - right).max(initial=0) / max(np.abs(right).max(initial=0), LEAST)
    return error, f"off by {error:.1e} of its largest magnitude, at most {relative:.0e} allowed" if error > relative else ""


def check(judge, got, wanted):
    """-> text with the largest error of the outputs in `wanted`."""
    worst = 0.0
    for name, values in wanted.items():
        if name not in got:
            raise tool.Failure(f"no output named {name}")
        error, text = difference(got[name], values, judge.relative, judge.steps, judge.any_empty)
        if text:
            raise tool.Failure(f"{name} is {text}")
        worst = max(worst, error)
    return f"error {worst:.1e}"


def check_bits(got, wanted, what):
    for name, values in wanted.items():
        if got[name].tobytes() != values.tobytes():
            raise tool.Failure(f"{name} has other bits {what}")
