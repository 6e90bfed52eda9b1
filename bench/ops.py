#!/usr/bin/env python3
"""Every regular op at one large size, beside what the machine allows and beside plain scalar loops.

    ops.py [--variants | --random N [--seed S] | --threads N] [--below 30] [--offset BYTES] [--checked] [--again N] [NAME...]

An op needs at least the time of its operations at the FMA peak and at least that of its bytes at the speed of a copy;
the larger of the two, over the time it takes, is its share. Operations and bytes are what the equation says; exp counts
as one operation. Both limits are measured in the same run, everything on one thread.

`scalar` is the time of the same equation as C of one loop nest per statement, compiled with -O2 and without
vectorisers, in turns with the compiled op; `faster` how many times as fast the op is, in the middle of all turns. With
--variants, rarer types and awkward layouts (variants.txt) are timed beside the loops alone, with --random as many
applications of random sizes. What is behind the loops is taken again in processes of its own: where the system puts
pages changes from one to the next, and with it the ratio, so that the one in the middle counts. With --threads the ops
are timed on so many threads beside one. Operands begin 16 bytes behind the start of a page, or as many as --offset says. With
--checked, loops look at each index that data say, as compiled ops do, and not only read what is there.
"""
import argparse
import pathlib
import statistics
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


def measured(samples, names, how, most=1 << 62):
    """One dictionary per line of bench-ops. `how` are the arguments of this script."""
    command = [*probe.pinned(how.threads), PROGRAM, f"--loops={how.loops}", f"--most={most}", f"--offset={how.offset}",
               f"--threads={how.threads}", *(["--checked"] if how.checked else []), samples, *names]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        for line in program.stdout:
            name, sample, ms, scalar, flops, bytes_, copy = line.split("\t")
            yield {"name": name, "sample": sample, "ms": float(ms), "scalar": None if scalar == "-" else float(scalar),
                   "flops": int(flops), "bytes": int(bytes_), "copy": float(copy)}
    how.refused |= program.returncode != 0  # it has said why


def beside_loops(op):
    """The columns `scalar` and `faster`."""
    if op["scalar"] is None or op["ms"] < SHORTEST:
        return f"{'-':>9} {'-':>7}"
    return f"{op['scalar']:9.3f} {op['scalar'] / op['ms']:7.2f}"


def written(lines):
    """A file of lines like those of variants.txt, which is gone with what this returns."""
    file = tempfile.NamedTemporaryFile("w", suffix=".txt")
    file.write("\n".join(lines) + "\n")
    file.flush()
    return file


def taken_again(op, how):
    """The ratio in the middle of this one and of those that other processes have, and all of them."""
    ratios = [op["scalar"] / op["ms"]]
    with written([f"{op['name']} {op['sample']}"]) as file:
        for _ in range(how.again):
            ratios += [other["scalar"] / other["ms"] for other in measured(file.name, [], how)]
    return statistics.median(ratios), sorted(ratios)


def print_slower(ops, how):
    """How many are behind, those that are so in the middle of several processes."""
    timed = [op for op in ops if op["scalar"] is not None and op["ms"] >= SHORTEST]
    below = [op for op in timed if op["scalar"] < op["ms"]]
    found = []
    for op in sorted(below, key=lambda op: op["scalar"] / op["ms"]):
        ratio, all_of_them = taken_again(op, how)
        found.append((ratio, op))
        print(f"again: {op['name']} {op['sample']}: {ratio:.2f} of", " ".join(f"{r:.2f}" for r in all_of_them), flush=True)
    behind = sorted((ratio, op["name"]) for ratio, op in found if ratio < 1 - NOISE)
    print(f"{len(below)} of {len(timed)} slower than scalar loops at first, {sum(ratio < 1 for ratio, _ in found)} in the middle of "
          f"{how.again + 1} processes; {len(behind)} by more than {100 * NOISE:g} %:",
          ", ".join(f"{name} {ratio:.2f}" for ratio, name in behind) or "none")


def print_loops(samples, names, how, most=1 << 62):
    """The ops of a file beside scalar loops alone."""
    print(f"{'op':17} {'sample':60} {'ms':>9} {'scalar':>9} {'faster':>7}")
    ops = []
    for op in measured(samples, names, how, most):
        print(f"{op['name']:17} {op['sample'][:60]:60} {op['ms']:9.3f} {beside_loops(op)}", flush=True)
        ops.append(op)
    print_slower(ops, how)


def print_random(how):
    with written(random_ops.random_lines(how.random, how.seed, how.names)) as file:
        print_loops(file.name, [], how, MOST_OPERATIONS)


def print_threads(how):
    print(f"{'op':22} {'one thread':>10} {how.threads:>3} threads {'faster':>7}")
    ops = []
    for op in measured(SAMPLES, how.names, how):
        ops.append(op)
        print(f"{op['name']:22} {op['scalar']:10.3f} {op['ms']:11.3f} {op['scalar'] / op['ms']:7.2f}", flush=True)
    long = [op for op in ops if op["scalar"] >= LONG]
    alone = sorted((op["scalar"] / op["ms"], op["name"]) for op in long if op["scalar"] < op["ms"] * (1 + NOISE))
    print(f"{len(alone)} of {len(long)} that take {LONG:g} ms and more are no faster:",
          ", ".join(f"{name} {ratio:.2f}" for ratio, name in alone) or "none")


def print_samples(how):
    peak = probe.fma_peak(1)
    print(f"FMA peak {peak:.1f} GFLOP/s on one thread\n")
    print(f"{'op':22} {'ms':>9} {'GFLOP/s':>9} {'GB/s':>8} {'copy':>7} {'share':>7} {'scalar':>9} {'faster':>7}  bound by")
    ops = []
    for op in measured(SAMPLES, how.names, how):
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
    slow = sorted((op["share"], op["name"]) for op in ops if op.get("share", 100) < how.below)
    print(f"\n{len(slow)} below {how.below:g} %:", ", ".join(f"{name} {share:.1f}" for share, name in slow))
    print_slower(ops, how)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--below", type=float, default=30, help="list the ops with a smaller share, in percent")
    parser.add_argument("--variants", action="store_true", help="rarer types and awkward layouts, beside scalar loops")
    parser.add_argument("--random", type=int, metavar="N", help="as many ops of random sizes and types, beside scalar loops")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="the ops on so many threads beside one")
    parser.add_argument("--seed", type=int, default=1, help="other random sizes")
    parser.add_argument("--offset", type=int, default=16, help="bytes by which operands begin behind the start of a page")
    parser.add_argument("--checked", action="store_true", help="loops look at each index that data say, as ops do")
    parser.add_argument("--again", type=int, default=4, metavar="N",
                        help="take what is behind scalar loops in as many processes of its own")
    parser.add_argument("names", nargs="*")
    how = parser.parse_args()
    if not pathlib.Path(PROGRAM).exists():
        raise SystemExit("ops.py: no bench-ops; run ./scripts/build first")
    print(probe.cpu_name())
    how.refused = False
    with tempfile.TemporaryDirectory() as how.loops:
        if how.variants:
            print_loops(VARIANTS, how.names, how)
        elif how.threads > 1:
            print_threads(how)
        elif how.random:
            print_random(how)
        else:
            print_samples(how)
    return int(how.refused)


if __name__ == "__main__":
    raise SystemExit(main())
