"""Consul's own lock: a session and a key acquired with it, as `consul lock`."""

import base64
import http.client
import json
import threading
import time
import urllib.parse


class Refused(Exception):
    pass


class Session:
    title = "session + KV acquire"
    # The second way names the session in the write's transaction, by
    # `check-session`; the key's LockIndex is the token for a store elsewhere.
    lands = {"a plain write": True, "one that names the session": False}
    # Consul keeps a key this long from anyone else after it took it from a
    # session; 15 s by default, and not longer than a pause may be.
    LOCK_DELAY = 1.0

    def __init__(self, url, name, ttl):
        self._address = urllib.parse.urlsplit(url).netloc
        self._connection = http.client.HTTPConnection(self._address, timeout=60)
        self._name, self._ttl = name, ttl
        self._id = None
        self.ways = {
            "a plain write": self.write,
            "one that names the session": self.write_as_holder,
        }

    def _call(self, path, body=None, method="PUT", connection=None):
        connection = connection or self._connection
        text = body if isinstance(body, str) or body is None else json.dumps(body)
        connection.request(method, path, text)
        answer = connection.getresponse()
        said = answer.read().decode()
        if answer.status != 200:
            raise Refused(said)
        return json.loads(said)

    def _session(self):
        asked = {"TTL": f"{self._ttl}s", "LockDelay": f"{self.LOCK_DELAY}s"}
        made = self._call("/v1/session/create", asked)["ID"]
        threading.Thread(target=self._renew, args=(made,), daemon=True).start()
        return made

    def _renew(self, session):
        own = http.client.HTTPConnection(self._address, timeout=60)
        try:
            while True:
                self._call(f"/v1/session/renew/{session}", connection=own)
                time.sleep(self._ttl / 3)
        except Refused:
            return

    def acquire(self, seconds):
        deadline = time.monotonic() + seconds
        self._id = self._id or self._session()
        while not self._call(f"/v1/kv/{self._name}?acquire={self._id}"):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.01)
        return True

    def release(self):
        self._call(f"/v1/kv/{self._name}?release={self._id}")

    def write(self, value):
        key = urllib.parse.quote(f"data/{self._name}/a plain write")
        self._call(f"/v1/kv/{key}", value)

    def write_as_holder(self, value):
        key = f"data/{self._name}/one that names the session"
        coded = base64.b64encode(value.encode()).decode()
        self._call("/v1/txn", [
            {"KV": {"Verb": "check-session", "Key": self._name, "Session": self._id}},
            {"KV": {"Verb": "set", "Key": key, "Value": coded}},
        ])

    def read(self, way):
        path = urllib.parse.quote(f"/v1/kv/data/{self._name}/{way}")
        try:
            (found,) = self._call(path, method="GET")
        except Refused:  # 404: nobody has written yet
            return None
        return base64.b64decode(found["Value"]).decode()
