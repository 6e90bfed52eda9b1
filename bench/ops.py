#!/usr/bin/env python3
"""Every regular op at one large size, beside what the machine allows and beside plain scalar loops.

    ops.py [--variants | --random N [--seed S] | --threads N] [--below 30] [--offset BYTES] [NAME...]

An op needs at least the time of its operations at the FMA peak and at least that of its bytes at the speed of a copy;
the larger of the two, over the time it takes, is its share. Operations and bytes are what the equation says; exp counts
as one operation. Both limits are measured in the same run, everything on one thread.

`scalar` is the time of the same equation as C of one loop nest per statement, compiled with -O2 and without
vectorisers, in turns with the compiled op; `faster` how many times as fast the op is, in the middle of all turns. With
--variants, rarer types and awkward layouts (variants.txt) are timed beside the loops alone, with --random as many
applications of random sizes. With --threads the ops are timed on so many threads beside one. Operands begin 16 bytes behind the start of a page, or as many as --offset says.
"""
import argparse
import pathlib
import subprocess
import tempfile

import probe
import random_ops

SAMPLES = probe.ROOT / "kumiko" / "Nn" / "samples.txt"
VARIANTS = probe.ROOT / "bench" / "variants.txt"
# Two programs that wait for the same memory differ by this much from one run to the next.
NOISE = 0.05
# In milliseconds. A call takes some 25 ns by itself (it enters a context and says that a CPU is busy), which a loop in C
# does not: of what takes less than this it is a good part, or all.
SHORTEST = 0.0005
# In milliseconds: what is worth a second thread.
LONG = 0.1
# Scalar loops over more would take seconds.
MOST_OPERATIONS = 200_000_000
PROGRAM = probe.ROOT / "build" / "release" / "bin" / "bench-ops"


def measured(samples, names, offset, most=1 << 62, threads=1):
    """One dictionary per line of bench-ops."""
    command = [*probe.pinned(threads), PROGRAM, f"--most={most}", f"--offset={offset}", f"--threads={threads}", samples, *names]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        for line in program.stdout:
            name, sample, ms, scalar, flops, bytes_, copy = line.split("\t")
            yield {"name": name, "sample": sample, "ms": float(ms), "scalar": None if scalar == "-" else float(scalar),
                   "flops": int(flops), "bytes": int(bytes_), "copy": float(copy)}
    if program.returncode:
        raise SystemExit(program.returncode)


def beside_loops(op):
    """The columns `scalar` and `faster`."""
    if op["scalar"] is None or op["ms"] < SHORTEST:
        return f"{'-':>9} {'-':>7}"
    return f"{op['scalar']:9.3f} {op['scalar'] / op['ms']:7.2f}"


def print_slower(ops):
    timed = [op for op in ops if op["scalar"] is not None and op["ms"] >= SHORTEST]
    slower = sorted((op["scalar"] / op["ms"], op["name"]) for op in timed if op["scalar"] < op["ms"] * (1 - NOISE))
    print(f"{len(slower)} of {len(timed)} slower than scalar loops by more than {100 * NOISE:g} %:",
          ", ".join(f"{name} {ratio:.2f}" for ratio, name in slower) or "none")


def print_loops(samples, names, offset, most=1 << 62):
    """The ops of a file beside scalar loops alone."""
    print(f"{'op':17} {'sample':60} {'ms':>9} {'scalar':>9} {'faster':>7}")
    ops = []
    for op in measured(samples, names, offset, most):
        print(f"{op['name']:17} {op['sample'][:60]:60} {op['ms']:9.3f} {beside_loops(op)}", flush=True)
        ops.append(op)
    print_slower(ops)


def print_random(count, seed, names, offset):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(random_ops.random_lines(count, seed, names)) + "\n")
        file.flush()
        print_loops(file.name, [], offset, MOST_OPERATIONS)


def print_threads(threads, names, offset):
    print(f"{'op':22} {'one thread':>10} {threads:>3} threads {'faster':>7}")
    ops = []
    for op in measured(SAMPLES, names, offset, threads=threads):
        ops.append(op)
        print(f"{op['name']:22} {op['scalar']:10.3f} {op['ms']:11.3f} {op['scalar'] / op['ms']:7.2f}", flush=True)
    long = [op for op in ops if op["scalar"] >= LONG]
    alone = sorted((op["scalar"] / op["ms"], op["name"]) for op in long if op["scalar"] < op["ms"] * (1 + NOISE))
    print(f"{len(alone)} of {len(long)} that take {LONG:g} ms and more are no faster:",
          ", ".join(f"{name} {ratio:.2f}" for ratio, name in alone) or "none")


def print_samples(names, below, offset):
    peak = probe.fma_peak(1)
    print(f"FMA peak {peak:.1f} GFLOP/s on one thread\n")
    print(f"{'op':22} {'ms':>9} {'GFLOP/s':>9} {'GB/s':>8} {'copy':>7} {'share':>7} {'scalar':>9} {'faster':>7}  bound by")
    ops = []
    for op in measured(SAMPLES, names, offset):
        ops.append(op)
        time = op["ms"] * 1e-3
        if op["ms"] < SHORTEST:
            print(f"{op['name']:22} {0:9.3f} {'-':>9} {'-':>8} {op['copy']:7.1f} {'-':>7} {beside_loops(op)}  nothing",
                  flush=True)
            continue
        arithmetic, memory = op["flops"] / (peak * 1e9), op["bytes"] / (op["copy"] * 1e9)
        op["share"] = 100 * max(arithmetic, memory) / time
        print(f"{op['name']:22} {op['ms']:9.3f} {op['flops'] / time / 1e9:9.2f} {op['bytes'] / time / 1e9:8.2f} "
              f"{op['copy']:7.1f} {op['share']:6.1f}% {beside_loops(op)}  "
              f"{'arithmetic' if arithmetic > memory else 'memory'}", flush=True)
    slow = sorted((op["share"], op["name"]) for op in ops if op.get("share", 100) < below)
    print(f"\n{len(slow)} below {below:g} %:", ", ".join(f"{name} {share:.1f}" for share, name in slow))
    print_slower(ops)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--below", type=float, default=30, help="list the ops with a smaller share, in percent")
    parser.add_argument("--variants", action="store_true", help="rarer types and awkward layouts, beside scalar loops")
    parser.add_argument("--random", type=int, metavar="N", help="as many ops of random sizes and types, beside scalar loops")
    parser.add_argument("--threads", type=int, metavar="N", help="the ops on so many threads beside one")
    parser.add_argument("--seed", type=int, default=1, help="other random sizes")
    parser.add_argument("--offset", type=int, default=16, help="bytes by which operands begin behind the start of a page")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    if not pathlib.Path(PROGRAM).exists():
        raise SystemExit("ops.py: no bench-ops; run ./scripts/build first")
    print(probe.cpu_name())
    if arguments.variants:
        print_loops(VARIANTS, arguments.names, arguments.offset)
    elif arguments.threads:
        print_threads(arguments.threads, arguments.names, arguments.offset)
    elif arguments.random:
        print_random(arguments.random, arguments.seed, arguments.names, arguments.offset)
    else:
        print_samples(arguments.names, arguments.below, arguments.offset)


if __name__ == "__main__":
    raise SystemExit(main())
