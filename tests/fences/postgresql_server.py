"""A PostgreSQL cluster of the test's own."""

import signal
import subprocess

import psycopg2
from free_port import free_port
from store_server import StoreServer, as_user, find

SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",  # no test here cuts the power
    "shared_buffers": "16MB",
    "log_min_messages": "fatal",
}


class PostgresqlServer(StoreServer):
    USER = "postgres"  # the server refuses to run as root
    gentle = signal.SIGINT  # ends its sessions, too

    def __init__(self, folder):
        data = folder / "data"
        subprocess.run(
            as_user(self.USER, [find("initdb"), "-D", data, "-U", self.USER, "-A", "trust"])
            + ["--no-sync", "--encoding=UTF8", "--locale=C"],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        port = free_port()
        self.url = f"postgresql://{self.USER}@127.0.0.1:{port}/postgres"
        command = [find("postgres"), "-D", data, "-p", port]
        for name, value in SETTINGS.items():
            command += ["-c", f"{name}={value}"]
        super().__init__(folder, "postgresql", as_user(self.USER, command))
        self.wait_until(lambda: psycopg2.connect(self.url).close() or True)
