"""A redis-server of the test's own."""

import redis
from free_port import free_port
from store_server import StoreServer, find


class RedisServer(StoreServer):
    def __init__(self, folder, name="redis", environment=None):
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        super().__init__(
            folder,
            name,
            [find("redis-server"), "--port", self.port, "--bind", "127.0.0.1"]
            + ["--dir", folder, "--save", "", "--daemonize", "no"],
            environment,
        )
        self.wait_until(lambda: redis.Redis(port=self.port).ping())
