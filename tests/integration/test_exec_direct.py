"""`tenure exec --direct`: the lease is held by the command's own wrapper."""

import os
import signal
import subprocess

import pytest
from credential_plugin import config_with_plugin
from guarded import CHILD, Stamps, Wrapper, children, name_of, state
from process import BINARY, SANITIZERS, Process, run
from sidecar import FAST
from waiting import eventually

LOST, NOT_OBTAINED, USAGE, CONFIGURATION, FORBIDDEN = 79, 75, 64, 78, 77


class Direct(Wrapper):
    def __init__(self, folder, name, arguments, command):
        self.process = Process(
            folder,
            name,
            ["exec", "--direct", *FAST, *arguments, "--", *command],
            {"TMPDIR": str(folder)},
        )
        self.pid = self.process.pid


@pytest.fixture
def direct(tmp_path, started, dev):
    count = iter(range(100))

    def start(*command, flags=("--absent-lease", "take")):
        given = ["--kubeconfig", str(dev.kubeconfig), "--lease", "job", *flags]
        made = Direct(tmp_path, f"d{next(count)}", given, command)
        started.append(made)
        return made

    return start


def sh(text):
    return ("sh", "-c", text)


def free(dev):
    lease = dev.lease("job")
    return lease is not None and not lease["spec"].get("holderIdentity")


def test_it_holds_runs_and_releases(direct, dev, tmp_path):
    one = direct(*sh("echo $TENURE_GENERATION $TENURE_LEASE; exit 5"))
    assert one.wait() == 5
    generation, lease = one.stdout.split()
    assert lease == "job" and int(generation) > 0
    assert free(dev)
    assert one.stderr == ""
    assert not list(tmp_path.glob("tenure-*"))


def test_the_command_can_ask_the_socket(direct):
    one = direct(
        *sh(f'test "$({BINARY} generation)" = "$TENURE_GENERATION" && exit 9')
    )
    assert one.wait() == 9, one.stderr


def test_the_next_one_starts_when_the_first_has_ended(direct, tmp_path):
    go = tmp_path / "go"
    first = direct(*sh(f"until [ -e {go} ]; do sleep 0.02; done; echo $TENURE_GENERATION"))
    first.watchdog()
    second = direct(*sh("echo $TENURE_GENERATION"))
    go.touch()
    assert first.wait() == 0
    assert second.wait() == 0
    assert int(second.stdout) > int(first.stdout)


def test_a_lease_not_held_in_time_is_75(direct, dev):
    first = direct("sleep", "60")
    first.watchdog()
    second = direct("true", flags=["--timeout", "500ms"])
    assert second.wait() == NOT_OBTAINED
    assert "longer --timeout" in second.stderr
    first.signal(signal.SIGTERM)
    assert first.wait() == 143
    assert free(dev)


def test_a_dead_api_server_is_named_with_its_address(direct, dev):
    dev.process.kill()
    one = direct("true", flags=["--timeout", "1s"])
    assert one.wait() == NOT_OBTAINED
    told = one.stderr.splitlines()[-1]
    assert "no answer from the API server" in told
    host, port = dev.address
    assert f"{host}:{port}: Connection refused" in told
    assert "longer --timeout" not in told


def test_a_signal_while_waiting_ends_all_of_it(direct, dev):
    first = direct("sleep", "60")
    first.watchdog()
    second = direct("true")
    eventually(lambda: len(children(second.pid)) == 1)
    own = children(second.pid)[0]
    second.signal(signal.SIGINT)
    assert second.wait() == 130
    assert state(own) == ""
    first.signal(signal.SIGTERM)
    assert first.wait() == 143


@pytest.mark.parametrize("what", ["guard killed", "sidecar killed", "api gone"])
def test_the_command_dies_with_what_held_the_lease(direct, dev, tmp_path, what):
    stamps = Stamps(tmp_path / "stamps")
    one = direct(CHILD, str(stamps.folder), "", "ignore-term", "tree")
    eventually(lambda: len(stamps.pids()) == 4)
    watchdog = one.watchdog()
    own = next(pid for pid in children(one.pid) if name_of(pid) != "tenure-watchdog")
    if what == "guard killed":
        one.process.kill()
        for pid in (watchdog, own):
            eventually(lambda: os.waitpid(pid, os.WNOHANG) != (0, 0))
    elif what == "sidecar killed":
        os.kill(own, signal.SIGKILL)
        assert one.wait() == LOST
    else:
        dev.process.kill()
        assert one.wait() == LOST
    assert not stamps.running()


@pytest.mark.parametrize(
    "flags,code,word",
    [
        (["--direct", "--socket", "x"], USAGE, "--socket"),
        (["--direct", "--control-socket", "x"], USAGE, "--control-socket"),
        (["--preset", "fast"], USAGE, "--direct"),
        (["--direct", "--lease", "a", "--preset", "slow"], CONFIGURATION, "--preset"),
        (["--direct"], CONFIGURATION, "lease"),
        (["--direct", "--lease", "a", "--kubeconfig", "/none"], CONFIGURATION, "/none"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tmp_path, flags, code, word):
    done = run("exec", *flags, "--", "true", folder=tmp_path)
    assert done.returncode == code, done.stderr
    assert word in done.stderr and len(done.stderr.splitlines()) == 1


def test_rbac_that_forbids_is_77_with_the_role(direct, dev):
    dev.fault("fail", status=403)
    one = direct("true")
    assert one.wait() == FORBIDDEN
    assert "leases" in one.stderr


def test_where_it_may_the_command_gets_a_control_group_of_its_own(dev, tmp_path):
    """In a mount namespace of its own, with a version 2 hierarchy in its place."""
    mount = "mount -t cgroup2 none /sys/fs/cgroup"
    if subprocess.run(["unshare", "--mount", *sh(mount)], check=False).returncode:
        pytest.skip("may not mount a version 2 control group here")
    command = "'grep ^0:: /proc/self/cgroup; trap \"\" TERM; setsid sleep 60 &'"
    text = (
        f"{mount}; {BINARY} exec --direct --preset fast --absent-lease take"
        f" --kubeconfig {dev.kubeconfig} --lease job -- sh -c {command};"
        " ls -d /sys/fs/cgroup/tenure-* 2>&1"
    )
    done = subprocess.run(
        ["unshare", "--mount", *sh(text)],
        capture_output=True,
        text=True,
        timeout=30,
        env={**os.environ, **SANITIZERS, "TMPDIR": str(tmp_path)},
        check=False,
    )
    first, left = done.stdout.splitlines()[:2]
    assert "/tenure-" in first, done
    assert "No such file" in left, done


def test_a_credential_plugin_that_hangs_is_named_at_the_timeout(tmp_path, started):
    plugin, config = config_with_plugin(tmp_path, "#!/bin/sh\nexec sleep 600\n")
    given = ["--kubeconfig", config, "--lease", "job"]
    # Longer than any sidecar that is not our own is waited for.
    one = Direct(tmp_path, "slow", [*given, "--timeout", "11s"], ["true"])
    started.append(one)
    assert one.wait(30) == NOT_OBTAINED
    assert "still starting" in one.stderr
    assert f"credential plugin {plugin}" in one.stderr
    assert len(one.stderr.splitlines()) == 2
