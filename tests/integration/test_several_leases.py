"""Several leases in one sidecar, and slots."""

from waiting import eventually

TAKE = ("--absent-lease", "take")


def test_each_lease_has_its_own_answer(dev, sidecar):
    one = sidecar("one", *TAKE, "--lease", "b", "--lease", "a")
    for name in ("a", "b"):
        status = one.wait("held", lease=name)
        annotations = dev.lease(name)["metadata"]["annotations"]
        assert status["generation"] == annotations["tenure.dev/generation"]
    assert one.get("/v1/generation").status == 400  # which one?
    assert "lease" in one.get("/v1/generation").text
    assert one.get("/v1/generation?lease=c").status == 404


def test_losing_one_lease_leaves_the_other(sidecar):
    one = sidecar("one", *TAKE, "--lease", "a", "--lease", "b")
    generation = one.wait("held", lease="a")["generation"]
    kept = one.wait("held", lease="b")["generation"]
    two = sidecar("two", "--lease", "a")
    two.wait("standby")
    assert one.control("release", generation, lease="a").status == 200
    two.wait("held")
    assert one.status("b")["generation"] == kept
    eventually(lambda: one.certainty("a") == "standby")


def test_leases_are_acquired_in_sorted_order(sidecar):
    first = sidecar("first", *TAKE, "--lease", "b")
    first.wait("held")
    second = sidecar("second", *TAKE, "--lease", "c", "--lease", "b", "--lease", "a")
    second.wait("held", lease="a")
    second.wait("standby", lease="b")
    assert second.certainty("c") != "held"  # waits for b
    first.stop()
    second.wait("held", lease="c")


def test_each_contender_for_slots_gets_one_of_its_own(sidecar):
    sidecars = [
        sidecar(name, *TAKE, "--lease", "job", "--slots", "2")
        for name in ("one", "two", "three")
    ]

    def held():
        return [
            (one.name, slot)
            for one in sidecars
            for slot in ("job-0", "job-1")
            if one.certainty(slot) == "held"
        ]

    eventually(lambda: len(held()) == 2)
    pairs = held()
    assert len({name for name, _ in pairs}) == 2
    assert len({slot for _, slot in pairs}) == 2
    winner = next(one for one in sidecars if one.name == pairs[0][0])
    loser = next(one for one in sidecars if one.name not in dict(pairs))
    winner.stop()
    sidecars.remove(winner)
    loser.wait("held", lease=pairs[0][1])
