#!/usr/bin/python3
"""A holder of some system's own lock: lock_client.py MODULE CLASS URL NAME TTL.

Answers one JSON object a line with one, as a tenure-store-* does. The class is
one of *_locks.py: acquire(seconds) -> bool, release(), and `ways`, its ways of
writing: {name: write(value)}; `read(way)` is what the store has.
"""

import importlib
import json
import sys
import time


def perform(lock, request):
    op = request["op"]
    if op == "acquire":
        return {"acquired": lock.acquire(request["within"])}
    if op == "release":
        return {"released": attempt(lock.release)}
    if op == "write":
        return {"ways": {
            name: attempt(lambda write=write: write(request["value"]))
            for name, write in lock.ways.items()
        }}
    if op == "read":
        return {"ways": {name: lock.read(name) for name in lock.ways}}
    if op == "measure":
        return {"seconds": [timed(lock) for _ in range(request["rounds"])]}
    raise ValueError(f"expected a known op, found {op!r}")


def attempt(action):
    """None, or what the system said."""
    try:
        action()
    except Exception as error:  # whatever a client library raises
        return " ".join(str(error).split())[:200] or type(error).__name__
    return None


def timed(lock):
    began = time.monotonic()
    assert lock.acquire(10.0)
    took = time.monotonic() - began
    lock.release()
    return took


def main(module, name, url, resource, ttl):
    lock = getattr(importlib.import_module(module), name)(url, resource, float(ttl))
    for line in sys.stdin:
        print(json.dumps(perform(lock, json.loads(line))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
