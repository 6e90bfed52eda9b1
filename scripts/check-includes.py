#!/usr/bin/env python3
"""Check who includes whom, and in what order.

    check-includes.py

Folders of kumiko/ come in the order of its CMake files; a file includes only its own folder and those before it. Back
ends (Codegen/*) and front ends (Import/*) never include each other, but what SHARED names. The runtime knows nothing of
the compiler, a tool nothing of another tool, and nothing includes a test. The program that users call reads arguments and
prints: it sees what FACE names, and no stage from inside. A public header needs other public headers alone. A source includes its own header first, then
the project and MLIR, LLVM, and the rest; clang-format sorts within these groups. The rules are first tried on planted
violations. The last line is `N passed, N failed, N skipped`, counted in files and in planted violations.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = {"Codegen/Common", "Import/Build"}
SUFFIXES = (".cpp", ".h", ".c", ".td")
# What the compiler and its tools may read of the runtime.
RUNTIME = ("runtime/include/", "runtime/ops/")
# Folders that tools/kumiko may include.
FACE = {"Support", "Target", "Import", "Emit", "Pipeline", "Verify", "Options", "CApi"}
# Included file -> why it may be included against the rules.
EXCEPTIONS = {"runtime/src/cpus.h": "doctor shows the cores that the runtime's threads would get"}

INCLUDE = re.compile(r'^[ \t]*(?:#[ \t]*)?include[ \t]+([<"])([^>"\n]+)[>"]', re.M)


def folder_order(read):
    """Folders below kumiko/, as `Nn` or `Codegen/Cpu`, in the order of the CMake files. `read` gives a file's text or ''."""
    order = []
    for folder in subfolders(read("kumiko/CMakeLists.txt")):
        order += [f"{folder}/{inner}" for inner in subfolders(read(f"kumiko/{folder}/CMakeLists.txt"))] + [folder]
    return order


def subfolders(text):
    """Names after add_subdirectory, and those of a loop around it."""
    text = re.sub(r"#[^\n]*", "", text)
    loop = r"foreach\(\s*(\w+)\s+([^)]*)\)(?:(?!endforeach).)*?add_subdirectory\(\$\{\1\}\)"
    found = [(match.start(), match[2].split()) for match in re.finditer(loop, text, re.S)]
    found += [(match.start(), [match[1]]) for match in re.finditer(r"(?:add_subdirectory|kumiko_front_end)\(\s*(\w+)", text)]
    return [name for _, names in sorted(found) for name in names]


def home(path, order):
    """The folder of `order` in which a file of kumiko/ lies, or None."""
    words = path.split("/")[1:-1]
    return next((name for name in ("/".join(words[:2]), words[0] if words else "") if name in order), None)


def objection(source, target, order):
    """Why `source` may not include `target`, or None. Both are paths from the root."""
    top, other = source.split("/")[0], target.split("/")[0]
    if target in EXCEPTIONS:
        return None
    if other in ("test", "unittests", "bench") and top not in ("test", "unittests", "bench"):
        return f"{target} is only for tests and measurements"
    if top == "runtime":
        return None if other == "runtime" else "the runtime stands alone"
    if top == "include":
        return None if target.startswith(("include/", "runtime/include/")) else "a public header needs public headers alone"
    if other == "runtime" and top in ("kumiko", "tools") and not target.startswith(RUNTIME):
        return f"of the runtime only {' and '.join(RUNTIME)} may be included"
    if other == "tools" and source.split("/")[:2] != target.split("/")[:2]:
        return "what a tool has is its own; what others need belongs into kumiko/"
    if source.startswith("tools/kumiko/") and other == "kumiko" and target.split("/")[1] not in FACE:
        return f"the program reads arguments and prints; {target.split('/')[1]} is inside of the compiler"
    return below(source, target, order) if top == other == "kumiko" else None


def below(source, target, order):
    """The same among folders of kumiko/."""
    mine, theirs = home(source, order), home(target, order)
    if mine is None or theirs is None:
        return f"{source if mine is None else target} is in no folder of kumiko/CMakeLists.txt"
    if mine == theirs or theirs.startswith(f"{mine}/") or mine.startswith(f"{theirs}/"):
        return None
    if mine.split("/")[0] == theirs.split("/")[0]:
        return None if theirs in SHARED else f"{mine} and {theirs} must not know each other"
    return None if order.index(theirs) < order.index(mine) else f"{theirs} comes after {mine} in kumiko/CMakeLists.txt"


def group(bracket, name):
    """The groups of clang-format's LLVM style."""
    if bracket == "<" or re.match(r"(gtest|gmock|isl|json)/", name):
        return 3
    return 2 if re.match(r"(llvm|llvm-c|clang|clang-c)/", name) else 1


def misplaced(path, text, exists):
    """What is wrong with the order of a file's includes."""
    text = re.sub(r'extern "C" \{.*?\}', "", text, flags=re.S)  # headers of C that do not say it themselves
    found = [(bracket, name) for bracket, name in INCLUDE.findall(text) if not name.endswith((".inc", ".def"))]
    own = str(pathlib.PurePath(path).with_suffix(".h"))
    if path.endswith((".cpp", ".c")) and exists(own):
        names = [name for _, name in found]
        mine = next((name for name in names if own.endswith("/" + name) or own == name), None)
        if mine and names[0] != mine:
            yield f"{path}: its own header comes first, not {names[0]}"
        found = [pair for pair in found if pair[1] != mine]
    for (bracket, name), (then, following) in zip(found, found[1:]):
        if group(then, following) < group(bracket, name):
            yield f"{path}: {following} comes before {name}: the project and MLIR, then LLVM, then the rest"


def resolve(path, name, exists):
    """The path from the root of an included file of ours, or None for others."""
    beside = str(pathlib.PurePath(path).parent / name)
    candidates = (beside, name, f"runtime/include/{name}", f"include/{name}", f"runtime/src/{name}", f"runtime/ops/{name}")
    found = next((place for place in candidates if exists(place)), None)
    if found:
        return found
    # What is generated mirrors the folder of its source.
    return name if re.match(r"(kumiko/\w+|runtime|tools|unittests|test|bench)/", name) else None


def findings(path, text, order, exists):
    """Every violation in one file."""
    for bracket, name in INCLUDE.findall(text):
        target = resolve(path, name, exists)
        reason = target and objection(path, target, order)
        if reason:
            yield f"{path}: includes {name}: {reason}"
    if not path.endswith(".td"):
        yield from misplaced(path, text, exists)


# path, text, a part of what must be said
PLANTED = [
    ("kumiko/B/One.cpp", '#include "kumiko/C/Two.h"', "C comes after B"),
    ("kumiko/B/One.cpp", '#include "kumiko/Codegen/Gpu/Two.h"', "Codegen/Gpu comes after B"),
    ("kumiko/B/One.td", 'include "kumiko/C/Two.td"', "C comes after B"),
    ("kumiko/B/One.h", '#  include "kumiko/C/Two.h.inc"', "C comes after B"),
    ("kumiko/Codegen/Cpu/One.cpp", '#include "kumiko/Codegen/Gpu/Two.h"', "must not know each other"),
    ("kumiko/Codegen/Gpu/One.cpp", '#include "kumiko/Codegen/Cpu/Two.h"', "must not know each other"),
    ("kumiko/D/One.cpp", '#include "kumiko/A/Two.h"', "is in no folder"),
    ("kumiko/A/One.cpp", '#include "tools/kumiko/Commands.h"', "a tool has is its own"),
    ("kumiko/A/One.cpp", '#include "unittests/A/Two.h"', "only for tests"),
    ("kumiko/A/One.cpp", '#include "runtime/src/team.h"', "of the runtime only"),
    ("tools/one/One.cpp", '#include "tools/two/Two.h"', "a tool has is its own"),
    ("tools/kumiko/One.cpp", '#include "kumiko/A/Two.h"', "A is inside of the compiler"),
    ("include/kumiko/one.h", '#include "kumiko/A/Two.h"', "public headers alone"),
    ("runtime/src/one.c", '#include "kumiko/A/Two.h"', "stands alone"),
    ("kumiko/A/Own.cpp", '#include "kumiko/A/Two.h"\n#include "kumiko/A/Own.h"', "its own header comes first"),
    ("kumiko/A/One.cpp", '#include "llvm/ADT/Twine.h"\n\n#include "kumiko/A/Two.h"', "comes before llvm/ADT"),
    ("kumiko/A/One.cpp", '#include <vector>\n\n#include "mlir/IR/Value.h"', "comes before vector"),
]
ALLOWED = [
    ("kumiko/C/One.cpp", '#include "kumiko/C/Two.h"\n#include "kumiko/Codegen/Cpu/Two.h"\n#include "llvm/ADT/Twine.h"\n#include <vector>'),
    ("kumiko/Codegen/Cpu/One.cpp", '#include "kumiko/Codegen/Backend.h"\n#include "kumiko/Codegen/Common/Two.h"'),
    ("kumiko/A/Own.cpp", '#include "kumiko/A/Own.h"\n#include "kumiko/A/Late.h"\n#include "runtime/include/kumiko/plan.h"'),
    ("tools/kumiko/One.cpp", '#include "kumiko/Pipeline/Two.h"\n#include "tools/kumiko/One.h"\n#include "llvm/ADT/Twine.h"'),
    ("include/kumiko/one.h", '#include "runtime/include/kumiko/kumiko.h"\n#include <stdint.h>'),
    ("unittests/A/One.cpp", '#include "kumiko/C/Two.h"\n#include "runtime/src/team.h"\n#include "gtest/gtest.h"\n#include <map>'),
]
PLANTED_CMAKE = {
    "kumiko/CMakeLists.txt": "# C\nforeach(folder A B\n    Codegen)\n  add_subdirectory(${folder})\nendforeach()\nadd_subdirectory(C)",
    "kumiko/Codegen/CMakeLists.txt": "foreach(other X Y)\nendforeach()\nadd_subdirectory(Common)\nadd_subdirectory(Cpu)\nadd_subdirectory(Gpu)",
}  # fmt: skip


def try_rules():
    """(tried, what went unnoticed or was wrongly refused)."""
    order = folder_order(lambda path: PLANTED_CMAKE.get(path, ""))
    exists = lambda path: path == "kumiko/A/Own.h"
    wrong = [f"the planted violation in {path} goes unnoticed: {text!r}" for path, text, said in PLANTED
             if not any(said in finding for finding in findings(path, text, order, exists))]  # fmt: skip
    wrong += [f"wrongly refused: {finding}" for path, text in ALLOWED for finding in findings(path, text, order, exists)]
    return len(PLANTED) + len(ALLOWED), wrong


def main():
    tried, failures = try_rules()
    order = folder_order(lambda path: (ROOT / path).read_text() if (ROOT / path).is_file() else "")
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    files = {name for name in names if name and (ROOT / name).is_file()}
    bad = len(failures)
    sources = sorted(name for name in files if name.endswith(SUFFIXES))
    included = set()
    for name in sources:
        text = (ROOT / name).read_text(errors="replace")
        included |= {resolve(name, other, files.__contains__) for _, other in INCLUDE.findall(text)}
        found = list(findings(name, text, order, files.__contains__))
        bad += bool(found)
        failures += found
    for target in sorted(set(EXCEPTIONS) - included):
        failures.append(f"{target}: the exception is no longer needed")
        bad += 1
    print("\n".join(["folders, in order: " + " ".join(order), *failures]))
    print(f"{tried + len(sources) - bad} passed, {bad} failed, 0 skipped")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
