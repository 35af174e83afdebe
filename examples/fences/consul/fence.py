"""A fence in Consul: a check-and-set transaction over token and data.

Keys `fences/RESOURCE/now/token` (`42 holder`), `…/now/data` (its flags count the
writes) and `…/done/ID/` for each operation applied. Only Python's own library.
"""

import base64
import http.client
import json
import urllib.parse

ATTEMPTS = 100  # each lost race means that another writer got through
ABSENT = {"Value": None, "ModifyIndex": 0, "Flags": 0}


def text_of(entry):
    return base64.b64decode(entry["Value"] or "").decode()


def token_in(entry):
    token, _, holder = text_of(entry).partition(" ")
    return int(token or 0), holder


def cas(key, value, index, flags=0):
    """Sets the key if it is still as at `index`; 0: if it does not exist."""
    coded = base64.b64encode(value.encode()).decode()
    return {"KV": {"Verb": "cas", "Key": key, "Value": coded, "Index": index,
                   "Flags": flags}}


class Fence:
    def __init__(self, host, port):
        self._connection = http.client.HTTPConnection(host, port, timeout=20)

    def close(self):
        self._connection.close()

    def _call(self, method, path, body=None, expected=(200,)):
        """Asked once: who repeats a write does so with its operation id."""
        self._connection.request(method, path, json.dumps(body) if body else None)
        answer = self._connection.getresponse()
        text = answer.read()
        if answer.status not in expected:
            raise OSError(f"Consul answered {answer.status} {text[:200]!r}")
        return answer.status, json.loads(text or b"null")

    def _get(self, resource, *more):
        """-> the entries of token and data, and the set of keys below `more`, as
        of one instant, asked of a leader that made sure it still is one."""
        base = f"fences/{resource}/now/"
        trees = [{"KV": {"Verb": "get-tree", "Key": key}} for key in (base, *more)]
        _, answer = self._call("PUT", "/v1/txn?consistent", trees)
        found = {each["KV"]["Key"]: each["KV"] for each in answer["Results"] or []}
        return (found.get(f"{base}token", ABSENT), found.get(f"{base}data", ABSENT),
                found.keys())

    def _commit(self, resource, token, holder, fenced, write=None):
        """One transaction: the token, and (id, value) of the write with it."""
        base = f"fences/{resource}"
        done = [f"{base}/done/{write[0]}/"] if write else []
        for _ in range(ATTEMPTS):
            stored, data, found = self._get(resource, *done)
            highest, its_holder = token_in(stored)
            if write and done[0] in found:
                return True, highest  # applied before: the answer was lost
            if fenced and not (
                token > highest or (token, holder) == (highest, its_holder)
            ):
                return False, highest
            steps = []
            if fenced:
                # Also where it stays the same: nothing commits if it has changed.
                ours = f"{token} {holder}"
                steps.append(cas(f"{base}/now/token", ours, stored["ModifyIndex"]))
            if write:
                steps.append(cas(f"{base}/now/data", write[1], data["ModifyIndex"],
                                 flags=data["Flags"] + 1))
                steps.append(cas(done[0], str(token), 0))
            status, _ = self._call("PUT", "/v1/txn", steps, expected=(200, 409))
            if status == 200:
                return True, token if fenced else highest
        raise TimeoutError(f"lost {ATTEMPTS} races for {base}")

    def raise_token(self, resource, token, holder):
        """-> (accepted, the highest token that Consul knows)."""
        return self._commit(resource, token, holder, fenced=True)

    def write(self, resource, token, holder, id, value, fenced=True):
        return self._commit(resource, token, holder, fenced, (id, value))

    def read(self, resource):
        """-> (token, holder, value, writes)."""
        token, data, _ = self._get(resource)
        return (*token_in(token), text_of(data), data["Flags"])

    def reset(self, resource):
        key = urllib.parse.quote(f"fences/{resource}/")
        self._call("DELETE", f"/v1/kv/{key}?recurse")
