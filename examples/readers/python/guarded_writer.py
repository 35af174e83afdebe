"""Writes to a store only while the sidecar says held.

    guarded_writer.py SIDECAR STORE        commands on stdin, an answer each:
        ask            held GENERATION | not held: WHY
        write VALUE    wrote G | not written: WHY | stale G | unknown: WHY
    guarded_writer.py SIDECAR STORE watch  prints each change of the claim
"""

import http.client
import sys

from tenure_reader import Claim, NotHeld, Reader


def describe(claim):
    try:
        return f"held {claim.generation()}"
    except NotHeld as why:
        return f"not held: {why}"


def write(store, claim, value):
    try:
        generation = claim.generation()  # asked for last, just before the write
    except NotHeld as why:
        return f"not written: {why}"
    connection = http.client.HTTPConnection(store, timeout=5)
    try:
        connection.request("PUT", "/value", value, {"Tenure-Generation": generation})
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        return f"unknown: {error!r}"  # it may have been applied
    finally:
        connection.close()
    if status == 409:
        return f"stale {generation}"  # the store knows a higher one
    return f"wrote {generation}" if status == 200 else f"unknown: {status}"


def main(sidecar, store, mode=""):
    reader = Reader(sidecar)
    if mode == "watch":
        said = ""
        for claim in reader.watch():
            now = describe(claim)
            if now != said:
                print(now, flush=True)
            said = now
    claim = Claim(why="not asked yet")
    for line in sys.stdin:
        command, _, value = line.strip().partition(" ")
        if command == "ask":
            claim = reader.ask()
            print(describe(claim), flush=True)
        elif command == "write":
            print(write(store, claim, value), flush=True)


main(*sys.argv[1:])
