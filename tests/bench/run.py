#!/usr/bin/env python3
"""Measures the sidecar beside a client-go sidecar on a real kube-apiserver.

    tests/bench/run.py [--quick] [--rows NAME,...] [--json FILE]

Both run at 15 s / 10 s / 2 s in one run on one machine. Prints a table and
writes every figure as JSON. It judges nothing: docs/benchmarks.md says what the
figures mean. Takes about a quarter of an hour; --quick takes a few minutes, for
trying only.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import platform
import subprocess
import sys

from subject import SUBJECTS, ControlPlane, Tenure  # first: finds the ring

import binaries
import fault_rows
import network_cut
import scale_rows
import steady_rows
from table import print_table

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@dataclasses.dataclass(frozen=True)
class Sizes:
    steady_seconds: float = 120
    start_trials: int = 21
    handover_trials: int = 20
    crowd_handover_trials: int = 10
    fault_trials: int = 20
    load_seconds: float = 5
    crowds: tuple = (50, 100, 200)
    crowd_seconds: float = 30


QUICK = Sizes(20, 5, 4, 2, 3, 1, (10,), 5)


def rows(plane, subjects, sizes, load):
    """Name -> a function that measures it, in the order of the table."""

    def each(measure, *arguments):
        return lambda: {s.kind: measure(plane, s, *arguments) for s in subjects}

    measured = {
        "steady": lambda: steady_rows.steady(plane, subjects, sizes.steady_seconds),
        "start": each(steady_rows.start_to_held, sizes.start_trials),
        "handover2": each(fault_rows.hand_over, 2, sizes.handover_trials),
        "handover20": each(fault_rows.hand_over, 20, sizes.crowd_handover_trials),
        "takeover": each(fault_rows.take_over, sizes.fault_trials),
        "frozen": each(fault_rows.frozen_past_expiry, sizes.fault_trials),
        "loop-stopped": lambda: {
            "tenure": fault_rows.frozen_past_expiry(
                plane, Tenure, sizes.fault_trials, loop_only=True
            )
        },
        "cut": each(fault_rows.cut_off, sizes.fault_trials),
        "load": lambda: steady_rows.generation_route(
            plane, subjects, load, sizes.load_seconds
        ),
        "crowd": lambda: {
            str(n): scale_rows.crowd(plane, n, sizes.crowd_seconds)
            for n in sizes.crowds
        },
    }
    if network_cut.unavailable():
        del measured["cut"]
    if not load:
        del measured["load"]
    if Tenure not in subjects:
        del measured["loop-stopped"], measured["crowd"]
    return measured


def machine():
    model = "unknown"
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        for line in info:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return {
        "cpus": os.cpu_count(),
        "cpu": model,
        "kernel": platform.release(),
        "kubernetes": binaries.kubernetes_version(),
    }


def find_load():
    path = pathlib.Path(
        os.environ.get("TENURE_HTTP_LOAD", ROOT / "build/release/tests/bench/http_load")
    )
    return str(path) if os.access(path, os.X_OK) else None


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few trials, for trying")
    parser.add_argument("--rows", help="only these, separated by commas")
    parser.add_argument("--subject", choices=[s.kind for s in SUBJECTS])
    parser.add_argument("--json", default=str(ROOT / "build/benchmarks.json"))
    options = parser.parse_args(arguments)

    os.environ.setdefault(
        "TENURE_BINARY", str(ROOT / "build/release/sidecar/cli/tenure")
    )
    build = ROOT / "tests/apiserver/build_binaries.sh"
    subprocess.run([build], check=True, stdout=subprocess.DEVNULL)
    load = find_load()
    if not load:
        print("bench: no http_load; that row is left out", file=sys.stderr)
    results = {"machine": machine(), "quick": options.quick}
    with ControlPlane(audit_level="RequestResponse") as plane:
        subjects = [s for s in SUBJECTS if options.subject in (None, s.kind)]
        sizes = QUICK if options.quick else Sizes()
        measured = rows(plane, subjects, sizes, load)
        wanted = options.rows.split(",") if options.rows else list(measured)
        for name in wanted:
            print(f"measuring {name} ...", file=sys.stderr, flush=True)
            results[name] = measured[name]()
            pathlib.Path(options.json).write_text(json.dumps(results, indent=1))
    print_table(results)
    print(f"\nevery figure: {options.json}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
