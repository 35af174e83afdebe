"""Waiting for what must become true, and clocks as the sidecar counts them."""

import time

# Wide, because a sanitizer build on a busy machine is slow; a test that needs
# a tight bound says so itself.
GENEROUS = 20.0


def boot_now():
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def eventually(ask, seconds=GENEROUS, what=""):
    """Asks until the answer is true, and returns it. AssertionError after
    `seconds`, with the last answer."""
    deadline = time.monotonic() + seconds
    while True:
        answer = ask()
        if answer:
            return answer
        assert time.monotonic() < deadline, f"not within {seconds} s: {what or answer}"
        time.sleep(0.005)
