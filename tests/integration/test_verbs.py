"""The verbs that ask a running sidecar, as a script in a cron pod uses them."""

import json
import os
import signal
import socket
import subprocess
import threading
import time

import pytest
from process import BINARY, run

HELD, STANDBY, UNCERTAIN, UNREACHABLE, USAGE = 0, 1, 2, 69, 64
CONFIGURATION = 78
OUTPUT_LOST = 74


def ask(verb, one, *flags):
    return run(verb, "--socket", one.status_socket, *flags)


def test_exit_codes_follow_the_answer(sidecar, dev):
    one = sidecar("one", "--absent-lease", "take")
    generation = one.wait("held")["generation"]
    two = sidecar("two")
    two.wait("standby")

    held = ask("generation", one)
    assert (held.returncode, held.stdout) == (HELD, generation + "\n")
    standby = ask("generation", two)
    assert (standby.returncode, standby.stdout) == (STANDBY, "")
    assert standby.stderr
    assert ask("status", one).returncode == HELD
    assert ask("status", two).returncode == STANDBY

    dev.process.kill()
    one.wait("uncertain")
    doubt = ask("generation", one)
    assert (doubt.returncode, doubt.stdout) == (UNCERTAIN, "")
    assert ask("status", one).returncode == UNCERTAIN


def test_the_document_is_the_one_the_socket_serves(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    one.wait("held")
    told = json.loads(ask("status", one, "-o", "json").stdout)
    served = one.status()
    for key in ("lease", "identity", "certainty", "generation", "holder"):
        assert told[key] == served[key]


def test_nobody_there_is_69_with_one_line_that_says_where_and_what_to_do(tmp_path):
    path = str(tmp_path / "none.sock")
    for verb, flag in (
        (["status"], "--socket"),
        (["status", "--watch"], "--socket"),
        (["generation"], "--socket"),
        (["generation", "--watch"], "--socket"),
        (["release"], "--control-socket"),
    ):
        done = run(*verb, flag, path)
        assert done.returncode == UNREACHABLE
        assert path in done.stderr
        assert "start `tenure run`" in done.stderr
        assert done.stderr.endswith(f"where it listens with {flag}\n")
        assert len(done.stderr.splitlines()) == 1


def test_where_nothing_listens_on_a_port_its_flag_is_named():
    with socket.socket() as bound:  # nobody else gets it, and nobody listens
        bound.bind(("127.0.0.1", 0))
        port = str(bound.getsockname()[1])
        for words in (["status", "--port"], ["probe", "live", "--probe-port"]):
            done = run(*words, port)
            assert done.returncode == UNREACHABLE
            assert done.stderr.endswith(f"where it listens with {words[-1]}\n")


def test_a_taken_port_of_dev_is_told_with_its_owner():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for words, flag in (
            (["dev", "--port", port], "--port"),
            (
                ["run", "--embedded", "--status-socket", "none",
                 "--control-socket", "none", "--embedded-port", port],
                "--embedded-port",
            ),
        ):
            done = run(*words)
            assert done.returncode == CONFIGURATION
            assert f"in use by process {os.getpid()} " in done.stderr
            assert f"choose another with {flag}," in done.stderr


def test_a_sidecar_that_does_not_answer_is_69_in_time(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    one.wait("held")
    one.signal(signal.SIGSTOP)
    try:
        done = ask("generation", one, "--timeout", "500ms")
    finally:
        one.signal(signal.SIGCONT)
    assert (done.returncode, done.stdout) == (UNREACHABLE, "")


@pytest.mark.parametrize("verb", ["status", "generation"])
def test_an_unknown_lease_is_told_with_those_there_are(sidecar, verb):
    one = sidecar("one", "--absent-lease", "take", "--lease", "a", "--lease", "b")
    one.wait("held", lease="b")
    done = ask(verb, one, "--lease", "c")
    assert done.returncode == USAGE
    assert "a, b" in done.stderr
    assert ask(verb, one, "--lease", "a").returncode == HELD


def test_a_generation_of_several_leases_is_a_wrong_question(sidecar):
    one = sidecar("one", "--absent-lease", "take", "--lease", "a", "--lease", "b")
    one.wait("held", lease="b")
    done = ask("generation", one)
    assert (done.returncode, done.stdout) == (USAGE, "")
    assert "a, b" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def answer_late(path, document, delay):
    """Serves one answer, `delay` seconds after the question came."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen(1)

    def serve():
        asking, _ = listener.accept()
        with listener, asking:
            asking.recv(65536)
            time.sleep(delay)
            body = json.dumps(document)
            head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n"
            asking.sendall((head + body).encode())

    threading.Thread(target=serve, daemon=True).start()


@pytest.mark.parametrize("flags", [(), ("-o", "json")])
@pytest.mark.parametrize("verb", ["status", "generation"])
def test_an_answer_that_comes_too_late_is_uncertain(tmp_path, verb, flags):
    document = {"lease": "a", "namespace": "n", "certainty": "held"}
    document |= {"generation": "7", "remainingMs": {"toRenewBy": 200}}
    answer_late(tmp_path / "late", document, 0.3)
    late = run(verb, "--socket", str(tmp_path / "late"), *flags)
    assert late.returncode == UNCERTAIN
    assert "held" not in late.stdout and "7" not in late.stdout
    document["remainingMs"]["toRenewBy"] = 3_600_000
    answer_late(tmp_path / "soon", document, 0.3)
    soon = run(verb, "--socket", str(tmp_path / "soon"), *flags)
    assert soon.returncode == HELD
    assert "7" in soon.stdout


def printed_nowhere(*arguments, close=False):
    """As `tenure ... >/dev/full`, or `>&-`."""
    words = [str(BINARY), *arguments]
    with open("/dev/full", "w", encoding="ascii") as full:
        return subprocess.run(
            ["sh", "-c", 'exec "$0" "$@" >&-', *words] if close else words,
            stdout=None if close else full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=20,
            check=False,
        )


def lost(done):
    assert done.returncode == OUTPUT_LOST, done.stderr
    assert "expected to write the result to stdout" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    return True


def test_why_a_result_could_not_be_written_is_said():
    assert "No space left" in printed_nowhere("version").stderr
    assert "Bad file descriptor" in printed_nowhere("version", close=True).stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["version"],
        ["version", "-o", "json"],
        ["help"],
        ["help", "run"],
        ["exec", "--help"],
        ["plan"],
        ["plan", "-o", "json"],
        ["completion", "bash"],
        ["run", "--lease", "job", "--print-config"],
        ["dev"],
    ],
    ids=" ".join,
)
def test_a_result_that_cannot_be_written_is_an_error(arguments):
    assert lost(printed_nowhere(*arguments))
    assert lost(printed_nowhere(*arguments, close=True))


def test_an_answer_that_cannot_be_written_is_an_error(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    one.wait("held")
    at = ["--socket", one.status_socket]
    for verb in (["status"], ["generation"], ["wait", "--for", "held"]):
        for form in ([], ["-o", "json"], ["-o", "yaml"]):
            if verb[0] == "wait" and form:
                continue
            assert lost(printed_nowhere(*verb, *at, *form)), (verb, form)
            assert lost(printed_nowhere(*verb, *at, *form, close=True)), (verb, form)
    for verb in ("status", "generation"):
        assert lost(printed_nowhere(verb, *at, "--watch"))
        assert lost(printed_nowhere(verb, *at, "--watch", "-o", "json"))
        assert lost(printed_nowhere(verb, *at, "--watch", close=True))


def test_a_command_has_closed_what_was_closed(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    one.wait("held")
    words = [str(BINARY), "exec", "--control-socket", one.control_socket]
    words += ["--", "test", "!", "-e", "/proc/self/fd/1"]
    assert subprocess.run(
        ["sh", "-c", 'exec "$0" "$@" >&-', *words], timeout=20, check=False
    ).returncode == 0
