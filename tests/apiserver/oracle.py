"""Judges a history: what every sidecar answered, and what the API server did.

Every check is sound: it names a violation only where the stamps prove one. An
answer was computed at an instant between `asked` and `answered`; a request was
sent before the API server received it. `remaining` counts from the instant of
the answer, so counted from `asked` it is a lower bound.
"""

import collections
import dataclasses
import itertools

MILLISECOND = 1_000_000
SECOND = 1_000_000_000
SLOWEST_GAP = 20 * MILLISECOND  # 50 Hz


@dataclasses.dataclass(frozen=True)
class Window:
    """Consecutive *held* answers of one process under one generation: it held
    without a break from `first` to `last` (a term that ended stays ended).
    With a single answer `last` may be before `first`."""

    name: str
    generation: int
    first: int  # the first answer's arrival
    last: int  # the last answer's question


def windows(name, samples):
    found = []
    open_window = None
    for sample in samples:
        held = sample.certainty == "held"
        if open_window and (not held or sample.generation != open_window.generation):
            found.append(open_window)
            open_window = None
        if held and open_window:
            open_window = dataclasses.replace(open_window, last=sample.asked)
        elif held:
            open_window = Window(name, sample.generation, sample.answered, sample.asked)
    return found + ([open_window] if open_window else [])


def overlaps(history):
    """Two processes that held at one instant. `history`: name -> samples."""
    found = []
    every = [w for name, samples in history.items() for w in windows(name, samples)]
    for index, one in enumerate(every):
        for other in every[index + 1 :]:
            if one.name == other.name:
                continue
            common = min(one.last, other.last) - max(one.first, other.first)
            if common > 0 or _within(one, other) or _within(other, one):
                found.append(
                    f"{one.name} (generation {one.generation}) and {other.name} "
                    f"({other.generation}) both held, for {_ms(common)} at least"
                )
    return found


def _within(single, window):
    """A lone answer, computed somewhere in [last, first], inside a window."""
    lone = single.last < single.first
    return lone and window.first <= single.last and single.first <= window.last


def early_takeovers(history, released):
    """One held while another's claim, as answered before that, still ran.
    `released`: generations whose release the API server acknowledged."""
    found = []
    for name, samples in history.items():
        for window in windows(name, samples):
            until = _claim_end(samples, window)
            if window.generation in released:
                continue
            for other, theirs in history.items():
                early = [
                    s
                    for s in theirs
                    if other != name
                    and s.certainty == "held"
                    and s.asked >= window.first
                    and s.answered < until
                ]
                if early:
                    found.append(
                        f"{other} held {_ms(until - early[0].answered)} before the "
                        f"claim of {name} ended"
                    )
    return found


def _claim_end(samples, window):
    mine = [
        s.asked + s.valid_until
        for s in samples
        if s.certainty == "held"
        and s.generation == window.generation
        and s.asked <= window.last
    ]
    return max(mine, default=0)


def unordered_generations(history):
    """One that held certainly after another did, with no higher generation."""
    found = []
    every = [w for name, samples in history.items() for w in windows(name, samples)]
    for before, after in itertools.permutations(every, 2):
        same_term = (
            before.name == after.name and before.generation == after.generation
        )
        later = after.last > before.first
        if later and not same_term and after.generation <= before.generation:
            found.append(
                f"{after.name} held generation {after.generation} after "
                f"{before.name} had held {before.generation}"
            )
    return found


def unordered_writes(events, by=None):
    """Acquisitions in the API server's history whose generation is not above
    every one before. Writes are ordered by resource version, across deletion.
    `by`: only these holders' acquisitions are judged (a client-go elector
    raises nothing). What is written by hand is nobody's acquisition."""
    found = []
    highest = 0
    holder = None
    term = None
    for event in landed_in_order(events):
        if event.by_hand:
            continue
        this_term = (event.holder, event.acquire_time, event.uid)
        if event.holder and this_term != term:
            judged = by is None or event.holder in by
            if judged and event.generation <= highest:
                found.append(
                    f"{event.holder} acquired with generation {event.generation} "
                    f"after {highest} had been given (holder before: {holder!r})"
                )
        highest = max(highest, event.generation)
        if event.holder:
            holder, term = event.holder, this_term
        else:
            term = None
    return found


def landed_in_order(events):
    landed = [e for e in events if e.landed and e.resource_version]
    return sorted(landed, key=lambda event: event.resource_version)


def unbacked(name, samples, events, renew_deadline):
    """*Held* answers that no acknowledged write backs: none of that generation
    was received in the `renew_deadline` before the question. A write whose
    answer was lost with the API server is known from reads that show it."""
    received = collections.defaultdict(list)
    for event in events:
        term = (event.holder, event.generation)
        if event.landed and event.holder:
            received[term].append(event.received)
        elif event.verb == "get" and event.code == 200 and event.holder:
            received[term].append(event.renewed)
    found = []
    for sample in samples:
        if sample.certainty != "held":
            continue
        writes = received[(sample.identity, sample.generation)]
        newest = max((w for w in writes if w <= sample.answered), default=None)
        if newest is None:
            found.append(f"{name} answered held {sample.generation} without any write")
        elif sample.asked > newest + renew_deadline:
            late = sample.asked - newest - renew_deadline
            found.append(f"{name} answered held {_ms(late)} after its renew deadline")
    return found[:3]


def held_after_release(name, samples, events):
    """The term ends the instant before its release is sent (S10)."""
    found = []
    previous = None
    for event in landed_in_order(events):
        if event.release_form and previous and previous.holder:
            for sample in samples:
                if (
                    sample.certainty == "held"
                    and sample.identity == previous.holder
                    and sample.generation == previous.generation
                    and sample.asked > event.received
                ):
                    late = sample.asked - event.received
                    found.append(f"{name} answered held {_ms(late)} after its release")
                    break
        previous = event
    return found


def impatient_takeovers(events, by=None):
    """A holder replaced sooner than the lease duration after the record last
    changed, though it had not released. `by`: only these are judged."""
    found = []
    previous = None
    for event in landed_in_order(events):
        if previous and event.record == previous.record:
            continue
        if previous and previous.holder and event.holder != previous.holder:
            waited = event.received - previous.received
            taken = event.holder and previous.uid == event.uid
            judged = by is None or event.holder in by
            if taken and judged and waited < previous.duration * SECOND:
                found.append(
                    f"{event.holder} took over from {previous.holder} "
                    f"{_ms(waited)} after its last change, of {previous.duration} s"
                )
        previous = event
    return found


def released_generations(events):
    released = set()
    previous = None
    for event in landed_in_order(events):
        if event.release_form and previous and previous.holder:
            released.add(previous.generation)
        previous = event
    return released


def sampled_too_slowly(name, samples, ignore=()):
    """Whether it was asked less often than at 50 Hz, on the average of more than
    a second. `ignore`: intervals (from, to) in which it was stopped or dead."""
    total = asked = 0
    for before, after in zip(samples, samples[1:]):
        if any(before.asked < end and after.asked > start for start, end in ignore):
            continue
        total += after.asked - before.asked
        asked += 1
    if total > SECOND and total > asked * SLOWEST_GAP:
        return [f"{name} was asked {asked} times in {_ms(total)}, below 50 Hz"]
    return []


def judge(history, events, renew_deadline, ours):
    """Every check on one Lease's history. `ours`: the identities of sidecars
    of this project; others are peers, whose own errors are not judged."""
    mine = {
        name: samples
        for name, samples in history.items()
        if any(sample.identity in ours for sample in samples)
    }
    found = overlaps(mine)
    found += early_takeovers(mine, released_generations(events))
    found += unordered_generations(mine)
    found += unordered_writes(events, by=ours)
    found += impatient_takeovers(events, by=ours)
    for name, samples in mine.items():
        found += unbacked(name, samples, events, renew_deadline)
        found += held_after_release(name, samples, events)
    return found


def _ms(nanoseconds):
    return f"{nanoseconds / MILLISECOND:.1f} ms"
