#!/usr/bin/env python3
"""The tests are tested: changes the core, the driver and the loop in small ways
and runs the tests that should notice.

    tests/mutants/mutate.py [--count N] [--seed TEXT] [--only NAME...] [--list]
                            [--quick] [--jobs N]

The set is all those by hand, and of those by rule what operators.py says. Without
--count every mutant of it. With it N of them, drawn by the seed (default: the
commit), which is printed. --quick leaves out the two programs that search, which
take most of the time and notice what no other did only now and then. The tree is never written: each mutant is one object
in a folder of its own, linked into a library under the programs of tests, which
stop at the first failure.

A mutant that no test notices is a failure, unless docs/testing.md says why it
changes nothing that matters.
"""

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import by_hand
import operators

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCES = (
    *sorted((ROOT / "sidecar/authority").glob("*.cc")),
    ROOT / "sidecar/coordinator/driver.cc",
)
CORE = (
    *sorted((ROOT / "sidecar/base").glob("*.cc")),
    *SOURCES,
    ROOT / "sidecar/clock/system_clock.cc",
    ROOT / "sidecar/coordinator/loop.cc",  # by hand only
    ROOT / "sidecar/coordinator/snapshot_board.cc",
    ROOT / "sidecar/gate/guard.cc",
)
MODEL = ("tests/sim/api_server_model.cc",)
SIM = [
    str(path.relative_to(ROOT))
    for path in sorted((ROOT / "tests/sim").glob("*.cc"))
    if path.name not in ("canary_test.cc", "print_digests.cc")
]
COMPILER = ["g++", "-std=c++23", "-fPIC"]
# A bound moved by one is noticed where the index leaves its vector.
MUTANT_FLAGS = ("-O0", "-D_GLIBCXX_ASSERTIONS")
CACHED = ["ccache"] * bool(shutil.which("ccache"))
# Read once instead of by every mutant, whose compilation costs more than its
# tests.
HEADERS = (
    *sorted((ROOT / "sidecar/authority").glob("*.h")),
    ROOT / "sidecar/base/check.h",
    ROOT / "sidecar/coordinator/driver.h",
)
STANDARD = ("algorithm", "charconv", "compare", "cstdio", "deque", "limits", "utility")
LIBRARIES = ["-lgmock", "-lgtest", "-lgtest_main", "-lpthread"]
# More than this and the mutant hangs, which is noticed, too. Seconds of
# processor time: how busy the machine is decides nothing.
CPU_LIMIT = 240
MEMORY_LIMIT = 3 << 30
# One that waits for ever uses no processor time. The programs that judge by no
# real time take what a busy machine needs.
TIMEOUT = 1800
# The loop's tests wait for what must come, half a minute for each at most, and
# for ever for a loop that does not end.
LOOP_TIMEOUT = 120


@dataclasses.dataclass(frozen=True)
class Program:
    """One program of tests. Ordered: the quick and sharp ones first."""

    name: str
    sources: tuple
    arguments: tuple = ()
    environment: tuple = ()
    searches: bool = False
    timeout: int = TIMEOUT


def glob(pattern):
    return tuple(str(p.relative_to(ROOT)) for p in sorted(ROOT.glob(pattern)))


PROGRAMS = (
    Program("authority", (*glob("tests/unit/authority/*_test.cc"), *MODEL)),
    Program("driver", glob("tests/unit/coordinator/driver*_test.cc")),
    Program("loop", glob("tests/unit/coordinator/loop_test.cc"), timeout=LOOP_TIMEOUT),
    Program("golden", (*glob("tests/golden/*.cc"), *MODEL)),
    Program(
        "sim",
        tuple(SIM),
        # Not the digests: they tell that something changed, not that it is wrong.
        ("--gtest_filter=-*OneSeedGivesOneHistory*",),
        (("TENURE_SIM_SEEDS", "40"), ("TENURE_SIM_MINUTES", "5")),
        searches=True,
    ),
    Program(
        "exhaustive",
        (*glob("tests/exhaustive/*.cc"), *MODEL),
        (),
        (("TENURE_EXHAUSTIVE_DEPTH", "7"),),
        searches=True,
    ),
)


def run(command, **options):
    return subprocess.run(
        command, cwd=ROOT, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, check=False, **options,
    )


def limit_resources():
    """Some mutants loop for ever, and some of those remember each round."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT, CPU_LIMIT + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))


def compile_to(source, target, *flags, cached=()):
    done = run(
        [*cached, *COMPILER, *flags, f"-I{ROOT}", '-DTENURE_SOURCE_DIR="."',
         "-c", str(source), "-o", str(target)]
    )
    return done.stdout if done.returncode else ""


def compile_headers(folder):
    """A header with all that the core includes, compiled; for -include."""
    header = folder / "core.h"
    lines = [f"#include <{name}>" for name in STANDARD]
    lines += [f'#include "{path.relative_to(ROOT)}"' for path in HEADERS]
    header.write_text("\n".join(lines) + "\n", encoding="utf-8")
    said = compile_to(header, f"{header}.gch", *MUTANT_FLAGS, "-x", "c++-header")
    if said:
        raise RuntimeError(said)
    return header


def link_core(objects, folder):
    done = run(["g++", "-shared", *map(str, objects), "-o", str(folder / "libcore.so")])
    if done.returncode:
        raise RuntimeError(done.stdout)


class Bench:
    """The objects and programs that every mutant shares."""

    def __init__(self, folder, workers, programs):
        self.folder = folder
        self.programs = programs
        self.core = {path: folder / f"core-{path.stem}.o" for path in CORE}
        jobs = [(path, target) for path, target in self.core.items()]
        tests = {s: folder / (s.replace("/", "_") + ".o")
                 for program in programs for s in program.sources}
        jobs += [(ROOT / s, target) for s, target in tests.items()]
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            headers = pool.submit(compile_headers, folder)
            compiled = pool.map(
                lambda job: compile_to(job[0], job[1], "-O1", cached=CACHED), jobs)
            for said in compiled:
                if said:
                    raise RuntimeError(said)
            self.headers = headers.result()
        link_core(self.core.values(), folder)
        for program in programs:
            done = run(
                ["g++", *(str(tests[s]) for s in program.sources), f"-L{folder}",
                 "-lcore", *LIBRARIES, "-o", str(folder / program.name)]
            )
            if done.returncode:
                raise RuntimeError(done.stdout)

    def failing(self, library):
        """The first program that notices, and its first failed test."""
        for program in self.programs:
            env = dict(os.environ, LD_LIBRARY_PATH=str(library),
                       **dict(program.environment))
            command = [str(self.folder / program.name), "--gtest_brief=1",
                       "--gtest_fail_fast", *program.arguments]
            try:
                done = run(command, env=env, timeout=program.timeout,
                           preexec_fn=limit_resources)
            except subprocess.TimeoutExpired:
                return f"{program.name}: hangs"
            if done.returncode:
                failed = re.search(r"\[  FAILED  \] (\S+)", done.stdout)
                how = failed.group(1) if failed else f"ended with {done.returncode}"
                return f"{program.name}: {how}"
        return ""

    def judge(self, mutant):
        """"killed", "survived" or "invalid" (does not compile), and by what."""
        original = ROOT / mutant.path
        with tempfile.TemporaryDirectory(dir=self.folder) as name:
            folder = pathlib.Path(name)
            source = folder / original.name
            source.write_text(mutant.text, encoding="utf-8")
            changed = folder / "changed.o"
            if compile_to(source, changed, *MUTANT_FLAGS,
                          "-include", str(self.headers)):
                return "invalid", ""
            objects = [changed if path == original else target
                       for path, target in self.core.items()]
            link_core(objects, folder)
            by = self.failing(folder)
        return ("killed" if by else "survived"), by


def all_mutants():
    """Those by hand first; each name once."""
    def read(path):
        return (ROOT / path).read_text(encoding="utf-8")

    found = list(by_hand.mutants(read))
    for source in SOURCES:
        path = str(source.relative_to(ROOT))
        found += operators.mutants(path, read(path))
    return found


def explained():
    """Names of the survivors that docs/testing.md explains."""
    text = (ROOT / "docs/testing.md").read_text(encoding="utf-8")
    text = text.split("| mutant |", 1)[1].split("\n\n", 1)[0]
    return set(re.findall(r"^\| `([\w-]+)` \|", text, re.MULTILINE))


def drawn(mutants, count, seed):
    if count is None or count >= len(mutants):
        return mutants
    commit = run(["git", "rev-parse", "--short=12", "HEAD"]).stdout.strip()
    seed = seed or commit
    print(f"{count} of {len(mutants)} mutants, drawn by the seed {seed}; repeat with: "
          f"make mutants COUNT={count} SEED={seed}")
    return random.Random(seed).sample(mutants, count)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--count", type=int)
    parser.add_argument("--seed")
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(arguments)

    chosen = drawn(all_mutants(), options.count, options.seed)
    if options.only:
        chosen = [mutant for mutant in chosen if mutant.name in options.only]
    if options.list:
        for mutant in chosen:
            print(f"{mutant.name}  {mutant.path}:{mutant.line}  {mutant.what}")
        return 0

    began = time.monotonic()
    workers = options.jobs
    counts = {"killed": 0, "survived": 0, "invalid": 0, "explained": 0}
    known = explained()
    with tempfile.TemporaryDirectory(prefix="mutants-") as name:
        programs = [p for p in PROGRAMS if not (options.quick and p.searches)]
        bench = Bench(pathlib.Path(name), workers, programs)
        noticed = bench.failing(bench.folder)
        if noticed:
            print(f"the tests fail without any mutant: {noticed}")
            return 1
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            judged = pool.map(bench.judge, chosen)
            for mutant, (verdict, by) in zip(chosen, judged):
                if verdict == "survived" and mutant.name in known:
                    verdict = "explained"
                counts[verdict] += 1
                print(f"{verdict:<9} {mutant.name}  {mutant.path}:{mutant.line}  "
                      f"{by or mutant.what}", flush=True)

    real = len(chosen) - counts["invalid"]
    print(f"{counts['killed']} of {real} mutants killed, {counts['explained']} change "
          f"nothing that matters (docs/testing.md), {counts['survived']} survived; "
          f"{counts['invalid']} did not compile; {time.monotonic() - began:.0f} s")
    passed = counts["killed"] + counts["explained"]
    if "TENURE_TALLY" in os.environ:
        with open(os.environ["TENURE_TALLY"], "a", encoding="utf-8") as tally:
            tally.write(f"{passed} passed, {counts['survived']} failed, 0 skipped\n")
    return 0 if passed and not counts["survived"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
