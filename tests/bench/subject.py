"""The two sidecars that are measured, behind one face.

Each tells the boot time at which it began to hold: `tenure` by the event that
/v1/watch pushed, the client-go sidecar by the line its callback printed. Both
run at 15 s / 10 s / 2 s.
"""

import itertools
import json
import pathlib
import socket
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "apiserver"))

import binaries  # noqa: E402
from control_plane import LEASES, ControlPlane, free_port  # noqa: E402, F401
from sampler import Sampler, boot_now, parse_leader  # noqa: E402
from sidecar import Peer, Sidecar, kubeconfig_access  # noqa: E402
from workload import credential_of  # noqa: E402

DURATION, DEADLINE, INTERVAL = 15, 10, 2
_serial = itertools.count(1)


class EventReader:
    """Reads GET /v1/watch and keeps when the answer became *held*."""

    def __init__(self, path):
        self._path = path
        self._stream = None
        self.held_at = []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while not pathlib.Path(self._path).exists():
            time.sleep(0.001)
        try:
            with socket.socket(socket.AF_UNIX) as stream:
                self._stream = stream
                stream.connect(self._path)
                stream.sendall(b"GET /v1/watch HTTP/1.1\r\nHost: localhost\r\n\r\n")
                self._follow(stream)
        except OSError:
            pass  # the sidecar ended

    def close(self):
        if self._stream is not None:
            self._stream.shutdown(socket.SHUT_RDWR)
        self._thread.join(5)

    def _follow(self, stream):
        pending = b""
        last = None
        while part := stream.recv(65536):
            now = boot_now()
            *lines, pending = (pending + part).split(b"\n")
            for line in lines:
                if not line.startswith(b"data: "):
                    continue
                certainty = json.loads(line[6:])["certainty"]
                if certainty == "held" and last != "held":
                    self.held_at.append(now)
                last = certainty


class Tenure(Sidecar):
    kind = "tenure"

    def __init__(self, stage, lease, flags=(), user=None):
        self.status_port = free_port()
        name = f"tenure-{next(_serial)}"
        kubeconfig, self.credential = stage.credentials(name)
        super().__init__(
            name,
            stage.folder / name,
            [lease],
            kubeconfig_access(kubeconfig),
            ("--namespace", stage.namespace, "--status-port", self.status_port, *flags),
            user,
            stage.plane.for_any_user(binaries.find_tenure()) if user else None,
        )
        self._events = EventReader(self.status_socket)

    @property
    def held_at(self):
        return self._events.held_at

    def unwatch(self):
        """No more events: each costs the sidecar CPU that is not its own."""
        self._events.close()

    def ready(self):
        """It has settled: it holds, or knows that another does."""
        return self.certainty() in ("held", "standby")


class ClientGo(Peer):
    kind = "client-go"

    def __init__(self, stage, lease, flags=(), user=None):
        name = f"client-go-{next(_serial)}"
        kubeconfig, self.credential = stage.credentials(name)
        super().__init__(
            name,
            stage.folder / name,
            kubeconfig,
            stage.namespace,
            lease,
            (*self._times(), *flags),
            user,
            stage.plane.for_any_user(binaries.find("peer")) if user else None,
        )

    @staticmethod
    def _times():
        return (
            f"-lease-duration={DURATION}s",
            f"-renew-deadline={DEADLINE}s",
            f"-renew-interval={INTERVAL}s",
        )

    @property
    def held_at(self):
        return self._stamps("leading")

    def _stamps(self, kind):
        events = [json.loads(line) for line in list(self.lines)]
        return [event["boot"] for event in events if event["event"] == kind]

    def unwatch(self):
        pass

    def ready(self):
        return bool(self._stamps("observed"))


SUBJECTS = (Tenure, ClientGo)


class Stage:
    """A namespace with leases, free at once, and an account that may use them."""

    def __init__(self, plane, leases):
        self.plane = plane
        self.leases = list(leases)
        self.work = plane.workload(leases=self.leases)
        self.namespace = self.work.namespace
        self.folder = self.work.folder
        self.audit_start = plane.audit_log.stat().st_size
        self._programs = []
        for lease in self.leases:
            self._make_free(lease)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for program in self._programs:
            program.end()

    def credentials(self, name):
        """A kubeconfig with a token of its own, and how the audit log names it."""
        token = self.work.token()
        kubeconfig = self.work.kubeconfig(f"{name}.kubeconfig", token=token)
        return kubeconfig, credential_of(token)

    def _make_free(self, lease):
        """In the form in which a release leaves it."""
        body = {
            "metadata": {"name": lease, "namespace": self.namespace},
            "spec": {"leaseDurationSeconds": 1},
        }
        self.plane.request("POST", LEASES.format(self.namespace), body)

    def start(self, subject, lease=None, **more):
        program = subject(self, lease or self.leases[0], **more)
        self._programs.append(program)
        return program

    def drop(self, program):
        program.end()
        self._programs.remove(program)


def wait_until(condition, seconds, what):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise RuntimeError(f"{what}: not within {seconds} s")
        time.sleep(0.002)


def held_after(program, instant):
    """The first time after `instant` at which it began to hold, or None."""
    return next((stamp for stamp in program.held_at if stamp > instant), None)
