#!/usr/bin/env python3
"""One call to the rate-limited API, in the slot that this process holds.

    tenure exec --slots N ... -- caller.py PORT [--before COMMAND]

Exit codes: 0 called, 1 the API said no, 3 the slot has changed hands, 64 wrong
usage.
"""

import argparse
import http.client
import os
import subprocess
import sys

REFUSED, USAGE = 3, 64
NEEDED = ("TENURE_LEASE", "TENURE_GENERATION", "TENURE_HOLDER")


def call(port):
    headers = {
        "Slot": os.environ["TENURE_LEASE"],
        "Generation": os.environ["TENURE_GENERATION"],
        "Holder": os.environ["TENURE_HOLDER"],
    }
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("POST", "/call", headers=headers)
        return connection.getresponse().status
    finally:
        connection.close()


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("port", type=int)
    parser.add_argument("--before", default="true")
    given = parser.parse_args(arguments)
    missing = [name for name in NEEDED if name not in os.environ]
    if missing:
        print(f"caller.py: expected {', '.join(missing)}, found none; run this by"
              " `tenure exec --slots N ... -- caller.py ...`", file=sys.stderr)
        return USAGE
    subprocess.run(["sh", "-c", given.before], check=True)
    status = call(given.port)
    if status == 409:
        print("refused: the slot has changed hands", file=sys.stderr)
        return REFUSED
    slot, generation = os.environ["TENURE_LEASE"], os.environ["TENURE_GENERATION"]
    print(f"{status} in {slot}, generation {generation}")
    return 0 if status == 200 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
