"""The optimistic version check: no lock, no token, no lease.

Whoever changes a row says which version of it was read. Nobody waits for anyone;
who comes second finds zero rows changed, reads again and decides again.
"""

import sqlite3

ATTEMPTS = 100  # each lost race means that another writer got through

TABLES = """
CREATE TABLE IF NOT EXISTS account (
  name TEXT PRIMARY KEY, balance INTEGER NOT NULL, version INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS done (id TEXT PRIMARY KEY);
"""
SWAP = """
UPDATE account SET balance = ?, version = version + 1
WHERE name = ? AND version = ?
"""


class Accounts:
    def __init__(self, path):
        # Transactions are written out here, not begun behind our back.
        self._database = sqlite3.connect(path, timeout=30, isolation_level=None)
        self._database.executescript(TABLES)

    def close(self):
        self._database.close()

    def create(self, name, balance):
        self._database.execute("INSERT INTO account VALUES (?, ?, 1)", (name, balance))

    def read(self, name):
        """-> (balance, version)"""
        query = "SELECT balance, version FROM account WHERE name = ?"
        return self._database.execute(query, (name,)).fetchone()

    def swap(self, name, version, balance, id):
        """Whether the row still was as read. In the same transaction the
        operation is marked as done: asked again, it is not done again."""
        self._database.execute("BEGIN IMMEDIATE")
        try:
            mark = "INSERT OR IGNORE INTO done VALUES (?)"
            if self._database.execute(mark, (id,)).rowcount == 0:
                self._database.execute("ROLLBACK")
                return True
            changed = self._database.execute(SWAP, (balance, name, version)).rowcount
            self._database.execute("COMMIT" if changed else "ROLLBACK")
            return changed == 1
        except BaseException:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise

    def add(self, name, amount, id):
        """Reads, decides, swaps; begins again where another came between."""
        for _ in range(ATTEMPTS):
            balance, version = self.read(name)
            if balance + amount < 0:
                raise ValueError(f"{name} has {balance}, {-amount} was wanted")
            if self.swap(name, version, balance + amount, id):
                return
        raise TimeoutError(f"lost {ATTEMPTS} races for {name}")
