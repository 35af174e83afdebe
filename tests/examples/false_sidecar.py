"""A sidecar that answers as it is told to, also as no sidecar should."""

import json
import os
import socket
import threading
import time

HOUR_MS = 3_600_000
BETWEEN_DRIPS = 0.1  # a whole answer takes longer than any test waits


def document(certainty, generation="42", left=HOUR_MS):
    told = {"lease": "job", "certainty": certainty}
    if certainty == "held":
        told["generation"] = generation
    told["remainingMs"] = {"toRenewBy": left, "toValidUntil": left + 1000}
    # A name that somebody chose to look like fields.
    told["holder"] = '","generation":"99","remainingMs":{"toRenewBy":9999},'
    return json.dumps(told, separators=(",", ":")).encode()


def answer(status, body, missing=0):
    return (
        f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body) + missing}\r\nConnection: close\r\n\r\n"
    ).encode() + body


def held(generation="42", left=HOUR_MS):
    return answer(200, document("held", generation, left))


def whole(reply):
    return lambda connection: connection.sendall(reply)


def late(seconds, reply):
    def act(connection):
        time.sleep(seconds)
        connection.sendall(reply)

    return act


def silent(connection):
    connection.recv(1)  # until the reader gives up


def dripping(connection):
    for byte in held():
        connection.sendall(bytes([byte]))
        time.sleep(BETWEEN_DRIPS)


def endless(connection):
    connection.sendall(b"HTTP/1.1 200 X\r\nConnection: close\r\n\r\n")
    while True:
        connection.sendall(b" " * 65536)


def cut_in_the_generation():
    body = document("held", generation="4200000")
    end = body.index(b"4200") + 2
    return answer(200, body[:end], missing=len(body) - end)


# Answers that give no authority, though their status is 200 but for the last.
NOTHING_CLEAR = (
    cut_in_the_generation(),
    answer(200, document("held")[:-60], missing=60),
    answer(200, b'{"remainingMs":{"toRenewBy":5000}}'),
    answer(200, b'{"generation":"42"}'),
    answer(200, b'{"generation":"42","remainingMs":{"toRenewBy":"5000"}}'),
    held(left=0),
    held(left=-5),
    held(generation="4x"),
    held(generation=""),
    held(generation="0"),
    held(generation="9" * 30),
    held(generation=42),
    held(left=10**30),
    held(left=10**10),
    answer(200, document("held"), missing=10),
    answer(200, b"42\n"),
    answer(200, b""),
    b"42\n",
)


class FalseSidecar:
    """`act` is what it does with a question; `feed` what the streams get."""

    def __init__(self, folder, tcp):
        self.act = whole(held())
        self.asked = 0
        self._tcp = tcp
        self._path = str(folder / "false.sock")
        self._port = 0
        self._streams = []
        self._lock = threading.Lock()
        self.open()

    @property
    def address(self):
        return f"127.0.0.1:{self._port}" if self._tcp else self._path

    def open(self):
        family = socket.AF_INET if self._tcp else socket.AF_UNIX
        self._listener = socket.socket(family, socket.SOCK_STREAM)
        if self._tcp:
            self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind(("127.0.0.1", self._port) if self._tcp else self._path)
        self._listener.listen()
        if self._tcp:
            self._port = self._listener.getsockname()[1]
        threading.Thread(
            target=self._accept, args=(self._listener,), daemon=True
        ).start()

    def close(self):
        """From here on connections are refused."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        if not self._tcp:
            os.unlink(self._path)
        self.end_streams()

    def _accept(self, listener):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(
                target=self._serve, args=(connection,), daemon=True
            ).start()

    def _serve(self, connection):
        try:
            request = b""
            while b"\r\n\r\n" not in request:
                request += connection.recv(4096)
            if b"/v1/watch" in request:
                self._stream(connection)
                return
            self.asked += 1
            self.act(connection)
        except OSError:
            pass  # the reader did not wait
        connection.close()

    def _stream(self, connection):
        connection.sendall(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
            b"Connection: close\r\n\r\n" + self._event()
        )
        with self._lock:
            self._streams.append(connection)

    def _event(self):
        return b"event: status\ndata: " + document("held", "99") + b"\n\n"

    def streams(self):
        with self._lock:
            return len(self._streams)

    def feed(self):
        """An event, and it says held, whatever a question would be told."""
        with self._lock:
            for stream in self._streams:
                stream.sendall(self._event())

    def end_streams(self):
        with self._lock:
            for stream in self._streams:
                stream.close()
            self._streams = []

    def stop(self):
        try:
            self.close()
        except OSError:
            pass  # closed already
