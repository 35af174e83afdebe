"""Redis' own locks, as its documentation has them. No fence anywhere."""

import time
import uuid

import redis

# Deletes only what is still ours.
RELEASE = """
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
"""
DRIFT_FACTOR, DRIFT_FLOOR = 0.01, 0.002  # of Redlock's published algorithm


def connect(url):
    return redis.Redis.from_url(url, decode_responses=True, socket_timeout=5)


class SetNxEx:
    title = "`SET NX EX`, Lua compare-and-delete"
    lands = {"any": True}

    def __init__(self, url, name, ttl):
        self.server = connect(url)
        self.name, self.ttl = name, ttl
        self.mark = ""
        self.compare_and_delete = self.server.register_script(RELEASE)
        self.ways = {"any": self.write}

    def acquire(self, seconds):
        deadline = time.monotonic() + seconds
        self.mark = str(uuid.uuid4())
        while not self.server.set(
            self.name, self.mark, nx=True, px=round(self.ttl * 1000)
        ):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.01)
        return True

    def release(self):
        return self.compare_and_delete([self.name], [self.mark])

    def write(self, value):
        self.server.set(f"{self.name}:data", value)

    def read(self, way):
        return self.server.get(f"{self.name}:data")


class DeletesUnseen(SetNxEx):
    """What many write by hand: DEL, whoever holds the lock by now."""

    def release(self):
        return self.server.delete(self.name)


class Redlock:
    """`url`: those of the independent servers, the store's first, by commas."""

    title = "Redlock on five servers"
    lands = {"any": True}

    def __init__(self, urls, name, ttl):
        self.servers = [
            redis.Redis.from_url(
                url, decode_responses=True, socket_timeout=0.25,
                socket_connect_timeout=0.25,
            )
            for url in urls.split(",")
        ]
        self.quorum = len(self.servers) // 2 + 1
        self.name, self.ttl = name, ttl
        self.mark, self.valid_until = "", 0.0
        self.ways = {"any": self.write}

    def acquire(self, seconds):
        deadline = time.monotonic() + seconds
        while not self._acquire_once():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True

    def _acquire_once(self):
        self.mark = str(uuid.uuid4())
        began = time.monotonic()
        won = sum(bool(self._on(server, lambda s: s.set(
            self.name, self.mark, nx=True, px=round(self.ttl * 1000)
        ))) for server in self.servers)
        drift = self.ttl * DRIFT_FACTOR + DRIFT_FLOOR
        self.valid_until = began + self.ttl - drift
        if won >= self.quorum and time.monotonic() < self.valid_until:
            return True
        self.release()
        return False

    @staticmethod
    def _on(server, action):
        try:
            return action(server)
        except redis.RedisError:
            return None

    def release(self):
        for server in self.servers:
            self._on(server, lambda s: s.eval(RELEASE, 1, self.name, self.mark))

    def write(self, value):
        self.servers[0].set(f"{self.name}:data", value)

    def read(self, way):
        return self.servers[0].get(f"{self.name}:data")

    def valid(self):
        return time.monotonic() < self.valid_until
