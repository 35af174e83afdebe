"""examples/rate-limited-api: never more than N callers, each with a generation."""

import json
import urllib.request

import pytest
from pod import EXAMPLES, FAST, NOT_OBTAINED, Gate, program, refused
from process import Process
from waiting import eventually

CALLER = program("rate-limited-api", "caller.py")
SLOTS = ["--lease", "api", "--slots", "2"]


class Upstream:
    def __init__(self, process):
        self._process = process
        self.port = int(eventually(lambda: process.stdout))

    def seen(self):
        url = f"http://127.0.0.1:{self.port}/seen"
        with urllib.request.urlopen(url, timeout=20) as answer:
            return json.load(answer)


@pytest.fixture
def upstream(tmp_path, started):
    def start(call="true", limit=2):
        words = ["--limit", str(limit), "--call", call]
        program = EXAMPLES / "rate-limited-api/upstream.py"
        process = Process(tmp_path, "upstream", words, program=program)
        started.append(process)
        return Upstream(process)

    return start


def calls(api):
    return [tuple(call) for call in api.seen()["calls"]]


def test_six_callers_are_never_more_than_two_at_once(upstream, pod, tmp_path):
    gate = Gate(tmp_path)
    api = upstream(gate.command)
    callers = [pod(SLOTS, *CALLER, api.port) for _ in range(6)]
    gate.wait(2)
    assert pod([*SLOTS, "--timeout", "3s"], *CALLER, api.port).wait() == NOT_OBTAINED
    gate.open()
    assert [one.wait() for one in callers] == [0] * 6, [one.stderr for one in callers]
    seen = api.seen()
    assert (seen["mostAtOnce"], seen["overLimit"], seen["refused"]) == (2, 0, 0)
    # Each its own, and in each slot they rise.
    assert len(set(calls(api))) == 6
    for slot in ("api-0", "api-1"):
        numbers = [generation for name, generation in calls(api) if name == slot]
        assert numbers == sorted(numbers)
        assert numbers


def test_a_paused_caller_whose_slot_was_given_away_is_refused(upstream, pod, tmp_path):
    held, late = Gate(tmp_path, "held"), Gate(tmp_path, "late")
    api = upstream()
    slots = [*SLOTS, *FAST]
    other = pod(slots, *CALLER, api.port, "--before", held.command)
    held.wait()
    paused = pod(slots, *CALLER, api.port, "--before", late.command)
    late.wait()
    paused.freeze()
    # The other slot is taken, so this waits for the paused one's.
    assert pod(slots, *CALLER, api.port).wait() == 0
    assert len(calls(api)) == 1
    late.open()
    paused.thaw_command_only()
    eventually(lambda: "refused" in paused.stderr)
    paused.thaw()
    assert paused.wait() != 0
    held.open()
    assert other.wait() == 0, other.stderr
    assert api.seen()["refused"] == 1
    assert len(calls(api)) == 2
    assert {slot for slot, _ in calls(api)} == {"api-0", "api-1"}


def test_a_caller_without_a_slot_says_so_in_one_line():
    refused(CALLER, "1", said="expected TENURE_LEASE, TENURE_GENERATION")
