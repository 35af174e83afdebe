"""ZooKeeper's own lock: ephemeral sequential nodes in a fair queue."""

import contextlib
import urllib.parse

from kazoo.client import KazooClient
from kazoo.exceptions import LockTimeout


class EphemeralQueue:
    title = "ephemeral sequential znodes (kazoo's Lock)"
    # The second way checks, in the write's multi, that the lock's node still
    # exists; its czxid is the token that a store elsewhere could use.
    lands = {"a plain write": True, "one that compares the lock's node": False}

    def __init__(self, url, name, ttl):
        self._hosts = urllib.parse.urlsplit(url).netloc
        self._client = KazooClient(self._hosts, timeout=ttl)
        self._client.start(timeout=60)
        self._name = name
        self._lock = self._client.Lock(f"/locks/{name}")
        self.ways = {
            "a plain write": self.write,
            "one that compares the lock's node": self.write_as_holder,
        }

    def _data(self, way):
        return f"/data/{self._name}/{way}"

    def acquire(self, seconds):
        try:
            held = self._lock.acquire(timeout=seconds)
        except LockTimeout:
            return False
        self._node = f"/locks/{self._name}/{self._lock.node}"
        return held

    def release(self):
        self._lock.release()

    def write(self, value):
        """Through a session of its own, as any other store would see it."""
        with self._another() as client:
            client.ensure_path(self._data("a plain write"))
            client.set(self._data("a plain write"), value.encode())

    def write_as_holder(self, value):
        data = self._data("one that compares the lock's node")
        with self._another() as client:
            client.ensure_path(data)
            multi = client.transaction()
            multi.check(self._node, 0)
            multi.set_data(data, value.encode())
            for each in multi.commit():
                if isinstance(each, Exception):
                    raise each

    @contextlib.contextmanager
    def _another(self):
        # The lock's own session may be gone, and its client busy noticing.
        client = KazooClient(self._hosts)
        client.start(timeout=60)
        yield client
        client.stop()
        client.close()

    def read(self, way):
        if not self._client.exists(self._data(way)):
            return None
        return self._client.get(self._data(way))[0].decode()
