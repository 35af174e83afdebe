#!/usr/bin/env python3
"""A worker that renders an export into a file, part by part, and publishes it.

    worker.py DB open
    worker.py DB render EXPORT --into FOLDER [--part COMMAND]
    worker.py DB show EXPORT

--part stands for the work of each part. Exit codes of render: 0 published, or was
published already; 3 the store refused, another worker replaced this one; 64 wrong
usage.
"""

import argparse
import os
import pathlib
import sqlite3
import subprocess
import sys

REFUSED, USAGE = 3, 64
PARTS, ROWS_A_PART = 4, 250
TABLES = """
CREATE TABLE published (export TEXT PRIMARY KEY, file TEXT NOT NULL);
CREATE TABLE fence (resource TEXT PRIMARY KEY, token INTEGER NOT NULL,
                    holder TEXT NOT NULL);
"""


class Replaced(Exception):
    pass


def refuse(text):
    print(f"worker.py: {text}", file=sys.stderr)
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
        refuse(f"{given.db} has no tables; begin with `worker.py {given.db} open`")
    return db


def me():
    """Generation and holder, as `tenure exec` passes them on."""
    try:
        return int(os.environ["TENURE_GENERATION"]), os.environ["TENURE_HOLDER"]
    except (KeyError, ValueError):
        refuse("expected TENURE_GENERATION and TENURE_HOLDER, found none; run"
               " this by `tenure exec -- worker.py ...`")


def pass_fence(db, export):
    """In the transaction of what it protects."""
    generation, holder = me()
    mine = {"r": export, "g": generation, "h": holder}
    db.execute("INSERT OR IGNORE INTO fence VALUES (:r, 0, '')", mine)
    passed = db.execute(
        "UPDATE fence SET token = :g, holder = :h WHERE resource = :r"
        " AND (token < :g OR (token = :g AND holder = :h))",
        mine,
    )
    if passed.rowcount == 0:
        raise Replaced


def published(db, export):
    row = db.execute(
        "SELECT file FROM published WHERE export = ?", (export,)
    ).fetchone()
    return row[0] if row else None


def begin(db, export):
    """Raises the fence before the first read: who held the lease before can no
    longer publish. The file that was published already, or None."""
    db.execute("BEGIN IMMEDIATE")
    pass_fence(db, export)
    file = published(db, export)
    db.execute("COMMIT")
    return file


def render(file, work):
    """Into a file of this generation's own: a file system compares no generations,
    so a stale worker must have nothing of anybody else's to write to."""
    with open(file, "w", encoding="utf-8") as out:
        for part in range(PARTS):
            work()
            for row in range(part * ROWS_A_PART, (part + 1) * ROWS_A_PART):
                out.write(f"{row},{row * row}\n")
        out.flush()
        os.fsync(out.fileno())


def publish(db, export, file):
    """Readers see a whole file or none: the name is what is published."""
    db.execute("BEGIN IMMEDIATE")
    pass_fence(db, export)
    db.execute("INSERT INTO published VALUES (?, ?)", (export, str(file)))
    db.execute("COMMIT")


def remove_others(file, export):
    """What those left who crashed, or who were refused: never published."""
    for other in file.parent.glob(f"{export}.*.csv"):
        if other != file:
            other.unlink(missing_ok=True)


def run(db, export, folder, work):
    done = begin(db, export)
    if done:
        print(f"was published already: {done}")
        return
    file = folder / f"{export}.{os.environ['TENURE_GENERATION']}.csv"
    render(file, work)
    publish(db, export, file)
    remove_others(file, export)
    print(f"published {file}")


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("db")
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("open")
    verbs.add_parser("show").add_argument("export")
    one = verbs.add_parser("render")
    one.add_argument("export")
    one.add_argument("--into", type=pathlib.Path, required=True)
    one.add_argument("--part", default="sleep 0.2")
    given = parser.parse_args(arguments)

    db = connect(given)
    if given.verb == "open":
        db.executescript(TABLES)
    elif given.verb == "show":
        print(published(db, given.export))
    else:
        def work():
            subprocess.run(["sh", "-c", given.part], check=True)

        try:
            run(db, given.export, given.into, work)
        except Replaced:
            print("refused: another worker has taken over", file=sys.stderr)
            return REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
