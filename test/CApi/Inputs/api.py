#!/usr/bin/env python3
"""What include/kumiko/compiler.h promises, tried through ctypes.

    api.py LIBKUMIKO SOURCE-FOLDER WORK-FOLDER [CASE...]

Prints a line for each case; the tool `kumiko` must be on the PATH.
"""
import ctypes
import json
import os
import pathlib
import subprocess
import sys
import threading

import kumiko_c as k

SOURCE = pathlib.Path(sys.argv[2])
WORK = pathlib.Path(sys.argv[3])
sys.path.insert(0, str(SOURCE / "test" / "Tool" / "Inputs"))
import small_model as small  # noqa: E402

os.environ["KUMIKO_CACHE"] = "0"
lib = k.Library(sys.argv[1])
INPUT = [(i % 7 - 3) / 4 for i in range(16)]


def failure(action):
    try:
        action()
    except k.Failure as error:
        return error
    raise AssertionError("this should have failed")


def tool(*arguments):
    return subprocess.run(["kumiko", *map(str, arguments)], cwd=WORK, capture_output=True, check=True).stdout


def signals():
    """The signals that this process catches, as the kernel says; those that the C library keeps for threads left out."""
    caught = next(line for line in open("/proc/self/status") if line.startswith("SigCgt"))
    return int(caught.split()[1], 16) & ((1 << 31) - 1)


def case_versions():
    assert lib.lib.kumiko_compiler_interface() == 1
    assert lib.lib.kumiko_compiler_version().startswith(b"kumiko ")


def case_settings():
    error = failure(lambda: lib.settings(targt="host"))
    assert error.answer == k.BAD_CALL and error.problems[0][0] == 1
    assert error.problems[0][1]["help"] == "did you mean 'target'?", error.problems
    assert "did you mean 'exact'?" in str(failure(lambda: lib.settings(allow="exakt")))
    assert "needs a value" in str(failure(lambda: lib.settings(target=None)))
    assert "it is a switch" in str(failure(lambda: lib.settings(each_op="perhaps")))
    for name in ("help", "o", "explain", "stop-after", "json", "sanitize"):
        assert "unknown setting" in str(failure(lambda: lib.settings(**{name: "1"}))), name
    assert "--dim" in str(failure(lambda: lib.compile(small.dense(), dim="rows")))
    assert "no rule or pass" in str(failure(lambda: lib.compile(small.dense(), without=["tables", "nothing"])))


def case_memory_as_file():
    """The same bytes as the tool writes, from a file and from memory, whatever was compiled before."""
    (WORK / "net.onnx").write_bytes(small.chain())
    for file in ("net.o", "net.so"):
        tool("compile", "net.onnx", "-o", file)
    for model in (str(WORK / "net.onnx"), small.chain()):
        for _ in range(2):
            program = lib.compile(model)
            for file in ("net.o", "net.so", "net.h"):
                assert lib.bytes_of(program, file) == (WORK / file).read_bytes(), file
            lib.drop(program)
    program = lib.compile(small.chain())
    lib.call("program_write", program, None, str(WORK / "again.so").encode())
    lib.drop(program)
    summary = tool("run", "again.so", "--input", "x=random")
    assert summary == tool("run", "net.onnx", "--input", "x=random")
    error = failure(lambda: lib.bytes_of(lib.compile(small.dense()), "net.exe"))
    assert "neither .o nor .so" in str(error)


def case_run():
    program = lib.compile(small.chain())
    array, x = k.floats([2, 8], INPUT)
    found = lib.run(program, [x])
    assert list(found) == ["y", "z"] and len(found["y"]) == 8 and len(found["z"]) == 16
    assert lib.run(program, [x], names=["x"], threads=3) == found
    (y_array, y), (z_array, z) = k.floats([2, 4]), k.floats([2, 8])
    assert lib.run(program, [x], outputs=[y, z]) == {}
    assert list(y_array) == found["y"] and list(z_array) == found["z"]
    error = failure(lambda: lib.run(program, [k.floats([2, 7])[1]]))
    assert error.answer == k.BROKEN and error.problems[0][0] == 413, str(error)
    assert "no input" in str(failure(lambda: lib.run(program, [x], names=["q"]))).lower()
    assert failure(lambda: lib.run(program, [])).problems
    assert failure(lambda: lib.run(program, [x], outputs=[y])).answer == k.BAD_CALL
    lib.drop(program)
    program = lib.compile(small.batched())
    for rows in (1, 5):
        array, x = k.floats([rows, 8], (INPUT * 3)[: rows * 8])
        assert len(lib.run(program, [x])["y"]) == rows * 4
    lib.drop(program)


def case_runtime():
    """A program in the runtime's hands: the model that kumiko.h works with."""
    program, model = lib.compile(small.dense()), ctypes.c_void_p()
    lib.call("program_model", program, ctypes.byref(model))
    lib.lib.kumiko_get_api.restype = ctypes.c_void_p
    assert model.value and lib.lib.kumiko_get_api(1)
    lib.drop(program)
    elsewhere = lib.compile(small.dense(), target="aarch64")
    assert "cannot run code" in str(failure(lambda: lib.run(elsewhere, [k.floats([2, 8], INPUT)[1]])))
    assert lib.bytes_of(elsewhere, "net.o")[:4] == b"\x7fELF"
    lib.drop(elsewhere)


def case_problems():
    error = failure(lambda: lib.compile(small.mismatch()))
    assert error.answer == k.BROKEN and error.problems[0][0] == 412
    texts = error.problems[0][1]
    assert texts["op"] == "MatMul" and texts["name"] == "dense/product" and texts["operands"] and texts["help"]
    assert texts["file"] == "memory:net.onnx" and error.json["errors"] == len(error.problems)
    assert str(error).startswith("error[K0412]")
    assert failure(lambda: lib.compile(small.foreign())).answer == k.NOT_SUPPORTED
    assert failure(lambda: lib.compile(str(WORK / "missing.onnx"))).answer == k.ENVIRONMENT
    for damaged in (b"", b"no model", small.dense()[:100]):
        assert failure(lambda: lib.compile(damaged)).answer == k.BROKEN
    assert failure(lambda: lib.call("compile", None, None, None)).answer == k.BAD_CALL


def case_external_data():
    """Refused without a folder, else found in it."""
    location = small.message(13, small.message(1, "location") + small.message(2, "w.bin"))
    weight = small.number(1, 8) + small.number(2, 1) + small.message(8, "w") + location + small.number(14, 1)
    nodes = [small.node("Add", ["x", "w"], ["y"], "sum")]
    model = small.model(nodes, [weight], [small.value_info("x", [2, 8])], [small.value_info("y", [2, 8])])
    assert "the model is in memory alone" in str(failure(lambda: lib.compile(model)))
    folder = WORK / "data"
    folder.mkdir(exist_ok=True)
    error = failure(lambda: lib.compile(model, folder=str(folder / "missing")))
    assert error.answer == k.ENVIRONMENT
    (folder / "w.bin").write_bytes(bytes(32))
    program = lib.compile(model, folder=str(folder))
    array, x = k.floats([2, 8], INPUT)
    assert lib.run(program, [x])["y"] == INPUT
    lib.drop(program)


def case_watch():
    heard = []
    progress = k.PROGRESS(lambda user, task, done, total: heard.append((task.decode(), done, total)))
    watch = k.Watch(ctypes.sizeof(k.Watch), 0, None, progress, k.CANCELLED())
    lib.drop(lib.compile(small.chain(), watch=watch))
    tasks = [task for task, _, _ in heard]
    stages = ["import", "optimize", "fuse", "lower", "schedule", "plan", "codegen", "emit"]
    assert [task for i, task in enumerate(tasks) if task and task not in tasks[:i]] == stages, tasks
    assert tasks[-1] == "" and any(done == total > 0 for _, done, total in heard)


def case_cancel():
    """Stopped at every question in turn: always the same clear answer, never a file."""
    asked, limit = [0], [0]

    def cancelled(user):
        asked[0] += 1
        return int(asked[0] > limit[0])

    watch = k.Watch(ctypes.sizeof(k.Watch), 0, None, k.PROGRESS(), k.CANCELLED(cancelled))
    limit[0] = 1 << 30
    program = lib.compile(small.chain(), watch=watch)
    questions = asked[0]
    assert questions > 20
    for limit[0] in list(range(0, questions - 1, 3)) + [questions - 1]:
        asked[0] = 0
        error = failure(lambda: lib.compile(small.chain(), watch=watch))
        assert error.answer == k.STOPPED and error.problems[-1][0] == 12, str(error)
    folder, settings = WORK / "stopped", lib.settings(watch)
    folder.mkdir(exist_ok=True)
    for file in ("m.o", "m.so"):
        for limit[0] in range(2):
            asked[0] = 0
            error = failure(lambda: lib.call("program_write", program, settings, str(folder / file).encode()))
            assert error.answer == k.STOPPED and not list(folder.iterdir()), list(folder.iterdir())
    limit[0] = 1 << 30
    lib.call("program_write", program, settings, str(folder / "m.so").encode())
    assert [file.name for file in folder.iterdir()] == ["m.so"]
    lib.drop(program)


def case_cancel_verify():
    """Also while the evaluator works."""
    asked, limit = [0], [1 << 30]

    def cancelled(user):
        asked[0] += 1
        return int(asked[0] > limit[0])

    watch = k.Watch(ctypes.sizeof(k.Watch), 0, None, k.PROGRESS(), k.CANCELLED(cancelled))
    lib.drop(lib.compile(small.chain(), watch=watch))
    compiling, asked[0] = asked[0], 0
    lib.ask("verify", small.chain(), watch=watch)
    questions = asked[0]
    assert questions > compiling + 7, "a question for each node"
    for limit[0] in range(questions - 1, compiling, -1):
        asked[0] = 0
        error = failure(lambda: lib.ask("verify", small.chain(), watch=watch))
        assert error.answer == k.STOPPED and error.problems[-1][0] == 12, str(error)


def case_questions():
    """The same JSON as the tool's."""
    (WORK / "ask.onnx").write_bytes(small.dense())
    answer, inspected = lib.ask("inspect", small.dense())
    assert inspected == json.loads(tool("inspect", "ask.onnx", "--json")) and inspected["compiles"]
    answer, inspected = lib.ask("inspect", small.foreign(), allowed=(k.NOT_SUPPORTED,))
    assert inspected["unsupported"] and not inspected["compiles"]
    answer, verified = lib.ask("verify", small.dense(), each_op=None, each_pass="true")
    assert verified == json.loads(tool("verify", "ask.onnx", "--json", "--each-op", "--each-pass"))
    answer, verified = lib.ask("verify", small.sums(), allowed=(k.NO,), ulp="0.5")
    assert not verified["good"]
    answer, found = lib.ask("bisect", small.dense())
    assert found == {"good": True}
    place = ctypes.c_void_p()
    lib.call("doctor", ctypes.byref(place))
    assert "ok" in json.loads(lib.take(place))["self-test"]
    program = lib.compile(small.dense())
    assert lib.explain(program) == json.loads(tool("compile", "ask.onnx", "--explain=json"))
    lib.drop(program)


def case_threads():
    """Compilations side by side do not see each other."""
    alone = {}
    for target in ("x86-64-v2", "x86-64-v3"):
        program = lib.compile(small.chain(), target=target)
        alone[target] = lib.bytes_of(program, "net.so")
        lib.drop(program)
    wrong = []

    def work(target):
        own = k.Library(sys.argv[1])
        for _ in range(3):
            program = own.compile(small.chain(), target=target, jobs="2")
            if own.bytes_of(program, "net.so") != alone[target]:
                wrong.append(target)
            own.drop(program)
        own.close()

    threads = [threading.Thread(target=work, args=(target,)) for target in list(alone) * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong


def case_process():
    """Nothing is printed, and the process keeps its signals."""
    (WORK / "quiet.onnx").write_bytes(small.dense())
    before = signals()
    out, errors = os.pipe(), os.dup(2)
    os.dup2(out[1], 2)
    try:
        program = lib.compile(small.dense())
        lib.call("program_write", program, None, str(WORK / "quiet.so").encode())
        lib.drop(program)
        failure(lambda: lib.compile(small.mismatch()))
    finally:
        os.dup2(errors, 2)
        os.close(out[1])
    assert os.read(out[0], 100) == b""
    assert signals() == before, (before, signals())


def main():
    WORK.mkdir(parents=True, exist_ok=True)
    cases = {name[5:]: function for name, function in globals().items() if name.startswith("case_")}
    # First, before anything is loaded that a later case would find loaded.
    for name in ["process"] + [name for name in cases if name != "process"]:
        if len(sys.argv) > 4 and name not in sys.argv[4:]:
            continue
        cases[name]()
        print("ok", name, flush=True)
    lib.close()
    print("all good")


main()
