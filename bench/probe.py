"""What this machine can do at most: FMA peak and memory bandwidth, measured beside every benchmark."""
import os
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
# What is measured is compiled here and now.
os.environ.setdefault("KUMIKO_CACHE", "0")
ROOT = HERE.parent
BUILT = ROOT / "build" / "bench"


def build(name):
    """Compile bench/NAME.c unless the program is newer. -> its path."""
    source, program = HERE / f"{name}.c", BUILT / name
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        compiler = shutil.which("clang-22") or shutil.which("clang")
        if not compiler:
            raise SystemExit("bench: no clang; run ./scripts/setup first")
        BUILT.mkdir(parents=True, exist_ok=True)
        command = [compiler, "-O2", "-mavx2", "-mfma", "-Wall", "-Wextra", "-Werror", source, "-o", program, "-pthread"]
        subprocess.run(command, check=True)
    return program


def pinned(threads):
    """Command prefix that keeps a program on the first `threads` cores this process may use."""
    cores = sorted(os.sched_getaffinity(0))[:threads]
    return ["taskset", "-c", ",".join(map(str, cores))]


def fma_peak(threads):
    """GFLOP/s of single-precision 256-bit multiply-adds."""
    return float(subprocess.check_output(pinned(threads) + [build("fma"), str(threads)]))


def bandwidth(threads):
    """GB/s read from memory."""
    return float(subprocess.check_output(pinned(threads) + [build("bandwidth"), str(threads)]))


def cpu_name():
    """The CPU in words, with the vector extensions that matter here."""
    fields = {}
    with open("/proc/cpuinfo") as file:
        for line in file:
            key, _, value = line.partition(":")
            fields.setdefault(key.strip(), value.strip())
    flags = fields.get("flags", "").split()
    widest = "AVX-512" if "avx512f" in flags else "AVX2" if "avx2" in flags else "SSE"
    place = f"family {fields.get('cpu family', '?')} model {fields.get('model', '?')}"
    return f"{fields.get('model name', 'unknown')} ({place}, {widest}, {os.cpu_count()} cores)"


if __name__ == "__main__":
    print(cpu_name())
    for count in range(1, len(os.sched_getaffinity(0)) + 1):
        print(f"{count} threads: {fma_peak(count):.1f} GFLOP/s, {bandwidth(count):.1f} GB/s read")
