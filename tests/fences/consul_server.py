"""A Consul agent of the test's own, one server."""

import urllib.request

from free_port import free_port
from store_server import SERVERS, StoreServer

PROGRAM = SERVERS / "bin/consul"


class ConsulServer(StoreServer):
    def __init__(self, folder, name="consul"):
        self.port = free_port()
        self.address = f"127.0.0.1:{self.port}"
        self.url = f"consul://{self.address}"
        own = ["server", "serf-lan", "serf-wan"]
        super().__init__(
            folder,
            name,
            [PROGRAM, "agent", "-server", "-bootstrap-expect=1", "-log-level=warn"]
            + ["-bind=127.0.0.1", "-client=127.0.0.1", f"-node={name}"]
            + [f"-data-dir={folder / name}-data", f"-http-port={self.port}"]
            + [f"-{port}-port={free_port()}" for port in own]
            + ["-dns-port=-1", "-grpc-port=-1", "-grpc-tls-port=-1"]
            + ["-hcl=connect { enabled = false }", "-hcl=disable_update_check = true"]
            # Sessions may live for 1 s in place of 10.
            + ['-hcl=session_ttl_min = "1s"'],
        )
        self.wait_until(self._has_a_leader)

    def _has_a_leader(self):
        leader = f"http://{self.address}/v1/status/leader"
        with urllib.request.urlopen(leader, timeout=5) as answer:
            return len(answer.read()) > 5
