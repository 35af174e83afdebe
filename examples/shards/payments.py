#!/usr/bin/env python3
"""Payments whose accounts are spread over a fixed number of leases.

    payments.py leases [KEY...]           every lease, or those of these accounts
    payments.py open DB ACCOUNT=AMOUNT...
    payments.py transfer DB FROM TO AMOUNT [--between COMMAND]
    payments.py work DB ACCOUNT UPDATES --lease NAME
    payments.py balances DB

transfer and work run under `tenure exec`. Exit codes: 0, 1 not enough money, 3 the
store refused a generation, 64 wrong usage.
"""

import argparse
import hashlib
import os
import sqlite3
import subprocess
import sys
import time

# Fixed once: with another number the same account has another lease, and two
# programs that disagree on it exclude nobody.
SHARDS = 16
REFUSED, NOT_ENOUGH, USAGE = 3, 1, 64
TABLES = """
PRAGMA journal_mode = WAL;
CREATE TABLE account (name TEXT PRIMARY KEY, amount INTEGER NOT NULL);
CREATE TABLE fence (resource TEXT PRIMARY KEY, token INTEGER NOT NULL,
                    holder TEXT NOT NULL);
CREATE TABLE worked (began REAL NOT NULL, ended REAL NOT NULL,
                     updates INTEGER NOT NULL);
"""


class Replaced(Exception):
    pass


def refuse(text):
    print(f"payments.py: {text}", file=sys.stderr)
    sys.exit(USAGE)


def connect(given):
    try:
        db = sqlite3.connect(given.db, timeout=60, isolation_level=None)
        tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    except sqlite3.DatabaseError as error:
        refuse(f"{given.db}: {error}")
    if given.verb == "open" and tables:
        refuse(f"{given.db} was opened before; remove it to begin anew")
    if given.verb != "open" and not tables:
        refuse(f"{given.db} has no tables; begin with `payments.py open {given.db} ACCOUNT=AMOUNT...`")
    return db


def lease_of(account):
    """The same on every machine and in every version of Python: hash() is not."""
    digest = hashlib.sha256(account.encode()).digest()
    return f"payments-{int.from_bytes(digest[:8], 'big') % SHARDS:02}"


def leases_of(accounts):
    """Each once, though accounts may share one. In order, as tenure takes them."""
    return sorted({lease_of(account) for account in accounts})


def pass_fence(db, lease):
    """In the transaction of what it protects. Each lease has a generation of its
    own, and is compared with its own."""
    variable = "TENURE_GENERATION_" + lease.upper().replace("-", "_")
    try:
        me = {"r": lease, "g": int(os.environ[variable]),
              "h": os.environ["TENURE_HOLDER"]}
    except (KeyError, ValueError):
        refuse(f"expected {variable} and TENURE_HOLDER, found none; run this by"
               f" `tenure exec --lease {lease} -- payments.py ...`")
    db.execute("INSERT OR IGNORE INTO fence VALUES (:r, 0, '')", me)
    passed = db.execute(
        "UPDATE fence SET token = :g, holder = :h WHERE resource = :r"
        " AND (token < :g OR (token = :g AND holder = :h))",
        me,
    )
    if passed.rowcount == 0:
        raise Replaced


def amount_of(db, account):
    query = "SELECT amount FROM account WHERE name = ?"
    return db.execute(query, (account,)).fetchone()[0]


def transfer(db, source, target, amount, between):
    leases = leases_of([source, target])
    db.execute("BEGIN IMMEDIATE")
    for lease in leases:
        pass_fence(db, lease)
    has = amount_of(db, source)
    db.execute("COMMIT")
    if has < amount:
        return NOT_ENOUGH
    subprocess.run(["sh", "-c", between], check=True)
    db.execute("BEGIN IMMEDIATE")
    for lease in leases:
        pass_fence(db, lease)
    change = "UPDATE account SET amount = amount + ? WHERE name = ?"
    db.executemany(change, [(-amount, source), (amount, target)])
    db.execute("COMMIT")
    return 0


def work(db, account, updates, lease):
    """Each update asks a provider, which takes 5 ms, and books the answer."""
    began = time.monotonic()
    for _ in range(updates):
        time.sleep(0.005)
        db.execute("BEGIN IMMEDIATE")
        pass_fence(db, lease)
        db.execute("UPDATE account SET amount = amount + 1 WHERE name = ?", (account,))
        db.execute("COMMIT")
    ended = time.monotonic()
    db.execute("INSERT INTO worked VALUES (?, ?, ?)", (began, ended, updates))


def arguments_of(words):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    leases = verbs.add_parser("leases")
    leases.add_argument("keys", nargs="*")
    opened = verbs.add_parser("open")
    opened.add_argument("db")
    opened.add_argument("accounts", nargs="+")
    moved = verbs.add_parser("transfer")
    for name in ("db", "source", "target"):
        moved.add_argument(name)
    moved.add_argument("amount", type=int)
    moved.add_argument("--between", default="true")
    worked = verbs.add_parser("work")
    worked.add_argument("db")
    worked.add_argument("account")
    worked.add_argument("updates", type=int)
    worked.add_argument("--lease", required=True)
    verbs.add_parser("balances").add_argument("db")
    return parser.parse_args(words)


def main(words):
    given = arguments_of(words)
    if given.verb == "leases":
        every = [f"payments-{shard:02}" for shard in range(SHARDS)]
        print(*(leases_of(given.keys) if given.keys else every), sep=",")
        return 0
    db = connect(given)
    db.execute("PRAGMA synchronous = NORMAL")
    try:
        if given.verb == "open":
            db.executescript(TABLES)
            pairs = [account.split("=") for account in given.accounts]
            db.executemany("INSERT INTO account VALUES (?, ?)", pairs)
        elif given.verb == "transfer":
            return transfer(
                db, given.source, given.target, given.amount, given.between
            )
        elif given.verb == "work":
            work(db, given.account, given.updates, given.lease)
        else:
            for row in db.execute("SELECT name, amount FROM account ORDER BY name"):
                print(*row)
    except Replaced:
        print("refused: another process holds the lease by now", file=sys.stderr)
        return REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
