"""One sidecar from start to end: held, served, drained, released, killed."""

import os
import signal
import time

import pytest
from http_socket import Connection, ask
from process import refused_to_start
from waiting import eventually

ANNOTATION = "tenure.dev/generation"


def test_a_free_lease_is_held_and_its_generation_served(dev, sidecar):
    one = sidecar("one", "--absent-lease", "take")
    status = one.wait("held")
    lease = dev.lease("job")
    generation = lease["metadata"]["annotations"][ANNOTATION]
    assert lease["spec"]["holderIdentity"] == status["identity"]
    assert status["identity"].startswith("one_")
    assert status["generation"] == generation
    assert status["lease"] == "job"
    assert status["namespace"] == "default"

    text = one.get("/v1/generation")
    assert (text.status, text.text.strip()) == (200, generation)
    document = one.get("/v1/generation", Accept="application/json")
    assert document.json()["generation"] == generation


def test_an_absent_lease_counts_as_held_for_a_lease_duration(sidecar):
    began = time.monotonic()
    one = sidecar("one")  # D 3 s, drift allowance 1 %
    one.wait("standby")
    one.wait("held")
    assert time.monotonic() - began > 3.0


def takes(pid, thread, number):
    """Whether a thread may run the handler of a signal."""
    with open(f"/proc/{pid}/task/{thread}/status", encoding="ascii") as status:
        blocked = next(line for line in status if line.startswith("SigBlk:"))
    return not int(blocked.split()[1], 16) >> (number - 1) & 1


def test_only_the_thread_that_waits_for_signals_takes_them(sidecar):
    """A handler that runs on another thread races with the end of main."""
    holder = sidecar("one", "--absent-lease", "take")
    holder.wait("held")
    standby = sidecar("two")  # one thread more: the watch's
    standby.wait("standby")
    eventually(lambda: len(standby.process.threads()) > len(holder.process.threads()))
    for process in (holder.process, standby.process):
        threads = process.threads()
        assert len(threads) > 3
        for number in (signal.SIGTERM, signal.SIGINT):
            others = [t for t in threads if t != process.pid]
            assert not any(takes(process.pid, t, number) for t in others)
            # Not while it starts a thread, which inherits what is blocked.
            eventually(lambda: takes(process.pid, process.pid, number))


def test_the_first_generation_is_above_the_resource_version_before_it(dev, sidecar):
    one = sidecar("one", "--absent-lease", "take")
    status = one.wait("held")
    first = int(status["generation"])
    assert first >= 2
    # The write of the acquisition came after the number was chosen.
    assert int(dev.lease("job")["metadata"]["resourceVersion"]) >= first


def test_renewals_go_on_and_change_neither_holder_nor_generation(dev, sidecar):
    one = sidecar("one", "--absent-lease", "take")
    one.wait("held")
    before = dev.lease("job")

    def renewed_thrice():
        now = dev.lease("job")
        versions = [int(x["metadata"]["resourceVersion"]) for x in (before, now)]
        return now if versions[1] >= versions[0] + 3 else None

    now = eventually(renewed_thrice)
    assert now["spec"]["renewTime"] > before["spec"]["renewTime"]
    for key in ("holderIdentity", "acquireTime", "leaseTransitions"):
        assert now["spec"].get(key) == before["spec"].get(key)
    annotations = [x["metadata"]["annotations"][ANNOTATION] for x in (before, now)]
    assert annotations[0] == annotations[1]


def test_a_second_sidecar_is_standby_and_says_who_holds(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    held = one.wait("held")
    two = sidecar("two")
    status = two.wait("standby")
    assert status["holder"] == held["identity"]
    assert "generation" not in status or not status["generation"]
    assert two.get("/v1/generation").status == 409


def test_sigterm_releases_and_exits_0(dev, sidecar):
    one = sidecar("one", "--absent-lease", "take")
    one.wait("held")
    one.signal(signal.SIGTERM)
    assert one.process.wait() == 0
    spec = dev.lease("job")["spec"]
    assert not spec.get("holderIdentity")
    assert spec["leaseDurationSeconds"] == 1  # client-go's release form


def test_a_release_is_taken_over_at_once(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    first = int(one.wait("held")["generation"])
    two = sidecar("two")
    two.wait("standby")
    time.sleep(0.3)  # its watch opens
    began = time.monotonic()
    one.signal(signal.SIGTERM)
    second = int(two.wait("held")["generation"])
    assert time.monotonic() - began < 2.0  # D is 3 s: it did not wait
    assert second > first


def test_sigterm_while_work_runs_drains_until_done(dev, sidecar):
    one = sidecar("one", "--absent-lease", "take")
    generation = one.wait("held")["generation"]
    assert one.control("work", generation).status == 200
    one.signal(signal.SIGTERM)
    eventually(lambda: one.status()["draining"])
    time.sleep(1.2)  # more than two renew intervals
    status = one.status()
    assert (status["certainty"], status["generation"]) == ("held", generation)
    assert dev.lease("job")["spec"]["holderIdentity"] == status["identity"]
    assert one.control("work", generation).status >= 400  # no new work
    assert one.control("done", generation).status == 200
    assert one.process.wait() == 0
    assert not dev.lease("job")["spec"].get("holderIdentity")


def test_a_second_sigterm_exits_unreleased(dev, sidecar):
    one = sidecar("one", "--absent-lease", "take")
    status = one.wait("held")
    one.control("work", status["generation"])
    one.signal(signal.SIGTERM)
    eventually(lambda: one.status()["draining"])
    began = time.monotonic()
    one.signal(signal.SIGTERM)
    one.process.wait()
    assert time.monotonic() - began < 2.0
    assert dev.lease("job")["spec"]["holderIdentity"] == status["identity"]


def test_a_drain_past_its_limit_exits_unreleased(dev, sidecar):
    one = sidecar("one", "--absent-lease", "take", "--drain-timeout", "1s")
    status = one.wait("held")
    one.control("work", status["generation"])
    one.signal(signal.SIGTERM)
    one.process.wait(10)
    assert dev.lease("job")["spec"]["holderIdentity"] == status["identity"]


def test_probes_answer_on_the_probe_port(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    one.wait("held")
    address = one.probe_address()
    for path in ("/startupz", "/livez", "/readyz"):
        assert ask(address, "GET", path).status == 200, path
    metrics = ask(address, "GET", "/metrics")
    assert metrics.status == 200
    assert "tenure_" in metrics.text


def test_readiness_fails_while_draining(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    generation = one.wait("held")["generation"]
    one.control("work", generation)
    address = one.probe_address()
    assert ask(address, "GET", "/readyz").status == 200
    one.signal(signal.SIGTERM)
    eventually(lambda: ask(address, "GET", "/readyz").status == 503)
    assert ask(address, "GET", "/livez").status == 200
    one.control("done", generation)
    one.process.wait()


def test_a_standby_is_ready_unless_only_the_holder_may_be(sidecar):
    sidecar("one", "--absent-lease", "take").wait("held")
    two = sidecar("two")
    three = sidecar("three", "--readiness-policy", "holder")
    two.wait("standby")
    three.wait("standby")
    assert ask(two.probe_address(), "GET", "/readyz").status == 200
    assert ask(three.probe_address(), "GET", "/readyz").status == 503


def test_the_watch_route_sends_the_document_at_once_and_at_each_change(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    generation = one.wait("held")["generation"]
    with Connection(one.status_socket) as events:
        events.send("GET", "/v1/watch", {"Accept": "text/event-stream"})
        seen = []
        while len(seen) < 3:  # the first, and renewals
            line = events.line()
            if line.startswith("data:"):
                seen.append(line)
        assert all(generation in line for line in seen)
        one.control("work", generation)
        one.control("done", generation)
        one.signal(signal.SIGTERM)
        with pytest.raises(ConnectionError):
            while True:
                events.line()
    one.process.wait()


def test_check_answers_for_one_generation_only(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    generation = int(one.wait("held")["generation"])
    assert one.get(f"/v1/check?generation={generation}").status == 200
    assert one.get(f"/v1/check?generation={generation}&fresh=true").status == 200
    for other in (generation - 1, generation + 1):
        assert one.get(f"/v1/check?generation={other}").status == 409


def test_a_taken_port_is_refused_by_naming_the_flag(sidecar, process):
    one = sidecar("one", "--absent-lease", "take")
    one.wait("held")
    port = str(one.probe_address()[1])
    other = process("other", "run", "--embedded", "--status-port", "0",
                    "--probe-port", port)
    assert refused_to_start(other) != 0
    assert "--probe-port" in other.stderr


def test_a_stderr_that_nobody_reads_stops_no_renewal(sidecar):
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    try:
        while True:  # full from the start
            os.write(writer, b"x" * 4096)
    except BlockingIOError:
        os.set_blocking(writer, True)
    one = sidecar("one", "--absent-lease", "take", "--log-level", "debug",
                  stderr=writer)
    os.close(writer)
    generation = one.wait("held")["generation"]
    before = one.status()["renewals"]
    eventually(lambda: one.status()["renewals"] >= before + 5)
    assert one.status()["generation"] == generation
    began = time.monotonic()
    one.signal(signal.SIGTERM)
    assert one.process.wait() == 0
    assert time.monotonic() - began < 5.0  # last words have a limit
    os.close(reader)


def test_threads_are_few(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    one.wait("held")
    # The loop, the local surface, the access refresher, the log's, and the two
    # of the watch's library; a sanitizer adds one.
    assert len(one.process.threads()) <= 8
