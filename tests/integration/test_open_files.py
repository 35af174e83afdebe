"""File descriptors: however many readers come, the renewals have theirs."""

import resource

import http_socket
from waiting import GENEROUS, eventually

CONFIG = 78


def crowd(address, count):
    """Connections that ask once and then stay; how many were served."""
    kept, served = [], 0
    for _ in range(count):
        try:
            one = http_socket.Connection(address)
            kept.append(one)
            served += one.ask("GET", "/v1/status").status == 200
        except OSError:
            pass  # refused and closed: as good
    return kept, served


def test_idle_readers_do_not_keep_a_renewal_from_a_descriptor(sidecar, dev):
    one = sidecar("one", "--absent-lease", "take", files=(128, 128))
    generation = one.wait("held")["generation"]
    kept = []
    for address in (
        one.status_socket,
        one.control_socket,
        one.tcp_address(),
        one.probe_address(),
    ):
        more, _ = crowd(address, 64)
        kept += more
    # The connections to the API server break and must be made anew, with what
    # the readers leave: three descriptors at the most come free.
    before = dev.lease("job")["spec"]["renewTime"]  # not to be broken itself
    dev.fault("close", count=4, reset=True)
    eventually(lambda: dev.strikes() == 4, GENEROUS, "renewals were broken")
    eventually(
        lambda: dev.lease("job")["spec"]["renewTime"] > before, what="a renewal"
    )
    assert http_socket.ask(one.probe_address(), "GET", "/livez", {}, b"").status in (
        200,
        503,
    )
    for connection in kept:
        connection.socket.close()
    assert int(one.wait("held")["generation"]) >= int(generation)
    assert "Too many open files" not in one.process.stderr
    assert one.process.stderr.count("connections to the status socket") == 1


def test_a_low_soft_limit_is_raised_as_far_as_needed(sidecar):
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    one = sidecar("one", "--absent-lease", "take", files=(100, min(hard, 4096)))
    one.wait("held")
    soft, _ = resource.prlimit(one.process.pid, resource.RLIMIT_NOFILE)
    assert 1300 < soft < 4096


def test_too_low_a_limit_is_refused_at_the_start(tmp_path, process):
    one = process("one", "run", "--embedded", files=(40, 40))
    assert one.wait() == CONFIG
    assert len(one.stderr.splitlines()) == 1
    assert "open files" in one.stderr and "ulimit -n" in one.stderr
