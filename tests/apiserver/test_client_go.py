"""A real client-go elector on the same Lease, in both directions.

What client-go itself does wrong (it claims on after a freeze) is not ours to
judge; the oracle judges what this project's sidecars do, and the history.
"""

import pytest
from oracle import MILLISECOND, SECOND, overlaps
from scene import Scene

# client-go compares times cut to whole seconds: foreign contenders ask for at
# least 2 s between renewals, and the claim ends a second earlier.
OURS = (
    "--lease-duration", "10s", "--renew-deadline", "7s", "--renew-interval", "2s",
    "--foreign-contenders",
)  # fmt: skip
THEIRS = ("-lease-duration=10s", "-renew-deadline=7s", "-renew-interval=2s")


def mixed(plane):
    return Scene(plane, flags=OURS, renew_deadline=7 * SECOND)


def honest(scene, sidecar, peer, until=1 << 62):
    """No overlap with the peer, as long as it was healthy."""
    history = {
        program.name: [s for s in scene.samples(program) if s.answered < until]
        for program in (sidecar, peer)
    }
    assert overlaps(history) == []


@pytest.mark.trial
def test_both_wait_while_the_other_renews(plane):
    with mixed(plane) as scene:
        peer = scene.peer("client-go-1", *THEIRS)
        peer.wait_leading(True, 20)
        sidecar = scene.sidecar("a")
        sidecar.wait_for("standby", 10)
        assert sidecar.status()["holder"] == "client-go-1"
        assert "holderGeneration" not in sidecar.status()
        scene.settle(11)
        assert sidecar.certainty() == "standby" and peer.leader()["leading"]
        honest(scene, sidecar, peer)


@pytest.mark.trial
def test_hand_over_from_client_go_and_back(plane):
    with mixed(plane) as scene:
        peer = scene.peer("client-go-1", *THEIRS)
        peer.wait_leading(True, 20)
        sidecar = scene.sidecar("a")
        sidecar.wait_for("standby", 10)
        peer.terminate()  # ReleaseOnCancel
        sidecar.wait_for("held", 5)
        generation = int(sidecar.status()["generation"])
        transitions = scene.get()["spec"]["leaseTransitions"]
        second = scene.peer("client-go-2", *THEIRS)
        scene.settle(5)
        assert not second.leader()["leading"]
        sidecar.terminate()
        second.wait_leading(True, 10)
        assert scene.get()["spec"]["leaseTransitions"] == transitions + 1
        third = scene.sidecar("c")
        third.wait_for("standby", 10)
        second.terminate()
        third.wait_for("held", 5)
        assert int(third.status()["generation"]) > generation
        honest(scene, sidecar, second)


@pytest.mark.trial
def test_a_killed_client_go_holder_is_replaced_when_its_lease_ended(plane):
    with mixed(plane) as scene:
        peer = scene.peer("client-go-1", *THEIRS)
        peer.wait_leading(True, 20)
        sidecar = scene.sidecar("a")
        sidecar.wait_for("standby", 10)
        scene.settle(2.5)
        peer.kill()
        seen = sidecar.wait_for("held", 14)
        last = [e for e in scene.events() if e.landed and e.holder == "client-go-1"][-1]
        assert 10 * SECOND <= seen - last.received < 11.2 * SECOND


@pytest.mark.trial
def test_client_go_takes_over_from_a_killed_or_frozen_sidecar_without_overlap(plane):
    with mixed(plane) as scene:
        sidecar = scene.sidecar("a")
        sidecar.wait_for("held", 25)
        peer = scene.peer("client-go-1", *THEIRS)
        scene.settle(4)
        sidecar.freeze()
        peer.wait_leading(True, 20)
        resumed = sidecar.thaw()
        scene.settle(2)
        scene.assert_silent_since(sidecar, resumed)
        honest(scene, sidecar, peer)
        # client-go may come early; our shortened claim had ended even so.
        holding = [s for s in scene.samples(sidecar) if s.certainty == "held"]
        claimed = max(s.asked + s.valid_until for s in holding)
        leading = next(s for s in scene.samples(peer) if s.certainty == "held")
        assert leading.answered > claimed, (
            f"{(claimed - leading.answered) / MILLISECOND:.1f} ms too early"
        )
