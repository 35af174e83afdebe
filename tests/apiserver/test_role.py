"""Under a minimal Role, with real service-account tokens."""

import json
import time

import pytest
from sampler import boot_now
from scene import Scene

MINIMAL = ("get", "create", "update", "watch", "list")


def said(program, *words):
    """Log lines with all the words."""
    lines = program.log().splitlines()
    return [line for line in lines if all(word in line for word in words)]


def wait_said(program, *words, seconds=10):
    deadline = time.monotonic() + seconds
    while not said(program, *words):
        assert time.monotonic() < deadline, f"{words} not said in: {program.log()}"
        time.sleep(0.02)


@pytest.mark.trial
def test_acquires_renews_and_releases_under_the_minimal_role(plane):
    with Scene(plane, verbs=MINIMAL) as scene:
        sidecar = scene.sidecar("a")
        sidecar.wait_for("held", 15)
        scene.settle(2)
        held = scene.get()
        status = sidecar.status()
        assert held["spec"]["holderIdentity"] == status["identity"]
        assert held["metadata"]["annotations"]["tenure.dev/generation"] == (
            status["generation"]
        )
        assert held["spec"]["leaseDurationSeconds"] == 3
        assert status["renewals"] >= 3
        assert sidecar.get("/v1/generation")[1].strip() == status["generation"]
        assert sidecar.probe("/readyz")[0] == 200

        sidecar.terminate()
        assert sidecar.wait(10) == 0, sidecar.log()
        freed = scene.get()
        assert not freed["spec"].get("holderIdentity")
        assert freed["spec"]["leaseDurationSeconds"] == 1
        events = scene.events()
        assert {event.verb for event in events} <= {*MINIMAL}
        refused = [event for event in events if event.code == 403]
        assert not refused, refused
        assert scene.plane.kubectl(
            "get", "lease", scene.lease, "-n", scene.namespace, "-o", "name"
        ).stdout


@pytest.mark.trial
def test_polls_without_the_watch_verb_and_says_so_once(plane):
    with Scene(plane, verbs=("get", "create", "update")) as scene:
        holder, standby = scene.holder_and_standby()
        wait_said(standby, "watch", "leases")
        scene.settle(1)
        generation = int(holder.status()["generation"])
        holder.terminate()
        standby.wait_for("held", 3)
        assert int(standby.status()["generation"]) > generation
        assert holder.wait(10) == 0
        told = [line for line in standby.log().splitlines() if "watch" in line.lower()]
        told = [line for line in told if '"level":"debug"' not in line]
        assert len(told) == 1, standby.log()
        for word in ("watch", "leases"):
            assert word in told[0]
        # A Role may be bound a moment later: it asks a few times, then no more.
        asked = [e for e in scene.events() if e.verb == "watch"]
        assert all(e.code == 403 for e in asked) and len(asked) <= 16
        assert max(e.received for e in asked) < boot_now() - 10**9


@pytest.mark.trial
def test_a_missing_role_is_named_with_its_verb_and_resource(plane):
    with Scene(plane, verbs=()) as scene:
        sidecar = scene.sidecar("a")
        wait_said(sidecar, "get", "leases", "Role")
        assert sidecar.certainty() != "held"
        assert sidecar.process.poll() is None


@pytest.mark.trial
@pytest.mark.parametrize("verb", ["create", "update"])
def test_a_missing_verb_is_named_and_mended_while_running(plane, verb):
    verbs = [one for one in MINIMAL if one != verb]
    with Scene(plane, verbs=verbs) as scene:
        sidecar = scene.sidecar("a")
        wait_said(sidecar, verb, "leases", "Role", seconds=15)
        assert sidecar.certainty() != "held"
        scene.work.set_verbs(MINIMAL)
        sidecar.wait_for("held", 15)


@pytest.mark.trial
def test_log_lines_are_json_with_the_documented_keys(plane):
    with Scene(plane) as scene:
        sidecar = scene.sidecar("a")
        sidecar.wait_for("held", 15)
        generation = sidecar.status()["generation"]
        # A line may be written a moment after what it tells of can be read.
        wait_said(sidecar, f'"generation":"{generation}"')
        lines = [json.loads(line) for line in sidecar.log().splitlines() if line]
        acquired = [line for line in lines if str(line.get("generation")) == generation]
        assert acquired and acquired[0]["lease"] == scene.lease
