"""A running `tenure dev`: the API server of these tests, with fault knobs."""

import json
import re

import http_socket
from process import Process
from waiting import eventually

LEASES = "/apis/coordination.k8s.io/v1/namespaces/{}/leases"


class DevServer:
    def __init__(self, folder, name="dev"):
        self.kubeconfig = folder / f"{name}.kubeconfig"
        self.process = Process(
            folder,
            name,
            ["dev", "--port", "0", "--kubeconfig-out", str(self.kubeconfig)]
            + ["--faults"],
        )
        eventually(self._written, what="kubeconfig of tenure dev")
        text = self.kubeconfig.read_text()
        host, port = re.search(r"server: \"?http://([^:]+):(\d+)", text).groups()
        self.address = (host, int(port))

    def _written(self):
        assert self.process.running, self.process.stderr
        return self.kubeconfig.exists() and "server" in self.kubeconfig.read_text()

    def request(self, method, path, document=None, headers=None):
        body = json.dumps(document).encode() if document is not None else b""
        fields = {"Content-Type": "application/json", **(headers or {})}
        return http_socket.ask(self.address, method, path, fields, body)

    def lease(self, name, namespace="default"):
        reply = self.request("GET", f"{LEASES.format(namespace)}/{name}")
        return reply.json() if reply.status == 200 else None

    def put(self, lease):
        meta = lease["metadata"]
        path = f"{LEASES.format(meta['namespace'])}/{meta['name']}"
        reply = self.request("PUT", path, lease)
        assert reply.status == 200, reply
        return reply.json()

    def delete(self, name, namespace="default"):
        reply = self.request("DELETE", f"{LEASES.format(namespace)}/{name}")
        assert reply.status == 200, reply

    def fault(self, action, verb="", count=None, **fields):
        """Adds one: docs/embedded.md has the fields."""
        document = {"action": action, "match": {"verb": verb}, **fields}
        if count is not None:
            document["count"] = count
        reply = self.request("POST", "/faults", document)
        assert reply.status < 300, reply

    def heal(self):
        assert self.request("DELETE", "/faults").status == 200

    def strikes(self):
        faults = self.request("GET", "/faults").json()["faults"]
        return sum(fault["strikes"] for fault in faults)

    def stop(self):
        self.process.stop()
