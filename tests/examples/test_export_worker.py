"""examples/export-worker: workers crash and pause, readers see whole files."""

import os
import pathlib
import signal

import pytest
from guarded import children, name_of, state
from pod import FAST, Gate, call, program, refused
from waiting import eventually

WORKER = program("export-worker", "worker.py")
LEASE = ["--lease", "november", *FAST]
LINES = 1000


@pytest.fixture
def exports(tmp_path):
    path = tmp_path / "exports.db"
    call(*WORKER, path, "open")
    (tmp_path / "out").mkdir()
    return path


def render(exports, part="true"):
    into = str(exports.parent / "out")
    words = [str(exports), "render", "november", "--into", into, "--part", part]
    return [*WORKER, *words]


def published(exports):
    name = call(*WORKER, exports, "show", "november").strip()
    return pathlib.Path(name) if name != "None" else None


def is_whole(file):
    lines = file.read_text().splitlines()
    return len(lines) == LINES and lines[-1] == f"{LINES - 1},{(LINES - 1) ** 2}"


def files(exports):
    return sorted((exports.parent / "out").iterdir())


def test_of_two_workers_one_renders(exports, pod, tmp_path):
    part = f"echo >> {tmp_path}/parts"
    workers = [pod(["--lease", "november"], *render(exports, part)) for _ in range(2)]
    assert [one.wait() for one in workers] == [0, 0], [one.stderr for one in workers]
    assert len((tmp_path / "parts").read_text().splitlines()) == 4
    assert "already" in "".join(one.stdout for one in workers)
    assert is_whole(published(exports))


def test_after_a_crash_the_next_one_renders_and_the_half_file_goes(
    exports, pod, tmp_path
):
    gate = Gate(tmp_path)
    crashed = pod(LEASE, *render(exports, gate.command))
    gate.wait()
    crashed.crash()
    assert published(exports) is None
    (half,) = files(exports)
    assert pod(LEASE, *render(exports)).wait() == 0
    assert is_whole(published(exports))
    assert files(exports) == [published(exports)] != [half]


def test_the_worker_dies_with_its_wrapper(exports, pod, tmp_path):
    gate = Gate(tmp_path)
    worker = pod(LEASE, *render(exports, gate.command))
    gate.wait()
    (watchdog,) = [
        pid for pid in children(worker.process.pid)
        if name_of(pid) == "tenure-watchdog"
    ]
    (command,) = children(watchdog)
    os.kill(worker.process.pid, signal.SIGKILL)
    eventually(lambda: state(command) in ("", "Z"), what="the worker lives")
    assert published(exports) is None


def test_a_worker_paused_in_a_part_may_not_publish(exports, pod, tmp_path):
    gate = Gate(tmp_path)
    paused = pod(LEASE, *render(exports, gate.command))
    gate.wait()
    paused.freeze()
    (half,) = files(exports)
    assert pod(LEASE, *render(exports)).wait() == 0
    fresh = published(exports)
    assert fresh != half and is_whole(fresh)
    gate.open()
    paused.thaw_command_only()
    eventually(lambda: "refused" in paused.stderr)
    assert published(exports) == fresh and is_whole(fresh)
    paused.thaw()
    assert paused.wait() != 0


def test_what_is_missing_is_said_in_one_line(exports, tmp_path):
    words = ("render", "november", "--into", tmp_path)
    refused(WORKER, exports, *words, said="tenure exec -- worker.py")
    refused(WORKER, tmp_path / "new.db", *words, said="worker.py")
    refused(WORKER, exports, "open", said="was opened before")
