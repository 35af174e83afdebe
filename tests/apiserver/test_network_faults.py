"""A process cut off from the API server, and only that process."""

import pytest
from network_cut import NetworkCut
from oracle import SECOND
from sampler import boot_now
from scene import Scene, first_after

MODES = ("requests", "answers", "refused")


@pytest.mark.trial
@pytest.mark.parametrize("mode", MODES)
def test_a_holder_that_is_cut_off_stops_claiming_and_is_replaced(plane, mode):
    with Scene(plane) as scene:
        holder, user = scene.sidecar_of_own_user("a")
        holder.wait_for("held", 15)
        standby = scene.sidecar("b")
        standby.wait_for("standby", 5)
        scene.settle(0.5)
        cut = boot_now()
        with NetworkCut(user, plane.port, mode):
            # With `answers` one more renewal lands, unacknowledged.
            standby.wait_for("held", 10)
            scene.settle(1)
            doubt = first_after(scene.samples(holder), cut, "uncertain")
            assert doubt and doubt.asked - cut < 2.6 * SECOND
            late = [s for s in scene.samples(holder) if s.asked > doubt.asked]
            assert not any(s.certainty == "held" for s in late)
        scene.settle(2)
        assert holder.certainty() == "standby"
        assert standby.certainty() == "held"


@pytest.mark.trial
@pytest.mark.parametrize("mode", MODES)
def test_a_cut_shorter_than_the_renew_deadline_loses_no_term(plane, mode):
    with Scene(plane) as scene:
        holder, user = scene.sidecar_of_own_user("a")
        holder.wait_for("held", 15)
        generation = holder.status()["generation"]
        scene.settle(0.3)
        with NetworkCut(user, plane.port, mode):
            scene.settle(0.9)
        scene.settle(2.5)
        assert holder.certainty() == "held"
        assert holder.status()["generation"] == generation


@pytest.mark.trial
def test_a_standby_that_is_cut_off_is_uncertain_and_comes_back(plane):
    with Scene(plane) as scene:
        holder = scene.sidecar("a")
        holder.wait_for("held", 15)
        standby, user = scene.sidecar_of_own_user("b")
        standby.wait_for("standby", 5)
        with NetworkCut(user, plane.port, "requests"):
            standby.wait_for("uncertain", 8)
            # Its record stands still for it, yet it must not claim unheard.
            scene.settle(4)
            assert standby.certainty() == "uncertain"
        standby.wait_for("standby", 8)
        holder.terminate()
        standby.wait_for("held", 5)


@pytest.mark.trial
def test_both_cut_off_leaves_nobody_holding_and_one_after_it(plane):
    with Scene(plane) as scene:
        one, user_of_one = scene.sidecar_of_own_user("a")
        one.wait_for("held", 15)
        two, user_of_two = scene.sidecar_of_own_user("b")
        two.wait_for("standby", 5)
        with NetworkCut(user_of_one, plane.port, "requests"):
            with NetworkCut(user_of_two, plane.port, "refused"):
                scene.settle(5)
                assert {one.certainty(), two.certainty()} & {"held"} == set()
        for _ in range(100):
            if "held" in (one.certainty(), two.certainty()):
                break
            scene.settle(0.1)
        scene.settle(0.5)
        assert sorted((one.certainty(), two.certainty())) == ["held", "standby"]
