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


def test_giving_up_a_lease_gives_up_those_after_it_and_none_before(sidecar):
    one = sidecar("one", *TAKE, "--lease", "a", "--lease", "b", "--lease", "c")
    one.wait("held", lease="c")
    kept = one.generation("a")
    two = sidecar("two", "--lease", "b")
    two.wait("standby")
    given_up = one.generation("c")
    assert one.control("release", one.generation("b"), lease="b").status == 200
    two.wait("held")
    # In sorted order again: c waits for b, which two holds now.
    assert one.certainty("b") == "standby"
    eventually(lambda: one.certainty("c") == "standby")
    assert one.generation("a") == kept
    two.stop()
    eventually(lambda: one.generation("c") > given_up)
    assert one.generation("a") == kept


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
    for one in sidecars:  # who names no slot asks about the one that is held
        mine = dict(pairs).get(one.name)
        if not mine:  # it may have been slow to start
            one.wait("standby", lease="job-0")
        answer = one.get("/v1/generation")
        assert answer.status == (200 if mine else 409)
        if mine:
            assert answer.text == one.get(f"/v1/generation?lease={mine}").text
            number = answer.text.strip()
            assert one.get(f"/v1/check?generation={number}").status == 200
            work = one.control("work", number)
            assert work.status == 200
            assert one.control("done", number).status == 200
    winner = next(one for one in sidecars if one.name == pairs[0][0])
    loser = next(one for one in sidecars if one.name not in dict(pairs))
    winner.stop()
    sidecars.remove(winner)
    loser.wait("held", lease=pairs[0][1])
