"""A command that forks and ends without pause: what a look at /proc finds is
gone again, and what it does not find is there."""

import os
import signal
import struct

import pytest
from guarded import CHILD, Wrapper, send_signal, state
from waiting import boot_now, eventually

LOST = 79


class Hopper:
    def __init__(self, tmp_path, sidecar, flags=()):
        self.folder = tmp_path / "stamps"
        self.folder.mkdir()
        self.wrapper = Wrapper(
            tmp_path, "x", sidecar, list(flags),
            [CHILD, str(self.folder), "", "ignore-term", "hop"],
        )
        eventually((self.folder / "hop").exists)

    def last(self):
        """When it last ran, in seconds on the boot clock."""
        return struct.unpack("q", (self.folder / "hop").read_bytes())[0] / 1e9

    def is_over(self):
        """Every hop stamps, thousands of times a second."""
        last, until = self.last(), boot_now() + 0.2
        while boot_now() < until:
            if self.last() != last:
                return False
        return True


@pytest.fixture
def hopper(tmp_path, holder, started):
    made = Hopper(tmp_path, holder)
    started.append(made.wrapper)
    return made


def test_it_is_dead_when_its_wrapper_says_so(hopper, holder):
    holder.kill()
    assert hopper.wrapper.wait() == LOST
    assert hopper.is_over()


def test_it_is_dead_though_the_watchdog_is_stopped(hopper, holder):
    os.kill(hopper.wrapper.watchdog(), signal.SIGSTOP)
    holder.kill()
    assert hopper.wrapper.wait() == LOST
    assert hopper.is_over()
    assert "watchdog" not in hopper.wrapper.stderr


def test_it_is_dead_though_its_wrapper_is_killed_and_the_watchdog_stopped(hopper):
    watchdog = hopper.wrapper.watchdog()
    os.kill(watchdog, signal.SIGSTOP)
    eventually(lambda: state(watchdog) == "T")
    hopper.wrapper.signal(signal.SIGKILL)
    try:
        eventually(hopper.is_over)
    finally:
        send_signal(watchdog, signal.SIGCONT)


def test_it_is_dead_though_the_watchdog_is_killed(hopper, holder):
    os.kill(hopper.wrapper.watchdog(), signal.SIGKILL)
    hopper.wrapper.wait()
    assert hopper.is_over()
    assert holder.status()["workRunning"] == 0
