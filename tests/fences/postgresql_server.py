"""A PostgreSQL cluster of the test's own."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

import psycopg2
from store_server import StoreServer, as_user, find, free_port

USER = "postgres"  # the server refuses to run as root
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",  # no test here cuts the power
    "shared_buffers": "16MB",
    "log_min_messages": "fatal",
}


class PostgresqlServer(StoreServer):
    gentle = signal.SIGINT  # ends its sessions, too

    def __init__(self):
        # pytest's folders are closed to other users.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tenure-postgresql-"))
        data = self.folder / "data"
        if os.geteuid() == 0:
            shutil.chown(self.folder, USER)
        subprocess.run(
            as_user(USER, [find("initdb"), "-D", data, "-U", USER, "-A", "trust"])
            + ["--no-sync", "--encoding=UTF8", "--locale=C"],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        port = free_port()
        self.url = f"postgresql://{USER}@127.0.0.1:{port}/postgres"
        command = [find("postgres"), "-D", data, "-p", port]
        for name, value in SETTINGS.items():
            command += ["-c", f"{name}={value}"]
        super().__init__(self.folder, "postgresql", as_user(USER, command))
        self.wait_until(lambda: psycopg2.connect(self.url).close() or True)

    def stop(self):
        super().stop()
        shutil.rmtree(self.folder)
