#!/usr/bin/env python3
"""Installs a build into a temporary folder and builds the example projects against it, as users do.

    installed.py [--build FOLDER]

The build must be complete. Both ways to the compiler (find_package, pkg-config) and to the runtime are tried, the
runtime also installed on its own; each program must recognise the four shapes of the sample. The last line is
`N passed, N failed, N skipped`.
"""
import argparse
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHAPES = ("circle", "square", "triangle", "cross")
CC = os.environ.get("CC", "clang-22")


def run(*command, env=None, cwd=None):
    """What the command prints; it must succeed."""
    done = subprocess.run([str(word) for word in command], env={**os.environ, "KUMIKO_CACHE": "0", **(env or {})}, cwd=cwd,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def recognises(output):
    for shape in SHAPES:
        if f"{shape:8} is a {shape}" not in output:
            raise RuntimeError(f"{shape} is not recognised:\n{output}")


def cmake(project, prefix, work):
    """Configures and builds an example; the folder with its program."""
    folder = work / project
    run("cmake", "-S", ROOT / "examples" / project, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_C_COMPILER={CC}")
    run("cmake", "--build", folder)
    return folder


def flags(prefix, package):
    return run("pkg-config", "--cflags", "--libs", package, env={"PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig"}).split()


def find_package_compiler(prefix, work):
    recognises(run(cmake("find-package-compiler", prefix, work) / "classify", ROOT / "examples/sample/sample.onnx"))


def find_package_runtime(prefix, work):
    recognises(run(cmake("find-package-runtime", prefix, work) / "threads"))


def pkg_config_compiler(prefix, work):
    run(CC, "-std=c11", ROOT / "examples/c-api/classify.c", "-I", ROOT / "examples/c", *flags(prefix, "kumiko"), "-o",
        work / "classify")
    recognises(run(work / "classify", ROOT / "examples/sample/sample.onnx", env={"LD_LIBRARY_PATH": f"{prefix}/lib"}))


def pkg_config_runtime(prefix, work):
    run(prefix / "bin/kumiko", "compile", ROOT / "examples/sample/sample.onnx", "-o", work / "sample.o")
    run(CC, "-std=c11", ROOT / "examples/c/threads.c", work / "sample.o", "-I", work, "-I", ROOT / "examples/c",
        *flags(prefix, "kumiko-runtime"), "-o", work / "threads")
    recognises(run(work / "threads"))


def only_what_belongs(prefix, work):
    """Headers, libraries, the tool, and the files that say where they are; the library shows its interface alone."""
    found = sorted(str(path.relative_to(prefix)) for path in prefix.rglob("*") if path.is_file())
    wanted = ["bin/kumiko", "include/kumiko/artefact.h", "include/kumiko/compiler.h", "include/kumiko/kumiko.h",
              "lib/cmake/Kumiko/KumikoConfig.cmake", "lib/cmake/Kumiko/KumikoConfigVersion.cmake",
              "lib/cmake/KumikoRuntime/KumikoRuntimeConfig.cmake",
              "lib/cmake/KumikoRuntime/KumikoRuntimeConfigVersion.cmake", "lib/libkumiko.so", "lib/libkumiko.so.0",
              "lib/libkumiko.so.0.1.0", "lib/libkumiko_runtime.a", "lib/pkgconfig/kumiko-runtime.pc",
              "lib/pkgconfig/kumiko.pc"]
    if found != wanted:
        raise RuntimeError(f"found {sorted(set(found) - set(wanted))}, missing {sorted(set(wanted) - set(found))}")
    shown = {line.split()[-1] for line in run("nm", "-D", "--defined-only", prefix / "lib/libkumiko.so").splitlines()}
    header = (ROOT / "include/kumiko/compiler.h").read_text()
    strange = {name for name in shown if f"{name}(" not in header and name != "kumiko_get_api"}
    if strange or len(shown) < 20:
        raise RuntimeError(f"libkumiko.so shows {sorted(strange)} of {len(shown)} names")


def runtime_alone(prefix, work):
    """cmake -S runtime, without the compiler."""
    run("cmake", "-S", ROOT / "runtime", "-B", work / "runtime", f"-DCMAKE_C_COMPILER={CC}",
        f"-DCMAKE_INSTALL_PREFIX={work / 'alone'}", "-DCMAKE_INSTALL_LIBDIR=lib")
    run("cmake", "--build", work / "runtime", "-j2")
    run("cmake", "--install", work / "runtime")
    folder = work / "with-runtime-alone"
    run("cmake", "-S", ROOT / "examples/find-package-runtime", "-B", folder, f"-DCMAKE_PREFIX_PATH={work / 'alone'}",
        f"-DCMAKE_C_COMPILER={CC}", f"-DKUMIKO={prefix}/bin/kumiko")
    run("cmake", "--build", folder)
    recognises(run(folder / "threads"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    build = parser.parse_args().build
    passed = failed = 0
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        prefix = work / "prefix"
        run("cmake", "--install", build, "--prefix", prefix)
        for case in (only_what_belongs, find_package_compiler, find_package_runtime, pkg_config_compiler,
                     pkg_config_runtime, runtime_alone):
            try:
                case(prefix, work)
                passed += 1
                print("ok", case.__name__)
            except RuntimeError as error:
                failed += 1
                print("FAILED", case.__name__, error, sep="\n")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    raise SystemExit(failed != 0)


main()
