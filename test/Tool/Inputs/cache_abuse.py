#!/usr/bin/env python3
"""What happens to a cache of kernels on a busy machine, while `kumiko compile MODEL` must give the bytes of EXPECTED.

    cache_abuse.py FOLDER MODEL EXPECTED
"""
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import time

FOLDER, MODEL, EXPECTED = (pathlib.Path(argument) for argument in sys.argv[1:])
WHOLE = EXPECTED.read_bytes()
TOOL = shutil.which("kumiko")


def start(number, cache, tool=TOOL):
    """Compiles into a folder of its own; the artefact has the name that EXPECTED has."""
    folder = FOLDER / f"out{number}"
    folder.mkdir(parents=True, exist_ok=True)
    artefact = folder / EXPECTED.name
    artefact.unlink(missing_ok=True)
    command = [tool, "compile", MODEL, "-o", artefact, "--timing"]
    environment = dict(os.environ, KUMIKO_CACHE_DIR=str(cache))
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return process, artefact


def finish(started, what):
    """How many kernels were found; ends the test unless the artefact is right."""
    process, artefact = started
    text = process.communicate()[0]
    if process.returncode or artefact.read_bytes() != WHOLE:
        sys.exit(f"{what}: exit code {process.returncode}, or other bytes than without a cache\n{text}")
    line = next((line for line in text.splitlines() if "in the cache" in line), "0 of 0")
    return int(line.split()[0]), int(line.split()[2])


def fresh(name):
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def many_at_once():
    cache = fresh("many")
    for round in range(2):
        processes = [start(number, cache) for number in range(8)]
        found = [finish(each, "eight at once") for each in processes]
    assert all(hits == kernels for hits, kernels in found), found
    assert not list(cache.glob("*.tmp")), "something was left aside"


def killed():
    cache, rng = fresh("killed"), random.Random(1)
    for turn in range(12):
        process, artefact = start(0, cache)
        time.sleep(rng.uniform(0.02, 0.4))
        process.kill()
        process.communicate()
        if turn % 4 == 3:
            shutil.rmtree(cache)
        else:
            finish(start(0, cache), "after a kill")


def damaged():
    cache, rng = fresh("damaged"), random.Random(2)
    finish(start(0, cache), "first")
    entries = sorted(cache.glob("*.kernel"))
    # Once in each part: the words at the beginning, the key, the size, the object, the digest; and shorter, and empty.
    for place in (3, 20, 50, 60, 2000, -40, -1):
        for entry in entries:
            data = bytearray(entry.read_bytes())
            data[place % len(data)] ^= 1 << rng.randrange(8)
            entry.write_bytes(data)
        assert finish(start(0, cache), f"byte {place} flipped")[0] == 0
        hits, kernels = finish(start(0, cache), "replaced")
        assert hits == kernels, "a damaged entry was not replaced"
    for size in (0, 10, 1000):
        for entry in entries:
            os.truncate(entry, size)
        assert finish(start(0, cache), "cut short")[0] == 0
    for entry in entries:
        entry.unlink()
        entry.mkdir()
    assert finish(start(0, cache), "folders")[0] == 0


def full_disk():
    """A file system of a few pages, where we may mount one."""
    cache = fresh("full")
    cache.mkdir(parents=True)
    script = 'mount -t tmpfs -o size=8k,mode=700 none "$0" && exec "$@"'
    mount = ["unshare", "-m", "bash", "-c", script, str(cache)]
    if subprocess.run(mount + ["true"], capture_output=True).returncode:
        print("no file system can be mounted: a full disk is not tried")
        return
    wrapper = FOLDER / "in-full"
    wrapper.write_text(f"#!/bin/sh\nexec unshare -m bash -c '{script}' '{cache}' '{TOOL}' \"$@\"\n")
    wrapper.chmod(0o755)
    finish(start(0, cache, str(wrapper)), "full disk")


def another_build():
    """The same tool with another build id finds nothing of ours."""
    cache = fresh("build")
    finish(start(0, cache), "first")
    binary = bytearray(pathlib.Path(TOOL).read_bytes())
    note = struct.pack("<III", 4, 20, 3) + b"GNU\0"
    at = binary.find(note)
    assert at >= 0, "the tool has no build id"
    binary[at + len(note)] ^= 1
    other = FOLDER / "other-kumiko"
    other.write_bytes(binary)
    other.chmod(0o755)
    assert finish(start(0, cache, str(other)), "another build")[0] == 0
    hits, kernels = finish(start(0, cache, str(other)), "another build again")
    assert hits == kernels


if __name__ == "__main__":
    for case in (many_at_once, killed, damaged, full_disk, another_build):
        case()
