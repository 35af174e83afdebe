"""Asks one process, many times a second, whether it holds.

Each answer is kept with the boot clock before asking and after the answer, so
that it is known to have been computed between the two. A process that is
stopped does not answer; its answer comes when it goes on, and is kept with its
true stamps.
"""

import dataclasses
import json
import socket
import threading
import time

INTERVAL = 0.01  # 100 Hz asked for, 50 Hz demanded by the oracle
MAX_ANSWER = 65536


def boot_now():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


@dataclasses.dataclass(frozen=True)
class Sample:
    asked: int  # boot nanoseconds
    answered: int
    certainty: str  # held, standby, uncertain, or unreachable
    generation: int = 0  # 0 unless held
    # Nanoseconds from the instant of the answer; 0 where not said.
    renew_by: int = 0
    valid_until: int = 0
    identity: str = ""

    @property
    def usable(self):
        """Whether a reader that counts from before it asked (S1) may act on it.
        An answer that a stop caught between its check and its write is not."""
        return self.certainty == "held" and self.answered < self.asked + self.renew_by


def parse_status(body, asked, answered, lease=None):
    """A sample from the document of GET /v1/status, or from that of one lease
    where a sidecar has several."""
    document = json.loads(body)
    if "leases" in document:
        document = next(one for one in document["leases"] if one["lease"] == lease)
    remaining = document.get("remainingMs") or {}
    return Sample(
        asked=asked,
        answered=answered,
        certainty=document["certainty"],
        generation=int(document.get("generation") or 0),
        renew_by=int(remaining.get("toRenewBy") or 0) * 1_000_000,
        valid_until=int(remaining.get("toValidUntil") or 0) * 1_000_000,
        identity=document["identity"],
    )


def parse_leader(body, asked, answered, lease=None):
    """A sample from the client-go peer's GET /leader: a flag, no time."""
    del lease
    document = json.loads(body)
    return Sample(
        asked=asked,
        answered=answered,
        certainty="held" if document["leading"] else "standby",
        identity=document["identity"],
    )


class Connection:
    """A kept HTTP/1.1 connection to a Unix socket path or a (host, port)."""

    def __init__(self, address):
        self._address = address
        self._socket = None
        self._stopping = False

    def get(self, target):
        """(asked, answered, body); OSError when nobody answers."""
        if self._socket is None:
            on_path = isinstance(self._address, str)
            family = socket.AF_UNIX if on_path else socket.AF_INET
            self._socket = socket.socket(family, socket.SOCK_STREAM)
            self._socket.settimeout(0.5)
            self._socket.connect(self._address)
        asked = boot_now()
        request = f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n"
        self._socket.sendall(request.encode())
        body = self._read()
        return asked, boot_now(), body

    def _read(self):
        data = b""
        needed = None
        while needed is None or len(data) < needed:
            try:
                part = self._socket.recv(MAX_ANSWER)
            except TimeoutError:
                if self._stopping:
                    raise
                continue  # stopped: wait for it to go on
            if not part:
                raise ConnectionError("closed")
            data += part
            end = data.find(b"\r\n\r\n")
            if needed is None and end >= 0:
                needed = end + 4 + _content_length(data[:end])
        return data[data.find(b"\r\n\r\n") + 4 : needed]

    def stop_waiting(self):
        self._stopping = True

    def close(self):
        if self._socket is not None:
            self._socket.close()
            self._socket = None


def _content_length(head):
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            return int(value)
    raise ConnectionError("an answer without Content-Length")


class Sampler:
    """Keeps what was answered and reads it later: asking comes first.

    Thread safety: its own thread appends; one other at a time reads."""

    def __init__(self, name, address, target="/v1/status", parse=parse_status):
        self.name = name
        self._answers = []  # (asked, answered, body; None: nobody there)
        self._read = {}  # lease -> samples
        self._target = target
        self._parse = parse
        self._connection = Connection(address)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def samples(self):
        return self.samples_of(None)

    def samples_of(self, lease):
        read = self._read.setdefault(lease, [])
        for asked, answered, body in self._answers[len(read) :]:
            if body is None:
                read.append(Sample(asked, answered, "unreachable"))
            else:
                read.append(self._parse(body, asked, answered, lease))
        return read

    def start(self):
        self._thread.start()
        return self

    def stop(self):
        self._stopping.set()
        self._connection.stop_waiting()
        self._thread.join()
        self._connection.close()

    def _run(self):
        due = time.monotonic()
        while not self._stopping.is_set():
            self._answers.append(self._ask())
            due = max(due + INTERVAL, time.monotonic())
            self._stopping.wait(max(0.0, due - time.monotonic()))

    def _ask(self):
        began = boot_now()
        try:
            return self._connection.get(self._target)
        except OSError:
            self._connection.close()
            return began, boot_now(), None
