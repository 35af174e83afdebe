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


# What is typed, with the tabulator key, and what the program then gets.
TYPED = [
    ("status -o js\t", "status -o json"),
    ("wait --for=stan\t", "wait --for=standby"),
    ("drill --drill api-p\t", "drill --drill api-partition"),
    ("exec --lease a --lease b --onc\t", "exec --lease a --lease b --once"),
    ("exec --once -- qqr\t", "exec --once -- qqrun"),
    # A folder goes on behind its slash; a name may have spaces.
    ("plan --config fold\ton\t", "plan --config folder/one file.yaml"),
    ("dev -p 0 --kubeconfig-out=fold\ton\t", "dev -p 0 --kubeconfig-out=folder/one file.yaml"),
]
START = {
    "bash": "source <(tenure-built completion bash)",
    "zsh": "autoload -Uz compinit; compinit -D -u; "
    "source <(tenure-built completion zsh)",
    # As a file of $fpath, where it is read at the first use.
    "zsh-fpath": "tenure-built completion zsh > folder/_tenure; "
    "fpath=($PWD/folder $fpath); autoload -Uz compinit; compinit -D -u",
}
SHELLS = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "zsh-fpath": ["zsh", "-f", "-i"],
}


def a_folder_to_type_in(tmp_path):
    (tmp_path / "tenure").write_text("#!/bin/sh\necho \"got: $*.\"\n")
    (tmp_path / "tenure-built").symlink_to(BINARY)
    (tmp_path / "qqrun").write_text("#!/bin/sh\n")
    for program in ("tenure", "qqrun"):
        (tmp_path / program).chmod(0o755)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "one file.yaml").touch()
    return {
        "PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path),
        "TERM": "xterm", "PS1": "$ ", "INPUTRC": "/dev/null", "LC_ALL": "C.UTF-8",
    }


@pytest.mark.parametrize("shell", SHELLS)
def test_a_line_typed_in_a_shell_is_completed(tmp_path, shell):
    """A shell on a terminal, and the tabulator key."""
    if not shutil.which(SHELLS[shell][0]):
        pytest.skip(f"{SHELLS[shell][0]} is not installed")
    environment = a_folder_to_type_in(tmp_path)
    master, slave = pty.openpty()
    popen = subprocess.Popen(
        SHELLS[shell],
        stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
        cwd=tmp_path, env=environment,
    )
    os.close(slave)
    try:
        os.write(master, f"{START[shell]}; echo rea''dy\n".encode())
        read_until(master, "\nready")
        for typed, got in TYPED:
            os.write(master, f"tenure {typed}\n".encode())
            read_until(master, f"got: {re.escape(got)} ?\\.")
    finally:
        popen.kill()
        popen.wait()
        os.close(master)


def read_until(master, wanted):
    text = ""
    deadline = time.monotonic() + GENEROUS
    while not re.search(wanted, re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)):
        assert time.monotonic() < deadline, text
        if select.select([master], [], [], 0.1)[0]:
            text += os.read(master, 65536).decode().replace("\r", "")
    return text


def test_fish_offers_the_same(tmp_path):
    if not shutil.which("fish"):
        pytest.skip("fish is not installed")
    environment = a_folder_to_type_in(tmp_path)

    def offered(line):
        done = subprocess.run(
            ["fish", "--no-config", "-c",
             f"tenure-built completion fish | source; complete -C '{line}'"],
            cwd=tmp_path, env=environment, capture_output=True, text=True,
            timeout=GENEROUS, check=True,
        )
        assert done.stderr == ""
        return [each.split("\t")[0] for each in done.stdout.splitlines()]

    assert offered("tenure status -o js") == ["json"]
    assert offered("tenure wait --for=stan") == ["--for=standby"]
    assert offered("tenure drill --drill api-p") == ["api-partition"]
    assert offered("tenure exec --lease a --lease b --onc") == ["--once"]
    assert offered("tenure exec --once -- qqr") == ["qqrun"]
    assert offered("tenure exec -- qqrun folder/o") == ["folder/one file.yaml"]
    assert offered("tenure plan --config fold") == ["folder/"]
    assert "--help" in offered("tenure plan --he")


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
