"""The drill on a system's own lock: its holder is paused past the lock's TTL,
another takes the lock and writes, the first is resumed and writes. No fence.

What happened is measured, not assumed: each way of writing is read back from
the store. Rows go to build/reports/fences, from where table.py puts them into
docs/fencing.md."""

import concurrent.futures
import dataclasses
import json
import os
import pathlib
import signal
import sys
import time
import uuid

from adapter import LineProgram

HERE = pathlib.Path(__file__).resolve().parent
TRIALS = int(os.environ.get("TENURE_STORE_TRIALS", "2"))
AT_ONCE = 4
# Enough that p99 is not the single slowest one.
ROUNDS = 1000 if TRIALS >= 20 else 100
SLICE = 20  # of them are asked for at a time
TTL = 1.0
LONGEST = 30.0


class LockClient(LineProgram):
    def __init__(self, kind, url, name, ttl=TTL):
        super().__init__(
            ["setsid", sys.executable, HERE / "lock_client.py", kind.__module__]
            + [kind.__name__, url, name, ttl]
        )

    def pause(self):
        # With the programs that it started, as a machine stands still.
        os.killpg(self.popen.pid, signal.SIGSTOP)

    def resume(self):
        os.killpg(self.popen.pid, signal.SIGCONT)

    def acquire(self, seconds):
        return self.ask(op="acquire", within=seconds)["acquired"]


@dataclasses.dataclass
class Trial:
    took_over: float  # seconds from the pause to the next holder
    landed: dict  # way of writing: the stale write is what the store has
    said: dict  # way of writing: the refusal, or None


def trial(kind, url):
    name = f"lock:{uuid.uuid4()}"
    # The second is never late, however busy the machine.
    clients = [LockClient(kind, url, name), LockClient(kind, url, name, LONGEST)]
    try:
        return _trial(*clients)
    finally:
        for client in clients:
            client.stop()


def _trial(first, second):
    second.ask(op="read")  # it is connected: what follows is the lock's time
    assert first.acquire(LONGEST)
    first.pause()
    paused = time.monotonic()
    assert second.acquire(LONGEST), "nobody took over from a paused holder"
    took_over = time.monotonic() - paused
    wrote = second.ask(op="write", value="second")["ways"]
    assert not any(wrote.values()), f"the new holder could not write: {wrote}"
    assert second.ask(op="release")["released"] is None
    first.resume()
    said = first.ask(op="write", value="stale")["ways"]
    values = second.ask(op="read")["ways"]
    assert set(values.values()) <= {"second", "stale"}, values
    return Trial(
        took_over, {way: value == "stale" for way, value in values.items()}, said
    )


def measure(kind, url, rounds):
    """Seconds of each of `rounds` acquisitions that nobody contends for."""
    client = LockClient(kind, url, f"lock:{uuid.uuid4()}", LONGEST)
    try:
        times = []
        while len(times) < rounds:
            times += client.ask(op="measure", rounds=SLICE)["seconds"]
        return sorted(times)
    finally:
        client.stop()


def compare(store, kind, url):
    """Runs the trials of one lock, keeps its row, and returns the trials."""
    # A lock that starts a program each time has fewer.
    times = measure(kind, url, min(ROUNDS, getattr(kind, "rounds", ROUNDS)))
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        trials = list(pool.map(lambda _: trial(kind, url), range(TRIALS)))
    row = {
        "store": store,
        "lock": kind.title,
        "trials": TRIALS,
        "landed": {
            way: sum(trial.landed[way] for trial in trials)
            for way in trials[0].landed
        },
        "took_over": sorted(trial.took_over for trial in trials)[TRIALS // 2],
        "p50": times[len(times) // 2],
        "p99": times[len(times) * 99 // 100],
        "rounds": len(times),
    }
    keep(f"{store}-{kind.__name__}", row)
    return trials


def keep_fence(store, trials):
    """The row of a store's fence, whose test has just refused each of them."""
    row = {"store": store, "lock": "none; the fence", "trials": trials}
    keep(f"{store}-0", row | {"landed": {"any": 0}})


def keep(name, row):
    """For table.py."""
    build = pathlib.Path(os.environ.get("TENURE_BUILD", HERE.parents[1] / "build/dev"))
    folder = build / "reports/fences"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(row, indent=1) + "\n")


def check(store, kind, url):
    """The trials, held against what docs/fencing.md says of this lock:
    `kind.lands`, {way: whether a stale write lands}."""
    for number, each in enumerate(compare(store, kind, url)):
        assert each.landed == kind.lands, f"trial {number}: {each}"


def check_never_taken(kind, url, seconds=2.0):
    """A lock without any TTL: nobody takes over from a holder that stands
    still, and it writes as the holder it still is."""
    name = f"lock:{uuid.uuid4()}"
    first, second = (LockClient(kind, url, name, 0) for _ in range(2))
    try:
        second.ask(op="read")
        assert first.acquire(LONGEST)
        first.pause()
        assert not second.acquire(seconds)
        first.resume()
        assert not any(first.ask(op="write", value="first")["ways"].values())
        first.ask(op="release")
        assert second.acquire(LONGEST)
    finally:
        first.stop()
        second.stop()
