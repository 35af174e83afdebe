"""A fence around one plain file: flock, compare, rename.

The file's first line is the fence (token, holder, writes, the last operation
ids), the rest its content. A reader needs no lock: rename replaces the file as a
whole. A lock file beside it, never replaced, keeps writers apart.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import pathlib

REMEMBERED = 1000  # operation ids of the last writes
NEW = {"token": 0, "holder": "", "writes": 0, "done": []}


class Fence:
    def __init__(self, folder):
        self._folder = pathlib.Path(folder)
        self._folder.mkdir(parents=True, exist_ok=True)

    def close(self):
        pass

    @contextlib.contextmanager
    def _alone(self, name):
        """Held only from compare to rename. A process that is stopped here stops
        the other writers, too, until it goes on or dies; it cannot be overtaken."""
        with open(self._folder / f"{name}.lock", "w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _get(self, name):
        """-> (fence, content)."""
        try:
            whole = (self._folder / f"{name}.data").read_bytes().decode()
        except FileNotFoundError:
            return dict(NEW), ""
        first, _, content = whole.partition("\n")
        return json.loads(first), content

    def _put(self, name, fence, content):
        new = self._folder / f"{name}.new"
        with open(new, "wb") as file:
            file.write(f"{json.dumps(fence)}\n{content}".encode())
            file.flush()
            os.fsync(file.fileno())
        os.rename(new, self._folder / f"{name}.data")
        # The rename itself outlives a power failure only then.
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _commit(self, name, token, holder, fenced, write=None):
        with self._alone(name):
            fence, content = self._get(name)
            stored = fence["token"]
            if write and digest(write[0]) in fence["done"]:
                return True, stored  # applied before: the answer was lost
            if fenced:
                if not (token > stored or (token, holder) == (stored, fence["holder"])):
                    return False, stored
                fence |= {"token": token, "holder": holder}
            if write:
                content = write[1]
                fence["writes"] += 1
                fence["done"] = [*fence["done"], digest(write[0])][-REMEMBERED:]
            self._put(name, fence, content)
            return True, fence["token"]

    def raise_token(self, resource, token, holder):
        """-> (accepted, the highest token that the file shows)."""
        return self._commit(resource, token, holder, fenced=True)

    def write(self, resource, token, holder, id, value, fenced=True):
        return self._commit(resource, token, holder, fenced, (id, value))

    def read(self, resource):
        """-> (token, holder, value, writes)."""
        fence, content = self._get(resource)
        return fence["token"], fence["holder"], content, fence["writes"]

    def reset(self, resource):
        with self._alone(resource):
            (self._folder / f"{resource}.data").unlink(missing_ok=True)


def digest(id):
    return hashlib.sha256(id.encode()).hexdigest()[:16]
