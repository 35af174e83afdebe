"""A command that mounts over the /proc by which its guards look for it."""

import os
import subprocess

import pytest
from process import BINARY, SANITIZERS
from waiting import GENEROUS

LOST = 79

# The usual slip: a new proc for the new namespace, without a mount namespace.
# What ignores SIGTERM is left when the shell, which leads the group, has ended.
COMMAND = """
unshare --pid --fork --kill-child sh -c '
  mount -t proc proc /proc
  trap "" TERM
  echo ready
  exec sleep 600'
"""


def may_not():
    probe = ["unshare", "--mount", "--pid", "--fork", "true"]
    return subprocess.run(probe, check=False).returncode != 0


def test_what_runs_under_another_proc_is_dead_before_the_claim_ends(holder):
    if may_not():
        pytest.skip("may not make namespaces here")
    popen = subprocess.Popen(
        ["unshare", "--mount", "--propagation", "private", str(BINARY), "exec"]
        + ["--control-socket", holder.control_socket, "--", "sh", "-c", COMMAND],
        stdout=subprocess.PIPE,
        env={**os.environ, **SANITIZERS},
    )
    try:
        assert popen.stdout.readline() == b"ready\n"
        holder.kill()
        # Its end is seen once nobody is left who could write.
        popen.communicate(timeout=GENEROUS)
    finally:
        popen.kill()
    assert popen.returncode == LOST
