"""The oracle catches what it is there for, and accuses nobody falsely."""

import audit
import oracle
from oracle import MILLISECOND as MS
from oracle import SECOND
from sampler import Sample, parse_leader, parse_status
from wall_stamps import wall_offset


def held(at, generation=7, identity="a", renew_by=2000, valid=2970, took=2):
    return Sample(
        asked=at * MS,
        answered=(at + took) * MS,
        certainty="held",
        generation=generation,
        renew_by=renew_by * MS,
        valid_until=valid * MS,
        identity=identity,
    )


def standby(at, identity="a", took=2):
    return Sample(at * MS, (at + took) * MS, "standby", identity=identity)


def write(rv, received, holder="a", generation=7, **more):
    fields = dict(
        verb="update",
        code=200,
        received=received * MS,
        finished=(received + 1) * MS,
        uid="u",
        resource_version=rv,
        holder=holder,
        duration=3,
        generation=generation,
        acquire_time=f"t{generation}",
        renewed=received * MS,
        user="system:serviceaccount:ring:sidecar",
    )
    return audit.Event(**{**fields, **more})


def release(rv, received, generation=7):
    return write(rv, received, holder="", generation=generation, duration=1)


def clean_handover():
    """a holds, releases at 500, b holds from 510."""
    history = {
        "a": [held(at, renew_by=0, valid=0) for at in range(0, 480, 10)]
        + [standby(at) for at in range(500, 1000, 10)],
        "b": [standby(at, "b") for at in range(0, 510, 10)]
        + [held(at, 9, "b", 0, 0) for at in range(520, 1000, 10)],
    }
    events = [write(7, -1), release(8, 495), write(9, 510, "b", 9)]
    return history, events


def test_a_clean_handover_is_not_accused():
    history, events = clean_handover()
    assert oracle.judge(history, events, 2 * SECOND, {"a", "b"}) == []


def test_two_that_hold_at_once_are_caught():
    history, events = clean_handover()
    history["a"] += [held(at) for at in range(1010, 1100, 10)]
    history["b"] += [held(at, 9, "b") for at in range(1010, 1100, 10)]
    assert any("both held" in line for line in oracle.overlaps(history))


def test_one_late_held_answer_inside_anothers_window_is_caught():
    history, _ = clean_handover()
    history["a"].append(held(800))
    assert len(oracle.overlaps(history)) == 1


def test_answers_that_only_touch_are_not_an_overlap():
    history = {
        "a": [held(0), held(10), standby(22)],
        # Asked before a's last question, answered after it: no proof.
        "b": [held(9, 9, "b", took=10), held(30, 9, "b")],
    }
    assert oracle.overlaps(history) == []


def test_a_frozen_holder_that_answers_held_when_it_goes_on_is_caught():
    history = {
        "a": [held(0), held(10), held(9000)],
        "b": [standby(10, "b")] + [held(at, 9, "b") for at in range(3100, 9500, 10)],
    }
    assert len(oracle.overlaps(history)) == 1


def test_a_takeover_before_the_answered_claim_ended_is_caught():
    history = {
        "a": [held(0, valid=2970), held(10, valid=2960)],
        "b": [standby(10, "b"), held(2900, 9, "b"), held(2910, 9, "b")],
    }
    assert len(oracle.early_takeovers(history, set())) == 1
    assert oracle.early_takeovers(history, {7}) == []


def test_a_takeover_after_the_claim_is_not_accused():
    history = {
        "a": [held(0, valid=2970), held(10, valid=2960)],
        "b": [standby(10, "b"), held(2971, 9, "b"), held(2980, 9, "b")],
    }
    assert oracle.early_takeovers(history, set()) == []


def test_a_repeated_generation_is_caught():
    history = {"a": [held(0), held(10)], "b": [held(20, 7, "b"), held(30, 7, "b")]}
    assert len(oracle.unordered_generations(history)) == 1


def test_an_answer_that_came_late_proves_no_order():
    # b held, released and was answered late; a held in the meantime.
    history = {"a": [held(20, 9), held(30, 9)], "b": [held(10, 7, "b", took=50)]}
    assert oracle.unordered_generations(history) == []
    assert oracle.early_takeovers(history, set()) == []


def test_a_falling_generation_is_caught():
    history = {"a": [held(0, 9), standby(10), held(20, 8)]}
    assert len(oracle.unordered_generations(history)) == 1


def test_a_return_to_held_in_the_same_term_is_not_accused():
    history = {"a": [held(0), Sample(10 * MS, 11 * MS, "uncertain"), held(20)]}
    assert oracle.unordered_generations(history) == []


def test_an_acquisition_that_repeats_a_generation_is_caught_in_the_history():
    events = [write(1, 0), release(2, 10), write(3, 20, "b", 7, acquire_time="x")]
    assert len(oracle.unordered_writes(events)) == 1


def test_a_return_of_the_same_pod_without_a_new_generation_is_caught():
    events = [write(1, 0), write(2, 10, acquire_time="again")]
    assert len(oracle.unordered_writes(events)) == 1


def test_a_recreated_lease_that_starts_lower_is_caught():
    events = [write(1, 0, generation=40), write(9, 20, generation=9, uid="new")]
    assert len(oracle.unordered_writes(events)) == 1


def test_renewals_of_one_term_are_not_accused():
    events = [write(1, 0), write(2, 500), write(3, 1000)]
    assert oracle.unordered_writes(events) == []


def test_writes_are_ordered_by_resource_version_not_by_when_they_ended():
    events = [write(3, 20, "b", 9), write(1, 0), release(2, 10)]
    assert oracle.unordered_writes(events) == []


def test_a_peer_that_raises_nothing_is_not_judged():
    events = [write(1, 0), release(2, 10), write(3, 20, "peer", 7, acquire_time="p")]
    assert oracle.unordered_writes(events, by={"a"}) == []


def test_held_past_the_renew_deadline_is_caught():
    events = [write(1, 0)]
    late = oracle.unbacked("a", [held(1990), held(2010)], events, 2 * SECOND)
    assert len(late) == 1 and "after its renew deadline" in late[0]


def test_held_without_a_write_is_caught():
    assert oracle.unbacked("a", [held(10)], [], 2 * SECOND)
    refused = [write(1, 0, code=409)]
    assert oracle.unbacked("a", [held(10)], refused, 2 * SECOND)
    other_generation = [write(1, 0, generation=6)]
    assert oracle.unbacked("a", [held(10)], other_generation, 2 * SECOND)


def test_held_after_the_release_arrived_is_caught():
    events = [write(1, 0), release(2, 100)]
    assert oracle.held_after_release("a", [held(101)], events)
    assert oracle.held_after_release("a", [held(90)], events) == []


def test_a_takeover_sooner_than_the_recorded_duration_is_caught():
    events = [write(1, 0), write(2, 2990, "b", 9)]
    assert len(oracle.impatient_takeovers(events)) == 1
    patient = [write(1, 0), write(2, 3030, "b", 9)]
    assert oracle.impatient_takeovers(patient) == []
    freed = [write(1, 0), release(2, 10), write(3, 20, "b", 9)]
    assert oracle.impatient_takeovers(freed) == []


def test_a_relabelling_does_not_start_the_wait_anew():
    events = [write(1, 0), write(2, 2000, renewed=0), write(3, 3030, "b", 9)]
    assert oracle.impatient_takeovers(events) == []


def test_what_is_written_by_hand_is_nobodys_acquisition():
    by_hand = write(2, 10, generation=10**20, uid="new", user="admin")
    events = [write(1, 0), by_hand, write(3, 4000, "b", 9, uid="new")]
    assert oracle.unordered_writes(events) == []
    events = [write(1, 0), by_hand, write(3, 4000, "b", 7, uid="new")]
    assert len(oracle.unordered_writes(events)) == 1


def test_slow_sampling_is_caught():
    assert oracle.sampled_too_slowly("a", [held(at) for at in range(0, 5000, 50)])
    steady = [held(at) for at in range(0, 5000, 12)]
    assert oracle.sampled_too_slowly("a", steady) == []
    stopped = [held(at) for at in (*range(0, 1000, 10), *range(4000, 5000, 10))]
    assert oracle.sampled_too_slowly("a", stopped)
    frozen = [(980 * MS, 4010 * MS)]
    assert oracle.sampled_too_slowly("a", stopped, ignore=frozen) == []


def test_judge_brings_every_check_together():
    history, events = clean_handover()
    history["a"].append(held(800))
    said = "\n".join(oracle.judge(history, events, 2 * SECOND, {"a", "b"}))
    assert "both held" in said and "after its release" in said


def test_a_peers_own_errors_are_not_held_against_us():
    history, events = clean_handover()
    history["a"].append(held(800))
    assert oracle.judge(history, events, 2 * SECOND, {"b"}) == []


def test_answers_are_read_as_they_are_served():
    body = (
        b'{"certainty":"held","generation":"12","identity":"p_u_r",'
        b'"remainingMs":{"toRenewBy":5,"toValidUntil":9}}'
    )
    sample = parse_status(body, 1, 2)
    assert sample.generation == 12
    assert (sample.renew_by, sample.valid_until) == (5 * MS, 9 * MS)
    assert parse_leader(b'{"leading":true,"identity":"p"}', 1, 2).certainty == "held"


def test_a_reader_that_lost_the_processor_between_two_clocks_is_not_believed():
    class Machine:
        now, readings = 0, 0

        def boot(self):
            self.readings += 1
            # Away for two seconds once, after the first look at the boot clock.
            self.now += 2 * SECOND if self.readings == 2 else MS
            return self.now

        def wall(self):
            self.now += MS
            return self.now + 5 * SECOND

    machine = Machine()
    assert wall_offset(machine.boot, machine.wall) == 5 * SECOND


def test_an_audit_line_is_read_with_its_stamps_on_the_boot_clock():
    raw = {
        "verb": "update",
        "stage": "ResponseComplete",
        "user": {"username": "me"},
        "responseStatus": {"code": 200},
        "requestReceivedTimestamp": "1970-01-01T00:00:10.000001Z",
        "stageTimestamp": "1970-01-01T00:00:10.000002Z",
        "responseObject": {
            "kind": "Lease",
            "metadata": {
                "uid": "u",
                "resourceVersion": "9",
                "annotations": {audit.GENERATION: "8", audit.NONCE: "n"},
            },
            "spec": {"holderIdentity": "me", "leaseDurationSeconds": 3},
        },
    }
    event = audit.decode(raw, 9 * SECOND)
    assert event.received == SECOND + 1000 and event.landed
    assert (event.holder, event.generation, event.resource_version) == ("me", 8, 9)


def test_a_write_that_timed_out_and_was_seen_later_landed():
    lost = audit.Event("update", 504, 5, 6, user="a", attempted="n")
    seen = audit.Event(
        "get", 200, 8, 9, user="b", resource_version=7, duration=1, nonce="n"
    )
    other = audit.Event("update", 504, 5, 6, user="a", attempted="never stored")
    found, _, left = audit.settled([lost, seen, other])
    assert found.landed and found.release_form
    assert (found.received, found.user, found.resource_version) == (5, "a", 7)
    assert left == other and not left.landed
