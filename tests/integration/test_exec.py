"""`tenure exec` on a running sidecar: what the command gets, what comes back."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import types

import pytest
from guarded import CHILD, Stamps, Wrapper, state
from process import BINARY, SANITIZERS, Process, run
from waiting import eventually

LOST, NOT_OBTAINED, UNREACHABLE, USAGE = 79, 75, 69, 64


@pytest.fixture
def gated(tmp_path, started):
    """Starts a wrapper: gated(sidecar, "sh", "-c", "...", flags=["--once"])."""
    count = iter(range(100))

    def start(on, *command, flags=(), environment=None):
        name = f"x{next(count)}"
        made = Wrapper(tmp_path, name, on, flags, command, environment)
        started.append(made)
        return made

    return start


def blocks(pid, number):
    """Whether it takes the signal as a value by now."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    mask = int(re.search(r"SigBlk:\s+(\w+)", status)[1], 16)
    return bool(mask >> (number - 1) & 1)


def sh(text):
    return ("sh", "-c", text)


def test_the_command_knows_what_it_runs_under(holder, gated):
    status = holder.status()
    one = gated(holder, "env", flags=["--run-id", "billing:2026-11-29"])
    assert one.wait() == 0
    told = dict(line.split("=", 1) for line in one.stdout.splitlines())
    assert told["TENURE_LEASE"] == "job"
    assert told["TENURE_GENERATION"] == status["generation"]
    assert told["TENURE_HOLDER"] == status["identity"]
    assert told["TENURE_RUN_ID"] == "billing:2026-11-29"
    assert told["TENURE_SOCKET"] == holder.status_socket


@pytest.mark.parametrize(
    "text,code",
    [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137), ("kill -15 $$", 143)],
)
def test_the_exit_code_is_the_commands(holder, gated, text, code):
    assert gated(holder, *sh(text)).wait() == code


def test_what_cannot_be_run_is_126_or_127_and_the_work_is_given_back(
    holder, gated, tmp_path
):
    script = tmp_path / "script"
    script.write_text("echo a shell ran this\n")
    script.chmod(0o755)
    for name, code in (("no-such-program", 127), ("/tmp", 126), (str(script), 126)):
        one = gated(holder, name)
        assert one.wait() == code
        assert name in one.stderr and one.stdout == ""
    assert holder.status()["workRunning"] == 0


def test_the_code_is_known_where_the_starter_ignored_its_children(holder, tmp_path):
    """Then the kernel reaps them, unless told otherwise."""
    program = [str(BINARY), "exec", "--control-socket", holder.control_socket]
    program += ["--socket", holder.status_socket, "--", "sh", "-c", "exit 7"]
    code = "import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); "
    code += "os.execv(sys.argv[1], sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", code, *program], capture_output=True, text=True,
        timeout=60, check=False, env={"PATH": os.environ["PATH"], **SANITIZERS},
    )
    assert (done.returncode, done.stderr) == (7, "")


def test_a_socket_that_takes_no_work_is_refused_at_once(holder, tmp_path, started):
    wrong = types.SimpleNamespace(
        control_socket=holder.status_socket, status_socket=holder.status_socket
    )
    one = Wrapper(tmp_path, "wrong", wrong, [], ["true"])
    started.append(one)
    assert one.wait() == 64
    assert "control socket" in one.stderr


def test_arguments_reach_the_command_as_they_are(holder, gated):
    words = ["--help", "-x", "--", "a b", "$HOME", "*", ""]
    one = gated(holder, "printf", "[%s]", *words)
    assert one.wait() == 0
    assert one.stdout == "".join(f"[{word}]" for word in words)


def test_work_is_running_until_nothing_is_left_of_the_command(holder, gated):
    one = gated(holder, *sh("trap '' TERM; setsid sleep 60 & exit 3"))
    eventually(lambda: holder.status()["workRunning"] == 1)
    assert one.wait() == 3
    assert holder.status()["workRunning"] == 0


def test_daemons_it_leaves_are_told_to_stop_and_then_killed(holder, gated, tmp_path):
    marks = tmp_path / "marks"
    marks.mkdir()
    stubborn = f"trap '' TERM; echo $$ > {marks}/a; while :; do sleep 0.05; done"
    polite = (
        f"trap 'echo > {marks}/told; exit' TERM; echo > {marks}/b;"
        " while :; do sleep 0.05; done"
    )
    one = gated(
        holder,
        *sh(
            f'setsid sh -c "{stubborn.replace("$$", chr(92) + "$" + chr(92) + "$")}" &'
            f' setsid sh -c "{polite}" &'
            f" until [ -e {marks}/a ] && [ -e {marks}/b ]; do sleep 0.01; done"
        ),
    )
    assert one.wait() == 0
    assert (marks / "told").exists()
    assert state((marks / "a").read_text().strip()) in ("", "Z")


@pytest.mark.parametrize("name", ["HUP", "INT", "QUIT", "TERM", "USR1", "USR2"])
def test_signals_are_passed_on(holder, gated, tmp_path, name):
    ready = tmp_path / "ready"
    one = gated(
        holder,
        *sh(f"trap 'exit 9' {name}; echo > {ready}; while :; do sleep 0.02; done"),
    )
    eventually(ready.exists)
    one.signal(getattr(signal, f"SIG{name}"))
    assert one.wait() == 9


def test_a_signal_while_waiting_ends_the_wait(holder, sidecar, gated):
    two = sidecar("two")
    two.wait("standby")
    one = gated(two, "true")
    eventually(lambda: blocks(one.pid, signal.SIGTERM))
    one.signal(signal.SIGUSR1)
    one.signal(signal.SIGTERM)
    assert one.wait() == 143


def test_a_lease_not_held_in_time_is_75_with_the_holder(holder, sidecar, gated):
    two = sidecar("two")
    two.wait("standby")
    one = gated(two, "touch", "never", flags=["--timeout", "300ms"])
    assert one.wait() == NOT_OBTAINED
    assert holder.status()["identity"] in one.stderr
    # 3 s is what a dead holder is waited for.
    assert "longer --timeout" in one.stderr
    assert len(one.stderr.splitlines()) == 1
    patient = gated(two, "true", flags=["--timeout", "3500ms", "-E", "5"])
    assert patient.wait() == 5
    assert "longer --timeout" not in patient.stderr


def test_it_starts_when_the_lease_comes(holder, sidecar, gated):
    two = sidecar("two")
    two.wait("standby")
    one = gated(two, *sh("echo $TENURE_GENERATION"), flags=["--timeout", "20s"])
    holder.signal(signal.SIGTERM)
    assert one.wait() == 0
    assert one.stdout.strip() == two.status()["generation"]


def test_one_that_is_stopped_is_69_too(holder, gated):
    holder.signal(signal.SIGSTOP)
    try:
        one = gated(holder, "true", flags=["--timeout", "500ms"])
        assert one.wait() == UNREACHABLE
        assert "found silence" in one.stderr
    finally:
        holder.signal(signal.SIGCONT)


def test_nobody_there_is_69_and_says_where(tmp_path):
    path = str(tmp_path / "none.sock")
    done = run("exec", "--control-socket", path, "--timeout", "200ms", "--", "true")
    assert done.returncode == UNREACHABLE
    assert path in done.stderr and len(done.stderr.splitlines()) == 1
    assert "start `tenure run`" in done.stderr
    assert done.stderr.endswith("where it listens with --control-socket\n")


def test_a_sidecar_that_starts_late_is_waited_for(sidecar, gated, tmp_path):
    class Later:
        control_socket = str(tmp_path / "one" / "control.sock")
        status_socket = str(tmp_path / "one" / "status.sock")

    one = gated(Later, "true", flags=["--timeout", "20s"])
    assert one.process.running
    sidecar("one", "--absent-lease", "take")
    assert one.wait() == 0


@pytest.mark.parametrize(
    "arguments,word",
    [
        ([], "command"),
        (["--"], "command"),
        (["true"], "write tenure exec [FLAGS] -- true"),
        (["--on-uncertain", "x", "--", "true"], "on-uncertain"),
        (["--kill-margin", "x", "--", "true"], "kill-margin"),
        (["--kill-margin", "10ms", "--", "true"], "at least 50ms, found 10ms"),
        (["-E", "256", "--", "true"], "timeout-code"),
        (["--lease", "A:b", "--", "true"], "--lease"),
        (["--no-such", "--", "true"], "--no-such"),
    ],
)
def test_wrong_usage_is_64_in_one_line(arguments, word):
    done = run("exec", *arguments)
    assert done.returncode == USAGE
    assert word in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_kill_margin_that_finds_no_room_is_said(holder, gated):
    one = gated(holder, "true", flags=["--kill-margin", "5s"])
    assert one.wait() == 0
    assert "found 5000 ms; used 485 ms" in one.stderr
    usual = gated(holder, "true")
    assert usual.wait() == 0
    assert usual.stderr == ""


def test_an_unknown_lease_is_64_with_those_there_are(holder, gated):
    one = gated(holder, "true", flags=["--lease", "other"])
    assert one.wait() == USAGE
    assert "job" in one.stderr


def test_of_several_leases_one_must_be_named(sidecar, gated):
    many = sidecar("one", "--absent-lease", "take", "--lease", "a", "--lease", "b")
    many.wait("held", lease="b")
    unnamed = gated(many, "true")
    assert unnamed.wait() == USAGE
    assert "--lease" in unnamed.stderr
    named = gated(many, *sh("echo $TENURE_LEASE"), flags=["--lease", "b"])
    assert (named.wait(), named.stdout) == (0, "b\n")


def test_of_slots_the_one_that_is_held_is_followed(sidecar, gated):
    slots = sidecar("one", "--absent-lease", "take", "--lease", "s", "--slots", "3")
    one = gated(slots, *sh("echo $TENURE_LEASE; sleep 3"))
    assert one.wait() == 0
    held = slots.status(one.stdout.strip())
    assert held["certainty"] == "held" and held["workRunning"] == 0


def test_a_draining_sidecar_waits_for_the_command_and_then_releases(
    holder, gated, dev, tmp_path
):
    go = tmp_path / "go"
    one = gated(holder, *sh(f"until [ -e {go} ]; do sleep 0.02; done; exit 4"))
    eventually(lambda: holder.status()["workRunning"] == 1)
    holder.signal(signal.SIGTERM)
    eventually(lambda: holder.status()["draining"])
    assert dev.lease("job")["spec"]["holderIdentity"]
    go.touch()
    assert one.wait() == 4
    assert holder.process.wait() == 0
    assert not dev.lease("job")["spec"].get("holderIdentity")


def test_doubt_stops_the_command_and_is_79(holder, gated, dev, tmp_path):
    told = tmp_path / "told"
    one = gated(
        holder, *sh(f"trap 'echo > {told}; exit 0' TERM; while :; do sleep 0.02; done")
    )
    eventually(lambda: holder.status()["workRunning"] == 1)
    dev.process.kill()
    assert one.wait() == LOST
    assert told.exists()
    assert "lost" in one.stderr


def test_a_deleted_lease_stops_the_command_at_once(holder, gated, dev):
    one = gated(holder, "sleep", "60")
    eventually(lambda: holder.status()["workRunning"] == 1)
    dev.delete("job")
    assert one.wait() == LOST


def test_a_paused_command_goes_on_when_certainty_returns(
    sidecar, gated, dev, tmp_path
):
    times = ("--lease-duration", "20s", "--renew-deadline", "2s")
    times += ("--renew-interval", "500ms")
    holder = sidecar("one", "--absent-lease", "take", times=times)
    holder.wait("held")
    stamps = Stamps(tmp_path / "stamps")
    one = gated(
        holder, CHILD, str(stamps.folder), "", "tree", flags=["--on-uncertain", "pause"]
    )
    eventually(lambda: len(stamps.pids()) == 4)
    dev.fault("fail", "update", status=503)
    eventually(lambda: {state(pid) for pid in stamps.pids()} == {"T"})
    assert one.process.running
    dev.heal()
    eventually(lambda: "T" not in {state(pid) for pid in stamps.pids()})
    one.signal(signal.SIGTERM)
    assert one.wait() == 143
    assert not stamps.running()


def test_as_pid_1_it_reaps_what_others_leave(holder, tmp_path):
    """In a pid namespace of its own, where orphans come to it."""
    if subprocess.run(["unshare", "--pid", "--fork", "true"], check=False).returncode:
        pytest.skip("may not make a pid namespace here")
    text = (
        "echo $(cat /proc/1/comm); setsid sh -c '(sleep 0.05 &)';"
        " sleep 0.3; exit 6"
    )
    done = subprocess.run(
        ["unshare", "--pid", "--fork", "--mount-proc", str(BINARY), "exec"]
        + ["--control-socket", holder.control_socket, "--", "sh", "-c", text],
        capture_output=True,
        text=True,
        timeout=20,
        env={**os.environ, **SANITIZERS},
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (6, "tenure")


def test_the_proc_of_another_pid_namespace_is_refused(holder):
    """By it every number is somebody else's: 1 is the host's init."""
    if subprocess.run(["unshare", "--pid", "--fork", "true"], check=False).returncode:
        pytest.skip("may not make a pid namespace here")
    done = subprocess.run(
        ["unshare", "--pid", "--fork", "--kill-child", str(BINARY), "exec"]
        + ["--control-socket", holder.control_socket, "--"]
        + list(sh("(setsid sleep 60 &); exit 6")),
        capture_output=True,
        text=True,
        timeout=20,
        env={**os.environ, **SANITIZERS},
        check=False,
    )
    assert done.returncode == 125
    assert "mount proc at /proc" in done.stderr
    eventually(lambda: holder.status()["workRunning"] == 0)


def test_too_few_open_files_are_an_error_in_one_line(holder, tmp_path, started):
    words = ["exec", "--control-socket", holder.control_socket, "--", "true"]
    one = Process(tmp_path, "few", words, files=(8, 8))
    started.append(one)
    assert one.wait() == 125
    assert "expected to open 16 more files" in one.stderr
    assert "ulimit -n" in one.stderr and len(one.stderr.splitlines()) == 1
    assert holder.status()["workRunning"] == 0


def test_a_misspelt_variable_is_warned_of_once(holder, gated):
    environment = {
        "TENURE_RUN_IDD": "x",
        "TENURE_NOTHING_LIKE_IT_AT_ALL": "secret",
        "TENURE_API_SERVICE_HOST": "10.0.0.1",
        "TENURE_API_PORT_80_TCP": "tcp://10.0.0.1:80",
        "TENURE_RUN_ID": "7",
    }
    one = gated(holder, "true", environment=environment)
    assert one.wait() == 0
    first, second = sorted(one.stderr.splitlines())
    assert "TENURE_NOTHING_LIKE_IT_AT_ALL is not a setting" in first
    assert "did you mean TENURE_RUN_ID?" in second
    assert "secret" not in one.stderr


def test_the_help_names_every_exit_code():
    text = run("exec", "--help").stdout
    for code in (64, 69, 75, 77, 79, 125, 126, 127):
        assert str(code) in text, code
