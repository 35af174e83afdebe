"""Faults of the API server and its storage. Not marked `trial`: each strikes
every sidecar at once, so these run alone, several sidecars under each blow."""

import contextlib

import pytest
from scene import Scene
from trials import count

PAIRS = 3


@contextlib.contextmanager
def pairs(plane):
    """Some leases, each with a holder and a standby, judged at the end."""
    with contextlib.ExitStack() as stack:
        scenes = [stack.enter_context(Scene(plane)) for _ in range(PAIRS)]
        holders = [scene.sidecar("a") for scene in scenes]
        for holder in holders:
            holder.wait_for("held", 15)
        standbys = [scene.sidecar("b") for scene in scenes]
        for standby in standbys:
            standby.wait_for("standby", 5)
        yield scenes, list(zip(holders, standbys))


def one_of_each_pair_holds(scenes, couples, seconds=20):
    """Waits until every lease has one holder and one clean standby."""
    states = []
    for _ in range(int(seconds * 10)):
        states = [sorted(p.certainty() for p in pair) for pair in couples]
        if all(state == ["held", "standby"] for state in states):
            return
        scenes[0].settle(0.1)
    raise AssertionError(f"after {seconds} s: {states}")


def generations(couples):
    return [
        next(p.status()["generation"] for p in pair if p.certainty() == "held")
        for pair in couples
    ]


def test_an_api_server_killed_and_started_again_leaves_one_holder_each(plane):
    with pairs(plane) as (scenes, couples):
        for _ in range(count()):
            plane.kill_apiserver()
            scenes[0].settle(1.0)
            plane.start_apiserver()
            one_of_each_pair_holds(scenes, couples)
            scenes[0].settle(1.0)


def test_a_long_outage_leaves_nobody_holding_until_it_ends(plane):
    with pairs(plane) as (scenes, couples):
        plane.kill_apiserver()
        try:
            scenes[0].settle(3.5)
            states = [p.certainty() for pair in couples for p in pair]
            assert "held" not in states
        finally:
            plane.start_apiserver()
        one_of_each_pair_holds(scenes, couples)


@pytest.mark.parametrize("what", ["etcd", "apiserver"])
def test_storage_or_server_frozen_past_expiry_leaves_one_holder_each(plane, what):
    freeze = getattr(plane, f"freeze_{what}")
    thaw = getattr(plane, f"thaw_{what}")
    with pairs(plane) as (scenes, couples):
        for _ in range(count()):
            freeze()
            try:
                scenes[0].settle(4.5)
                states = [p.certainty() for pair in couples for p in pair]
                assert "held" not in states
            finally:
                thaw()
            one_of_each_pair_holds(scenes, couples)


@pytest.mark.parametrize("what", ["etcd", "apiserver"])
def test_a_short_freeze_of_storage_or_server_loses_no_term(plane, what):
    freeze = getattr(plane, f"freeze_{what}")
    thaw = getattr(plane, f"thaw_{what}")
    with pairs(plane) as (scenes, couples):
        before = generations(couples)
        for _ in range(count()):
            freeze()
            try:
                scenes[0].settle(0.9)
            finally:
                thaw()
            scenes[0].settle(1.6)
        assert generations(couples) == before
