"""Spin visits every state of lease.pml, and finds what is wrong with each
protocol that was weakened on purpose."""

import concurrent.futures
import dataclasses
import os
import pathlib
import re
import subprocess
import time

import pytest

MODEL = pathlib.Path(__file__).with_name("lease.pml")
# soak: one write more in each history.
MORE = int(os.environ.get("TENURE_MODEL_MORE", "0"))
MEMORY_MB = 3000 if MORE == 0 else 12000
DEPTH = 1_000_000
OVERLAP = {"S1", "S2", "S9"}


@dataclasses.dataclass(frozen=True)
class Case:
    """One run of the verifier: a bounded world, and what it must show."""

    name: str
    defines: str
    weakened: frozenset = frozenset()  # the rules one of which must break

    @property
    def live(self):
        return "FAULTS" in self.defines


def weak(name, define, rules, bounds="-DWRITES=3 -DEDITS=0"):
    return Case(name, f"{bounds} -D{define}", frozenset(rules))


SOUND = [
    Case("TwoNodes", f"-DWRITES={4 + MORE} -DEDITS=0"),
    Case("TwoNodesAndEdits", f"-DWRITES={3 + MORE} -DEDITS=1"),
    Case("TwoNodesThatWork", f"-DWRITES={3 + MORE} -DEDITS=0 -DWORK"),
    Case("ThreeNodes", f"-DNODES=3 -DWRITES={2 + MORE} -DEDITS=0"),
    Case("SomebodyHoldsOfTwo", "-DFAULTS=2 -DWRITES=8 -DEDITS=1"),
    Case("SomebodyHoldsOfThree", "-DNODES=3 -DFAULTS=1 -DWRITES=8 -DEDITS=0"),
]
WEAKENED = [
    weak("CountingFromTheResponse", "WEAK_RESPONSE", OVERLAP),
    weak("NoDriftAllowance", "WEAK_DRIFT", OVERLAP),
    weak("NoNonce", "WEAK_MARK", OVERLAP),
    weak("NoFence", "WEAK_FENCE", {"FENCE"}, "-DWRITES=3 -DEDITS=0 -DWORK"),
    Case("TooFewWrites", "-DFAULTS=1 -DWRITES=1 -DEDITS=0", frozenset({"L2"})),
]


@dataclasses.dataclass
class Verdict:
    said: str
    broken: str  # the rule that the counterexample breaks, or ""
    seconds: float

    def number(self, pattern):
        found = re.search(pattern, self.said)
        assert found, f"the verifier did not end:\n{self.said[-2000:]}"
        return int(float(found[1]))

    @property
    def errors(self):
        return self.number(r"errors: (\d+)")

    @property
    def states(self):
        return self.number(r"([\d.e+]+) states, stored")

    @property
    def depth(self):
        return self.number(r"depth reached (\d+)")

    @property
    def truncated(self):
        signs = "max search depth too small|out of memory|hash.?table.* full"
        signs += "|search was not completed|reached -DMEMLIM|VECTORSZ is too small"
        return re.findall(signs, self.said, re.IGNORECASE)

    @property
    def unreached(self):
        places = re.findall(r"^\t.*, state \d+, \"(.*)\"$", self.said, re.MULTILINE)
        return [place for place in places if place != "-end-"]


def run(command, folder, check=True):
    done = subprocess.run(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, check=False,
    )
    assert not check or done.returncode == 0, f"{command}:\n{done.stdout[-2000:]}"
    return done.stdout


def verify(case, folder):
    folder.mkdir()
    began = time.monotonic()
    defines = case.defines.split()
    run(["spin", *defines, "-a", str(MODEL)], folder)
    kind = ["-DNOREDUCE"] if case.live else ["-DSAFETY", "-DNOREDUCE"]
    run(["gcc", "-O2", "-w", *kind, f"-DMEMLIM={MEMORY_MB}", "-o", "pan", "pan.c"],
        folder)
    search = ["-a"] if case.live else []
    said = run(["./pan", *search, f"-m{DEPTH}", "-w22"], folder, check=False)
    broken = ""
    trail = folder / "lease.pml.trail"
    if trail.exists() and case.live:
        broken = "L2"
    elif trail.exists():
        replay = ["spin", "-t", "-k", str(trail), *defines, str(MODEL)]
        broken = re.search(r"broken: (\w+)", run(replay, folder, check=False))[1]
    return Verdict(said, broken, time.monotonic() - began)


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    """All of them, as many at once as there are processors."""
    folder = tmp_path_factory.mktemp("model")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {
            case.name: pool.submit(verify, case, folder / case.name)
            for case in SOUND + WEAKENED
        }
    return jobs


def show(capsys, case, verdict):
    with capsys.disabled():
        found = f", breaks {verdict.broken}" if verdict.broken else ""
        print(
            f"\n  {case.name}: {verdict.states} states, depth {verdict.depth}"
            f"{found} ({verdict.seconds:.0f} s)", end="", flush=True,
        )


@pytest.mark.parametrize("case", SOUND, ids=lambda case: case.name)
def test_no_state_breaks_a_rule(case, verdicts, capsys):
    verdict = verdicts[case.name].result()
    show(capsys, case, verdict)
    assert verdict.errors == 0, f"breaks {verdict.broken}"
    assert not verdict.truncated, verdict.truncated
    assert not verdict.unreached, verdict.unreached
    assert verdict.states > 1000


@pytest.mark.parametrize("case", WEAKENED, ids=lambda case: case.name)
def test_a_weakened_protocol_is_found_out(case, verdicts, capsys):
    verdict = verdicts[case.name].result()
    show(capsys, case, verdict)
    assert verdict.errors == 1
    assert verdict.broken in case.weakened
