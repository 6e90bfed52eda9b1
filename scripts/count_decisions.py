#!/usr/bin/env python3
"""Count what the code decides by, where kernels are shaped: Kernel, Numerics, Schedule and Codegen.

    count_decisions.py [--at COMMIT] [--list KIND] [FOLDER...]

All folders below `kumiko/` count together, so that moving a decision from one to another changes no total. Without
`--at` the working tree is counted. Elementary functions (`Math`) have a line of their own and are in no total: their
numbers are coefficients of functions, not decisions. Kinds:

    lines      all lines, and those that are neither empty nor a comment alone
    constants  names of numbers: `constexpr` or `static const`, each name of a list by itself
    literals   numbers above 1 in comparisons, minima, maxima and clamps that have no name
    core       reads of facts of a core (width of its window, order of its stores, gathers, caches, ...), by whatever
               name the schedule or the target has them

`--list constants`, `--list literals` and `--list core` print them one by one instead.
"""
import argparse
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["Kernel", "Numerics", "Schedule", "Codegen"]
MATH = re.compile(r"Codegen/\w+/Math/")
APART = "Codegen, Math"
KINDS = ["constants", "literals", "core"]

# Facts of a core as fields, as accessors and under their older names; a new one is added here.
FACTS = """wide core|wide window|shuffles|stores in order|in order stores|in order store commit|crowds sets|gathers
fast gather|past caches|shared cache|second cache bytes|byte dot|dot forms|vector functions|fma|registers
vector registers|l1|l2|l3|line bytes|set bytes|l1 bytes|l2 bytes|l3 bytes|level one|level two|level three"""
MAKERS = r"isXeon|isIntel|znver\d|sapphirerapids|graniterapids|isMadeBy\w+|isNewXeon"


def camel(words):
    first, *others = words.split()
    return first + "".join(word.capitalize() for word in others)


NAMES = sorted({camel(fact) for line in FACTS.splitlines() for fact in line.split("|")}, key=len, reverse=True)
FIELD = "|".join(f"(?:{name}|get{name[0].upper()}{name[1:]})" for name in NAMES)
CORE = re.compile(rf"(?:\.|->)(?:{FIELD})\b(?!\s*=[^=])|\b(?:secondCacheBytes|setBytes|sharesSets)\b|(?:\.|->)(?:has\((?:Fact|DotForm)::\w+|budget\()|\b(?:{MAKERS})\b")
NUMBER = r"(?<![\w.])(?:0x[0-9a-fA-F']+|\d[\d']*)(?:\.\d*)?(?![\w.])"
DECLARED = re.compile(
    r"\b(?:constexpr|static\s+const)\s+(?:static\s+|inline\s+|constexpr\s+|const\s+)*(?:std::)?"
    r"(?:u?int\d*(?:_t)?|unsigned|size_t|double|float|bool|long|auto)\s+([A-Za-z_]\w*\s*=[^;]*);")
DECISION = re.compile(
    rf"(?:<=?|>=?|==|!=)\s*({NUMBER})|({NUMBER})\s*(?:<=|>=|<|>|==|!=)|(?:min|max|clamp)(?:<[\w:]+>)?\(([^;]*)")


def files_of(commit):
    """(path below kumiko/, text) of the C++ and TableGen sources."""
    below = [f"kumiko/{folder}" for folder in FOLDERS]
    if commit:
        listed = run("git", "ls-tree", "-r", "--name-only", commit, "--", *below)
    else:
        listed = run("git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *below)
    for name in sorted(set(listed.split())):
        if not name.endswith((".cpp", ".h", ".td")):
            continue
        if commit:
            yield name[len("kumiko/"):], run("git", "show", f"{commit}:{name}")
        elif (ROOT / name).exists():
            yield name[len("kumiko/"):], (ROOT / name).read_text()


def run(*command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout


def without_text(source):
    """The source with comments and strings blanked; lines stay where they are."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S)
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), source)


def split_names(declaration):
    """The `name = value` of a list; commas inside of brackets do not end one."""
    depth, parts = 0, [""]
    for character in declaration:
        depth += character in "([{"
        depth -= character in ")]}"
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def constants_in(code):
    found = []
    for match in DECLARED.finditer(code):
        found += [(match.start(), " ".join(part.split())) for part in split_names(match[1])]
    return found


def literals_in(code):
    """Numbers above 1 that a comparison or a bound has, outside of what names them."""
    named = [match.span() for match in DECLARED.finditer(code)]
    found = {}
    for match in DECISION.finditer(code):
        if any(low <= match.start() < high for low, high in named):
            continue
        group = next(n for n in (1, 2, 3) if match[n] is not None)
        text = match[group] if group < 3 else arguments(match[3])
        for number in re.finditer(NUMBER, text):
            value = float(int(number[0].replace("'", ""), 0)) if "." not in number[0] else float(number[0])
            if value > 1:
                found[match.start(group) + number.start()] = number[0]
    return sorted(found.items())


def arguments(text):
    """What stands before the bracket that closes a call."""
    depth = 1
    for place, character in enumerate(text):
        depth += character in "(["
        depth -= character in ")]"
        if depth == 0:
            return text[:place]
    return text


def count(source):
    code = without_text(source)
    lines = source.count("\n")
    filled = sum(bool(line.strip()) for line in code.split("\n"))
    kinds = {
        "constants": constants_in(code),
        "literals": literals_in(code),
        "core": [(match.start(), match[0]) for match in CORE.finditer(code)],
    }
    return lines, filled, kinds, code


def folder_of(path):
    return APART if MATH.match(path) else path.split("/")[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--at", metavar="COMMIT")
    parser.add_argument("--list", choices=KINDS, metavar="KIND")
    parser.add_argument("folders", nargs="*", metavar="FOLDER")
    options = parser.parse_args()
    table = {}
    for path, source in files_of(options.at):
        folder = folder_of(path)
        if options.folders and folder not in options.folders:
            continue
        lines, filled, kinds, code = count(source)
        row = table.setdefault(folder, [0] * (2 + len(KINDS)))
        for n, number in enumerate([lines, filled, *(len(kinds[kind]) for kind in KINDS)]):
            row[n] += number
        for place, text in kinds[options.list] if options.list else []:
            print(f"kumiko/{path}:{code.count(chr(10), 0, place) + 1}: {text}")
    if options.list:
        return
    total = [sum(row[n] for folder, row in table.items() if folder != APART) for n in range(2 + len(KINDS))]
    print(f"{'folder':18}{'lines':>8}{'of code':>9}" + "".join(f"{kind:>11}" for kind in KINDS))
    for name, row in [*sorted(table.items()), ("in all, no Math", total)]:
        print(f"{name:18}{row[0]:8}{row[1]:9}" + "".join(f"{number:11}" for number in row[2:]))


main()
