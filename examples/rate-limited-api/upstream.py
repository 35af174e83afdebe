#!/usr/bin/env python3
"""The API of somebody else, which allows so many calls at once, and a gateway of
ours before it, which knows the generation of each slot.

    upstream.py --limit N [--port PORT] [--call COMMAND]

POST /call with Slot, Generation and Holder: 200; 409 if the slot has changed hands;
429 above the limit. GET /seen: what it saw. Prints its port.
"""

import argparse
import http.server
import json
import subprocess
import sys
import threading


class Gateway:
    """Accepts a call in a slot only from the latest holder of that slot."""

    def __init__(self, limit):
        self._lock = threading.Lock()
        self._limit = limit
        self._latest = {}  # by slot: (generation, holder)
        self._now = 0
        self._seen = {"calls": [], "mostAtOnce": 0, "overLimit": 0, "refused": 0}

    def enter(self, slot, generation, holder):
        """The status code; 200 must be followed by leave()."""
        with self._lock:
            latest, last_holder = self._latest.get(slot, (0, ""))
            if generation < latest or (generation == latest and holder != last_holder):
                self._seen["refused"] += 1
                return 409
            self._latest[slot] = (generation, holder)
            if self._now == self._limit:
                self._seen["overLimit"] += 1
                return 429
            self._now += 1
            self._seen["calls"].append([slot, generation])
            self._seen["mostAtOnce"] = max(self._seen["mostAtOnce"], self._now)
            return 200

    def leave(self):
        with self._lock:
            self._now -= 1

    def seen(self):
        with self._lock:
            return json.dumps(self._seen).encode()


def handler(gateway, call):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            code = gateway.enter(
                self.headers["Slot"],
                int(self.headers["Generation"]),
                self.headers["Holder"],
            )
            if code == 200:
                try:
                    subprocess.run(["sh", "-c", call], check=True)
                finally:
                    gateway.leave()
            self._answer(code, b"")

        def do_GET(self):
            self._answer(200, gateway.seen())

        def _answer(self, code, body):
            self.send_response(code)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    return Handler


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--limit", type=int, required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--call", default="sleep 0.2")
    given = parser.parse_args(arguments)
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", given.port), handler(Gateway(given.limit), given.call)
    )
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(sys.argv[1:])
