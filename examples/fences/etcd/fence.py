"""A fence in etcd: one transaction compares the stored token and writes.

Under `fences/RESOURCE/`: `token` (16 digits, a slash, the holder), `data`, and
`done/ID` for each operation applied. Digits are padded because etcd compares
values as bytes. Only etcd's JSON gateway and Python's own library are used.
"""

import base64
import http.client
import json


def coded(text):
    return base64.b64encode(text.encode()).decode()


def decoded(text):
    return base64.b64decode(text).decode()


def value_is(key, relation, value):
    return {"key": coded(key), "target": "VALUE", "result": relation,
            "value": coded(value)}


def absent(key):
    return {"key": coded(key), "target": "VERSION", "result": "EQUAL", "version": "0"}


def put(key, value):
    return {"request_put": {"key": coded(key), "value": coded(value)}}


def get(key):
    return {"request_range": {"key": coded(key)}}


def first_that_holds(conditions, then, otherwise):
    """etcd joins conditions by AND; nested transactions make them an OR."""
    for condition in reversed(conditions):
        otherwise = [{"request_txn": {
            "compare": [condition], "success": then, "failure": otherwise}}]
    return otherwise


class Fence:
    def __init__(self, host, port):
        self._connection = http.client.HTTPConnection(host, port, timeout=20)

    def close(self):
        self._connection.close()

    def call(self, path, body):
        """Asked once: who repeats a write does so with its operation id."""
        self._connection.request("POST", path, json.dumps(body))
        answer = self._connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise OSError(f"etcd answered {answer.status} {text[:200]!r}")
        return json.loads(text)

    def transact(self, compare, success, failure):
        """Whether the comparison held, and the answers of the branch taken."""
        body = {"compare": compare, "success": success, "failure": failure}
        answer = self.call("/v3/kv/txn", body)
        return answer.get("succeeded", False), answer.get("responses", [])

    def _if_not_stale(self, resource, token, holder, do):
        """What to send so that `do` happens only under a token that is higher,
        or equal with the same holder; the token is raised with it."""
        key = f"fences/{resource}/token"
        ours = f"{token:016}/{holder}"
        allowed = [absent(key), value_is(key, "LESS", f"{token:016}"),
                   value_is(key, "EQUAL", ours)]
        return first_that_holds(allowed, [put(key, ours), *do], [get(key)])

    def raise_token(self, resource, token, holder):
        """-> (accepted, the highest token that etcd knows)."""
        steps = self._if_not_stale(resource, token, holder, [])
        _, responses = self.transact([], steps, [])
        return outcome(responses, token)

    def write(self, resource, token, holder, id, value, fenced=True):
        done = f"fences/{resource}/done/{id}"
        do = [put(f"fences/{resource}/data", value), put(done, str(token))]
        if fenced:
            do = self._if_not_stale(resource, token, holder, do)
        # Applied before, so the answer was lost: accepted, and not repeated.
        first, responses = self.transact(
            [absent(done)], do, [get(f"fences/{resource}/token")])
        if not first:
            return True, token_in(responses[0])[0]
        return outcome(responses, token) if fenced else (True, token)

    def read(self, resource):
        """-> (token, holder, value, writes), of one instant."""
        _, (token, data) = self.transact(
            [], [get(f"fences/{resource}/token"), get(f"fences/{resource}/data")], [])
        found = data["response_range"].get("kvs", [{}])[0]
        # etcd counts the writes of a key since it was made: its version.
        return (*token_in(token), decoded(found.get("value", "")),
                int(found.get("version", 0)))

    def reset(self, resource):
        first = f"fences/{resource}/"
        self.call("/v3/kv/deleterange", {
            "key": coded(first), "range_end": coded(first[:-1] + "0")})


def token_in(response):
    found = response["response_range"].get("kvs")
    if not found:
        return 0, ""
    token, _, holder = decoded(found[0]["value"]).partition("/")
    return int(token), holder


def outcome(responses, token):
    """Follows the nested answers to the branch that was taken."""
    while "response_txn" in responses[0]:
        responses = responses[0]["response_txn"]["responses"]
    if "response_put" in responses[0]:
        return True, token
    return False, token_in(responses[0])[0]
