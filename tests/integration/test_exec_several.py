"""`tenure exec` under several leases, and under one slot of several."""

import os
import re
import signal

import pytest
from process import Process, run
from sidecar import FAST
from waiting import eventually

NOT_OBTAINED, LOST, USAGE, CONFIGURATION = 75, 79, 64, 78
TAKE = ("--absent-lease", "take")


@pytest.fixture
def direct(tmp_path, started, dev):
    count = iter(range(100))

    def start(*words, environment=None):
        made = Process(
            tmp_path,
            f"d{next(count)}",
            ["exec", "--direct", *FAST, *TAKE]
            + ["--kubeconfig", str(dev.kubeconfig), *words],
            {"TMPDIR": str(tmp_path), **(environment or {})},
        )
        started.append(made)
        return made

    return start


def sh(text):
    return ("--", "sh", "-c", text)


def holder(dev, lease):
    found = dev.lease(lease)
    return found["spec"].get("holderIdentity") if found else None


SHOW = "echo $TENURE_GENERATION_B_1 $TENURE_GENERATION_A $TENURE_GENERATION"


@pytest.mark.parametrize(
    "leases",
    [["--lease", "b.1", "--lease", "a"], ["--lease=b.1,a"], []],
    ids=["flags", "one flag", "variable"],
)
def test_each_lease_has_a_generation_variable(direct, dev, leases):
    one = direct(*leases, *sh(SHOW), environment={"TENURE_LEASE": "b.1,a"})
    assert one.wait() == 0, one.stderr
    b, a, last = one.stdout.split()
    assert b == last and int(b) > int(a) > 0
    assert one.stderr == ""
    assert not holder(dev, "a") and not holder(dev, "b.1")


def test_the_timeout_is_for_all_of_them_together(direct):
    # Of the guard of b: its watchdog is a copy.
    show = "tr '\\0' ' ' </proc/$PPID/cmdline"
    one = direct("--lease", "a,b", "--timeout", "50s", *sh(show))
    assert one.wait() == 0, one.stderr
    left = re.search(r"--timeout=(\d+)ms", one.stdout)
    assert left and 0 < int(left[1]) < 50_000, one.stdout


def test_nothing_runs_while_one_of_them_is_not_held(direct, sidecar, tmp_path):
    other = sidecar("other", *TAKE, "--lease", "b")
    other.wait("held")
    mark = tmp_path / "mark"
    leases = ("--lease", "b", "--lease", "a")
    late = direct(*leases, "--timeout", "3s", *sh(f"touch {mark}"))
    assert late.wait() == NOT_OBTAINED
    assert not mark.exists()


def test_losing_any_of_them_ends_the_command(direct, dev):
    for lost in ("a", "b"):
        one = direct("--lease", "a,b", *sh("echo on; sleep 60"))
        eventually(lambda one=one: one.stdout)
        dev.delete(lost)
        assert one.wait() in (LOST, 128 + signal.SIGTERM)


def test_those_that_name_them_in_either_order_do_not_block_each_other(direct, dev):
    ones = [
        direct("--lease", leases, *sh("echo ran"))
        for leases in ("a,b", "b,a", "a,b", "b,a")
    ]
    for one in ones:
        assert one.wait(60) == 0, one.stderr
        assert one.stdout == "ran\n"


def test_a_sidecar_with_several_serves_a_command_under_all(dev, sidecar, process):
    one = sidecar("one", *TAKE, "--lease", "a", "--lease", "b.1")
    one.wait("held", lease="b.1")
    sockets = ["--control-socket", one.control_socket, "--socket", one.status_socket]
    done = process("x", "exec", *sockets, "--lease", "b.1,a", *sh(SHOW))
    assert done.wait() == 0, done.stderr
    b, a, last = done.stdout.split()
    assert (int(a), int(b)) == (one.generation("a"), one.generation("b.1"))
    assert last == b


def test_slots_admit_as_many_as_there_are(direct, tmp_path):
    slots = ("--lease", "api", "--slots", "2")
    go = tmp_path / "go"
    show = "echo $TENURE_LEASE $TENURE_GENERATION"
    held = [
        direct(*slots, *sh(f"{show}; until [ -e {go} ]; do sleep 0.05; done"))
        for _ in range(2)
    ]
    for one in held:
        eventually(lambda one=one: one.stdout)
    third = direct(*slots, "--timeout", "3s", *sh(show))
    assert third.wait() == NOT_OBTAINED
    go.touch()
    for one in held:
        assert one.wait() == 0, one.stderr
    names = {one.stdout.split()[0] for one in held}
    assert names == {"api-0", "api-1"}
    after = direct(*slots, *sh(show))
    assert after.wait() == 0
    highest = max(int(one.stdout.split()[1]) for one in held)
    assert int(after.stdout.split()[1]) > highest


@pytest.mark.parametrize(
    "flags,code,word",
    [
        (["--lease", "a,b", "--once", "--run-id", "x-1"], USAGE, "--once"),
        (["--lease", "a,b", "--slots", "2"], USAGE, "--slots"),
        (["--lease", "a,b", "--on-uncertain", "pause"], USAGE, "--on-uncertain"),
        (["--lease", "a", "--lease", "a"], USAGE, "twice"),
        (["--lease", "pay:US"], USAGE, 'use "pay-us"'),
        (["--config", "two.yaml"], CONFIGURATION, "in the file"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tmp_path, dev, flags, code, word):
    text = "apiVersion: tenure.dev/v1alpha1\nkind: SidecarConfig\nlease: [a, b]\n"
    (tmp_path / "two.yaml").write_text(text)
    flags = [str(tmp_path / f) if f == "two.yaml" else f for f in flags]
    given = ["--direct", "--kubeconfig", str(dev.kubeconfig), *flags]
    done = run("exec", *given, "--", "true", folder=tmp_path)
    assert done.returncode == code, done.stderr
    assert word in done.stderr and len(done.stderr.splitlines()) == 1
    assert not [name for name in os.listdir(tmp_path) if name.startswith("tenure-")]
