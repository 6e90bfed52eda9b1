"""Sums what the tests wrote into the file of KUMIKO_RULE_COUNTS: a rule that never fired is a failure.

    rule_counts.py COUNTS.txt kumiko/Optimize/*.rules
"""
import collections
import re
import sys

counts = collections.Counter()
with open(sys.argv[1]) as file:
    for line in file:
        name, count = line.split()
        counts[name] += int(count)
rules = []
for path in sys.argv[2:]:
    with open(path) as file:
        rules += re.findall(r"^(?:exact|rounding|approximate|lossy) (\w+):", file.read(), re.M)
idle = [rule for rule in rules if not counts[rule]]
for rule in idle:
    print(f"rule {rule} was never applied")
print(f"{len(rules) - len(idle)} passed, {len(idle)} failed, 0 skipped")
sys.exit(bool(idle))
