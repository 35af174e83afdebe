"""Several sidecars on one API server that misbehaves: one holder at a time,
whatever happens, and a holder again once it is over."""

import random
import signal
import time

import oracle
import pytest
from sampler import Sampler
from waiting import eventually

SEED = 20261129
TAKE = ("--absent-lease", "take")


@pytest.fixture
def observed():
    """Samples every answer of the sidecars given to it; judged at the end."""
    samplers = []

    def observe(*sidecars):
        for one in sidecars:
            samplers.append(Sampler(one.name, one.status_socket).start())
        return {sampler.name: sampler.samples for sampler in samplers}

    yield observe
    for sampler in samplers:
        sampler.stop()
    history = {sampler.name: sampler.samples for sampler in samplers}
    assert oracle.overlaps(history) == []
    assert oracle.unordered_generations(history) == []
    assert any(s.certainty == "held" for seen in history.values() for s in seen)


@pytest.fixture
def three(sidecar, observed):
    sidecars = [sidecar("one", *TAKE)]
    sidecars[0].wait("held")
    sidecars += [sidecar(name) for name in ("two", "three")]
    for one in sidecars[1:]:
        one.wait("standby")
    observed(*sidecars)
    return sidecars


def holders(sidecars):
    return [one for one in sidecars if one.certainty() == "held"]


def highest(sidecars):
    return max(one.generation() for one in sidecars)


def someone_holds(sidecars):
    eventually(lambda: holders(sidecars), 30, "a holder")


def test_a_release_is_taken_by_exactly_one(three):
    for _ in range(5):
        someone_holds(three)
        holder = holders(three)[0]
        generation = holder.generation()
        holder.control("release", generation)
        eventually(lambda before=generation: highest(three) > before)


def test_freezes_in_turn(three):
    rng = random.Random(SEED)
    for _ in range(4):
        someone_holds(three)
        holder = holders(three)[0]
        others = [one for one in three if one is not holder]
        before = holder.generation()
        holder.signal(signal.SIGSTOP)
        time.sleep(rng.uniform(1.0, 4.0))
        holder.signal(signal.SIGCONT)
        eventually(lambda: len(holders(three)) == 1, 30)
        assert highest(three) >= before
        assert len(holders(others)) <= 1


# name: action, verb, the fault's other fields
FAULTS = {
    "a write lands and its reply is dropped": ("close", "update", {"applied": True}),
    "a write lands and its reply never comes": ("silence", "update", {"applied": True}),
    "a write lands and 500 is answered": (
        "fail", "update", {"applied": True, "status": 500},
    ),
    "every write is a conflict": ("fail", "update", {"status": 409}),
    "every write is forbidden": ("fail", "update", {"status": 403}),
    "too many requests": ("fail", "", {"status": 429, "retryAfterSeconds": 1}),
    "the server fails": ("fail", "", {"status": 500}),
    "the server is unavailable": ("fail", "", {"status": 503}),
    "silence": ("silence", "", {}),
    "connections are closed": ("close", "", {}),
    "connections are reset": ("close", "", {"reset": True}),
    "slow before applying": ("delay", "", {"delayMs": 400}),
    "slow after applying": ("delay", "update", {"delayMs": 400, "applied": True}),
    "the watch is frozen": ("freezeWatch", "watch", {}),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_one_holder_at_a_time_through(dev, three, fault):
    action, verb, fields = fault
    before = highest(three)
    dev.fault(action, verb, **fields)
    holders(three)[0].control("release", before)  # so that writes compete
    time.sleep(4.5)  # longer than D
    assert dev.strikes() or action == "freezeWatch"
    dev.heal()
    someone_holds(three)
    assert highest(three) > before or before == 0


def test_stale_reads_after_lost_replies_make_no_second_holder(dev, three):
    before = highest(three)
    dev.fault("stale", "get", steps=3)
    dev.fault("close", "update", applied=True)
    holders(three)[0].control("release", before)
    time.sleep(4.5)
    assert dev.strikes() > 2
    dev.heal()
    someone_holds(three)
    assert highest(three) >= before


def test_a_lost_reply_to_a_renewal_does_not_end_the_term(dev, three):
    before = highest(three)
    for action in ("close", "silence"):
        dev.fault(action, "update", count=1, applied=True)
        eventually(dev.strikes)
        dev.heal()
        time.sleep(1.0)
        assert highest(three) == before


def test_without_the_watch_a_standby_polls_and_takes_over(sidecar, observed):
    one = sidecar("one", *TAKE, "--watch=false")
    first = int(one.wait("held")["generation"])
    two = sidecar("two", "--watch=false")
    two.wait("standby")
    observed(one, two)
    began = time.monotonic()
    one.control("release", first)
    two.wait("held")
    assert time.monotonic() - began < 2.5  # polled at 0.5 s; D is 3 s
    assert two.generation() > first


def test_a_deleted_lease_ends_the_term_and_the_next_is_higher(dev, three):
    before = highest(three)
    dev.delete("job")
    eventually(lambda: highest(three) > before, 30)


def test_a_foreign_write_ends_the_term(dev, three):
    before = highest(three)
    lease = dev.lease("job")
    lease["spec"]["holderIdentity"] = "somebody-else"
    lease["spec"]["leaseDurationSeconds"] = 3
    dev.put(lease)
    eventually(lambda: not holders(three))
    eventually(lambda: highest(three) > before, 30)


def test_labels_and_unknown_annotations_survive(dev, three):
    lease = dev.lease("job")
    lease["metadata"].setdefault("labels", {})["team"] = "blue"
    lease["metadata"]["annotations"]["example.com/note"] = "keep"
    dev.put(lease)
    before = highest(three)
    time.sleep(1.5)
    assert highest(three) == before  # touching metadata ends no term
    meta = dev.lease("job")["metadata"]
    assert meta["labels"]["team"] == "blue"
    assert meta["annotations"]["example.com/note"] == "keep"


def test_twenty_sidecars_hand_over_one_by_one(sidecar, observed):
    first = sidecar("s00", *TAKE)
    first.wait("held")
    others = [sidecar(f"s{index:02}") for index in range(1, 20)]
    for one in others:
        one.wait("standby")
    sidecars = [first, *others]
    observed(*sidecars[:6])
    for _ in range(5):
        someone_holds(sidecars)
        holder = holders(sidecars)[0]
        before = holder.generation()
        holder.stop()
        sidecars.remove(holder)
        eventually(lambda low=before: highest(sidecars) > low, 30)


def test_with_the_api_server_gone_nobody_holds_and_nobody_is_sure(sidecar, dev):
    one = sidecar("one", *TAKE)
    one.wait("held")
    two = sidecar("two")
    two.wait("standby")
    dev.process.kill()
    # A standby that hears nothing for D does not know who holds.
    for each in (one, two):
        eventually(lambda s=each: s.status().get("reason") == "silence")
        assert each.get("/v1/generation").status == 503
