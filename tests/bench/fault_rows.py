"""Rows of the table that need a fault: hand-over, take-over, freeze, cut."""

import contextlib
import pathlib
import statistics
import subprocess
import sys
import time

import audit
import network_cut
import oracle
from subject import (
    DEADLINE,
    DURATION,
    Sampler,
    Stage,
    Tenure,
    boot_now,
    held_after,
    parse_leader,
    wait_until,
)

SECOND = oracle.SECOND
APISERVER_RING = pathlib.Path(__file__).resolve().parent.parent / "apiserver"
THREAD_STOP = APISERVER_RING / "thread_stop.py"


def summary(values, unit="ms"):
    if not values:
        return {"trials": 0}
    return {
        f"median{unit.capitalize()}": statistics.median(values),
        f"worst{unit.capitalize()}": max(values),
        f"best{unit.capitalize()}": min(values),
        "trials": len(values),
    }


def hand_over(plane, subject, standbys, trials):
    """From the API server's finishing of the release to the next one's hold."""
    took = []
    with Stage(plane, ["handover"]) as stage:
        crowd = [stage.start(subject) for _ in range(standbys + 1)]
        wait_until(lambda: any(p.held_at for p in crowd), 60, "first hold")
        wait_until(lambda: all(p.ready() for p in crowd), 60, "all ready")
        holder = next(p for p in crowd if p.held_at)
        for _ in range(trials):
            time.sleep(1.5)
            start = plane.audit_log.stat().st_size
            crowd.remove(holder)
            asked = boot_now()
            holder.terminate()
            wait_until(
                lambda: any(held_after(p, asked) for p in crowd), 60, "hand-over"
            )
            next_holder = min(
                (p for p in crowd if held_after(p, asked)),
                key=lambda p: held_after(p, asked),
            )
            held = held_after(next_holder, asked)
            events = audit.read(plane.audit_log, stage.namespace, start=start)
            release = [e for e in events if e.landed and e.release_form][-1]
            took.append((held - release.finished) / 1e6)
            stage.drop(holder)
            holder = next_holder
            crowd.append(stage.start(subject))
            wait_until(crowd[-1].ready, 30, "new standby ready")
    return summary(took)


@contextlib.contextmanager
def many_pairs(plane, subject, trials, standbys=1, users=False):
    """`trials` leases, each with a holder and standbys of its own."""
    leases = [f"fault-{n}" for n in range(trials)]
    with Stage(plane, leases) as stage:
        pairs = []
        for lease in leases:
            user = network_cut.fresh_user() if users else None
            holder = stage.start(subject, lease, user=user)
            pairs.append((lease, user, holder, []))
        for _, _, holder, _ in pairs:
            wait_until(lambda h=holder: h.held_at, 60, "held")
        for lease, _, _, others in pairs:
            others += [stage.start(subject, lease) for _ in range(standbys)]
        for _, _, _, others in pairs:
            for other in others:
                wait_until(other.ready, 60, "standby ready")
        time.sleep(3)
        yield stage, pairs


def take_over(plane, subject, trials):
    """From the end of the recorded duration after the last write to a hold."""
    beyond = []
    with many_pairs(plane, subject, trials, standbys=2) as (stage, pairs):
        start = stage.audit_start
        killed = {}
        for lease, _, holder, _ in pairs:
            time.sleep(0.37)  # spread over the renew interval
            killed[lease] = boot_now()
            holder.kill()
        for lease, _, _, others in pairs:
            wait_until(
                lambda o=others, k=killed[lease]: any(held_after(p, k) for p in o),
                DURATION + 30,
                "take-over",
            )
            held = min(
                stamp for p in others if (stamp := held_after(p, killed[lease]))
            )
            events = audit.read(plane.audit_log, stage.namespace, lease, start)
            last = [
                e
                for e in events
                if e.landed and e.holder and e.received < killed[lease]
            ]
            newest = max(last, key=lambda e: e.resource_version)
            beyond.append((held - newest.finished) / 1e6 - DURATION * 1000)
    return summary(beyond)


def _sampler(program):
    if isinstance(program, Tenure):
        return program.sampler().start()
    return Sampler(program.name, program.address, "/leader", parse_leader).start()


def frozen_past_expiry(plane, subject, trials, loop_only=False):
    """Held answers after a freeze that outlasted the lease, in all of which
    another holds. `loop_only`: only the loop thread, which stays stopped."""
    with many_pairs(plane, subject, trials) as (stage, pairs):
        samplers = [(_sampler(h), [_sampler(o) for o in os_]) for _, _, h, os_ in pairs]
        began = boot_now()
        stoppers = _freeze(pairs, loop_only)
        for _, _, _, others in pairs:
            wait_until(
                lambda o=others: held_after(o[0], began), DURATION + 30, "take-over"
            )
        time.sleep(1)
        resumed = boot_now()
        if not loop_only:
            for _, _, holder, _ in pairs:
                holder.thaw()
        time.sleep(13)
        _let_go(stoppers)
        for mine, others in samplers:
            for sampler in (mine, *others):
                sampler.stop()
    return _judge_freeze(samplers, resumed)


def _freeze(pairs, loop_only):
    stoppers = []
    for _, _, holder, _ in pairs:
        if not loop_only:
            holder.freeze()
            continue
        stopper = subprocess.Popen(
            [sys.executable, THREAD_STOP, str(holder.pid)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        stopper.stdout.readline()
        stoppers.append(stopper)
    return stoppers


def _let_go(stoppers):
    for stopper in stoppers:
        stopper.stdin.close()
        stopper.wait(10)


def _judge_freeze(samplers, resumed):
    wrong, longest, overlapping = 0, 0, 0
    for mine, others in samplers:
        late = [
            s
            for s in mine.samples
            if s.answered >= resumed and s.certainty == "held"
        ]
        wrong += len(late)
        if late:
            longest = max(longest, late[-1].answered - resumed)
        history = {s.name: s.samples for s in (mine, *others)}
        overlapping += bool(oracle.overlaps(history))
    return {
        "wrongAnswers": wrong,
        "longestS": longest / SECOND,
        "trialsWithOverlap": overlapping,
        "trials": len(samplers),
    }


def cut_off(plane, subject, trials):
    """How long after its last write was received a cut-off holder answers held:
    beyond the renew deadline, and beyond the lease duration."""
    past_deadline, past_expiry, overlaps, overlap_ms = [], [], 0, []
    with many_pairs(plane, subject, trials, users=True) as (stage, pairs):
        start = stage.audit_start
        samplers = [(_sampler(h), [_sampler(o) for o in os_]) for _, _, h, os_ in pairs]
        with contextlib.ExitStack() as cuts:
            began = boot_now()
            for _, user, _, _ in pairs:
                cut = network_cut.NetworkCut(user, plane.port, "requests")
                cuts.enter_context(cut)
            for _, _, _, others in pairs:
                wait_until(
                    lambda o=others: held_after(o[0], began), DURATION + 30, "take-over"
                )
            time.sleep(12)
        for mine, others in samplers:
            for sampler in (mine, *others):
                sampler.stop()
        for (lease, _, _, _), (mine, others) in zip(pairs, samplers):
            events = audit.read(plane.audit_log, stage.namespace, lease, start)
            identity = mine.samples[0].identity
            last = [e for e in events if e.landed and e.holder == identity][-1]
            held = [s for s in mine.samples if s.certainty == "held"][-1]
            past_deadline.append((held.asked - last.received) / SECOND - DEADLINE)
            past_expiry.append((held.asked - last.received) / SECOND - DURATION)
            history = {s.name: s.samples for s in (mine, *others)}
            overlaps += bool(oracle.overlaps(history))
            overlap_ms.append(_overlap_ms(mine, others))
    return {
        "lastHeldBeyondRenewDeadlineS": max(past_deadline),
        "lastHeldBeyondExpiryS": max(past_expiry),
        "trialsWithOverlap": overlaps,
        "overlapS": {"median": statistics.median(overlap_ms), "worst": max(overlap_ms)},
        "trials": trials,
    }


def _overlap_ms(mine, others):
    ours = oracle.windows(mine.name, mine.samples)
    theirs = [w for o in others for w in oracle.windows(o.name, o.samples)]
    common = [min(a.last, b.last) - max(a.first, b.first) for a in ours for b in theirs]
    return max([0, *common]) / SECOND
