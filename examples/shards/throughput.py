#!/usr/bin/env python3
"""Updates per second of the same workers under one lease, two, and hashed ones.

    throughput.py [--workers N] [--updates N]

Needs a running `tenure dev` in KUBECONFIG, and `tenure` in PATH or TENURE.
"""

import argparse
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

from payments import lease_of

PAYMENTS = pathlib.Path(__file__).resolve().parent / "payments.py"


def accounts_of(workers):
    """One for each worker, each in a shard of its own."""
    found = {}
    for number in range(100_000):
        found.setdefault(lease_of(f"account-{number}"), f"account-{number}")
        if len(found) == workers:
            return list(found.values())
    raise SystemExit("expected at most as many workers as there are shards")


def layouts():
    return [
        ("one global lease", lambda worker, account: "payments"),
        ("one for each region", lambda worker, account: f"payments-{'eu us'.split()[worker % 2]}"),
        ("hashed", lambda worker, account: lease_of(account)),
    ]


def run(lease, workers, updates, folder):
    """(leases, updates per second)"""
    accounts = accounts_of(workers)
    db = folder / "payments.db"
    subprocess.run(
        [PAYMENTS, "open", db, *(f"{account}=0" for account in accounts)], check=True
    )
    names = [lease(worker, account) for worker, account in enumerate(accounts)]
    started = [
        subprocess.Popen(
            [os.environ.get("TENURE", "tenure"), "exec", "--direct", "--lease", name]
            + ["--absent-lease", "take", "--", PAYMENTS, "work", db, account]
            + [str(updates), "--lease", name]
        )
        for name, account in zip(names, accounts)
    ]
    if any([one.wait() for one in started]):
        raise SystemExit("a worker failed")
    with sqlite3.connect(db) as file:
        (total,) = file.execute("SELECT sum(amount) FROM account").fetchone()
        began, ended = file.execute("SELECT min(began), max(ended) FROM worked").fetchone()
    if total != workers * updates:
        raise SystemExit(f"expected {workers * updates} updates, found {total}")
    return len(set(names)), total / (ended - began)


def main(words):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--updates", type=int, default=200)
    given = parser.parse_args(words)
    print(f"{given.workers} workers, {given.updates} updates each")
    for name, lease in layouts():
        with tempfile.TemporaryDirectory() as folder:
            count, rate = run(lease, given.workers, given.updates, pathlib.Path(folder))
        print(f"{name:<20} {count:>2} leases  {rate:>6.0f} updates/s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
