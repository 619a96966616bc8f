"""Asserts the figures of the committed evaluation cases."""

import json
import sys

WANTED = {
    "file_acc@1": 1.0,
    "mrr": 1.0,
    "function_acc@5": 1.0,
    "shown@2000": 1.0,
    "shown@8000": 1.0,
    "intent": 1.0,
}

evaluation = json.load(open(sys.argv[1]))
(group,) = [g for g in evaluation["groups"] if g["axis"] == "all" and g["kind"] == "all kinds"]
wrong = [
    f"{name}: {group['over_cases'].get(name)}, wanted {wanted}"
    for name, wanted in WANTED.items()
    if group["over_cases"].get(name) != wanted
]
if group["cases"] != 6 or group["failed"] or wrong:
    sys.exit(f"{group['cases']} cases, {group['failed']} failed\n" + "\n".join(wrong))
print(f"eval: {group['cases']} cases, the figures are as committed")
