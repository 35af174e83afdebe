"""`tenure wait` and `tenure release`, as a script beside a sidecar uses them."""

import contextlib
import os
import signal
import subprocess
import threading
import time

import pytest
from http_socket import connect
from process import BINARY, run
from waiting import GENEROUS, eventually

REACHED, NOT_RELEASED, UNCERTAIN = 0, 1, 2
USAGE, UNREACHABLE, NOT_IN_TIME = 64, 69, 75


def wait(one, state, *flags):
    return run("wait", f"--for={state}", "--socket", one.status_socket, *flags)


def release(one, *flags):
    return run("release", "--control-socket", one.control_socket, *flags)


def in_background(*arguments):
    """A verb that runs while the test does something else."""
    done = []
    thread = threading.Thread(target=lambda: done.append(run(*arguments)))
    thread.start()

    def result():
        thread.join(GENEROUS)
        return done[0]

    return result


def test_what_is_so_already_is_reached_at_once(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    held = wait(one, "held")
    assert held.returncode == REACHED
    assert f"generation {one.status()['generation']}" in held.stdout
    two = sidecar("two")
    assert wait(two, "standby").returncode == REACHED


def test_a_state_that_does_not_come_is_75_with_the_one_found(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    one.wait("held")
    done = wait(one, "standby", "--timeout", "300ms")
    assert (done.returncode, done.stdout) == (NOT_IN_TIME, "")
    assert "held, generation" in done.stderr


def test_a_take_over_ends_the_wait(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    one.wait("held")
    two = sidecar("two")
    two.wait("standby")
    result = in_background("wait", "--for=held", "--socket", two.status_socket)
    one.kill()
    assert result().returncode == REACHED
    assert two.generation() > 0


def test_nobody_there_is_69_in_one_line(tmp_path):
    path = str(tmp_path / "none.sock")
    done = run("wait", "--for=held", "--socket", path, "--timeout", "300ms")
    assert (done.returncode, done.stdout) == (UNREACHABLE, "")
    assert path in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_sidecar_that_starts_late_is_waited_for(sidecar, tmp_path):
    path = str(tmp_path / "one" / "status.sock")
    result = in_background("wait", "--for=held", "--socket", path)
    sidecar("one", "--absent-lease", "take")
    assert result().returncode == REACHED


@pytest.mark.parametrize("timeout", ["500ms", "0"])
def test_a_frozen_sidecar_is_one_that_does_not_answer(sidecar, timeout):
    """Within the timeout, or within ten seconds where there is none."""
    one = sidecar("one", "--absent-lease", "take")
    one.wait("held")
    one.signal(signal.SIGSTOP)
    try:
        done = wait(one, "standby", "--timeout", timeout)
    finally:
        one.signal(signal.SIGCONT)
    assert (done.returncode, done.stdout) == (UNREACHABLE, "")
    assert len(done.stderr.splitlines()) == 1
    assert f"{one.status_socket}, found silence" in done.stderr


@contextlib.contextmanager
def waiting_for_standby(sidecar):
    """A wait without a timeout, once it is connected."""
    popen = subprocess.Popen(
        [str(BINARY), "wait", "--for=standby", "--socket", sidecar.status_socket],
        stdout=subprocess.DEVNULL,
    )
    try:
        eventually(lambda: connected(popen.pid))
        yield popen
    finally:
        popen.kill()
        popen.wait()


def test_a_wait_ends_although_the_sidecar_is_frozen_while_it_lasts(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    one.wait("held")
    with waiting_for_standby(one) as popen:
        one.signal(signal.SIGSTOP)
        try:
            assert popen.wait(GENEROUS) == UNREACHABLE
        finally:
            one.signal(signal.SIGCONT)


def test_where_too_many_watch_the_state_is_asked_for(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    one.wait("held")
    watchers = [connect(one.status_socket) for _ in range(32)]
    for watcher in watchers:
        watcher.sendall(b"GET /v1/watch HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert watcher.recv(64).startswith(b"HTTP/1.1 200")
    assert wait(one, "held", "--timeout", "10s").returncode == REACHED
    for watcher in watchers:
        watcher.close()


def test_waiting_is_not_polling(sidecar):
    """Nothing happens, so it wakes for the events alone."""
    one = sidecar("one", "--absent-lease", "take")
    one.wait("held")
    with waiting_for_standby(one) as popen:
        before = sleeps(popen.pid)
        time.sleep(1)
        # A renewal a second is an event; to ask every 20 ms would be 50.
        assert sleeps(popen.pid) - before <= 20


def connected(pid):
    folder = f"/proc/{pid}/fd"
    try:
        links = [os.readlink(f"{folder}/{name}") for name in os.listdir(folder)]
    except FileNotFoundError:
        return False  # one was closed meanwhile
    return any("socket" in link for link in links)


def sleeps(pid):
    """How often it has gone to sleep."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        line = next(one for one in file if one.startswith("voluntary"))
    return int(line.split()[1])


@pytest.mark.parametrize("flags", [(), ("--for=uncertain",), ("--for",)])
def test_a_state_that_cannot_be_waited_for_is_usage(flags):
    done = run("wait", *flags)
    assert (done.returncode, done.stdout) == (USAGE, "")


def test_of_several_leases_one_is_to_be_named(sidecar):
    one = sidecar("one", "--absent-lease", "take", "--lease", "a", "--lease", "b")
    one.wait("held", lease="b")
    unnamed = wait(one, "held")
    assert unnamed.returncode == USAGE
    assert "a, b" in unnamed.stderr
    assert wait(one, "held", "--lease", "b").returncode == REACHED


def test_of_slots_any_will_do(sidecar):
    one = sidecar("one", "--absent-lease", "take", "--lease", "s", "--slots", "2")
    two = sidecar("two", "--absent-lease", "take", "--lease", "s", "--slots", "2")
    for each in (one, two):
        done = run("wait", "--for=held", "--socket", each.status_socket)
        assert done.returncode == 0
        assert "held, generation" in done.stdout
        assert run("status", "--socket", each.status_socket).returncode == REACHED
    three = sidecar("three", "--lease", "s", "--slots", "2")
    done = run("wait", "--for=standby", "--socket", three.status_socket)
    assert done.returncode == 0, done.stderr
    released = release(one)
    assert released.returncode == 0, released.stderr


def test_release_hands_the_lease_over(dev, sidecar):
    one = sidecar("one", "--absent-lease", "take")
    generation = one.wait("held")["generation"]
    done = release(one)
    assert done.returncode == 0
    assert done.stdout == f"released generation {generation}\n"
    eventually(lambda: one.generation() != int(generation))


def test_what_the_api_server_did_not_acknowledge_is_not_released(dev, sidecar):
    one = sidecar("one", "--absent-lease", "take", times=("--preset", "default"))
    generation = one.wait("held")["generation"]
    dev.process.signal(signal.SIGSTOP)
    try:
        done = release(one, "--timeout", "300ms")
        assert (done.returncode, done.stdout) == (NOT_IN_TIME, "")
        assert "no word from the API server" in done.stderr
        assert one.generation() == 0
    finally:
        dev.process.signal(signal.SIGCONT)
    eventually(lambda: one.generation() > int(generation))


def test_release_takes_the_generation_at_its_word(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    generation = int(one.wait("held")["generation"])
    wrong = release(one, "--generation", str(generation + 1))
    assert (wrong.returncode, wrong.stdout) == (NOT_RELEASED, "")
    assert one.generation() == generation
    assert release(one, "--generation", str(generation)).returncode == 0


def test_release_is_refused_while_work_runs(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    generation = int(one.wait("held")["generation"])
    assert one.control("work", generation).status == 200
    refused = release(one)
    assert refused.returncode == NOT_RELEASED
    assert "running work" in refused.stderr
    assert one.generation() == generation
    assert one.control("done", generation).status == 200
    assert release(one).returncode == 0


def test_there_is_nothing_to_release_on_standby_or_in_doubt(dev, sidecar):
    one = sidecar("one", "--absent-lease", "take")
    one.wait("held")
    two = sidecar("two")
    two.wait("standby")
    standby = release(two)
    assert (standby.returncode, standby.stdout) == (NOT_RELEASED, "")
    assert "not released" in standby.stderr
    dev.process.kill()
    one.wait("uncertain")
    assert release(one).returncode == UNCERTAIN


def test_release_needs_the_control_socket(sidecar, tmp_path):
    one = sidecar("one", "--absent-lease", "take")
    generation = int(one.wait("held")["generation"])
    done = run("release", "--control-socket", one.status_socket)
    assert done.returncode == USAGE
    assert "control" in done.stderr
    none = run("release", "--control-socket", str(tmp_path / "none.sock"))
    assert none.returncode == UNREACHABLE
    assert run("release", "--generation", "007").returncode == USAGE
    assert one.generation() == generation
    assert os.path.exists(one.control_socket)
