#!/usr/bin/env python3
"""Inputs and expected outputs for the ops of examples/custom-ops, by Python's own arithmetic.

    custom_ops.py input BATCH X.npy
    custom_ops.py check BATCH OUT.npz
"""
import math
import struct
import sys
import zipfile


def given(batch):
    return [[((13 * b + 7 * i) % 19 - 9) / 4 for i in range(9)] for b in range(batch)]


def expected(row):
    bent = [2 * math.tanh(x / 2) for x in row]
    windows = [bent[at : at + 3] for at in range(0, 7, 2)]
    return [sum(a * b for a, b in zip(w, (0.5, -1.0, 0.25))) / math.sqrt(sum(a * a for a in w) + 1e-6) for w in windows]


def write(path, rows):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    values = [x for row in rows for x in row]
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(values)}f", *values))


def read(path, name):
    with zipfile.ZipFile(path) as archive:
        data = archive.read(name + ".npy")
    body = data[10 + struct.unpack("<H", data[8:10])[0] :]
    return struct.unpack(f"<{len(body) // 4}f", body)


if __name__ == "__main__":
    task, batch, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    if task == "input":
        write(path, given(batch))
    else:
        wanted = [x for row in given(batch) for x in expected(row)]
        got = read(path, "y")
        assert len(got) == len(wanted), (len(got), len(wanted))
        assert all(abs(a - b) < 1e-5 for a, b in zip(got, wanted)), (got, wanted)
