"""What `tenure status` and `generation` show: on a terminal, piped, watched."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

import pytest
from process import BINARY, run
from waiting import GENEROUS, eventually

UNREACHABLE, USAGE = 69, 64


def ask(one, *arguments, stdout=subprocess.PIPE, **environment):
    return subprocess.Popen(
        [str(BINARY), *(arguments or ["status"]), "--socket", one.status_socket],
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        env={"PATH": os.environ["PATH"], **environment},
    )


def watch(one, *flags, **options):
    return ask(one, "status", "--watch", *flags, **options)


@pytest.fixture
def held(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    one.wait("held")
    return one


def lines_of(popen, count):
    return [popen.stdout.readline().decode().strip() for _ in range(count)]


def test_piped_it_is_a_plain_line_for_each_renewal(held):
    popen = watch(held)
    try:
        lines = [popen.stdout.readline().decode() for _ in range(3)]
    finally:
        popen.kill()
        popen.wait()
    for line in lines:
        assert re.fullmatch(r"\S+/job: held, generation \d+ for \d+ ms\n", line)


def test_as_json_each_line_is_a_document(held):
    popen = watch(held, "-o", "json")
    try:
        first = json.loads(popen.stdout.readline())
        # A transition is an event, too.
        eventually(
            lambda: json.loads(popen.stdout.readline())["renewals"]
            > first["renewals"]
        )
    finally:
        popen.kill()
        popen.wait()


def test_it_ends_with_the_sidecar(held):
    popen = watch(held)
    popen.stdout.readline()
    held.kill()
    _, stderr = popen.communicate(timeout=GENEROUS)
    assert popen.returncode == UNREACHABLE
    assert held.status_socket in stderr.decode()


def on_terminal(one, until, verb=watch, **environment):
    """What a terminal of 80 columns was sent until `until` matched."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    popen = verb(one, stdout=slave, **environment)
    os.close(slave)
    text = ""
    deadline = time.monotonic() + GENEROUS
    try:
        while not re.search(until, text):
            assert time.monotonic() < deadline, text
            if select.select([master], [], [], 0.1)[0]:
                text += os.read(master, 65536).decode()
    finally:
        popen.kill()
        popen.wait()
        os.close(master)
    return text


def test_on_a_terminal_a_view_is_drawn_anew_in_its_place(held):
    text = on_terminal(
        held, r"\x1b\[\d+A\r\x1b\[J", TERM="xterm", LC_ALL="C.UTF-8"
    )
    assert f"\x1b[32mheld, generation {held.generation()}\x1b[0m" in text
    assert "\u2588" in text
    assert " until the claim ends" in text


def test_asked_once_a_terminal_gets_the_view_and_the_exit_code(held):
    codes = []

    def once(*arguments, **options):
        popen = ask(*arguments, **options)
        codes.append(popen.wait(GENEROUS))
        return popen

    text = on_terminal(held, "margin", once, TERM="xterm", LC_ALL="C.UTF-8")
    assert codes == [0]
    assert f"held, generation {held.generation()}" in text
    assert "\u2588" in text and "round trip" in text
    assert "\x1b[J" not in text  # nothing is drawn over
    assert "\x1b" not in on_terminal(held, "margin", once, TERM="xterm", NO_COLOR="1")


def test_no_color_is_honoured_and_ascii_where_there_is_no_more(held):
    text = on_terminal(held, "margin", TERM="xterm", NO_COLOR="1", LC_ALL="C")
    assert "held, generation" in text
    assert "\x1b[3" not in text
    assert text.isascii()


def test_a_dumb_terminal_gets_plain_lines(held):
    text = on_terminal(held, "held, generation", TERM="dumb")
    assert "\x1b" not in text


@pytest.mark.parametrize("verb", ["status", "generation"])
def test_yaml_says_what_json_says(held, verb):
    done = run(verb, "-o", "yaml", "--socket", held.status_socket)
    assert done.returncode == 0
    served = held.status()
    assert f'generation: "{served["generation"]}"\n' in done.stdout
    assert f'lease: "{served["lease"]}"\n' in done.stdout
    assert "remainingMs:\n  toRenewBy: " in done.stdout


def test_a_watcher_of_several_leases_names_one(sidecar):
    one = sidecar("one", "--absent-lease", "take", "--lease", "a", "--lease", "b")
    one.wait("held", lease="b")
    done = run("status", "--watch", "--socket", one.status_socket)
    assert done.returncode == USAGE
    assert "a, b" in done.stderr
    eventually(lambda: one.certainty("a") == "held")


def test_the_generation_is_watched_by_its_changes(sidecar, held):
    popen = ask(held, "generation", "--watch")
    try:
        first = held.generation()
        assert lines_of(popen, 1) == [str(first)]
        two = sidecar("two")
        two.wait("standby")
        assert held.control("release", first).status == 200
        assert lines_of(popen, 1) == ["standby"]
        two.stop()
        assert int(lines_of(popen, 1)[0]) > first
    finally:
        popen.kill()
        popen.wait()


def test_a_watched_generation_is_taken_back_when_the_sidecar_is_frozen(held):
    popen = ask(held, "generation", "--watch")
    try:
        assert lines_of(popen, 1) == [str(held.generation())]
        held.signal(signal.SIGSTOP)
        # It answers nothing, so no event says so.
        assert lines_of(popen, 1) == ["uncertain"]
        held.signal(signal.SIGCONT)
        held.kill()
        popen.communicate(timeout=GENEROUS)
        assert popen.returncode == UNREACHABLE
    finally:
        popen.kill()
        popen.wait()


@pytest.mark.parametrize("verb", ["status", "generation"])
def test_a_watch_waits_no_longer_than_it_is_told_for_the_first_answer(held, verb):
    held.signal(signal.SIGSTOP)
    popen = ask(held, verb, "--watch", "--timeout", "300ms")
    try:
        stdout, stderr = popen.communicate(timeout=GENEROUS)
    finally:
        held.signal(signal.SIGCONT)
        popen.kill()
    assert (popen.returncode, stdout) == (UNREACHABLE, b"")
    assert held.status_socket in stderr.decode()


def test_a_watched_generation_is_a_document_for_programs(held):
    popen = ask(held, "generation", "--watch", "-o", "json")
    try:
        documents = [json.loads(line) for line in lines_of(popen, 2)]
    finally:
        popen.kill()
        popen.wait()
    assert documents[0]["generation"] == str(held.generation())
    assert documents[0]["renewals"] <= documents[1]["renewals"]
