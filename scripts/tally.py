#!/usr/bin/env python3
"""Count tests in what a test driver wrote, so that all of them end alike.

    tally.py ctest RESULT.xml        (ctest --output-junit; cases of GoogleTest programs are counted one by one)
    tally.py lit RESULT.json         (lit -o)

Prints the failed tests with the end of their output; the last line is `N passed, N failed, N skipped`.
"""
import json
import os
import re
import sys
import xml.etree.ElementTree

TAIL = 40  # lines of a failed test's output


def show_failure(name, output):
    print(f"FAILED {name}")
    for line in output.strip().splitlines()[-TAIL:]:
        print("    " + line)


def google_count(output, word):
    """The number in GoogleTest's closing lines, such as `[  PASSED  ] 12 tests.`"""
    match = re.search(rf"^\[\s*{word}\s*\] (\d+) tests?", output, re.M)
    return int(match[1]) if match else 0


def count_ctest(path):
    passed = failed = skipped = 0
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        output = case.findtext("system-out") or ""
        status = case.get("status")
        cases = [google_count(output, word) for word in ("PASSED", "FAILED", "SKIPPED")]
        if status == "fail":
            # A crash leaves no closing lines, yet something failed.
            cases[1] = max(cases[1], 1)
            show_failure(case.get("name"), output)
        elif status != "run":
            cases = [0, 1, 0]
            show_failure(case.get("name"), "did not run")
        elif not any(cases):
            cases = [1, 0, 0]
        passed, failed, skipped = passed + cases[0], failed + cases[1], skipped + cases[2]
    return passed, failed, skipped


def count_lit(path):
    passed = failed = skipped = 0
    with open(path) as file:
        tests = json.load(file)["tests"]
    for test in tests:
        if test["code"] in ("PASS", "XFAIL", "FLAKYPASS"):
            passed += 1
        elif test["code"] in ("UNSUPPORTED", "SKIPPED", "EXCLUDED"):
            skipped += 1
            print(f"skipped {test['name']}")
        else:
            failed += 1
            show_failure(f"{test['code']} {test['name']}", test["output"])
    return passed, failed, skipped


def main(kind, path):
    if not os.path.exists(path):
        sys.exit(f"tally.py: no {path}: {kind} ended before it wrote any result")
    counts = {"ctest": count_ctest, "lit": count_lit}[kind](path)
    print("{} passed, {} failed, {} skipped".format(*counts))
    sys.exit(1 if counts[1] else 0)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("ctest", "lit"):
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
