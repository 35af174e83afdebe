"""PostgreSQL's own locks. They belong to a session or a transaction and have
no TTL: only a timeout on idle sessions lets another take over from a holder
that stands still. No fence anywhere.

Each holder writes in two ways: in the session that has the lock, and through
another connection, as a pool gives out or as any other system is reached."""

import time

import psycopg2

THROUGH = {"the lock's session": False, "another connection": True}


class PostgresqlLock:
    lands = THROUGH

    def __init__(self, url, name, ttl):
        self.url, self.name = url, name
        self.session = psycopg2.connect(url)
        self.other = psycopg2.connect(url)
        self.other.autocommit = True
        self.session.autocommit = not self.in_transaction
        with self.other.cursor() as sql:
            sql.execute(
                "SELECT pg_advisory_lock(1);"
                "CREATE TABLE IF NOT EXISTS plain (name text PRIMARY KEY, value text);"
                "SELECT pg_advisory_unlock(1)"
            )
            for row in (name, *(f"{name} {way}" for way in THROUGH)):
                sql.execute(
                    "INSERT INTO plain VALUES (%s) ON CONFLICT DO NOTHING", [row]
                )
        with self.session.cursor() as sql:
            for timeout in ("idle_session", "idle_in_transaction_session"):
                # 0: none, which is the default.
                sql.execute(f"SET {timeout}_timeout = {round(ttl * 1000)}")
        self.commit()
        session, other = THROUGH
        self.ways = {
            session: lambda value: self.write(self.session, session, value),
            other: lambda value: self.write(self.other, other, value),
        }

    in_transaction = True

    def acquire(self, seconds):
        with self.session.cursor() as sql:
            sql.execute(f"SET lock_timeout = {round(seconds * 1000)}")
            try:
                sql.execute(self.statement, [self.name])
            except psycopg2.errors.LockNotAvailable:
                self.session.rollback()
                return False
        return True

    def commit(self):
        if self.in_transaction:
            self.session.commit()

    release = commit

    def write(self, connection, way, value):
        with connection.cursor() as sql:
            sql.execute(
                "UPDATE plain SET value = %s WHERE name = %s",
                [value, f"{self.name} {way}"],
            )
        if connection is self.session:
            self.commit()

    def read(self, way):
        with self.other.cursor() as sql:
            sql.execute(
                "SELECT value FROM plain WHERE name = %s", [f"{self.name} {way}"]
            )
            return sql.fetchone()[0]


class ForUpdate(PostgresqlLock):
    title = "`SELECT … FOR UPDATE`"
    statement = "SELECT 1 FROM plain WHERE name = %s FOR UPDATE"


class AdvisoryTransaction(PostgresqlLock):
    title = "`pg_advisory_xact_lock`"
    statement = "SELECT pg_advisory_xact_lock(hashtext(%s))"


class AdvisorySession(PostgresqlLock):
    title = "`pg_advisory_lock`"
    in_transaction = False
    statement = "SELECT pg_advisory_lock(hashtext(%s))"

    def release(self):
        with self.session.cursor() as sql:
            sql.execute("SELECT pg_advisory_unlock(hashtext(%s))", [self.name])


class AdvisoryTry(AdvisorySession):
    title = "`pg_try_advisory_lock`, asked every 10 ms"
    statement = "SELECT pg_try_advisory_lock(hashtext(%s))"

    def acquire(self, seconds):
        deadline = time.monotonic() + seconds
        with self.session.cursor() as sql:
            while True:
                sql.execute(self.statement, [self.name])
                if sql.fetchone()[0]:
                    return True
                if time.monotonic() > deadline:
                    return False
                time.sleep(0.01)
