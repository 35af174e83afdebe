"""Asks a Tenure sidecar for the generation. The rules are in ../README.md.

    reader = Reader("/run/tenure/tenure.sock")
    claim = reader.ask()
    store.write(row, claim.generation())  # or raises NotHeld

Standard library only. A Reader may be used from several threads.
"""

import json
import re
import socket
import time

ANSWER_WITHIN = 1.0  # seconds: a sidecar that says nothing for so long is lost
LARGEST_ANSWER = 64 * 1024
UNHEARD = 20.0  # seconds between questions while not held and nothing comes
REOPEN_AFTER = 0.5  # seconds

LONGEST_CLAIM = 1_000_000_000  # milliseconds: more is a mistake

_GENERATION = re.compile(r"[1-9][0-9]{0,15}")
_LENGTH = re.compile(rb"\r\ncontent-length: *([0-9]{1,9})(?:\r\n|$)", re.I)
# Runs on while the machine is suspended, where the system has such a clock.
_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def _now():
    return time.clock_gettime(_CLOCK)


class NotHeld(Exception):
    """There is no authority to write; the text says why."""


class Claim:
    """One answer, good for as long as the sidecar said."""

    def __init__(self, generation="", until=0.0, why=""):
        self._generation = generation
        self._until = until
        self._why = why

    def generation(self):
        """What to attach to a write that begins now. Raises NotHeld."""
        if not self._generation:
            raise NotHeld(self._why)
        if self.seconds_left() <= 0:
            raise NotHeld("past the time it was told")
        return self._generation

    def seconds_left(self):
        return max(0.0, self._until - _now()) if self._generation else 0.0

    def _ask_again_in(self):
        return max(0.001, self.seconds_left()) if self._generation else UNHEARD


class Reader:
    def __init__(self, address="/run/tenure/tenure.sock", lease=""):
        """`address`: the path of a Unix socket, or "127.0.0.1:7421"."""
        self._address = address
        self._query = f"?lease={lease}" if lease else ""

    def ask(self):
        """The Claim of this moment, within a second, whatever happens."""
        asked = _now()  # before asking: the answer may be slow (S1)
        try:
            status, document = self._get("/v1/generation", asked + ANSWER_WITHIN)
        except TimeoutError:
            return Claim(why="no answer within a second")
        except (OSError, ValueError) as error:
            return Claim(why=f"no sidecar to ask: {error}")
        return _read(status, document, asked)

    def watch(self):
        """A Claim at once, then whenever something may have changed, without
        end. An event is only a cue to ask, and so is the end of a claim."""
        while True:
            try:
                yield from self._follow()
            except OSError:
                yield self.ask()
                time.sleep(REOPEN_AFTER)

    def _follow(self):
        with self._open("/v1/watch", _now() + ANSWER_WITHIN) as stream:
            while True:
                claim = self.ask()
                yield claim
                stream.settimeout(claim._ask_again_in())
                try:
                    if not stream.recv(LARGEST_ANSWER):
                        raise ConnectionError("the sidecar closed the stream")
                except TimeoutError:
                    pass

    def _open(self, path, deadline):
        local = "/" in self._address
        family = socket.AF_UNIX if local else socket.AF_INET
        host, _, port = self._address.rpartition(":")
        opened = socket.socket(family, socket.SOCK_STREAM)
        try:
            opened.settimeout(_left(deadline))
            opened.connect(self._address if local else (host, int(port)))
            opened.sendall(
                f"GET {path}{self._query} HTTP/1.1\r\nHost: localhost\r\n"
                "Accept: application/json\r\nConnection: close\r\n\r\n".encode()
            )
        except BaseException:
            opened.close()
            raise
        return opened

    def _get(self, path, deadline):
        """The status and the body. One deadline for all of it: an answer that
        comes byte by byte is no answer."""
        answer = b""
        with self._open(path, deadline) as opened:
            while True:
                opened.settimeout(_left(deadline))
                part = opened.recv(4096)
                if not part:
                    break
                answer += part
                if len(answer) > LARGEST_ANSWER:
                    raise ValueError("an answer without end")
        head, _, body = answer.partition(b"\r\n\r\n")
        words = head.split(b" ", 2)
        if len(words) < 2 or not words[0].startswith(b"HTTP/1."):
            raise ValueError("not an HTTP answer")
        length = _LENGTH.search(head)
        if not length or int(length[1]) != len(body):
            raise ValueError("an answer that was cut short")
        return int(words[1]), body


def _left(deadline):
    left = deadline - _now()
    if left <= 0:
        raise TimeoutError
    return left


def _read(status, document, asked):
    """An answer that is not understood is no authority."""
    if status != 200:
        names = {409: "standby", 503: "uncertain"}
        return Claim(why=names.get(status, f"the sidecar answered {status}"))
    try:
        told = json.loads(document)
        generation = told["generation"]
        left = told["remainingMs"]["toRenewBy"]
        if not _GENERATION.fullmatch(generation) or type(left) is not int:
            raise ValueError
        if left >= LONGEST_CLAIM:
            raise ValueError
    except (ValueError, TypeError, KeyError, RecursionError):
        return Claim(why="the answer was not understood")
    return Claim(generation, asked + left / 1000)
