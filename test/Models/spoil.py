"""The command line of Kumiko with answers that are a little wrong: does the runner notice?

    KUMIKO=WRAPPER KUMIKO_GOOD=kumiko KUMIKO_SPOIL=value|bits run.py ...

`value` changes the last element of every answer, `bits` its last bit on three threads alone.
"""
import os
import subprocess
import sys

import numpy as np


def spoiled(values, by_value):
    flat = values.copy().ravel()
    if flat.size and values.dtype.kind == "f":
        flat[-1] = flat[-1] + 1e-3 * (1 + np.abs(flat).max()) if by_value else np.nextafter(flat[-1], np.inf, dtype=flat.dtype)
    elif flat.size:
        flat[-1] = flat[-1] ^ 1
    return flat.reshape(values.shape)


def main(words):
    result = subprocess.run([os.environ["KUMIKO_GOOD"], *words], check=False).returncode
    option = lambda name: words[words.index(name) + 1] if name in words else ""
    by_value = os.environ["KUMIKO_SPOIL"] == "value"
    if result == 0 and option("--outputs") and (by_value or option("--threads") == "3"):
        with np.load(option("--outputs")) as arrays:
            answers = {name: spoiled(values, by_value) for name, values in arrays.items()}
        np.savez(option("--outputs"), **answers)
    return result


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
