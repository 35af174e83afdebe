"""A running `tenure exec`, what its command stamped, and a store that is
fenced."""

import os
import pathlib
import signal
import socket
import struct
import threading

from process import BINARY, Process
from waiting import boot_now, eventually

CHILD = str(BINARY.parents[2] / "tests/integration/stamping_child")


class Store:
    """Takes writes with a generation, and refuses those below its token."""

    def __init__(self, path):
        self.path = str(path)
        self.token = 0
        self.refused = 0
        self.accepted = {}  # by generation
        self._lock = threading.Lock()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(self.path)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self):
        while text := self._socket.recv(64):
            self._write(int(text))

    def _write(self, generation):
        with self._lock:
            if generation < self.token:
                self.refused += 1
                return
            self.token = generation
            self.accepted[generation] = self.accepted.get(generation, 0) + 1

    def raise_token(self, generation):
        with self._lock:
            self.token = max(self.token, generation)

    def count(self, generation):
        with self._lock:
            return self.accepted.get(generation, 0)

    def close(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as bye:
            bye.connect(self.path)
            bye.send(b"")
        self._thread.join(5)
        self._socket.close()


class Stamps:
    """When each process of the command last ran, on the boot clock."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir()

    def pids(self):
        names = os.listdir(self.folder)
        return sorted(int(name) for name in names if name.isdigit())

    def last(self):
        """Of all of them, in seconds."""
        values = [
            struct.unpack("q", (self.folder / str(pid)).read_bytes())[0]
            for pid in self.pids()
        ]
        return max(values) / 1e9

    def running(self):
        return [pid for pid in self.pids() if state(pid) not in ("", "Z", "X")]


def stat(pid):
    """The fields of its line in /proc from the state on; [] if there is no such
    process."""
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="latin-1")
    except OSError:
        return []
    return text.rpartition(") ")[2].split()


def state(pid):
    """The letter in /proc; "" if there is no such process."""
    return "".join(stat(pid)[:1])


def children(pid):
    numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return [number for number in numbers if stat(number)[1:2] == [str(pid)]]


def ticks(pid):
    """Of processor time, a hundred a second."""
    return sum(int(field) for field in stat(pid)[11:13])


class Wrapper:
    """`tenure exec` on the sockets of `sidecar`."""

    def __init__(self, folder, name, sidecar, arguments, command, environment=None):
        self.process = Process(
            folder,
            name,
            ["exec", "--control-socket", sidecar.control_socket]
            + ["--socket", sidecar.status_socket, *arguments, "--", *command],
            environment,
        )
        self.pid = self.process.pid

    @property
    def stderr(self):
        return self.process.stderr

    @property
    def stdout(self):
        return self.process.stdout

    def watchdog(self):
        """Its pid, once there is one."""

        def look():
            assert self.process.running, self.stderr
            return [pid for pid in children(self.pid) if name_of(pid) == WATCHDOG]

        return eventually(look, what="a watchdog")[0]

    def signal(self, number):
        self.process.signal(number)

    def wait(self, seconds=20.0):
        return self.process.wait(seconds)

    def stop(self):
        """Ends it and all below it, also after a test that failed."""
        if self.process.running:
            for child in children(self.pid):
                if name_of(child) == WATCHDOG:
                    send_signal(child, signal.SIGCONT)
        self.process.stop()


WATCHDOG = "tenure-watchdog"


def name_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text(encoding="latin-1").strip()
    except OSError:
        return ""


def send_signal(pid, number):
    """Nothing, if it has ended."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def claim_end(sidecar):
    """The latest instant, on the boot clock, at which its present claim can
    end; as told, so it moves with each renewal."""
    status = sidecar.status()
    # Whole milliseconds, rounded down.
    return boot_now() + (status["remainingMs"]["toValidUntil"] + 1) / 1000
