#!/usr/bin/env python3
"""Every regular op at one large size, as a share of what the machine allows.

    ops.py [--below 30] [NAME...]

An op needs at least the time of its operations at the FMA peak and at least that of its bytes at the speed of a copy;
the larger of the two, over the time it takes, is its share. Operations and bytes are what the equation says; exp counts
as one operation. Both limits are measured in the same run, everything on one thread.
"""
import argparse
import pathlib
import subprocess

import probe

SAMPLES = probe.ROOT / "kumiko" / "Nn" / "samples.txt"
PROGRAM = probe.ROOT / "build" / "release" / "bin" / "bench-ops"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--below", type=float, default=30, help="list the ops with a smaller share, in percent")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    if not pathlib.Path(PROGRAM).exists():
        raise SystemExit("ops.py: no bench-ops; run ./scripts/build first")
    peak = probe.fma_peak(1)
    print(f"{probe.cpu_name()}\nFMA peak {peak:.1f} GFLOP/s on one thread\n")
    print(f"{'op':22} {'ms':>9} {'GFLOP/s':>9} {'GB/s':>8} {'copy':>7} {'share':>7}  bound by")
    slow = []
    command = [*probe.pinned(1), PROGRAM, SAMPLES, *arguments.names]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        for line in program.stdout:
            name, ms, flops, bytes_, copy = line.split("\t")
            time, flops, bytes_, copy = float(ms) * 1e-3, int(flops), int(bytes_), float(copy)
            arithmetic, memory = flops / (peak * 1e9), bytes_ / (copy * 1e9)
            if time == 0:  # nothing is left to do: a view, or a result that is known when compiling
                print(f"{name:22} {0:9.3f} {'-':>9} {'-':>8} {copy:7.1f} {'-':>7}  nothing", flush=True)
                continue
            share = 100 * max(arithmetic, memory) / time
            bound = "arithmetic" if arithmetic > memory else "memory"
            print(f"{name:22} {time * 1e3:9.3f} {flops / time / 1e9:9.2f} {bytes_ / time / 1e9:8.2f} {copy:7.1f} "
                  f"{share:6.1f}%  {bound}", flush=True)
            if share < arguments.below:
                slow.append((share, name))
    print(f"\n{len(slow)} below {arguments.below:g} %:", ", ".join(f"{n} {s:.1f}" for s, n in sorted(slow)))
    return program.returncode


if __name__ == "__main__":
    raise SystemExit(main())
