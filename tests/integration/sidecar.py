"""A running `tenure run`, asked over its own sockets."""

import http_socket
import listening
from process import Process
from waiting import GENEROUS, eventually

# D 3 s, R 2 s, P 0.5 s: short enough for a test, long enough for a busy
# machine.
FAST = ("--preset", "fast")


class Sidecar:
    def __init__(
        self,
        folder,
        name,
        arguments,
        environment=None,
        times=FAST,
        stderr=None,
        files=None,
    ):
        self.name = name
        self.status_socket = str(folder / name / "status.sock")
        self.control_socket = str(folder / name / "control.sock")
        self.process = Process(
            folder,
            name,
            ["run", *times, *arguments]
            + ["--pod-name", name, "--log-format", "json"]
            + ["--status-socket", self.status_socket]
            + ["--control-socket", self.control_socket]
            + ["--status-port", "0", "--probe-port", "0"],
            environment,
            stderr,
            files,
        )

    # Reading.

    def get(self, target, timeout=http_socket.PATIENCE, **headers):
        return http_socket.ask(self.status_socket, "GET", target, headers, b"", timeout)

    def status(self, lease=""):
        target = f"/v1/status?lease={lease}" if lease else "/v1/status"
        reply = self.get(target)
        assert reply.status == 200, reply
        return reply.json()

    def certainty(self, lease=""):
        try:
            return self.status(lease)["certainty"]
        except OSError:
            return "unreachable"

    def generation(self, lease=""):
        """The generation while held, else 0."""
        status = self.status(lease)
        return int(status["generation"]) if status["certainty"] == "held" else 0

    def wait(self, certainty, seconds=GENEROUS, lease=""):
        def reached():
            assert self.process.running, f"{self.name} ended:\n{self.process.stderr}"
            return self.certainty(lease) == certainty

        eventually(reached, seconds, f"{self.name} is {certainty}")
        return self.status(lease)

    def probe_address(self):
        return ("127.0.0.1", listening.probe_port(self.process.pid))

    def tcp_address(self):
        return ("127.0.0.1", listening.status_port(self.process.pid))

    # Control.

    def control(self, verb, generation=None, lease="", timeout=http_socket.PATIENCE):
        parts = [f"generation={generation}"] if generation is not None else []
        parts += [f"lease={lease}"] if lease else []
        query = "?" + "&".join(parts) if parts else ""
        target = f"/v1/{verb}{query}"
        return http_socket.ask(
            self.control_socket, "POST", target, None, b"", timeout
        )

    # Passed on.

    def signal(self, number):
        self.process.signal(number)

    def kill(self):
        self.process.kill()

    def stop(self):
        self.process.stop()
