"""The control socket: work, done, release, floor."""

import os
import signal
import stat

from http_socket import ask
from waiting import eventually


def test_work_counts_and_release_waits_for_done(dev, sidecar):
    one = sidecar("one", "--absent-lease", "take")
    generation = one.wait("held")["generation"]
    assert one.control("work", generation).status == 200
    assert one.control("work", generation).status == 200
    assert one.control("release", generation).status == 409
    assert one.control("done", generation).status == 200
    assert one.control("release", generation).status == 409
    assert one.control("done", generation).status == 200
    assert one.control("release", generation).status == 200
    eventually(lambda: not dev.lease("job")["spec"].get("holderIdentity"))


def test_a_wrong_generation_is_a_conflict_and_changes_nothing(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    generation = int(one.wait("held")["generation"])
    for verb in ("work", "done", "release"):
        for wrong in (generation - 1, generation + 1):
            assert one.control(verb, wrong).status == 409, verb
    assert one.generation() == generation


def test_a_missing_or_malformed_generation_is_refused(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    generation = int(one.wait("held")["generation"])
    assert one.control("work").status == 400
    for text in ("", "0", "-1", "+1", "1.0", "x", "9" * 30, "007"):
        for verb in ("work", "done", "release", "floor"):
            # A store that has accepted nothing has a floor, too.
            status = 200 if (verb, text) == ("floor", "0") else 400
            assert one.control(verb, text).status == status, (verb, text)
    assert one.generation() == generation


def test_a_floor_above_the_generation_leads_to_one_above_the_floor(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    generation = int(one.wait("held")["generation"])
    assert one.control("floor", generation - 1).status == 200
    assert one.generation() == generation
    assert one.control("floor", generation + 1000).status == 200
    eventually(lambda: one.generation() > generation + 1000)


def test_a_floor_out_of_range_is_never_remembered(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    generation = int(one.wait("held")["generation"])
    assert one.control("floor", 2**53).status == 400
    assert one.generation() == generation


def test_the_status_socket_has_no_control_routes(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    generation = one.wait("held")["generation"]
    for verb in ("work", "done", "release", "floor"):
        target = f"/v1/{verb}?generation={generation}"
        reply = ask(one.status_socket, "POST", target)
        assert reply.status in (403, 404, 405), verb
    assert one.status()["generation"] == generation


def test_each_socket_has_its_mode(sidecar):
    one = sidecar("one", "--absent-lease", "take", "--control-socket-mode", "0600")
    one.wait("held")
    assert stat.S_IMODE(os.stat(one.status_socket).st_mode) == 0o666
    assert stat.S_IMODE(os.stat(one.control_socket).st_mode) == 0o600


def test_sockets_are_gone_after_the_end(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    one.wait("held")
    one.signal(signal.SIGTERM)
    assert one.process.wait() == 0
    assert not os.path.exists(one.status_socket)
    assert not os.path.exists(one.control_socket)


def test_a_socket_left_by_a_killed_process_is_taken_over(sidecar):
    one = sidecar("one", "--absent-lease", "take")
    one.wait("held")
    one.kill()
    assert os.path.exists(one.status_socket)
    again = sidecar("one")
    again.wait("held")
