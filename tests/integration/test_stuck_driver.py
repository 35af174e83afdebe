"""The loop thread hangs: answers still turn uncertain and the claim ends, each at its
time, because they are computed when they are asked for (S1)."""

import time

from frozen_thread import FrozenThread
from http_socket import Connection, ask
from waiting import boot_now, eventually


def watch_answers(connection):
    """[(asked, answered, status)] until a second after the claim has ended."""
    seen = []
    ended = None
    while ended is None or boot_now() < ended + 1.0:
        asked = boot_now()
        status = connection.ask("GET", "/v1/status").json()
        seen.append((asked, boot_now(), status))
        if ended is None and not status["remainingMs"]["toValidUntil"]:
            ended = asked
        assert asked - seen[0][0] < 20, "the claim never ended"
        time.sleep(0.01)
    return seen


def test_answers_turn_uncertain_and_the_claim_ends_without_the_driver(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    one.wait("held")
    with Connection(one.status_socket) as connection:
        with FrozenThread(one.process.pid):  # the main thread runs the loop
            seen = watch_answers(connection)
    asked, _, first = seen[0]
    assert first["certainty"] == "held"
    renew_by = asked + first["remainingMs"]["toRenewBy"] / 1000
    valid_until = asked + first["remainingMs"]["toValidUntil"] / 1000
    for asked, answered, status in seen:
        if asked > renew_by + 0.05:
            assert status["certainty"] != "held"
        elif answered < renew_by - 0.05:
            assert status["certainty"] == "held"
        if asked > valid_until + 0.05:
            assert not status["remainingMs"]["toValidUntil"]
        elif answered < valid_until - 0.05:
            assert status["remainingMs"]["toValidUntil"]
        assert ("generation" in status) == (status["certainty"] == "held")
    assert {"held", "uncertain"} <= {s["certainty"] for _, _, s in seen}


def test_probes_tell_a_stuck_driver_from_a_lost_lease(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    one.wait("held")
    address = one.probe_address()
    with FrozenThread(one.process.pid):
        eventually(lambda: ask(address, "GET", "/readyz").status == 503)
        assert ask(address, "GET", "/livez").status == 200  # not yet
        eventually(lambda: ask(address, "GET", "/livez").status == 503, 30)
    eventually(lambda: ask(address, "GET", "/livez").status == 200)
    one.wait("held")


def test_a_driver_that_comes_back_after_its_term_starts_a_new_one(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    first = int(one.wait("held")["generation"])
    with FrozenThread(one.process.pid):
        time.sleep(3.5)
        assert one.generation() == 0
    eventually(lambda: one.generation() > first)
