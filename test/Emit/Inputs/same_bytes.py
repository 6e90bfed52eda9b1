#!/usr/bin/env python3
"""Whether a file is the elements of the named arrays of an archive, one after the other.

    same_bytes.py FILE.bin ARCHIVE.npz NAME ...
"""
import struct
import sys
import zipfile

data = open(sys.argv[1], "rb").read()
archive = zipfile.ZipFile(sys.argv[2])
for name in sys.argv[3:]:
    file = archive.read(name + ".npy")
    # The header's length is in bytes 8 and 9.
    elements = file[10 + struct.unpack("<H", file[8:10])[0] :]
    if data[: len(elements)] != elements:
        sys.exit(f"{name}: the bytes differ")
    print(f"{name}: {len(elements)} bytes are the same")
    data = data[len(elements) :]
if data:
    sys.exit(f"{len(data)} bytes are left")
