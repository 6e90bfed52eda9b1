#!/usr/bin/env python3
"""Compiles, runs and writes models again and again in one process: its memory must not grow.

    growth.py [--build FOLDER] [--count N]

A round compiles a model from memory, runs it, makes a shared library of it, asks for what inspect says, and compiles a
broken model and one that is stopped half-way. After a fifth of the rounds as a warm-up, the process may grow by no more
than a page a round, and a megabyte that the allocator keeps now and gives back later. The last line is `N passed, N failed, N skipped`.
"""
import argparse
import ctypes
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "test/CApi/Inputs"), str(ROOT / "test/Tool/Inputs")]
import kumiko_c as k  # noqa: E402
import small_model as small  # noqa: E402

PAGE = os.sysconf("SC_PAGESIZE")
# Kernels that are kept on disk would not be compiled.
os.environ["KUMIKO_CACHE"] = "0"


def resident():
    """Bytes, after what was freed has gone back."""
    ctypes.CDLL(None).malloc_trim(0)
    return int(open("/proc/self/statm").read().split()[1]) * PAGE


def refused(lib, model, **settings):
    try:
        lib.drop(lib.compile(model, **settings))
    except k.Failure:
        return
    raise AssertionError("this should have failed")


def play(lib, number, inputs):
    model = (small.chain, small.dense, small.batched)[number % 3]()
    program = lib.compile(model)
    lib.run(program, inputs)
    if number % 4 == 0:
        lib.bytes_of(program, "net.so")
    lib.drop(program)
    lib.ask("inspect", model)
    refused(lib, small.mismatch())
    asked = [0]

    def cancelled(user):
        asked[0] += 1
        return int(asked[0] > number % 40)

    refused(lib, small.chain(), watch=k.Watch(ctypes.sizeof(k.Watch), 0, None, k.PROGRESS(), k.CANCELLED(cancelled)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--count", type=int, default=200)
    given = parser.parse_args()
    lib = k.Library(str(given.build / "kumiko/CApi/libkumiko.so"))
    array, tensor = k.floats([2, 8], [i / 8 - 1 for i in range(16)])
    warm = given.count // 5
    for number in range(warm):
        play(lib, number, [tensor])
    before = resident()
    for number in range(warm, given.count):
        play(lib, number, [tensor])
        if number % 100 == 0:
            print(f"{number} rounds: {resident() / 1e6:.1f} MB", flush=True)
    grown, rounds = resident() - before, given.count - warm
    print(f"{before / 1e6:.1f} MB after {warm} rounds, {grown / 1e3:+.0f} kB after {rounds} more: {grown / rounds:.0f} bytes a round")
    good = grown <= rounds * PAGE + (1 << 20)
    print(f"{int(good)} passed, {int(not good)} failed, 0 skipped")
    raise SystemExit(not good)


main()
