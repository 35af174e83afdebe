"""What the oracle is fed with."""

import contextlib
import json
import socket
import threading
import time

import oracle
import pytest
from sampler import Sampler, boot_now, parse_status

DOCUMENT = json.dumps({"certainty": "held", "generation": "4", "identity": "a"})


class Answers:
    """A server on a Unix socket whose answers can be held back or broken off."""

    def __init__(self, path):
        self.going = threading.Event()
        self.going.set()
        self.closing = threading.Event()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(path)
        self._listener.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            connection, _ = self._listener.accept()
            with connection, contextlib.suppress(OSError):
                self._answer(connection)

    def _answer(self, connection):
        while connection.recv(4096):
            self.going.wait()
            if self.closing.is_set():
                self.closing.clear()
                return
            head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(DOCUMENT)}\r\n\r\n"
            connection.sendall(head.encode())
            connection.sendall(DOCUMENT.encode())  # in a second part


@pytest.fixture
def answers(tmp_path):
    path = str(tmp_path / "s")
    return Answers(path), path


def wait_for(condition):
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_an_answer_that_was_held_back_keeps_its_true_stamps(answers):
    server, path = answers
    sampler = Sampler("a", path).start()
    wait_for(lambda: len(sampler.samples) > 3)
    server.going.clear()
    time.sleep(0.7)  # longer than the sampler's patience for one recv
    let_go = boot_now()
    server.going.set()
    wait_for(lambda: sampler.samples[-1].asked > let_go)
    sampler.stop()
    late = [s for s in sampler.samples if s.asked < let_go < s.answered]
    assert len(late) == 1 and late[0].certainty == "held"


def test_a_broken_connection_is_made_again(answers):
    server, path = answers
    sampler = Sampler("a", path).start()
    wait_for(lambda: sampler.samples)
    server.closing.set()
    wait_for(lambda: any(s.certainty == "unreachable" for s in sampler.samples))
    broken = len(sampler.samples)
    wait_for(lambda: len(sampler.samples) > broken + 3)
    sampler.stop()
    assert sampler.samples[-1].certainty == "held"


def test_one_question_serves_all_leases_of_a_sidecar():
    body = json.dumps(
        {
            "leases": [
                {"lease": "a", "certainty": "standby", "identity": "i"},
                {"lease": "b", "certainty": "held", "generation": "4", "identity": "i"},
            ]
        }
    )
    assert parse_status(body, 1, 2, "a").certainty == "standby"
    assert parse_status(body, 1, 2, "b").generation == 4


def test_nobody_there_is_unreachable_and_not_an_error(tmp_path):
    sampler = Sampler("a", str(tmp_path / "none")).start()
    wait_for(lambda: len(sampler.samples) > 3)
    sampler.stop()
    assert {s.certainty for s in sampler.samples} == {"unreachable"}


def test_stopping_does_not_wait_for_a_frozen_process(answers):
    server, path = answers
    server.going.clear()
    sampler = Sampler("a", path).start()
    time.sleep(0.05)
    began = time.monotonic()
    sampler.stop()
    server.going.set()
    assert time.monotonic() - began < 5


def test_an_idle_machine_is_sampled_at_50_hz(answers):
    _, path = answers
    sampler = Sampler("a", path).start()
    time.sleep(1)
    sampler.stop()
    assert oracle.sampled_too_slowly("a", sampler.samples) == []
