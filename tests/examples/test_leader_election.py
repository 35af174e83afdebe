"""examples/leader-election: three pods, one of which writes."""

import signal
import sqlite3

import pytest
from pod import EXAMPLES, Gate
from process import Process
from waiting import eventually

APP = EXAMPLES / "leader-election/app.py"


class Replica:
    """A pod: the sidecar and the app beside it."""

    def __init__(self, sidecar, app):
        self.name = sidecar.name
        self.sidecar = sidecar
        self.app = app

    def said(self):
        return self.app.stdout.splitlines()


@pytest.fixture
def replica(tmp_path, started, sidecar):
    def start(name, *flags):
        one = sidecar(name, "--absent-lease", "take", "--lease", "ledger")
        words = [str(tmp_path / "ledger.db"), "--socket", one.status_socket, *flags]
        app = Process(tmp_path, f"{name}-app", words, program=APP)
        started.append(app)
        eventually(lambda: app.stdout, what=f"{name}: {app.stderr}")
        return Replica(one, app)

    return start


@pytest.fixture
def rows(tmp_path):
    """[(generation, pod)] in the order in which the store took them."""

    def read():
        path = tmp_path / "ledger.db"
        if not path.exists():
            return []
        db = sqlite3.connect(path, timeout=30)
        try:
            return db.execute("SELECT generation, pod FROM work ORDER BY id").fetchall()
        except sqlite3.OperationalError:  # no table yet
            return []
        finally:
            db.close()

    return read


def writer(rows, besides=0):
    """The pod that writes with a generation above `besides`, and that."""
    last = eventually(lambda: [row for row in rows() if row[0] > besides])[-1]
    return last[1], last[0]


def one_writer_at_a_time(rows):
    generations = [generation for generation, _ in rows()]
    assert generations == sorted(generations)
    assert len(set(rows())) == len(set(generations))


@pytest.mark.parametrize(
    "end", [signal.SIGTERM, signal.SIGKILL, signal.SIGSTOP], ids=lambda s: s.name
)
def test_another_goes_on_with_a_higher_generation(replica, rows, end):
    pods = {name: replica(name) for name in ("one", "two", "three")}
    name, generation = writer(rows)
    pods[name].sidecar.signal(end)
    eventually(lambda: pods[name].said()[-1] == "standby")
    other, higher = writer(rows, generation)
    assert other != name and higher > generation
    if end == signal.SIGSTOP:
        pods[name].sidecar.signal(signal.SIGCONT)
        count = len(rows())
        eventually(lambda: len(rows()) > count + 3)
    one_writer_at_a_time(rows)


def test_an_app_held_between_question_and_write_is_refused(replica, rows, tmp_path):
    gate = Gate(tmp_path)
    late = replica("late", "--between", gate.command)
    gate.wait()
    late.sidecar.kill()
    other = replica("other")
    assert writer(rows)[0] == "other"
    gate.open()
    eventually(lambda: any("refused" in line for line in late.said()))
    assert {pod for _, pod in rows()} == {"other"}
    one_writer_at_a_time(rows)
    assert other.app.running and late.app.running
