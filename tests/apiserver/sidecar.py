"""The processes under test: the sidecar, and the client-go peer."""

import dataclasses
import http.client
import json
import os
import signal
import socket
import subprocess
import threading
import time

import binaries
from free_port import free_port
from sampler import Sampler, boot_now, parse_leader

# In a mount namespace of its own, a folder takes the place of the kubelet's.
IN_POD = (
    "mount -t tmpfs none /run && mkdir -p /run/secrets/kubernetes.io && "
    'ln -s "$0" /run/secrets/kubernetes.io/serviceaccount && exec "$@"'
)

FAST = ("--preset", "fast")  # 3 s, 2 s, 500 ms


@dataclasses.dataclass(frozen=True)
class Access:
    """How a sidecar is let in to the API server."""

    flags: tuple = ()
    environment: dict = dataclasses.field(default_factory=dict)
    prefix: tuple = ()


def kubeconfig_access(path):
    return Access(flags=("--kubeconfig", path))


def in_pod_access(workload, mount):
    """As in a pod: the kubelet's variables and its mount of the account."""
    shell = ("unshare", "--mount", "--propagation", "private", "sh", "-c", IN_POD)
    return Access(
        environment=workload.in_cluster_environment(), prefix=(*shell, mount)
    )


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self._path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class Program:
    """One started process, its output, and signals to it alone."""

    def __init__(self, name, command, folder, environment=None, user=None):
        self.name = name
        self.folder = folder
        self.stopped = []  # (from, to) intervals in which it could not answer
        self._log_path = folder / "stderr.log"
        with open(self._log_path, "ab") as log:
            self.process = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                env=environment,
                user=user,
                start_new_session=True,
            )
        self.pid = self.process.pid
        self.lines = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line.decode(errors="replace").rstrip())

    def log(self):
        return self._log_path.read_text(errors="replace")

    def signal(self, number):
        self.process.send_signal(number)

    def terminate(self):
        self.signal(signal.SIGTERM)

    def kill(self):
        self.stopped.append((boot_now(), 1 << 62))
        self.process.kill()
        self.process.wait()

    def freeze(self):
        self.stopped.append((boot_now(), 1 << 62))
        self.signal(signal.SIGSTOP)

    def thaw(self):
        """The boot time just before it went on: read afterwards, on a busy
        machine, it may be later than what the process has said since."""
        began = self.stopped.pop()[0]
        resumed = boot_now()
        self.signal(signal.SIGCONT)
        self.stopped.append((began, boot_now() + 100_000_000))
        return resumed

    def wait(self, seconds):
        return self.process.wait(seconds)

    def end(self):
        """Ends it whatever state it is in, and leaves nothing behind."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._reader.join(5)
        self.process.stdout.close()


class Sidecar(Program):
    """`tenure run`. Its sockets and its output lie in `folder`. `program`: what
    to run, where that is not the binary under test itself."""

    def __init__(
        self, name, folder, leases, access, flags=(), user=None, program=None
    ):
        folder.mkdir(parents=True, exist_ok=True)
        if user is not None:
            os.chown(folder, user, user)
        self.status_socket = str(folder / "status.sock")
        self.control_socket = str(folder / "control.sock")
        self.probe_port = free_port()
        program = program or binaries.find_tenure()
        command = [*access.prefix, program, "run", *access.flags]
        for one in leases:
            command += ["--lease", one]
        command += [
            "--status-socket", self.status_socket,
            "--control-socket", self.control_socket,
            "--status-port", "0",
            "--probe-port", self.probe_port,
            "--log-format", "json",
            *flags,
        ]  # fmt: skip
        clean = {k: v for k, v in os.environ.items() if not k.startswith("TENURE_")}
        clean["POD_NAME"] = name
        super().__init__(name, command, folder, {**clean, **access.environment}, user)

    def sampler(self):
        return Sampler(self.name, self.status_socket)

    def get(self, target, timeout=5.0):
        """(status, body) from the status socket."""
        return self._ask(self.status_socket, "GET", target, timeout)

    def post(self, target, timeout=15.0):
        """(status, body) from the control socket."""
        return self._ask(self.control_socket, "POST", target, timeout)

    def status(self, lease=None):
        code, body = self.get("/v1/status" + (f"?lease={lease}" if lease else ""))
        if code != 200:
            raise RuntimeError(f"{self.name}: /v1/status answered {code}: {body}")
        return json.loads(body)

    def probe(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.probe_port, timeout=5)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    @staticmethod
    def _ask(path, method, target, timeout):
        connection = UnixConnection(path, timeout)
        try:
            connection.request(method, target)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def certainty(self, lease=None):
        try:
            return self.status(lease)["certainty"]
        except (OSError, http.client.HTTPException):
            return "unreachable"

    def wait_for(self, certainty, seconds, lease=None):
        """The boot time at which it was first seen to answer so."""
        deadline = time.monotonic() + seconds
        last = None
        while time.monotonic() < deadline:
            last = self.certainty(lease)
            if last == certainty:
                return boot_now()
            if self.process.poll() is not None:
                break
            time.sleep(0.005)
        raise AssertionError(
            f"{self.name} was {last}, not {certainty}, for {seconds} s "
            f"(exit code {self.process.poll()}): {self.log()[-1500:]}"
        )


class Peer(Program):
    """The client-go elector of go/peer."""

    def __init__(
        self,
        name,
        folder,
        kubeconfig,
        namespace,
        lease,
        flags=(),
        user=None,
        program=None,
    ):
        folder.mkdir(parents=True, exist_ok=True)
        command = [
            program or binaries.find("peer"),
            f"--kubeconfig={kubeconfig}",
            f"--namespace={namespace}",
            f"--lease={lease}",
            f"--identity={name}",
            *flags,
        ]
        super().__init__(name, command, folder, user=user)
        self._address = None

    @property
    def address(self):
        deadline = time.monotonic() + 20
        while self._address is None:
            for line in self.lines:
                event = json.loads(line)
                if event["event"] == "listening":
                    host, port = event["address"].rsplit(":", 1)
                    self._address = (host, int(port))
            if self._address is None and time.monotonic() > deadline:
                log = self.log()[-800:]
                raise AssertionError(f"{self.name} does not listen: {log}")
            time.sleep(0.005)
        return self._address

    def sampler(self):
        return Sampler(self.name, self.address, "/leader", parse_leader)

    def leader(self):
        connection = http.client.HTTPConnection(*self.address, timeout=5)
        try:
            connection.request("GET", "/leader")
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()

    def wait_leading(self, leading, seconds):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.leader()["leading"] == leading:
                return boot_now()
            time.sleep(0.01)
        raise AssertionError(f"{self.name} leading was not {leading} for {seconds} s")
