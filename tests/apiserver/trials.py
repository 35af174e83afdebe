"""Runs the trials of all tests marked `trial` together, several at once.

A trial mostly waits for a lease to expire; one after the other the ring would
take a quarter of an hour. Each has a namespace and processes of its own. A test
passes when each of its TENURE_TRIALS trials did (3 in CI, 20 in `make soak`).

A trial in which nothing wrong was seen, but which was sampled below 50 Hz, shows
too little: it is done again, at most twice.
"""

import concurrent.futures
import os

# Few enough that two cores sample at 50 Hz and answer in time.
AT_ONCE = int(os.environ.get("TENURE_TRIALS_AT_ONCE", "6"))


def count():
    return int(os.environ.get("TENURE_TRIALS", "3"))


ATTEMPTS = 3


class SampledTooSlowly(AssertionError):
    """Nothing wrong was seen, for want of looking."""


def attempt(trial, arguments):
    for left in reversed(range(ATTEMPTS)):
        try:
            return trial(**arguments)
        except SampledTooSlowly:
            if not left:
                raise


class Trials:
    def __init__(self):
        self._pool = concurrent.futures.ThreadPoolExecutor(AT_ONCE)
        self._running = {}

    def start(self, items, plane):
        """Queues every trial of `items`, in their order. Once."""
        if self._running:
            return
        for item in items:
            arguments = {"plane": plane}
            if hasattr(item, "callspec"):
                arguments |= item.callspec.params
            self._running[item.nodeid] = [
                self._pool.submit(attempt, item.obj, arguments)
                for _ in range(count())
            ]

    def result(self, item):
        """Waits for the item's trials; raises the first failure, having told of
        all of them."""
        futures = self._running[item.nodeid]
        errors = [(n, f.exception()) for n, f in enumerate(futures)]
        failed = [(n, error) for n, error in errors if error is not None]
        for number, error in failed:
            print(f"trial {number} of {len(futures)}: {error}")
        if failed:
            raise failed[0][1]

    def stop(self):
        self._pool.shutdown(cancel_futures=True)
