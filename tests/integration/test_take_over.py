"""Fail-over: killed, frozen and thawed holders, and what the next one does."""

import signal
import time

import pytest
from http_socket import Connection
from waiting import boot_now, eventually

D = 3.0  # lease duration of these tests, seconds


@pytest.fixture
def pair(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    one.wait("held")
    two = sidecar("two")
    two.wait("standby")
    return one, two


def last_renewal_seen(dev):
    """When the record changed last, as a contender can know it."""
    before = dev.lease("job")["metadata"]["resourceVersion"]

    def changed():
        return dev.lease("job")["metadata"]["resourceVersion"] != before

    eventually(changed)
    return boot_now()


def test_a_killed_holder_is_replaced_after_its_duration_and_not_before(dev, pair):
    one, two = pair
    first = one.generation()
    renewed = last_renewal_seen(dev)
    one.kill()
    second = int(two.wait("held")["generation"])
    waited = boot_now() - renewed
    assert waited >= D * 0.99
    assert waited < D * 1.01 + 2.0
    assert second > first


def test_a_killed_sidecar_that_comes_back_gets_a_higher_generation(sidecar, pair):
    one, two = pair
    first = one.generation()
    two.stop()
    one.kill()
    again = sidecar("one")  # the same pod, a new process
    second = int(again.wait("held")["generation"])
    assert second > first


def test_a_holder_thawed_past_its_expiry_never_answers_held(pair):
    one, two = pair
    with Connection(one.status_socket, timeout=20.0) as kept:
        assert kept.ask("GET", "/v1/generation").status == 200
        one.signal(signal.SIGSTOP)
        two.wait("held")
        # Asked while frozen: the answer comes first thing after the thaw.
        kept.send("GET", "/v1/generation")
        time.sleep(0.05)
        one.signal(signal.SIGCONT)
        assert kept.read().status != 200
        for _ in range(50):
            assert kept.ask("GET", "/v1/generation").status != 200
    one.wait("standby")


def test_a_holder_thawed_past_its_doubt_is_held_only_after_a_renewal(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    first = one.wait("held")["generation"]
    with Connection(one.status_socket, timeout=20.0) as kept:
        one.signal(signal.SIGSTOP)
        time.sleep(2.4)  # past renew_by (2 s), short of valid_until (2.97 s)
        kept.send("GET", "/v1/status")
        time.sleep(0.05)
        one.signal(signal.SIGCONT)
        # Whichever was first, the answer or a renewal: held means renewed.
        status = kept.read().json()
        if status["certainty"] == "held":
            assert status["remainingMs"]["toRenewBy"] > 1000
    one.wait("held")
    assert one.status()["generation"] >= first


def test_a_stopped_process_that_missed_its_term_takes_a_higher_one(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    first = int(one.wait("held")["generation"])
    one.signal(signal.SIGSTOP)
    time.sleep(D + 0.5)
    one.signal(signal.SIGCONT)
    eventually(lambda: one.generation() > first)  # S6: a new term


def test_running_work_delays_the_next_term_of_the_same_process(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    first = int(one.wait("held")["generation"])
    assert one.control("work", first).status == 200
    began = boot_now()
    # Ends the term; what follows is a term above the floor, but only once the
    # work is done, or has had as long as any other contender would give it.
    assert one.control("floor", first + 100).status == 200
    assert one.generation() == 0
    time.sleep(1.0)
    assert one.generation() == 0
    assert one.control("done", first).status == 200
    eventually(lambda: one.generation() > first + 100)
    assert boot_now() - began < D
