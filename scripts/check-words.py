#!/usr/bin/env python3
"""Check the words that people read: sentences, the glossary and subjects of commits.

    check-words.py

A decision record has at most 20 words a sentence on average; docs/glossary.md is a table of three columns, in alphabetical
order, without an empty field; the subject of a commit has at most 72 characters. The last line is
`N passed, N failed, N skipped`.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORDS = 20  # of a sentence, on average over a record
SUBJECT = 72  # characters
COMMITS = 50
# Subjects are judged that were written behind this second of UTC: 2026-11-20 00:35.
SINCE = 1795134900
COLUMNS = ["word", "meaning", "elsewhere called"]


def sentences(text):
    """The sentences of a page's prose: no code, tables, headings."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    text = re.sub(r"^(?:#.*|\|.*| {4}.*)$", "", text, flags=re.M)
    text = re.sub(r"^\s*(?:[-*]|\d+\.)\s+", "\n", text, flags=re.M)  # an entry of a list begins a sentence
    for paragraph in re.split(r"\n\s*\n", text):
        # A full stop ends a sentence where a space and the beginning of another follow.
        for sentence in re.split(r"(?<=[.!?])[)\"]?\s+(?=[A-Z`*\[(\d\"])", " ".join(paragraph.split())):
            if sentence:
                yield sentence


def judge_record(text):
    """What is wrong with a decision record, or nothing."""
    counts = [len(sentence.split()) for sentence in sentences(text)]
    average = sum(counts) / max(len(counts), 1)
    return f"{average:.1f} words a sentence on average, at most {WORDS}" if average > WORDS else ""


def judge_glossary(text):
    """Every fault of the glossary's table."""
    rows = [[field.strip() for field in line.strip("|\n").split("|")] for line in text.splitlines() if line.startswith("|")]
    if len(rows) < 3 or rows[0] != COLUMNS:
        yield f"the table's columns are not {', '.join(COLUMNS)}"
        return
    last = ""
    for row in rows[2:]:
        if len(row) != len(COLUMNS) or not all(row):
            yield f"{row[0] or row}: not {len(COLUMNS)} fields with something in each"
        word = row[0].replace("*", "").replace("`", "").lower()
        if word < last:
            yield f"{word} stands behind {last}"
        last = word


def judge_subject(subject):
    return f"{len(subject)} characters, at most {SUBJECT}: {subject}" if len(subject) > SUBJECT else ""


def subjects():
    """(commit, subject) of the last commits that are to be judged."""
    command = ["git", "log", f"-{COMMITS}", "--format=%at %h %s"]
    lines = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    written = [line.split(" ", 2) for line in lines]
    return [(commit, subject) for second, commit, subject in written if int(second) > SINCE]


def try_rules():
    """What the rules do not notice in text made for it."""
    long, short = "Word " + "word " * 30 + "end.", "A word. " * 30
    table = "| word | meaning | elsewhere called |\n|---|---|---|\n"
    tried = {
        "a long sentence": bool(judge_record(long)) and bool(judge_record(f"- {long}\n- {long}")),
        "short sentences": not judge_record(short),
        "an empty field": any(judge_glossary(table + "| **a** | b | |")),
        "a wrong order": any(judge_glossary(table + "| **b** | b | b |\n| **a** | a | a |")),
        "two columns": any(judge_glossary("| word | meaning |\n|---|---|\n| **a** | b |")),
        "a good table": not any(judge_glossary(table + "| **a** | b | c |")),
        "a long subject": bool(judge_subject("x" * 73)) and not judge_subject("x" * 72),
    }
    return len(tried), [f"the rules do not notice {what}" for what, noticed in tried.items() if not noticed]


def main():
    judged, faults = try_rules()
    for path in sorted((ROOT / "docs/decisions").glob("*.md")):
        judged += 1
        if fault := judge_record(path.read_text()):
            faults.append(f"{path.relative_to(ROOT)}: {fault}")
    glossary = (ROOT / "docs/glossary.md").read_text()
    judged += glossary.count("\n|") - 1
    faults += [f"docs/glossary.md: {fault}" for fault in judge_glossary(glossary)]
    for commit, subject in subjects():
        judged += 1
        if fault := judge_subject(subject):
            faults.append(f"{commit}: {fault}")
    for fault in faults:
        print(fault)
    print(f"{max(judged - len(faults), 0)} passed, {len(faults)} failed, 0 skipped")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
