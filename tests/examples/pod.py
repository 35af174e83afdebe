"""A command under `tenure exec --direct`, and what can happen to its pod."""

import os
import pathlib
import signal
import subprocess
import sys

from guarded import children, name_of, send_signal
from process import Process
from waiting import eventually

# For what is to be taken over. Others keep the usual 15 s, so that a machine too
# busy to renew in time decides nothing.
FAST = ["--preset", "fast"]
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
NOT_OBTAINED, LOST = 75, 79


def program(example, name):
    return [sys.executable, str(EXAMPLES / example / name)]


def call(*words, environment=None):
    """A program of an example that ends by itself; stdout, when it ended
    with 0."""
    done = subprocess.run(
        [str(word) for word in words],
        capture_output=True, text=True, timeout=60, check=False,
        env={**os.environ, **(environment or {})},
    )
    assert done.returncode == 0, done
    return done.stdout


def refused(program_words, *words, said):
    """Wrong usage of an example's program: 64, and one line with `said` in it."""
    done = subprocess.run(
        [*program_words, *(str(word) for word in words)],
        capture_output=True, text=True, timeout=60, check=False,
        env={"PATH": os.environ["PATH"]},
    )
    assert done.returncode == 64, done
    assert said in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr


class Gate:
    """What a command waits for until the test lets it go on: a command line
    that ends when the gate is opened, and says when it was reached."""

    def __init__(self, folder, name="gate"):
        self._reached = folder / f"{name}.reached"
        self._open = folder / f"{name}.open"

    @property
    def command(self):
        return (
            f"echo >> {self._reached}; until [ -e {self._open} ]; do sleep 0.02; done"
        )

    def wait(self, count=1):
        eventually(lambda: self.reached() >= count, what="the gate is reached")

    def reached(self):
        if not self._reached.exists():
            return 0
        return len(self._reached.read_text().splitlines())

    def open(self):
        self._open.touch()


class Pod:
    def __init__(self, folder, name, dev, flags, command, environment=None):
        self.process = Process(
            folder,
            name,
            ["exec", "--direct", "--absent-lease", "take"]
            + ["--kubeconfig", str(dev.kubeconfig), "--pod-name", name, *flags]
            + ["--", *(str(word) for word in command)],
            {"TMPDIR": str(folder), **(environment or {})},
        )
        self._frozen = []

    @property
    def stdout(self):
        return self.process.stdout

    @property
    def stderr(self):
        return self.process.stderr

    @property
    def running(self):
        return self.process.running

    def wait(self, seconds=60):
        return self.process.wait(seconds)

    def crash(self):
        """As a node that dies: everything at once, nothing is released."""
        for pid in self.freeze():
            os.kill(pid, signal.SIGKILL)
        self._frozen = []
        self.process.wait()

    def freeze(self):
        """Stops all of it: wrapper, watchdog, sidecar, command."""
        todo = [self.process.pid]
        while todo:
            pid = todo.pop()
            os.kill(pid, signal.SIGSTOP)
            self._frozen.append(pid)
            todo += children(pid)
        return list(self._frozen)

    def thaw_command_only(self):
        """The worst order: the command runs, nobody is there to kill it."""
        # The innermost: with several leases there is one for each.
        watchdog = [pid for pid in self._frozen if _is_watchdog(pid)][-1]
        todo = children(watchdog)
        while todo:
            pid = todo.pop()
            os.kill(pid, signal.SIGCONT)
            self._frozen.remove(pid)
            todo += children(pid)

    def thaw(self):
        for pid in self._frozen:
            send_signal(pid, signal.SIGCONT)
        self._frozen = []

    def stop(self):
        self.thaw()
        self.process.stop()


def _is_watchdog(pid):
    return name_of(pid) == "tenure-watchdog"
