"""`tenure completion`: what shells complete."""

import os
import pty
import re
import select
import shutil
import subprocess
import time

import pytest
from process import BINARY, run
from waiting import GENEROUS

USAGE = 64


def complete(*words):
    """What bash offers for the last word."""
    script = (
        'source <("$0" completion bash); COMP_WORDS=("$@"); '
        'COMP_CWORD=$(($# - 1)); _tenure; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "-c", script, str(BINARY), "tenure", *words],
        capture_output=True, text=True, timeout=GENEROUS, check=True,
    )
    assert done.stderr == ""
    return done.stdout.split()


def test_bash_completes_verbs_flags_files_and_commands(tmp_path):
    assert complete("pl") == ["plan"]
    assert complete("plan", "--p99") == ["--p99-work", "--p99-pause"]
    assert "--lease-duration" in complete("run", "--le")
    (tmp_path / "a.svg").touch()
    assert complete("plan", "--picture", f"{tmp_path}/a") == [f"{tmp_path}/a.svg"]
    assert complete("plan", "--leases", "") == []
    assert "bash" in complete("exec", "--", "bas")
    assert complete("probe", "re") == ["ready"]


def test_bash_completes_values_that_are_known():
    assert complete("status", "-o", "") == ["text", "json", "yaml"]
    assert complete("version", "--output", "") == ["text", "json"]
    # Bash cuts the line at = as well.
    assert complete("wait", "--for", "=") == ["held", "standby"]
    assert complete("wait", "--for", "=", "st") == ["standby"]
    assert complete("run", "--preset", "pa") == ["patient"]


def test_exec_completes_what_it_takes_with_direct():
    assert complete("exec", "--slo") == ["--slots"]
    assert complete("exec", "--absent-lease", "") == ["wait", "take"]


def test_a_line_typed_in_bash_is_completed(tmp_path):
    """A bash on a terminal, and the tabulator key."""
    (tmp_path / "tenure").symlink_to(BINARY)
    master, slave = pty.openpty()
    popen = subprocess.Popen(
        ["bash", "--norc", "--noprofile", "-i"],
        stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
        env={
            "PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path),
            "TERM": "dumb", "PS1": "$ ", "INPUTRC": "/dev/null",
        },
    )
    os.close(slave)
    try:
        os.write(master, b"source <(tenure completion bash); echo rea''dy\n")
        read_until(master, "\nready")
        os.write(master, b"tenure wai\t--for=stan\t--timeout 1ms --socket none\n")
        text = read_until(master, "expected.*none")
        assert "tenure wait --for=standby --timeout" in text
    finally:
        popen.kill()
        popen.wait()
        os.close(master)


def read_until(master, wanted):
    text = ""
    deadline = time.monotonic() + GENEROUS
    while not re.search(wanted, text):
        assert time.monotonic() < deadline, text
        if select.select([master], [], [], 0.1)[0]:
            text += os.read(master, 65536).decode().replace("\r", "")
    return text


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_can_read_theirs(shell):
    done = run("completion", shell)
    assert done.returncode == 0
    assert "plan" in done.stdout
    if shutil.which(shell):
        subprocess.run(
            [shell, "-n"], input=done.stdout, text=True, timeout=GENEROUS, check=True
        )


def test_other_shells_have_none():
    assert run("completion", "tcsh").returncode == USAGE
    assert run("completion").returncode == USAGE
