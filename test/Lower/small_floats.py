"""Compiled conversions to and from floats of 8, 6 and 4 bits against the evaluator, bit for bit.

    small_floats.py KUMIKO FOLDER

Written: f32 values around every number of the format, halfway between neighbours and one bit beside it, special values,
and random bits. Read: all 256 codes, by an index that the compiler cannot know.
"""
import os
import random
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "Tool", "Inputs"))
from small_model import FLOAT, INT64, message, model, node, number, tensor, value_info

# ONNX's number, bits, mantissa bits, bias
FORMATS = {
    "f8e4m3fn": (17, 8, 3, 7), "f8e4m3fnuz": (18, 8, 3, 8), "f8e5m2": (19, 8, 2, 15), "f8e5m2fnuz": (20, 8, 2, 16),
    "f4e2m1": (23, 4, 1, 1), "f8e8m0": (24, 8, 0, 127), "f6e2m3": (27, 6, 3, 1), "f6e3m2": (28, 6, 2, 3),
}  # fmt: skip


def to_bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def interesting(bits, mantissa, bias):
    """Bit patterns of f32."""
    found = {0, 1, 0x7F800000, 0x7FC00000, 0x7F7FFFFF, 0x00400000, 0x00400001, 0x003FFFFF, 0x00800000}
    for code in range(1 << (bits - 1)):
        exponent, rest = code >> mantissa, code & ((1 << mantissa) - 1)
        for halves in (2 * rest, 2 * rest + 1):  # the number and the tie above it
            lead = 0 if exponent == 0 else 2 << mantissa
            value = (lead + halves) * 2.0 ** (max(exponent, 1) - bias - mantissa - 1)
            if value < 3e38:
                found.update(max(0, to_bits(value) + beside) for beside in (-1, 0, 1))
    found.update(random.Random(7).getrandbits(31) for _ in range(4000))
    return sorted(found | {pattern | 1 << 31 for pattern in found})


def write_npy(path, kind, data, count):
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({count},), }}"
    head = head.ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data)


def cast(to):
    return message(5, message(1, "to") + number(3, to) + number(20, 2))


def verify(tool, path, data):
    done = subprocess.run([tool, "verify", path, "--allow=exact", "--input", data], capture_output=True, text=True)
    return done.returncode == 0 and ": 0 ulp" in done.stdout, done.stdout + done.stderr


def main(tool, folder):
    failed = 0
    for name, (kind, bits, mantissa, bias) in FORMATS.items():
        patterns = interesting(bits, mantissa, bias)
        path, data = os.path.join(folder, f"{name}.onnx"), os.path.join(folder, f"{name}.npy")
        nodes = [node("Cast", ["x"], ["y"], "write", cast(kind))]
        with open(path, "wb") as file:
            shape = [len(patterns)]
            file.write(model(nodes, [], [value_info("x", shape)], [value_info("y", shape, kind)], opset=28))
        write_npy(data, "<f4", struct.pack(f"<{len(patterns)}I", *patterns), len(patterns))
        good, text = verify(tool, path, f"x={data}")

        stream = sum(code << bits * code for code in range(1 << bits))  # without gaps, lowest bits first
        packed = stream.to_bytes((bits << bits) // 8, "little")
        table = number(1, 1 << bits) + number(2, kind) + message(8, "table") + message(9, packed)
        nodes = [node("Gather", ["table", "i"], ["z"], "pick"), node("Cast", ["z"], ["y"], "read", cast(FLOAT))]
        with open(path, "wb") as file:
            shape = [1 << bits]
            file.write(model(nodes, [table], [value_info("i", shape, INT64)], [value_info("y", shape)], opset=28))
        write_npy(data, "<i8", struct.pack(f"<{1 << bits}q", *range(1 << bits)), 1 << bits)
        read, more = verify(tool, path, f"i={data}")
        if not (good and read):
            failed += 1
            print(name, text, more)
    sys.exit(failed != 0)


main(*sys.argv[1:])
