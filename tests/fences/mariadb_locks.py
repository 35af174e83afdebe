"""MariaDB's own locks. They belong to a connection or a transaction and have no
TTL: only a timeout on idle connections lets another take over from a holder
that stands still. No fence anywhere.

Each holder writes in two ways: on the connection that has the lock, and through
another one, as a pool gives out or as any other system is reached."""

import urllib.parse

import pymysql

LOCK_WAIT_TIMEOUT = 1205
NEVER = 3600  # the shortest that is longer than any test
THROUGH = {"the lock's connection": False, "another connection": True}


def connect(url):
    part = urllib.parse.urlsplit(url)
    return pymysql.connect(
        host=part.hostname, port=part.port, user=part.username,
        database=part.path.lstrip("/"),
    )


class MariadbLock:
    lands = THROUGH

    def __init__(self, url, name, ttl):
        self.name = name
        self.connection, self.other = connect(url), connect(url)
        self.other.autocommit(True)
        with self.other.cursor() as sql:
            sql.execute(
                "CREATE TABLE IF NOT EXISTS plain"
                " (name VARCHAR(200) PRIMARY KEY, value TEXT) ENGINE = InnoDB"
            )
            for row in (name, *(f"{name} {way}" for way in THROUGH)):
                sql.execute("INSERT IGNORE INTO plain (name) VALUES (%s)", [row])
        seconds = round(ttl) or NEVER
        with self.connection.cursor() as sql:
            for timeout in ("wait", "idle_transaction"):
                sql.execute(f"SET SESSION {timeout}_timeout = {seconds}")
        self.connection.commit()
        own, other = THROUGH
        self.ways = {
            own: lambda value: self.write(self.connection, own, value),
            other: lambda value: self.write(self.other, other, value),
        }

    def write(self, connection, way, value):
        with connection.cursor() as sql:
            sql.execute(
                "UPDATE plain SET value = %s WHERE name = %s",
                [value, f"{self.name} {way}"],
            )
        connection.commit()

    def read(self, way):
        with self.other.cursor() as sql:
            sql.execute(
                "SELECT value FROM plain WHERE name = %s", [f"{self.name} {way}"]
            )
            return sql.fetchone()[0]


class ForUpdate(MariadbLock):
    title = "`SELECT … FOR UPDATE`"

    def acquire(self, seconds):
        with self.connection.cursor() as sql:
            sql.execute(f"SET SESSION innodb_lock_wait_timeout = {round(seconds)}")
            try:
                sql.execute(
                    "SELECT 1 FROM plain WHERE name = %s FOR UPDATE", [self.name]
                )
            except pymysql.MySQLError as error:
                if error.args[0] != LOCK_WAIT_TIMEOUT:
                    raise
                self.connection.rollback()
                return False
        return True

    def release(self):
        self.connection.commit()


class GetLock(MariadbLock):
    title = "`GET_LOCK`"

    def acquire(self, seconds):
        with self.connection.cursor() as sql:
            sql.execute("SELECT GET_LOCK(%s, %s)", [self.name, seconds])
            return sql.fetchone()[0] == 1

    def release(self):
        with self.connection.cursor() as sql:
            sql.execute("SELECT RELEASE_LOCK(%s)", [self.name])
