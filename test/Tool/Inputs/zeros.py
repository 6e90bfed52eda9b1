"""zeros.py FILE.npy N...: f32 zeros of this shape, without NumPy."""
import struct
import sys

path, *shape = sys.argv[1:]
header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({', '.join(shape)},), }}".encode()
header += b" " * (-(len(header) + 11) % 64) + b"\n"
count = 1
for size in shape:
    count *= int(size)
with open(path, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(4 * count))
