"""The loop thread hangs: answers still turn uncertain and then standby, each at
its time, because they are computed when they are asked for (S1)."""

import time

from frozen_thread import FrozenThread
from http_socket import Connection, ask
from waiting import boot_now, eventually


def watch_answers(connection, until):
    """[(asked, answered, status)] up to the first answer `until`."""
    seen = []
    while True:
        asked = boot_now()
        status = connection.ask("GET", "/v1/status").json()
        seen.append((asked, boot_now(), status))
        if status["certainty"] == until:
            return seen
        assert asked - seen[0][0] < 20, f"never {until}"
        time.sleep(0.01)


def test_answers_turn_uncertain_and_standby_on_time_without_the_driver(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    one.wait("held")
    with Connection(one.status_socket) as connection:
        with FrozenThread(one.process.pid):  # the main thread runs the loop
            seen = watch_answers(connection, "standby")
    asked, _, first = seen[0]
    assert first["certainty"] == "held"
    renew_by = asked + first["remainingMs"]["toRenewBy"] / 1000
    valid_until = asked + first["remainingMs"]["toValidUntil"] / 1000
    for asked, answered, status in seen:
        if status["certainty"] == "held":
            assert asked <= renew_by + 0.05
        if status["certainty"] == "uncertain":
            assert answered >= renew_by - 0.05
            assert asked <= valid_until + 0.05
        if status["certainty"] != "held":
            assert not status.get("generation")
    assert {s["certainty"] for _, _, s in seen} == {"held", "uncertain", "standby"}


def test_probes_tell_a_stuck_driver_from_a_lost_lease(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    one.wait("held")
    address = one.probe_address()
    with FrozenThread(one.process.pid):
        eventually(lambda: ask(address, "GET", "/readyz").status == 503)
        eventually(lambda: ask(address, "GET", "/livez").status == 503, 60)
    eventually(lambda: ask(address, "GET", "/livez").status == 200)
    one.wait("held")


def test_a_driver_that_comes_back_after_its_term_says_so_and_starts_anew(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    first = int(one.wait("held")["generation"])
    with FrozenThread(one.process.pid):
        time.sleep(3.5)
        assert one.certainty() == "standby"
    eventually(lambda: one.generation() > first)
