#!/usr/bin/env python3
"""A pod of a shop that sells from one stock: three ways to take from it.

    shop.py DB open STOCK
    shop.py DB stock
    shop.py DB sell COUNT --how read-then-write|conditional|fenced
                    [--payment COMMAND]

Exit codes of sell: 0 sold, 1 sold out, 3 the store refused the generation; of all:
64 wrong usage.
"""

import argparse
import os
import sqlite3
import subprocess
import sys

SOLD, SOLD_OUT, REFUSED, USAGE = 0, 1, 3, 64
TABLES = """
CREATE TABLE item (name TEXT PRIMARY KEY, stock INTEGER NOT NULL);
CREATE TABLE fence (resource TEXT PRIMARY KEY, token INTEGER NOT NULL,
                    holder TEXT NOT NULL);
INSERT INTO fence VALUES ('item', 0, '');
"""


class StaleHolder(Exception):
    pass


def refuse(text):
    print(f"shop.py: {text}", file=sys.stderr)
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
        refuse(f"{given.db} has no tables; begin with `shop.py {given.db} open STOCK`")
    return db


def me():
    """Generation and holder, as `tenure exec` passes them on."""
    try:
        return int(os.environ["TENURE_GENERATION"]), os.environ["TENURE_HOLDER"]
    except (KeyError, ValueError):
        refuse("expected TENURE_GENERATION and TENURE_HOLDER, found none; run"
               " this by `tenure exec -- shop.py ...`")


def open_sale(db, stock):
    db.executescript(TABLES)
    db.execute("INSERT INTO item VALUES ('shoe', ?)", (stock,))


def stock(db):
    return db.execute("SELECT stock FROM item WHERE name = 'shoe'").fetchone()[0]


def read_then_write(db, count, pay):
    """Wrong: what was read is old by the time it is written."""
    seen = stock(db)
    if seen < count:
        return SOLD_OUT
    pay()
    db.execute("UPDATE item SET stock = ? WHERE name = 'shoe'", (seen - count,))
    return SOLD


def conditional(db, count, pay):
    """Right, and needs no lock: the store decides and takes in one step. The
    payment comes after, for goods that are put aside already."""
    taken = db.execute(
        "UPDATE item SET stock = stock - ? WHERE name = 'shoe' AND stock >= ?",
        (count, count),
    )
    if taken.rowcount == 0:
        return SOLD_OUT
    pay()
    return SOLD


def pass_fence(db, generation, holder):
    """In the transaction of what it protects. A higher generation passes, and so
    does the same one of the same holder, who writes more than once."""
    passed = db.execute(
        "UPDATE fence SET token = :g, holder = :h WHERE resource = 'item'"
        " AND (token < :g OR (token = :g AND holder = :h))",
        {"g": generation, "h": holder},
    )
    if passed.rowcount == 0:
        raise StaleHolder


def fenced(db, count, pay):
    """Right as well: for what one statement cannot say. One pod at a time, and
    one that was replaced and does not know it is refused."""
    pod = me()
    # Raised before the first read: whoever held the lease before can no longer
    # change what is read here.
    db.execute("BEGIN IMMEDIATE")
    pass_fence(db, *pod)
    seen = stock(db)
    db.execute("COMMIT")
    if seen < count:
        return SOLD_OUT
    pay()
    db.execute("BEGIN IMMEDIATE")
    pass_fence(db, *pod)
    db.execute("UPDATE item SET stock = ? WHERE name = 'shoe'", (seen - count,))
    db.execute("COMMIT")
    return SOLD


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("db")
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("open").add_argument("stock", type=int)
    verbs.add_parser("stock")
    sell = verbs.add_parser("sell")
    sell.add_argument("count", type=int)
    ways = {"read-then-write": read_then_write, "conditional": conditional,
            "fenced": fenced}
    sell.add_argument("--how", choices=ways, required=True)
    sell.add_argument("--payment", default="sleep 0.5")
    given = parser.parse_args(arguments)

    db = connect(given)
    if given.verb == "open":
        open_sale(db, given.stock)
    elif given.verb == "stock":
        print(stock(db))
    else:
        def pay():
            subprocess.run(["sh", "-c", given.payment], check=True)

        try:
            code = ways[given.how](db, given.count, pay)
        except StaleHolder:
            print("refused: another pod holds the lease by now", file=sys.stderr)
            return REFUSED
        print("sold" if code == SOLD else "sold out")
        return code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
