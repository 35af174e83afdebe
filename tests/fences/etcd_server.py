"""An etcd of the test's own."""

import urllib.request

from free_port import free_port
from store_server import StoreServer, find


class EtcdServer(StoreServer):
    def __init__(self, folder, name="etcd"):
        self.port = free_port()
        self.endpoint = f"http://127.0.0.1:{self.port}"
        self.url = f"etcd://127.0.0.1:{self.port}"
        peers = f"http://127.0.0.1:{free_port()}"
        super().__init__(
            folder,
            name,
            [find("etcd"), "--name", name, "--data-dir", folder / f"{name}-data"]
            + ["--listen-client-urls", self.endpoint]
            + ["--advertise-client-urls", self.endpoint]
            + ["--listen-peer-urls", peers]
            + ["--initial-advertise-peer-urls", peers]
            + ["--initial-cluster", f"{name}={peers}"]
            # A lease may then be as short as 1 s in place of 2.
            + ["--heartbeat-interval", "50", "--election-timeout", "500"],
        )
        self.wait_until(self._healthy)

    def _healthy(self):
        with urllib.request.urlopen(f"{self.endpoint}/health", timeout=5) as answer:
            return b'"true"' in answer.read()
