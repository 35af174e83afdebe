"""`tenure exec --slots N`: any one of NAME-0 to NAME-(N-1), never more at once."""

import pytest
from guarded import Wrapper
from process import Process, run
from sidecar import FAST
from waiting import eventually

USAGE = 64
SLOTS = {"api-0", "api-1"}


class Direct(Wrapper):
    def __init__(self, folder, name, dev, flags, command):
        self.process = Process(
            folder,
            name,
            ["exec", "--direct", "--kubeconfig", str(dev.kubeconfig)]
            + ["--absent-lease", "take", *flags, "--", *command],
            {"TMPDIR": str(folder)},
        )
        self.pid = self.process.pid

    def words(self):
        return self.stdout.split()


@pytest.fixture
def caller(tmp_path, started, dev):
    count = iter(range(100))

    def start(text, *flags):
        made = Direct(
            tmp_path, f"c{next(count)}", dev,
            ["--lease", "api", "--slots", "2", *flags], ["sh", "-c", text],
        )
        started.append(made)
        return made

    return start


def until(path, say="echo $TENURE_LEASE $TENURE_GENERATION"):
    return f"{say}; until [ -e {path} ]; do sleep 0.02; done"


def test_each_caller_has_a_slot_and_a_generation_of_its_own(caller, dev, tmp_path):
    go = tmp_path / "go"
    two = [caller(until(go)) for _ in range(2)]
    eventually(lambda: all(len(one.words()) == 2 for one in two))
    assert {one.words()[0] for one in two} == SLOTS
    for one in two:
        name, generation = one.words()
        metadata = dev.lease(name)["metadata"]
        assert metadata["annotations"]["tenure.dev/generation"] == generation

    go.touch()
    assert [one.wait() for one in two] == [0, 0]
    for name in SLOTS:
        assert not dev.lease(name)["spec"].get("holderIdentity")


def test_never_more_callers_than_slots(caller, tmp_path):
    """Each leaves a mark while it runs, and counts the marks."""
    marks = tmp_path / "marks"
    marks.mkdir()
    text = f"touch {marks}/$$; ls {marks} | wc -l; sleep 0.2; rm {marks}/$$"
    callers = [caller(text) for _ in range(6)]
    assert [one.wait() for one in callers] == [0] * 6
    assert {one.stdout.strip() for one in callers} <= {"1", "2"}


def test_a_run_is_recorded_nowhere_that_all_slots_look(caller, sidecar):
    one = caller("echo ran", "--once", "--run-id", "bill-1")
    assert (one.wait(), one.stdout) == (USAGE, "")
    assert "slots" in one.stderr

    many = sidecar("one", "--absent-lease", "take", "--lease", "s", "--slots", "2")
    done = run(
        "exec", "--control-socket", many.control_socket, "--once",
        "--run-id", "bill-1", "--", "echo", "ran",
    )
    assert (done.returncode, done.stdout) == (USAGE, "")
    assert "slots" in done.stderr


def test_slots_may_come_from_the_environment(tmp_path, dev):
    done = run(
        "exec", "--direct", *FAST, "--kubeconfig", str(dev.kubeconfig),
        "--absent-lease", "take", "--", "sh", "-c", "echo $TENURE_LEASE",
        environment={"TENURE_LEASE": "api", "TENURE_SLOTS": "2"},
        folder=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() in SLOTS
