"""A MariaDB server of the test's own."""

import os
import pathlib
import shutil
import subprocess
import tempfile

import pymysql
from store_server import StoreServer, as_user, find, free_port

USER = "mysql"  # the server refuses to run as root


class MariadbServer(StoreServer):
    def __init__(self):
        # pytest's folders are closed to other users.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tenure-mariadb-"))
        data = self.folder / "data"
        data.mkdir()
        if os.geteuid() == 0:
            shutil.chown(self.folder, USER)
            shutil.chown(data, USER)
        own = ["--no-defaults", f"--datadir={data}"]
        subprocess.run(
            as_user(USER, [find("mariadb-install-db"), *own])
            + ["--auth-root-authentication-method=normal", "--skip-test-db"],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        self.port = free_port()
        self.url = f"mariadb://root@127.0.0.1:{self.port}/tenure"
        super().__init__(self.folder, "mariadb", as_user(USER, [
            find("mariadbd"), *own, f"--port={self.port}",
            "--bind-address=127.0.0.1", f"--socket={self.folder}/socket",
            f"--pid-file={self.folder}/pid",
            "--skip-log-bin", "--innodb-buffer-pool-size=32M",
            "--innodb-flush-log-at-trx-commit=0",  # no test here cuts the power
        ]))
        self.wait_until(self.make_database)

    def make_database(self):
        with pymysql.connect(host="127.0.0.1", port=self.port, user="root") as made:
            with made.cursor() as sql:
                sql.execute("CREATE DATABASE IF NOT EXISTS tenure")
        return True

    def stop(self):
        super().stop()
        shutil.rmtree(self.folder)
