#!/usr/bin/env python3
"""Runs rings of tests and closes with one line: N passed, N failed, N skipped.

    tests/run.py [--build DIR] [--tally FILE] RING...

Rings of C++ tests run under ctest and are counted from GoogleTest's reports;
rings in Python run under pytest and are counted from its JUnit report. A ring
that produced no result is a failure, and so is a program that reported success
and then exited badly. The exit code is 0 only if something passed and nothing
failed.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import time
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parent.parent
CTEST_RINGS = ("unit", "golden", "exhaustive", "sim", "canaries")
PYTEST_RINGS = (
    "checks", "model", "fuzz", "contract", "integration", "examples", "apiserver",
    "fences",
)
# Tests that mostly wait, each with processes of its own: how many at once.
AT_ONCE = {"integration": 4, "examples": 4, "fences": 4}
# Where the tests of a file share a server, they stay in one process.
SPREAD = {"fences": "loadfile"}


@dataclasses.dataclass
class Count:
    passed: int = 0
    failures: list = dataclasses.field(default_factory=list)
    skips: list = dataclasses.field(default_factory=list)

    def add(self, other):
        self.passed += other.passed
        self.failures += other.failures
        self.skips += other.skips

    def line(self):
        return (
            f"{self.passed} passed, {len(self.failures)} failed, "
            f"{len(self.skips)} skipped"
        )


def first_line(text):
    return (text or "").strip().split("\n")[0]


def why_skipped(element):
    """For a whole file pytest gives the reason in the text alone."""
    said = element.get("message") or ""
    if said != "collection skipped":
        return said
    return (element.text or said).partition("Skipped: ")[2].rstrip("')\"") or said


def read_report(path):
    """Counts one XML report of GoogleTest or pytest. Raises if unreadable."""
    count = Count()
    for case in xml.parse(path).getroot().iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        broken = [e for e in case if e.tag in ("failure", "error")]
        skipped = case.find("skipped")
        if broken:
            said = broken[0].get("message") or broken[0].text
            count.failures.append(f"{name}: {first_line(said)}")
        elif skipped is not None or case.get("status") == "notrun":
            said = why_skipped(skipped) if skipped is not None else "disabled"
            count.skips.append(f"{name}: {first_line(said)}")
        else:
            count.passed += 1
    return count


def ctest_report_path(test):
    for argument in test.get("command", []):
        if argument.startswith("--gtest_output=xml:"):
            return pathlib.Path(argument.split(":", 1)[1])
    return None


def count_program(name, report, exited_well):
    """What one program under ctest brought, its report and its exit together."""
    if report is None or not report.exists():
        if exited_well and report is None:
            return Count(passed=1)
        said = "left no report" if exited_well else "crashed or did not end"
        return Count(failures=[f"{name}: {said}"])
    try:
        count = read_report(report)
    except xml.ParseError as error:
        return Count(failures=[f"{name}: unreadable report: {error}"])
    if not exited_well and not count.failures:
        count.failures.append(f"{name}: every test passed, then it exited badly")
    return count


def run_ctest(ring, build, reports):
    label = ["--test-dir", str(build), "-L", f"^{ring}$"]
    listing = subprocess.run(
        ["ctest", *label, "--show-only=json-v1"],
        stdout=subprocess.PIPE,
        check=True,
    )
    tests = {t["name"]: t for t in json.loads(listing.stdout)["tests"]}
    if not tests:
        return Count()
    for test in tests.values():
        path = ctest_report_path(test)
        if path:
            path.unlink(missing_ok=True)
    junit = reports / f"ctest-{ring}.xml"
    junit.unlink(missing_ok=True)
    jobs = str(os.cpu_count() or 1)
    subprocess.run(
        ["ctest", *label, "--output-on-failure", "-j", jobs]
        + ["--output-junit", str(junit)],
        stdout=sys.stderr,
        check=False,
    )
    count = Count()
    if junit.exists():
        for case in xml.parse(junit).getroot().iter("testcase"):
            name = case.get("name")
            well = case.get("status") == "run"
            path = ctest_report_path(tests.pop(name))
            count.add(count_program(name, path, well))
    count.failures += [f"{name}: was not run" for name in tests]
    return count


def run_pytest(ring, build, reports):
    folder = ROOT / "tests" / ring
    junit = reports / f"pytest-{ring}.xml"
    junit.unlink(missing_ok=True)
    env = dict(os.environ, PYTHONDONTWRITEBYTECODE="1")
    env.setdefault("TENURE_BUILD", str(build))
    env.setdefault("TENURE_BINARY", str(build / "sidecar/cli/tenure"))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        + ["-n", str(AT_ONCE.get(ring, 0)), "--dist", SPREAD.get(ring, "load")]
        + ["-o", "junit_family=xunit1"]
        + [f"--junitxml={junit}", str(folder)],
        stdout=sys.stderr,
        env=env,
        cwd=ROOT,
        check=False,
    )
    if not junit.exists():
        return Count(failures=[f"{ring}: pytest ended with {done.returncode}"])
    # 5: nothing collected; the caller sees no results.
    return count_program(ring, junit, done.returncode in (0, 5))


def run_ring(ring, build, reports):
    run = run_ctest if ring in CTEST_RINGS else run_pytest
    count = run(ring, build, reports)
    if count.passed + len(count.failures) + len(count.skips) == 0:
        count.failures.append(f"{ring}: the ring produced no results")
    return count


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build/dev", help="build folder")
    parser.add_argument("--tally", default=os.environ.get("TENURE_TALLY"))
    parser.add_argument(
        "rings", nargs="+", choices=CTEST_RINGS + PYTEST_RINGS, metavar="RING"
    )
    options = parser.parse_args(arguments)
    build = (ROOT / options.build).resolve()
    reports = build / "reports"
    reports.mkdir(parents=True, exist_ok=True)

    total = Count()
    rows = []
    for ring in options.rings:
        print(f"== {ring}", file=sys.stderr, flush=True)
        began = time.monotonic()
        count = run_ring(ring, build, reports)
        rows.append((ring, count, time.monotonic() - began))
        total.add(count)

    print()
    for ring, count, seconds in rows:
        print(f"{ring:<12} {count.line()}  ({seconds:.0f} s)")
    for skip in total.skips:
        print(f"skipped: {skip}")
    for failure in total.failures:
        print(f"FAILED: {failure}")
    if options.tally:
        with open(options.tally, "a", encoding="utf-8") as tally:
            tally.write(f"{total.line()}\n")
    print(total.line())
    return 0 if total.passed and not total.failures else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
