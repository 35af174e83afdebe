"""etcd's own lock: a lease, and the mutex of its Go client (`concurrency`)."""

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import urllib.parse

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS.parent / "examples/fences/etcd"), str(TESTS / "integration")]
from fence import Fence, absent, coded, decoded, get, put  # noqa: E402
from process import die_with_parent  # noqa: E402


class Refused(Exception):
    pass


class LeaseMutex:
    """A key of one's own under the lock's name, attached to a lease that is kept
    alive; the oldest key holds. Its revision is the token a store could use."""

    title = "lease + mutex (`concurrency`)"
    # The second way asks, within the write's transaction, that the lock's key
    # still exists: what the Go client calls IsOwner.
    lands = {"a plain write": True, "one that compares the lock's key": False}

    def __init__(self, url, name, ttl):
        place = urllib.parse.urlsplit(url)
        self._place = (place.hostname, place.port)
        self._etcd = Fence(*self._place)
        self.name, self.ttl = name, ttl
        self.key, self._lease = None, None
        self.ways = {
            "a plain write": self.write,
            "one that compares the lock's key": self.write_as_owner,
        }

    def _call(self, path, **body):
        return self._etcd.call(path, body)

    def acquire(self, seconds):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            # In Go, too, one session (lease) serves many acquisitions.
            self._lease = self._lease or self._session()
            try:
                return self._acquire_until(deadline)
            except OSError:  # the lease ran out before its key was put
                self._lease = None
        return False

    def _acquire_until(self, deadline):
        self.key = f"{self.name}/{int(self._lease):x}"
        mine = put(self.key, "")
        mine["request_put"]["lease"] = self._lease
        self._etcd.transact([absent(self.key)], [mine], [get(self.key)])
        while not self._is_first():
            if time.monotonic() > deadline:
                self.release()
                return False
            time.sleep(0.01)
        return True

    def _session(self):
        lease = self._call("/v3/lease/grant", TTL=str(round(self.ttl)))["ID"]
        threading.Thread(target=self._keep_alive, args=(lease,), daemon=True).start()
        return lease

    def _keep_alive(self, lease):
        own = Fence(*self._place)
        left = 1
        while left > 0:
            try:
                answer = own.call("/v3/lease/keepalive", {"ID": lease})
                left = int(answer["result"].get("TTL", 0))
            except OSError:  # busy; whether the lease still is, it says next time
                own.close()
            time.sleep(self.ttl / 3)

    def _is_first(self):
        first = coded(f"{self.name}/")
        oldest = self._call(
            "/v3/kv/range", key=first, range_end=coded(f"{self.name}0"), limit="1",
            sort_order="ASCEND", sort_target="CREATE", keys_only=True,
        ).get("kvs")
        if not oldest:
            raise OSError("the lease ran out, and the key with it")
        return decoded(oldest[0]["key"]) == self.key

    def release(self):
        self._call("/v3/kv/deleterange", key=coded(self.key))

    def write(self, value):
        self._etcd.transact([], [put(f"data/{self.name}/a plain write", value)], [])

    def write_as_owner(self, value):
        exists = {"key": coded(self.key), "target": "CREATE", "result": "GREATER",
                  "create_revision": "0"}
        data = put(f"data/{self.name}/one that compares the lock's key", value)
        held, _ = self._etcd.transact([exists], [data], [])
        if not held:
            raise Refused("the lock's key is gone")

    def read(self, way):
        _, (found,) = self._etcd.transact([], [get(f"data/{self.name}/{way}")], [])
        kvs = found["response_range"].get("kvs")
        return decoded(kvs[0]["value"]) if kvs else None


class Etcdctl(LeaseMutex):
    """The same by etcd's own program, paused together with its user."""

    title = "`etcdctl lock`"
    rounds = 100
    lands = {"a plain write": True}

    def __init__(self, url, name, ttl):
        super().__init__(url, name, ttl)
        self.ways = {"a plain write": self.write}

    def acquire(self, seconds):
        host, port = self._place
        self._program = subprocess.Popen(
            ["etcdctl", f"--endpoints={host}:{port}", "lock", self.name]
            + [f"--ttl={round(self.ttl)}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            env={**os.environ, "ETCDCTL_API": "3"},
            preexec_fn=die_with_parent,
        )
        # It says its key when it has the lock; the callers' limit is enough.
        self.key = self._program.stdout.readline().decode().strip()
        return bool(self.key)

    def release(self):
        self._program.send_signal(signal.SIGINT)
        self._program.communicate()
