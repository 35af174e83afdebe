#!/usr/bin/python3
"""Writes the measured tables of docs/fencing.md from build/reports/fences:
each between `<!-- measured STORE -->` and `<!-- end -->`, and what `tenure drill`
said with each store at `<!-- measured drills -->`.

    tests/fences/table.py [REPORTS]
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/fencing.md"
REPORTS = ROOT / "build/dev/reports/fences"
HEAD = (
    "| lock | stale write accepted | the next holder had it after "
    "| acquire p50 | p99 |\n|---|---|---|---|---|\n"
)
BLOCK = re.compile(r"(<!-- measured ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def landed(row):
    parts = []
    for way, count in row["landed"].items():
        said = f"{count} of {row['trials']}"
        said = f"**{said}**" if count else said
        parts.append(said if way == "any" else f"{said} through {way}")
    return ", ".join(parts)


def milliseconds(seconds):
    return f"{seconds * 1000:.2f} ms"


def line(row):
    times = ["–", "–", "–"]
    if "p50" in row:
        times = [f"{row['took_over']:.2f} s"]
        times += [milliseconds(row["p50"]), milliseconds(row["p99"])]
    return "| " + " | ".join([row["lock"], landed(row), *times]) + " |\n"


def table(reports, store):
    """None where nothing was measured."""
    files = sorted(reports.glob(f"{store}-*.json"))
    rows = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    return HEAD + "".join(line(row) for row in rows) if rows else None


def drills(reports):
    """A row for each drill, a column for each store; a store whose soak was not
    run is not in it."""
    stores = {}
    for file in sorted(reports.glob("drills-*.json")):
        store = file.stem.removeprefix("drills-")
        again = reports / f"pauses-{store}.json"
        if again.exists():
            stores[store] = json.loads(file.read_text(encoding="utf-8"))
            stores[store]["pause"] += f", {again.read_text().strip()} times again"
    if not stores:
        return None
    rows = [["drill", *stores], ["---"] * (len(stores) + 1)]
    names = list(dict.fromkeys(name for each in stores.values() for name in each))
    for name in names:
        said = [each.get(name, "not tried") for each in stores.values()]
        rows.append([f"`{name}`", *said])
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)


def rewrite(page, reports):
    def block(match):
        store = match[2]
        made = drills(reports) if store == "drills" else table(reports, store)
        return match[0] if made is None else match[1] + made + match[3]

    return BLOCK.sub(block, page)


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else REPORTS
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(rewrite(text, folder), encoding="utf-8")
