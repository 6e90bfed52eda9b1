#!/usr/bin/env python3
"""Check that files and functions stay small.

    check-size.py [--all]       a line for each file or function over its limit; --all shows warnings too

Prints the table of sizes by kind of file; the last line is `N passed, N failed, N skipped`, counted in
files. An exception is named below with its reason, and must still be needed.
"""
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Lines: (warn above, fail above).
FILE_LIMITS = {
    ".cpp": (400, 800),
    ".c": (400, 800),
    ".h": (200, 300),
    ".td": (300, 500),
    ".eq": (300, 500),
    ".py": (400, 800),
    ".mlir": (200, 400),
}
FUNCTION_LIMIT = (60, 100)
README_LIMIT = 30
LARGE_FILE = 600

# path or path:function -> why it may be larger.
EXCEPTIONS = {}

CONTROL = re.compile(r"^(?:\}?\s*else\s+)?(?:if|for|while|switch|do|else|try|catch|return)\b")
NOT_FUNCTION = re.compile(r"\b(?:namespace|class|struct|enum|union|extern)\b(?![^{]*\)\s*(?:const)?\s*$)|[^=!<>]=[^=]")


def tracked_files():
    """Files of the working tree that git does not ignore."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    return sorted(ROOT / name for name in names if name and (ROOT / name).is_file())


def blank_text(source):
    """The source with comments, strings and characters replaced by spaces; lines stay."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), source)


def functions(source):
    """(name, lines) of the outermost functions: brace blocks whose head has parameters and is no statement."""
    text = re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", lambda m: "\n" * m[0].count("\n"), blank_text(source), flags=re.M)
    stack, head_start, line = [], 0, 1
    inside = 0  # depth of the function that encloses this point, or 0
    for place, character in enumerate(text):
        if character == "\n":
            line += 1
        elif character == ";" and not inside:
            head_start = place + 1
        elif character == "{":
            head = text[head_start:place]
            opens = not inside and is_function(head.strip())
            first = line - head.lstrip().count("\n")
            stack.append((opens, first, head))
            if opens:
                inside = len(stack)
            head_start = place + 1
        elif character == "}" and stack:
            opened, first, head = stack.pop()
            if opened:
                inside = 0
                yield function_name(head), line - first + 1
            head_start = place + 1


def is_function(head):
    if "(" not in head or CONTROL.match(head):
        return False
    before = head[: head.index("(")]
    return not NOT_FUNCTION.search(before)


def function_name(head):
    names = re.findall(r"([\w:~]+(?:operator)?[^\w\s(]*)\s*\(", head)
    return names[0] if names else "?"


def python_functions(source):
    """(name, lines) of Python functions, from `def` to the last line that is indented more."""
    lines = source.splitlines()
    for number, line in enumerate(lines):
        match = re.match(r"( *)(?:async )?def (\w+)", line)
        if not match:
            continue
        last = end = number
        for end in range(number + 1, len(lines)):
            text = lines[end]
            if text.strip() and len(text) - len(text.lstrip()) <= len(match[1]) and not text.lstrip().startswith(")"):
                break
            last = end if text.strip() else last
        yield match[2], last - number + 1


class Report:
    """Collects findings; an exception turns a failure into a note and must be used."""

    def __init__(self):
        self.warnings, self.failures, self.used = [], [], set()

    def judge(self, key, what, size, limits):
        warn, most = limits
        if size > most and key in EXCEPTIONS:
            self.used.add(key)
            self.warnings.append(f"{key}: {size} lines, excepted: {EXCEPTIONS[key]}")
        elif size > most:
            self.failures.append(f"{key}: {what} has {size} lines, the limit is {most}")
        elif size > warn:
            self.warnings.append(f"{key}: {what} has {size} lines, aim at {warn}")


def examine(path, report):
    """Judge one file. -> its number of lines."""
    name = str(path.relative_to(ROOT))
    source = path.read_text(errors="replace")
    lines = source.count("\n")
    report.judge(name, "file", lines, FILE_LIMITS[path.suffix])
    found = []
    if path.suffix in (".cpp", ".c", ".h"):
        found = functions(source)
    elif path.suffix == ".py":
        found = python_functions(source)
    sizes = []
    for function, size in found:
        sizes.append(size)
        report.judge(f"{name}:{function}", "function", size, FUNCTION_LIMIT)
    return lines, sizes


def print_row(kind, sizes):
    sizes = sorted(sizes)
    p95 = sizes[int(0.95 * (len(sizes) - 1))]
    print(f"{kind:9} {len(sizes):6} {sum(sizes):8} {statistics.median(sizes):8.0f} {p95:6} {sizes[-1]:8}")


def main():
    report, by_kind, all_functions = Report(), {}, []
    files = [path for path in tracked_files() if path.suffix in FILE_LIMITS]
    for path in files:
        lines, sizes = examine(path, report)
        by_kind.setdefault(path.suffix, []).append(lines)
        if path.suffix in (".cpp", ".c", ".h"):
            all_functions += sizes
    readmes = [p for p in tracked_files() if p.name == "README.md" and p.parent != ROOT and p.parent.parent.name != "examples"]
    for path in readmes:
        report.judge(str(path.relative_to(ROOT)), "file", path.read_text().count("\n"), (README_LIMIT, README_LIMIT))
    report.failures += [f"{key}: the exception is no longer needed" for key in EXCEPTIONS if key not in report.used]

    print(f"{'kind':9} {'count':>6} {'lines':>8} {'median':>8} {'p95':>6} {'largest':>8}")
    for kind in sorted(by_kind):
        print_row(kind, by_kind[kind])
    if all_functions:
        print_row("function", all_functions)
    code = [n for kind in (".cpp", ".c", ".h") for n in by_kind.get(kind, [])]
    large = sum(n for n in code if n > LARGE_FILE)
    print(f"{100 * large / max(sum(code), 1):.1f} % of the code is in files of more than {LARGE_FILE} lines")
    for text in (report.warnings if "--all" in sys.argv else []) + report.failures:
        print(text)
    print(f"{len(files) + len(readmes) - len(report.failures)} passed, {len(report.failures)} failed, 0 skipped")
    sys.exit(1 if report.failures else 0)


if __name__ == "__main__":
    main()
