#!/usr/bin/env python3
"""One pod of a Deployment: the holder does the work, the others stand by.

    app.py DB [--socket PATH] [--between COMMAND]

Ten times a second it asks the sidecar; while the lease is held it writes one row
with the generation. --between runs between the asking and the write: that is
where a pause does its harm, and why the store compares.
"""

import argparse
import http.client
import json
import os
import socket
import sqlite3
import subprocess
import sys
import time

# Three pods start at once.
TABLES = """
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS work (id INTEGER PRIMARY KEY, generation INTEGER NOT NULL,
                                 pod TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS fence (resource TEXT PRIMARY KEY,
                                  token INTEGER NOT NULL, holder TEXT NOT NULL);
INSERT OR IGNORE INTO fence VALUES ('work', 0, '');
COMMIT;
"""


class Sidecar:
    """Asks, and believes an answer only for as long as it was worth."""

    def __init__(self, path):
        self._path = path

    def held(self):
        """(generation, holder, until) while the lease is held, else None: also
        if the sidecar is uncertain, is gone, or is silent for a second."""
        asked = time.clock_gettime(time.CLOCK_BOOTTIME)
        try:
            status, document = self._get("/v1/generation")
        except (OSError, http.client.HTTPException, ValueError):
            return None
        if status != 200:  # 409: standby, 503: uncertain
            return None
        # Counted from before the question.
        until = asked + document["remainingMs"]["toRenewBy"] / 1000
        return int(document["generation"]), document["identity"], until

    def _get(self, target):
        connection = http.client.HTTPConnection("localhost")
        connection.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.sock.settimeout(1)
        try:
            connection.sock.connect(self._path)
            connection.request("GET", target, headers={"Accept": "application/json"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read(65536))
        finally:
            connection.close()


def pass_fence(db, generation, holder):
    """In the transaction of what it protects; False: somebody newer was here."""
    passed = db.execute(
        "UPDATE fence SET token = :g, holder = :h WHERE resource = 'work'"
        " AND (token < :g OR (token = :g AND holder = :h))",
        {"g": generation, "h": holder},
    )
    return passed.rowcount == 1


def write(db, generation, holder):
    db.execute("BEGIN IMMEDIATE")
    passed = pass_fence(db, generation, holder)
    if passed:
        pod = holder.split("_")[0]
        db.execute("INSERT INTO work (generation, pod) VALUES (?, ?)", (generation, pod))
    db.execute("COMMIT")
    return passed


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("db")
    usual = os.environ.get("TENURE_SOCKET", "/run/tenure/tenure.sock")
    parser.add_argument("--socket", default=usual)
    parser.add_argument("--between", default="")
    given = parser.parse_args(arguments)

    db = sqlite3.connect(given.db, timeout=30, isolation_level=None)
    db.executescript(TABLES)
    sidecar = Sidecar(given.socket)
    said = None
    while True:
        held = sidecar.held()
        now = f"holder, generation {held[0]}" if held else "standby"
        if now != said:
            print(said := now, flush=True)
        if held:
            generation, holder, until = held
            # A courtesy, not the safety: a pause may come after this line.
            if time.clock_gettime(time.CLOCK_BOOTTIME) >= until:
                continue
            if given.between:
                subprocess.run(["sh", "-c", given.between], check=True)
            if not write(db, generation, holder):
                print(f"refused: generation {generation}", flush=True)
        time.sleep(0.1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
