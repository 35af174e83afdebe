"""Whatever is stopped or killed, the command and all it started run no
instruction after `valid_until`, as long as one of the two guards runs; where
all are frozen together, the store's fence refuses what comes after.

Each is TENURE_EXEC_TRIALS trials (20 in CI, 200 in `make soak`), several at
once: a trial mostly waits.
"""

import concurrent.futures
import contextlib
import os
import pathlib
import signal
import tempfile

import pytest
from dev_server import DevServer
from exec_scene import Scene, reap
from waiting import boot_now, eventually

TRIALS = int(os.environ.get("TENURE_EXEC_TRIALS", "20"))
AT_ONCE = int(os.environ.get("TENURE_EXEC_TRIALS_AT_ONCE", "5"))
LOST, KILLED, OWN_FAILURE = 79, 128 + signal.SIGKILL, 125


@pytest.fixture(scope="module")
def shared_dev(tmp_path_factory):
    server = DevServer(tmp_path_factory.mktemp("dev"))
    yield server
    server.stop()


@pytest.fixture
def trials(shared_dev, record_property):
    """Runs one kind: trials(what, contender=True). `what` returns seconds, which
    are reported. With `own_server` each trial may fault its API server: faults of
    a shared one are removed all together, and it takes 64."""

    def one(what, seed, own_server=False, **options):
        with contextlib.ExitStack() as ending:
            server = shared_dev
            if own_server:
                folder = ending.enter_context(tempfile.TemporaryDirectory())
                server = DevServer(pathlib.Path(folder))
                ending.callback(server.stop)
            scene = Scene(server, seed, **options)
            ending.callback(scene.close)
            return what(scene)

    def run(what, **options):
        # The threads live as long as the processes they start, which die with
        # the thread that started them.
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            running = [pool.submit(one, what, n, **options) for n in range(TRIALS)]
            concurrent.futures.wait(running)
            errors = [(n, f.exception()) for n, f in enumerate(running)]
        failed = [(n, error) for n, error in errors if error is not None]
        for number, error in failed:
            print(f"trial {number}: {error!r}")
        assert not failed, f"{len(failed)} of {TRIALS}, such as {failed[0][1]!r}"
        seconds = sorted(f.result() for f in running)
        figures = {
            "trials": len(seconds),
            "least_ms": round(seconds[0] * 1000, 1),
            "median_ms": round(seconds[len(seconds) // 2] * 1000, 1),
            "most_ms": round(seconds[-1] * 1000, 1),
        }
        for name, value in figures.items():
            record_property(name, value)
        print(figures)

    return run


def test_a_sidecar_that_is_stopped(trials):
    def trial(scene):
        scene.freeze(scene.one.process.pid)
        left = scene.gone_by(scene.claim_end())
        assert scene.wrapper.wait() == LOST
        scene.taken_over()
        return left

    trials(trial, contender=True)


def test_a_sidecar_that_is_killed(trials):
    def trial(scene):
        scene.one.kill()
        left = scene.gone_by(scene.claim_end())
        assert scene.wrapper.wait() == LOST
        scene.taken_over()
        return left

    trials(trial, contender=True)


def test_an_api_server_that_refuses(trials):
    def trial(scene):
        match = {"verb": "update", "name": scene.lease}
        scene.dev.fault("fail", match=match, status=503)
        left = scene.gone_by(scene.claim_end())
        assert scene.wrapper.wait() == LOST
        return left

    trials(trial, own_server=True)


def test_doubt_that_is_ignored(trials):
    def trial(scene):
        scene.freeze(scene.one.process.pid)
        left = scene.gone_by(scene.claim_end())
        assert scene.wrapper.wait() == LOST
        return left

    trials(trial, flags=("--on-uncertain", "ignore"))


def test_doubt_that_pauses(trials):
    def trial(scene):
        scene.freeze(scene.one.process.pid)
        left = scene.gone_by(scene.claim_end())
        assert scene.wrapper.wait() == LOST
        return left

    trials(trial, flags=("--on-uncertain", "pause"))


def test_a_wrapper_that_is_killed(trials):
    def trial(scene):
        scene.wrapper.process.kill()
        end = scene.claim_end()
        reap(scene.watchdog)
        return scene.gone_by(end)

    trials(trial)


def test_a_wrapper_that_is_stopped_and_resumed(trials):
    def trial(scene):
        scene.freeze(scene.wrapper.pid)
        left = scene.gone_by(scene.claim_end())
        scene.thaw()
        assert scene.wrapper.wait() == LOST
        return left

    trials(trial)


def test_a_watchdog_that_is_stopped(trials):
    def trial(scene):
        scene.freeze(scene.watchdog)
        scene.one.kill()
        left = scene.gone_by(scene.claim_end())
        assert scene.wrapper.wait() == LOST
        return left

    trials(trial)


def test_a_watchdog_that_is_killed(trials):
    def trial(scene):
        os.kill(scene.watchdog, signal.SIGKILL)
        left = scene.gone_by(scene.claim_end())
        assert scene.wrapper.wait() == OWN_FAILURE
        assert scene.one.status()["workRunning"] == 0
        return left

    trials(trial)


def test_a_wrapper_and_a_sidecar_that_are_stopped(trials):
    def trial(scene):
        scene.freeze(scene.wrapper.pid, scene.one.process.pid)
        left = scene.gone_by(scene.claim_end())
        scene.taken_over()
        scene.thaw()
        assert scene.wrapper.wait() == LOST
        return left

    trials(trial, contender=True)


def test_frozen_together_the_fence_refuses_what_runs_after_the_thaw(trials):
    """No guard ran: what is measured is how long the command lives on."""

    def trial(scene):
        scene.freeze(scene.wrapper.pid, scene.watchdog, *scene.stamps.pids())
        scene.freeze(scene.one.process.pid)
        scene.two.wait("held")
        scene.store.raise_token(int(scene.two.status()["generation"]))
        accepted = scene.store.count(scene.generation)
        thawed = boot_now()
        scene.thaw()
        assert scene.wrapper.wait() == LOST
        assert not scene.stamps.running()
        lived = scene.stamps.last() - thawed
        if lived > 0:
            eventually(lambda: scene.store.refused > 0, what="no stale write seen")
        assert scene.store.count(scene.generation) == accepted
        return max(lived, 0.0)

    trials(trial, contender=True)
