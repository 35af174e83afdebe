"""`tenure drill`: it passes where the fence holds, fails where it does not, and
says so where it has shown neither."""

import glob
import signal
import xml.etree.ElementTree as xml

import pytest
from drilling import (
    FAILED, NO_VERDICT, PASSED, REFUSE, SKIPPED, USAGE, Drill, adapter, fence,
)
from process import BINARY
from waiting import eventually

FAKETIME = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")


@pytest.fixture
def drill(tmp_path, started):
    def start(*arguments):
        made = Drill(tmp_path, *arguments)
        started.append(made)
        return made

    return start


def stale_answer(report):
    """What the store said to the stale write, and what it had accepted before."""
    events = report["events"]
    stale = report["staleWrite"]["id"]
    answers = [e for e in events if e["kind"] == "answer"]
    last = [e for e in answers if e["id"] == stale][-1]
    tried = [e for e in events if e["kind"] == "try" and e["id"] == stale][-1]
    known = [
        int(e["generation"])
        for e in answers
        if e["outcome"] == "accepted" and e["at"] < tried["at"]
    ]
    return last, max(known)


def refused_by_generation(report):
    answer, known = stale_answer(report)
    assert answer["outcome"] == "refused"
    assert int(answer["generation"]) < known <= int(answer["token"])


def test_the_default_drill_passes_and_tells_each_step(drill):
    one = drill()
    assert one.wait() == PASSED, one.stdout + one.stderr
    for piece in ("is paused between its check", "acquired the lease", "goes on",
                  "killed the writer", "the store refused the stale write"):
        assert piece in one.stdout
    assert one.stdout.splitlines()[-1].startswith("1 passed, 0 failed")
    assert one.stderr == ""


def test_the_pause_is_longer_than_the_lease_and_the_write_is_real(drill):
    one = drill("-o", "json", "--contenders", "3")
    assert one.wait() == PASSED, one.stdout
    (report,) = one.report()
    refused_by_generation(report)
    holder = report["staleWrite"]["by"]
    mine = [e for e in report["events"] if e["who"] == holder]
    frozen = next(e["at"] for e in mine if e["kind"] == "frozen")
    resumed = next(e["at"] for e in mine if e["kind"] == "resumed")
    assert resumed - frozen > 3e9
    # The very write that it had checked for, by its own process.
    held = next(e for e in mine if e["kind"] == "holding")
    assert held["id"] == report["staleWrite"]["id"]
    gone = next(e for e in mine if e["kind"] == "gone")
    assert gone["at"] > resumed


def test_without_the_fence_the_stale_write_is_accepted_and_that_is_a_failure(drill):
    one = drill("--unfenced")
    assert one.wait() == FAILED, one.stdout
    assert "the store ACCEPTED a stale write" in one.stdout
    assert "The fence was off" in one.stdout
    junit = drill("--unfenced", "-o", "junit")
    assert junit.wait() == FAILED
    suite = xml.fromstring(junit.stdout)
    assert suite.get("failures") == "1"
    assert "ACCEPTED" in suite.find("testcase/failure").get("message")


@pytest.mark.parametrize(
    "name,fault",
    [
        ("api-partition", "cut off"),
        ("api-restart", "goes away for everybody"),
        ("slow-api", "two lease durations late"),
        ("holder-kill", "are killed"),
        ("lease-deleted", "is deleted"),
        ("lost-acquire-response", "lose its answer"),
    ],
)
def test_each_drill_passes_on_the_embedded_server(drill, name, fault):
    one = drill("--drill", name, "-o", "json")
    assert one.wait() == PASSED, one.stdout[-3000:] + one.stderr
    (report,) = one.report()
    assert report["name"] == name
    assert any(fault in e.get("text", "") for e in report["events"])
    refused_by_generation(report)


def test_stepped_wall_clocks_change_nothing(drill):
    if not FAKETIME:
        pytest.skip("libfaketime is not installed: no wall clock can be stepped")
    if {"asan", "tsan"} & set(BINARY.parts):
        pytest.skip("a sanitizer's run-time does not bear libfaketime beside it")
    one = drill("--drill", "clock-step", "-o", "json")
    assert one.wait() == PASSED, one.report()[0]["why"]
    (report,) = one.report()
    refused_by_generation(report)


def test_a_given_server_is_left_released_and_what_it_lacks_is_skipped(drill, dev):
    given = ("--kubeconfig", str(dev.kubeconfig), "--lease", "mine")
    one = drill("--drill", "pause", "--drill", "slow-api", *given)
    assert one.wait() == SKIPPED, one.stdout + one.stderr
    assert "SKIPPED slow-api: it needs the fault knobs" in one.stdout
    assert "1 passed, 0 failed, 0 no verdict, 1 skipped" in one.stdout
    assert not dev.lease("mine-pause")["spec"].get("holderIdentity")


def test_a_store_of_ones_own_is_drilled_through_its_program(drill, tmp_path):
    store = adapter(tmp_path / "store", fence())
    one = drill(*store, "-o", "json")
    assert one.wait() == PASSED, one.stdout[-3000:] + one.stderr
    refused_by_generation(one.report()[0])


# Each fences well as far as two numbers of one length and the one stale write go.
@pytest.mark.parametrize(
    "broken,code,why",
    [
        ({"order": "str"}, NO_VERDICT, "does it compare them as text"),
        ({"order": "(lambda n: min(n, 2**31 - 1))"}, NO_VERDICT, "have too few bits"),
        ({"always": '"raise"'}, FAILED, "ACCEPTED a stale raise"),
        ({"refuse": "seen.update(writes=seen['writes'] + 1) or save(seen); " + REFUSE},
         FAILED, "APPLIED a write that it refused"),
    ],
    ids=["text", "32-bits", "raises-down", "applies-it-all-the-same"],
)
def test_a_fence_that_is_nearly_right_does_not_pass(drill, tmp_path, broken, code, why):
    one = drill(*adapter(tmp_path / "store", fence(**broken)))
    assert one.wait() == code, one.stdout + one.stderr
    assert why in one.stdout


@pytest.mark.parametrize(
    "text,code,why",
    [
        ("#!/bin/sh\nexit 3\n", NO_VERDICT, "it ended"),
        ("#!/bin/sh\nwhile read l; do echo babble; done\n", NO_VERDICT, ": babble"),
        # It never gets as far as a stale write.
        (
            "#!/bin/sh\nread l; echo '{\"result\":\"ok\"}'\n",
            NO_VERDICT,
            "did not answer a raise",
        ),
        (
            fence(refuse='return {"result": "accepted", "token": "1"}'),
            FAILED,
            "ACCEPTED",
        ),
        (
            fence(refuse='return {"result": "refused", "token": "1"}'),
            NO_VERDICT,
            "not by its generation",
        ),
    ],
    ids=["ends", "babbles", "dumb", "no-fence", "refuses-blindly"],
)
def test_a_store_that_does_not_fence_does_not_pass(drill, tmp_path, text, code, why):
    one = drill(*adapter(tmp_path / "store", text))
    assert one.wait() == code, one.stdout + one.stderr
    assert why in one.stdout


def test_an_interrupt_leaves_nothing_behind(drill, tmp_path):
    page = tmp_path / "page.html"
    one = drill("--html", str(page))
    eventually(lambda: "is paused" in one.stdout, 60.0)
    one.process.signal(signal.SIGINT)
    assert one.wait() == 128 + signal.SIGINT
    assert not page.exists()
    assert len(one.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "arguments,expected",
    [
        (["--drill", "paus"], "did you mean pause?"),
        (["--contenders", "1"], "2 to 8"),
        (["--preset", "slow"], "fast, default, patient"),
        (["--store", "nothing://here"], "tenure-store-nothing"),
        (["--store-path", "x"], "--store with it"),
        (["--namespace", "x"], "--kubeconfig or --context"),
        (["--lease", "Not_Valid"], "--lease"),
        (["-o", "yaml"], "text, json, junit"),
        (["--html", "/nonexistent/page.html"], "can be written"),
        (["stray"], "stray"),
    ],
)
def test_wrong_usage_is_refused_in_one_line(drill, arguments, expected):
    one = drill(*arguments)
    assert one.wait() == USAGE
    assert expected in one.stderr
    assert len(one.stderr.splitlines()) == 1 and one.stdout == ""
