#!/usr/bin/env python3
"""The nightly bill, in four ways that differ in what a second run does.

    bill.py DB open CUSTOMER...
    bill.py DB bill DAY --how plain|run-row|keyed|fenced [--each COMMAND]
                        [--row-lease SECONDS]
    bill.py DB invoices DAY

--each stands for the work of an invoice: prices, a mail. Exit codes of bill:
0 billed, or was billed already; 3 the store refused, another run replaced this;
64 wrong usage.
"""

import argparse
import datetime
import os
import sqlite3
import subprocess
import sys
import time

REFUSED, USAGE = 3, 64
TABLES = """
CREATE TABLE customer (name TEXT PRIMARY KEY);
CREATE TABLE loose_invoice (customer TEXT, day TEXT);
CREATE TABLE invoice (customer TEXT, day TEXT, PRIMARY KEY (customer, day));
CREATE TABLE run (day TEXT PRIMARY KEY, generation INTEGER NOT NULL);
CREATE TABLE run_row (day TEXT PRIMARY KEY, token INTEGER NOT NULL,
                      held_until REAL NOT NULL, done INTEGER NOT NULL);
CREATE TABLE fence (resource TEXT PRIMARY KEY, token INTEGER NOT NULL,
                    holder TEXT NOT NULL);
INSERT INTO fence VALUES ('billing', 0, '');
"""
# The store's own clock, for the row that is a lease.
NOW = "(julianday('now') * 86400.0)"


class Replaced(Exception):
    pass


def refuse(text):
    print(f"bill.py: {text}", file=sys.stderr)
    sys.exit(USAGE)


def connect(given):
    try:
        db = sqlite3.connect(given.db, timeout=30, isolation_level=None)
        tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    except sqlite3.DatabaseError as error:
        refuse(f"{given.db}: {error}")
    if given.verb == "open" and tables:
        refuse(f"{given.db} was opened before; remove it to begin anew")
    if given.verb != "open" and not tables:
        refuse(f"{given.db} has no tables; begin with `bill.py {given.db} open CUSTOMER...`")
    return db


def me():
    """Generation and holder, as `tenure exec` passes them on."""
    try:
        return int(os.environ["TENURE_GENERATION"]), os.environ["TENURE_HOLDER"]
    except (KeyError, ValueError):
        refuse("expected TENURE_GENERATION and TENURE_HOLDER, found none; run"
               " this by `tenure exec -- bill.py ...`")


def check_day(text):
    """The day is a key: written in two ways it would be billed twice."""
    try:
        written = str(datetime.date.fromisoformat(text))
    except ValueError:
        written = ""
    if written != text:
        refuse(f"expected a day such as 2026-11-29, found {text!r}")


def changed(db, statement, **values):
    return db.execute(statement, values).rowcount == 1


def customers(db):
    return [row[0] for row in db.execute("SELECT name FROM customer ORDER BY name")]


def plain(db, day, work, _):
    """Bills again whenever it runs: whoever starts it must see to once."""
    for customer in customers(db):
        work()
        db.execute("INSERT INTO loose_invoice VALUES (?, ?)", (customer, day))


def keyed(db, day, work, _):
    """May run twice, also at the same time: the second finds the keys."""
    for customer in customers(db):
        work()
        db.execute("INSERT OR IGNORE INTO invoice VALUES (?, ?)", (customer, day))


def run_row(db, day, work, row_lease):
    """A lease in the store itself, on the row of the run. Each claim has a higher
    token, and each invoice compares it: the fence is in the same store, so no
    Lease is needed. Nobody stops the work of one that was replaced."""
    token = claim_row(db, day, row_lease)
    if token is None:
        return
    mine = {"day": day, "token": token, "lease": row_lease}
    for customer in customers(db):
        work()
        db.execute("BEGIN IMMEDIATE")
        if not changed(
            db,
            f"UPDATE run_row SET held_until = {NOW} + :lease"
            " WHERE day = :day AND token = :token AND done = 0",
            **mine,
        ):
            raise Replaced
        # What one that crashed had billed stands, and has its key.
        db.execute("INSERT OR IGNORE INTO invoice VALUES (?, ?)", (customer, day))
        db.execute("COMMIT")
    if not changed(
        db, "UPDATE run_row SET done = 1 WHERE day = :day AND token = :token",
        day=day, token=token,
    ):
        raise Replaced


def claim_row(db, day, row_lease):
    """Waits for the row; its new token, or None if the run is done."""
    db.execute("INSERT OR IGNORE INTO run_row VALUES (?, 0, 0, 0)", (day,))
    while True:
        row = db.execute(
            f"UPDATE run_row SET token = token + 1, held_until = {NOW} + :lease"
            f" WHERE day = :day AND done = 0 AND held_until < {NOW} RETURNING token",
            {"day": day, "lease": row_lease},
        ).fetchone()
        if row:
            return row[0]
        done = db.execute("SELECT done FROM run_row WHERE day = ?", (day,))
        if done.fetchone()[0]:
            print("was billed already")
            return None
        time.sleep(0.1)


def pass_fence(db):
    generation, holder = me()
    if not changed(
        db,
        "UPDATE fence SET token = :g, holder = :h WHERE resource = 'billing'"
        " AND (token < :g OR (token = :g AND holder = :h))",
        g=generation, h=holder,
    ):
        raise Replaced


def fenced(db, day, work, _):
    """Exactly once: the invoices, the unique key of the run and the comparison of
    generations are one transaction."""
    me()  # refuses before the work, rather than after it
    names = customers(db)
    for _ in names:
        work()
    db.execute("BEGIN IMMEDIATE")
    pass_fence(db)
    if not changed(
        db, "INSERT OR IGNORE INTO run VALUES (:day, :generation)",
        day=day, generation=me()[0],
    ):
        db.execute("ROLLBACK")
        print("was billed already")
        return
    db.executemany("INSERT INTO invoice VALUES (?, ?)", [(n, day) for n in names])
    db.execute("COMMIT")


def print_invoices(db, day):
    both = "SELECT * FROM loose_invoice UNION ALL SELECT * FROM invoice"
    for row in db.execute(
        f"SELECT customer, count(*) FROM ({both}) WHERE day = ? GROUP BY customer",
        (day,),
    ):
        print(*row)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("db")
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("open").add_argument("customers", nargs="+")
    verbs.add_parser("invoices").add_argument("day")
    bill = verbs.add_parser("bill")
    bill.add_argument("day")
    ways = {"plain": plain, "run-row": run_row, "keyed": keyed, "fenced": fenced}
    bill.add_argument("--how", choices=ways, required=True)
    bill.add_argument("--each", default="true")
    bill.add_argument("--row-lease", type=float, default=60.0)
    given = parser.parse_args(arguments)

    if given.verb != "open":
        check_day(given.day)
    db = connect(given)
    if given.verb == "open":
        db.executescript(TABLES)
        db.executemany("INSERT INTO customer VALUES (?)", zip(given.customers))
    elif given.verb == "invoices":
        print_invoices(db, given.day)
    else:
        def work():
            subprocess.run(["sh", "-c", given.each], check=True)

        try:
            ways[given.how](db, given.day, work, given.row_lease)
        except Replaced:
            print("refused: another run has taken over", file=sys.stderr)
            return REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
