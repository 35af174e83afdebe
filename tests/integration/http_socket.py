"""HTTP over a Unix socket path or a (host, port), one connection a request or
kept, with nothing between the test and the bytes."""

import dataclasses
import json
import socket

LARGEST = 4 * 1024 * 1024
# For an answer that is sure to come, however busy the machine is.
PATIENCE = 60.0


def connect(address, timeout=PATIENCE):
    if isinstance(address, str):
        family = socket.AF_UNIX
    else:
        family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.settimeout(timeout)
    try:
        made.connect(address)
    except OSError:
        made.close()
        raise
    return made


@dataclasses.dataclass
class Reply:
    status: int
    headers: dict
    text: str

    def json(self):
        return json.loads(self.text)


class Connection:
    """A kept HTTP/1.1 connection."""

    def __init__(self, address, timeout=PATIENCE):
        self.socket = connect(address, timeout)
        self._rest = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def ask(self, method, target, headers=None, body=b""):
        self.send(method, target, headers, body)
        return self.read()

    def send(self, method, target, headers=None, body=b""):
        lines = [f"{method} {target} HTTP/1.1"]
        fields = {"Host": "localhost", **(headers or {})}
        if body:
            fields["Content-Length"] = str(len(body))
        lines += [f"{name}: {value}" for name, value in fields.items()]
        self.socket.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)

    def read(self):
        head = self._until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        status = int(head[0].split(" ")[1])
        pairs = (line.partition(":") for line in head[1:] if line)
        headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        body = self._exactly(int(headers.get("content-length", "0")))
        return Reply(status, headers, body.decode("utf-8", "replace"))

    def line(self):
        """One line of a stream, such as server-sent events."""
        return self._until(b"\n").decode().rstrip("\r\n")

    def _more(self):
        part = self.socket.recv(65536)
        if not part:
            raise ConnectionError("closed by the other side")
        self._rest += part
        assert len(self._rest) < LARGEST, "an answer without end"

    def _until(self, mark):
        while mark not in self._rest:
            self._more()
        head, _, self._rest = self._rest.partition(mark)
        return head

    def _exactly(self, count):
        while len(self._rest) < count:
            self._more()
        body, self._rest = self._rest[:count], self._rest[count:]
        return body


def ask(address, method, target, headers=None, body=b"", timeout=PATIENCE):
    with Connection(address, timeout) as connection:
        return connection.ask(method, target, headers, body)
