"""A MariaDB server of the test's own."""

import os
import subprocess

import pymysql
from free_port import free_port
from store_server import StoreServer, as_user, find


class MariadbServer(StoreServer):
    USER = "mysql"  # the server refuses to run as root

    def __init__(self, folder):
        data = folder / "data"
        # Two that are made at once would meet in the usual one.
        place = {"TMPDIR": str(folder)}
        own = ["--no-defaults", f"--datadir={data}"]
        subprocess.run(
            as_user(self.USER, [find("mariadb-install-db"), *own])
            + ["--auth-root-authentication-method=normal", "--skip-test-db"],
            cwd=folder,
            env={**os.environ, **place},
            stdout=subprocess.DEVNULL,
            check=True,
        )
        self.port = free_port()
        self.url = f"mariadb://root@127.0.0.1:{self.port}/tenure"
        super().__init__(folder, "mariadb", as_user(self.USER, [
            find("mariadbd"), *own, f"--port={self.port}",
            "--bind-address=127.0.0.1", f"--socket={folder}/socket",
            f"--pid-file={folder}/pid",
            "--skip-log-bin", "--innodb-buffer-pool-size=32M",
            "--innodb-flush-log-at-trx-commit=0",  # no test here cuts the power
        ]), place)
        self.wait_until(self.make_database)

    def make_database(self):
        with pymysql.connect(host="127.0.0.1", port=self.port, user="root") as made:
            with made.cursor() as sql:
                sql.execute("CREATE DATABASE IF NOT EXISTS tenure")
        return True
