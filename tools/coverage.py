#!/usr/bin/env python3
"""Fails unless the tests reach every branch of the core, sidecar/authority.

    tools/coverage.py [BUILD_FOLDER]

Runs the unit tests of the core and the exhaustive ring of the coverage preset;
the golden stories may not count. Counted are the outcomes of every condition in
the source, true and false, and every region of code, as clang places them: gcc
also counts the edges that its exceptions and destructors add, which nobody
wrote. Left out are: what stands in CHECK(...), because its failure
ends the process; what a canary adds, because the product is built without; what
the compiler writes for `= default`; and the way past a switch that has a case for
every value.
"""

import bisect
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = "sidecar/authority"
PROGRAMS = {
    "tests/unit/authority/authority_test": {},
    # Deep enough for what only a sequence of moves reaches, and quick.
    "tests/exhaustive/exhaustive_test": {"TENURE_EXHAUSTIVE_DEPTH": "7"},
}


def run_tests(build):
    """(program, its profile) of each. Ends if a test fails."""
    for program, settings in PROGRAMS.items():
        profile = build / (pathlib.Path(program).name + ".profraw")
        done = subprocess.run(
            [build / program, "--gtest_brief=1"],
            cwd=ROOT,
            env={**os.environ, **settings, "LLVM_PROFILE_FILE": str(profile)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            print(done.stdout)
            sys.exit(f"coverage: {program} failed")
        yield program, profile


def export(build, program, profile):
    """What llvm-cov knows of each file of the folder, by one program: the two
    build the core differently, and one profile of both would be of neither."""
    merged = profile.with_suffix(".profdata")
    subprocess.run(
        ["llvm-profdata-19", "merge", "-sparse", "-o", merged, profile], check=True
    )
    done = subprocess.run(
        ["llvm-cov-19", "export", f"-instr-profile={merged}", build / program]
        + ["-sources", ROOT / FOLDER],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"coverage: {done.stderr.decode()}")
    return json.loads(done.stdout)["data"][0]["files"]


def added(exports):
    """{file: (branches, segments)}, the counts of the programs added up by place.
    Segments are (line, column) -> count, of what is code."""
    sums = {}
    for file in (file for files in exports for file in files):
        branches, segments = sums.setdefault(file["filename"], ({}, {}))
        for line, column, _, _, true, false, *_ in file["branches"]:
            before = branches.get((line, column), (0, 0))
            branches[line, column] = (before[0] + true, before[1] + false)
        for line, column, count, has_count, entry, gap in file["segments"]:
            if has_count and entry and not gap:
                segments[line, column] = segments.get((line, column), 0) + count
    return sums


def left_out(text):
    """(first, last) place, as (line, column), of each CHECK(...), and of what a
    canary adds: from CANARY(...) to the end of its statement."""
    starts = [0] + [m.end() for m in re.finditer("\n", text)]

    def place(offset):
        line = bisect.bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    for match in re.finditer(r"\bCHECK\(", text):
        depth, end = 1, match.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        yield place(match.start()), place(end)
    for match in re.finditer(r"!?\bCANARY\(", text):
        end = text.find(";", match.end())
        yield place(match.start()), place(end if end >= 0 else len(text))
    for match in re.finditer(r"\bswitch \(.*{|\boperator==.*= default;", text):
        yield place(match.start()), place(match.end() + 1)


def missed(branches, segments, text):
    """(line, column, what) of everything that no test reached, and how many
    outcomes there are. Pure, so that it can be tested."""
    outside = list(left_out(text))

    def counts(place):
        return not any(first <= place <= last for first, last in outside)

    found, total = set(), 0
    for place, (true, false) in branches.items():
        if counts(place):
            total += 2
            found |= {(*place, "is never true")} if true == 0 else set()
            found |= {(*place, "is never false")} if false == 0 else set()
    for place, count in segments.items():
        if count == 0 and counts(place):
            found.add((*place, "is never reached"))
    return sorted(found), total


def main(arguments):
    build = ROOT / (arguments[0] if arguments else "build/coverage")
    outcomes, problems = 0, []
    sums = added(export(build, *ran) for ran in run_tests(build))
    for name, (branches, segments) in sorted(sums.items()):
        path = pathlib.Path(name)
        text = path.read_text(encoding="utf-8")
        found, total = missed(branches, segments, text)
        outcomes += total
        lines = text.splitlines()
        problems += [
            f"{path.relative_to(ROOT)}:{line}:{column}: {what}: "
            f"{lines[line - 1].strip()}"
            for line, column, what in found
        ]
    if not outcomes:
        sys.exit("coverage: no branches were found; is this the coverage build?")
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"{FOLDER}: {outcomes} outcomes of conditions, {len(problems)} missed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
