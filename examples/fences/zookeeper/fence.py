"""A fence in ZooKeeper: `multi` writes only at the token's version.

Under `/fences/RESOURCE`: the node itself holds the token (`42 holder`), `data`
the value, `done/ID` one node for each operation applied.
"""

from kazoo.client import KazooClient
from kazoo.exceptions import BadVersionError, NodeExistsError, NoNodeError

ATTEMPTS = 100  # each lost race means that another writer got through


class Fence:
    def __init__(self, hosts):
        # The client does not retry a command: who repeats a write does so with
        # its operation id.
        self._client = KazooClient(
            hosts, timeout=20, connection_retry={"max_tries": 3},
            command_retry={"max_tries": 0})
        self._client.start(timeout=20)

    def close(self):
        self._client.stop()
        self._client.close()

    def _stored(self, path):
        """-> (token, holder, version of the node)."""
        data, stat = self._client.get(path)
        token, _, holder = data.decode().partition(" ")
        return int(token), holder, stat.version

    def _make(self, path):
        for node, data in ((path, b"0 "), (f"{path}/data", b""), (f"{path}/done", b"")):
            try:
                self._client.create(node, data, makepath=True)
            except NodeExistsError:
                pass

    def _commit(self, path, token, holder, steps):
        """One multi: `steps`, if no other has raised the token meanwhile."""
        for _ in range(ATTEMPTS):
            try:
                stored, its_holder, version = self._stored(path)
            except NoNodeError:
                self._make(path)
                continue
            if token < stored or (token == stored and holder != its_holder):
                return False, stored
            multi = self._client.transaction()
            if token == stored:
                multi.check(path, version)
            else:
                multi.set_data(path, f"{token} {holder}".encode(), version)
            steps(multi)
            results = multi.commit()
            if not any(isinstance(each, Exception) for each in results):
                return True, token
            if any(isinstance(each, NodeExistsError) for each in results):
                return True, stored  # applied before: the answer was lost
            if not any(isinstance(each, BadVersionError) for each in results):
                raise next(each for each in results if isinstance(each, Exception))
        raise TimeoutError(f"lost {ATTEMPTS} races for {path}")

    def raise_token(self, resource, token, holder):
        """-> (accepted, the highest token that ZooKeeper showed)."""
        return self._commit(f"/fences/{resource}", token, holder, lambda multi: None)

    def write(self, resource, token, holder, id, value, fenced=True):
        path = f"/fences/{resource}"
        done = f"{path}/done/{id}"

        def steps(multi):
            multi.create(done, str(token).encode())
            multi.set_data(f"{path}/data", value.encode())

        if not fenced:
            return self._write_whatever_the_token(path, token, steps)
        accepted, stored = self._commit(path, token, holder, steps)
        if not accepted:
            # Refused now, but perhaps applied before the token rose. `sync`
            # makes the server that we ask catch up with the leader first.
            self._client.sync(path)
            accepted = self._client.exists(done) is not None
        return accepted, stored

    def _write_whatever_the_token(self, path, token, steps):
        self._make(path)
        multi = self._client.transaction()
        steps(multi)
        for each in multi.commit():
            if isinstance(each, NodeExistsError):
                break
            if isinstance(each, Exception):
                raise each
        return True, token

    def read(self, resource):
        """-> (token, holder, value, writes); the version counts the writes."""
        path = f"/fences/{resource}"
        for _ in range(ATTEMPTS):
            self._client.sync(path)
            try:
                token, holder, version = self._stored(path)
                value, stat = self._client.get(f"{path}/data")
                if self._stored(path)[2] == version:
                    return token, holder, value.decode(), stat.version
            except NoNodeError:
                return 0, "", "", 0
        raise TimeoutError(f"{path} changed at each of {ATTEMPTS} reads")

    def reset(self, resource):
        try:
            self._client.delete(f"/fences/{resource}", recursive=True)
        except NoNodeError:
            pass
