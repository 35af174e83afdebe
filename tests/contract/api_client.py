"""A small client of the Lease API: plain requests and watches, no retries."""

import dataclasses
import http.client
import json
import ssl
import time
import urllib.parse

GROUP = "coordination.k8s.io"
ROOT = f"/apis/{GROUP}/v1"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
JSON_PATCH = "application/json-patch+json"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
# Generous: a loaded machine must not fail a test about meaning.
LIMIT = 30.0


@dataclasses.dataclass
class Server:
    """Where a server is and how to be let in. `client`: certificate and key."""

    name: str
    url: str
    ca: str = None
    token: str = None
    client: tuple = None

    def connect(self, timeout=LIMIT):
        where = urllib.parse.urlsplit(self.url)
        if where.scheme == "http":
            return http.client.HTTPConnection(where.netloc, timeout=timeout)
        context = ssl.create_default_context(cafile=self.ca)
        if self.client:
            context.load_cert_chain(*self.client)
        return http.client.HTTPSConnection(
            where.netloc, timeout=timeout, context=context
        )

    def headers(self):
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}


@dataclasses.dataclass
class Reply:
    code: int
    headers: list
    text: str

    @property
    def body(self):
        return json.loads(self.text)

    @property
    def metadata(self):
        return self.body["metadata"]

    @property
    def version(self):
        return self.metadata["resourceVersion"]

    @property
    def spec(self):
        return self.body["spec"]

    def header(self, name):
        return [v for k, v in self.headers if k.lower() == name.lower()]


class Leases:
    """The Leases of one namespace on one server."""

    def __init__(self, server, namespace):
        self.server = server
        self.namespace = namespace
        self.path = f"{ROOT}/namespaces/{namespace}/leases"

    def call(self, method, path, body=None, media="application/json", accept=None):
        """`body`: an object to encode, or bytes or text to send as they are."""
        headers = dict(self.server.headers(), Accept=accept or "application/json")
        if body is not None:
            if not isinstance(body, (str, bytes)):
                body = json.dumps(body)
            if media:
                headers["Content-Type"] = media
        connection = self.server.connect()
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            text = answer.read().decode(errors="replace")
            return Reply(answer.status, answer.getheaders(), text)
        finally:
            connection.close()

    def create(self, name, spec=None, query="", **metadata):
        return self.call("POST", self.path + query, lease(name, spec, **metadata))

    def put(self, name, spec=None, query="", **metadata):
        body = lease(name, spec, **metadata)
        return self.call("PUT", f"{self.path}/{name}{query}", body)

    def get(self, name, query="", accept=None):
        return self.call("GET", f"{self.path}/{name}{query}", accept=accept)

    def list(self, query="", accept=None):
        return self.call("GET", self.path + query, accept=accept)

    def patch(self, name, patch, media=MERGE, query=""):
        return self.call("PATCH", f"{self.path}/{name}{query}", patch, media)

    def delete(self, name, options=None, query=""):
        return self.call("DELETE", f"{self.path}/{name}{query}", options)

    def watch(self, **parameters):
        return Watch(self, parameters)


def lease(name, spec=None, **metadata):
    body = {
        "apiVersion": f"{GROUP}/v1",
        "kind": "Lease",
        "metadata": {"name": name, **metadata},
    }
    if spec is not None:
        body["spec"] = spec
    return body


class Watch:
    """An open watch. Events come as pairs (type, object)."""

    def __init__(self, leases, parameters, accept="application/json"):
        query = urllib.parse.urlencode({"watch": "1", **parameters})
        self._connection = leases.server.connect()
        self._connection.request(
            "GET",
            f"{leases.path}?{query}",
            headers=dict(leases.server.headers(), Accept=accept),
        )
        self._answer = self._connection.getresponse()
        self.code = self._answer.status

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._connection.close()

    def next(self):
        """The next event, or None where the server ended the watch."""
        line = self._answer.readline()
        if not line:
            return None
        event = json.loads(line)
        return event["type"], event["object"]

    def take(self, count):
        return [self.next() for _ in range(count)]

    def rest(self):
        """Everything up to the end of the watch."""
        return list(iter(self.next, None))


def described(events):
    """'TYPE name' of each event, to compare at a glance."""
    return [f"{kind} {thing['metadata'].get('name')}" for kind, thing in events]


def timed(action):
    began = time.monotonic()
    result = action()
    return result, time.monotonic() - began


def expect(reply, code, reason=None, causes=None, name=None, kind=None):
    """A metav1.Status with this code and reason. `causes`: (field, reason) each;
    `name` and `kind`: as details give them."""
    assert reply.code == code, reply.text
    body = reply.body
    assert body["kind"] == "Status" and body["apiVersion"] == "v1", reply.text
    assert body["status"] == "Failure" and body["code"] == code, reply.text
    assert body.get("reason") == reason, reply.text
    assert body["message"], reply.text
    details = body.get("details") or {}
    if kind:
        assert details["kind"] == kind, reply.text
        assert details["group"] == GROUP, reply.text
    if name is not None:
        assert details["name"] == name, reply.text
    found = [(c.get("field"), c["reason"]) for c in details.get("causes", [])]
    assert found == (causes or []), reply.text
