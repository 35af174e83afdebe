"""A real etcd and kube-apiserver on free loopback ports, for one test run.

    with ControlPlane() as plane:
        plane.kubectl("get", "leases", "-A")
        account = plane.workload(leases=["demo"])        # Role, account, token
        run(["tenure", "run", "--kubeconfig", account.kubeconfig()])

RBAC is on, tokens are real service-account tokens, every request on Leases is
in the audit log. Everything written lies in one temporary folder. Only
processes started here are ended, by their id.

As a program it runs a command with KUBECONFIG (admin) set:
    control_plane.py -- CMD...
"""

import atexit
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import binaries  # noqa: E402
from certificates import CertificateAuthority, make_rsa_pair  # noqa: E402
from free_port import free_port  # noqa: E402
from workload import Workload, write_kubeconfig  # noqa: E402

READY_LIMIT = 90.0  # seconds; 6 to 10 on a quiet machine
SERVER_NAMES = (
    "DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,"
    "DNS:kubernetes.default.svc,IP:127.0.0.1,IP:::1,IP:10.96.0.1"
)
SERVICES = ("10.96.0.0/16", "fd00:96::/112")
LEASES = "/apis/coordination.k8s.io/v1/namespaces/{}/leases"


class ApiError(Exception):
    def __init__(self, status, body):
        super().__init__(f"{status}: {body.get('message', body)}")
        self.status = status
        self.body = body


def audit_policy(level):
    return {
        "apiVersion": "audit.k8s.io/v1",
        "kind": "Policy",
        "omitStages": ["RequestReceived"],
        "omitManagedFields": True,
        "rules": [
            {
                "level": level,
                "resources": [
                    {"group": "coordination.k8s.io", "resources": ["leases"]}
                ],
            },
            {"level": "None"},
        ],
    }


class ControlPlane:
    """Thread safety: requests, kubectl and workloads from any thread; start,
    stop and the faults from one at a time."""

    def __init__(self, audit_level="RequestResponse", host="127.0.0.1", extra=()):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tenure-plane-"))
        self.folder.chmod(0o755)  # sidecars may run as another user
        self.host = host
        self.audit_log = self.folder / "audit.log"
        self._audit_level = audit_level
        self._extra = list(extra)
        self._etcd = None
        self._apiserver = None
        self._serial = 0
        self._lock = threading.Lock()
        self._programs = {
            name: binaries.find(name) for name in ("etcd", "kube-apiserver", "kubectl")
        }

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    @property
    def url(self):
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"https://{host}:{self.port}"

    @property
    def apiserver_pid(self):
        return self._apiserver.pid

    @property
    def etcd_pid(self):
        return self._etcd.pid

    # Life of the processes.

    def start(self):
        atexit.register(self.stop)
        self.port = free_port(self.host)
        self._make_certificates()
        (self.folder / "audit-policy.json").write_text(
            json.dumps(audit_policy(self._audit_level))
        )
        self._start_etcd()
        self.start_apiserver()
        return self

    def stop(self):
        """Ends both processes and removes the folder. May be called twice."""
        for process in (self._apiserver, self._etcd):
            if process and process.poll() is None:
                process.kill()  # nothing of it is kept
                process.wait()
        self._apiserver = self._etcd = None
        atexit.unregister(self.stop)
        if not os.environ.get("TENURE_KEEP"):
            shutil.rmtree(self.folder, ignore_errors=True)

    def start_apiserver(self):
        """Starts it, again on the same port, and waits until it is ready."""
        self._apiserver = self._spawn("kube-apiserver", self._apiserver_flags())
        self._wait_ready()

    def kill_apiserver(self):
        self._apiserver.kill()
        self._apiserver.wait()

    def restart_apiserver(self):
        self.kill_apiserver()
        self.start_apiserver()

    def freeze_apiserver(self):
        self._apiserver.send_signal(signal.SIGSTOP)

    def thaw_apiserver(self):
        self._apiserver.send_signal(signal.SIGCONT)

    def freeze_etcd(self):
        """Storage hangs: requests are taken and not answered."""
        self._etcd.send_signal(signal.SIGSTOP)

    def thaw_etcd(self):
        self._etcd.send_signal(signal.SIGCONT)

    def replace_serving_certificate(self, authority):
        """A certificate from `authority`; the server reloads it by itself."""
        certificate, key = authority.issue(
            "apiserver", "/CN=kube-apiserver", "serverAuth", SERVER_NAMES
        )
        for source, name in ((key, "apiserver.key"), (certificate, "apiserver.crt")):
            fresh = self.pki / f".{name}"
            shutil.copyfile(source, fresh)
            os.replace(fresh, self.pki / name)

    def wait_presented(self, authority, seconds=90.0):
        """Until new connections are shown a certificate of `authority`."""
        context = ssl.create_default_context(cafile=str(authority.certificate))
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                with socket.create_connection((self.host, self.port), 2) as plain:
                    context.wrap_socket(plain, server_hostname=self.host).close()
                return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError(f"the new certificate was not shown for {seconds:.0f} s")

    def for_any_user(self, program):
        """A copy of a program that users other than this one may execute: a
        clone or a cache may lie where only its owner looks."""
        with self._lock:
            copy = self.folder / "bin" / pathlib.Path(program).name
            if not copy.exists():
                copy.parent.mkdir(exist_ok=True)
                shutil.copy(program, copy)
                copy.chmod(0o755)
        return copy

    def save_storage(self):
        """Stops everything, keeps a copy of etcd's data and starts again."""
        self._swap_storage(self.folder / "etcd", self.folder / "etcd-saved")

    def restore_storage(self):
        """As an administrator restores a backup: revisions go back with it."""
        self._swap_storage(self.folder / "etcd-saved", self.folder / "etcd")

    def _swap_storage(self, source, target):
        self.kill_apiserver()
        self._etcd.terminate()
        self._etcd.wait()
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source, target)
        self._etcd = self._spawn("etcd", self._etcd.args[1:])
        self.start_apiserver()

    # Asking it.

    def kubectl(self, *arguments, stdin=None, check=True):
        command = [self._programs["kubectl"], "--kubeconfig", self.admin]
        done = subprocess.run(
            [*command, *map(str, arguments)],
            input=stdin,
            capture_output=True,
            text=True,
        )
        if check and done.returncode != 0:
            raise RuntimeError(f"kubectl {' '.join(done.args[3:])}: {done.stderr}")
        return done

    def request(self, method, path, body=None, token=None, timeout=20.0, patch=None):
        """One request as the administrator, or as the bearer of `token`.
        Returns the decoded body; raises ApiError for other than 2xx."""
        headers = {"Content-Type": patch or "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        connection = self._connection(admin=token is None, timeout=timeout)
        try:
            text = json.dumps(body) if body is not None else None
            connection.request(method, path, text, headers)
            answer = connection.getresponse()
            raw = answer.read()
        finally:
            connection.close()
        decoded = json.loads(raw) if raw[:1] == b"{" else {"message": raw.decode()}
        if not 200 <= answer.status < 300:
            raise ApiError(answer.status, decoded)
        return decoded

    def lease(self, namespace, name):
        return self.request("GET", f"{LEASES.format(namespace)}/{name}")

    def workload(self, leases, verbs=("get", "create", "update", "watch", "list")):
        """A namespace with a ServiceAccount that may use these Leases only."""
        with self._lock:
            self._serial += 1
            serial = self._serial
        return Workload(self, f"ring-{serial}", list(leases), list(verbs))

    # Inside.

    def _connection(self, admin, timeout):
        context = ssl.create_default_context(cafile=str(self.ca_bundle))
        if admin:
            context.load_cert_chain(self.pki / "admin.crt", self.pki / "admin.key")
        return http.client.HTTPSConnection(
            self.host, self.port, context=context, timeout=timeout
        )

    def _make_certificates(self):
        self.pki = self.folder / "pki"
        self.authority = CertificateAuthority(self.pki)
        make_rsa_pair(self.pki / "sa.key", self.pki / "sa.pub")
        self.authority.issue(
            "apiserver", "/CN=kube-apiserver", "serverAuth", SERVER_NAMES
        )
        self.authority.issue("admin", "/O=system:masters/CN=admin", "clientAuth")
        # What the tests themselves trust; a rotation appends to it.
        self.ca_bundle = self.pki / "bundle.crt"
        shutil.copyfile(self.authority.certificate, self.ca_bundle)
        self.admin = self.folder / "admin.kubeconfig"
        write_kubeconfig(
            self.admin,
            self.url,
            self.ca_bundle,
            {
                "client-certificate": str(self.pki / "admin.crt"),
                "client-key": str(self.pki / "admin.key"),
            },
        )

    def _spawn(self, name, flags):
        log = open(self.folder / f"{name}.log", "ab")
        with log:
            return subprocess.Popen(
                [self._programs[name], *flags],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # a Ctrl-C is for the tests
            )

    def _start_etcd(self):
        self._etcd_port = free_port()
        client = f"http://127.0.0.1:{self._etcd_port}"
        peer = f"http://127.0.0.1:{free_port()}"
        self._etcd = self._spawn(
            "etcd",
            [
                f"--data-dir={self.folder / 'etcd'}",
                f"--listen-client-urls={client}",
                f"--advertise-client-urls={client}",
                f"--listen-peer-urls={peer}",
                f"--initial-advertise-peer-urls={peer}",
                f"--initial-cluster=default={peer}",
                "--unsafe-no-fsync",
            ],
        )

    def _apiserver_flags(self):
        pki = self.pki
        return [
            f"--etcd-servers=http://127.0.0.1:{self._etcd_port}",
            f"--bind-address={self.host}",
            f"--advertise-address={self.host}",
            f"--secure-port={self.port}",
            # No Service is reached here, and a loopback endpoint is refused.
            "--endpoint-reconciler-type=none",
            f"--service-cluster-ip-range={SERVICES[':' in self.host]}",
            f"--client-ca-file={pki / 'ca.crt'}",
            f"--tls-cert-file={pki / 'apiserver.crt'}",
            f"--tls-private-key-file={pki / 'apiserver.key'}",
            f"--service-account-key-file={pki / 'sa.pub'}",
            f"--service-account-signing-key-file={pki / 'sa.key'}",
            "--service-account-issuer=https://kubernetes.default.svc",
            "--authorization-mode=RBAC",
            f"--audit-policy-file={self.folder / 'audit-policy.json'}",
            f"--audit-log-path={self.audit_log}",
            "--audit-log-mode=blocking",
            "--audit-log-maxsize=10000",  # never rotated under the reader
            *self._extra,
        ]

    def _wait_ready(self):
        deadline = time.monotonic() + READY_LIMIT
        last = "nothing"
        while time.monotonic() < deadline:
            for process in (self._etcd, self._apiserver):
                name = pathlib.Path(process.args[0]).name
                if process.poll() is not None:
                    raise RuntimeError(f"{name} ended: {self._tail(name)}")
            try:
                self.request("GET", "/readyz", timeout=2.0)
                return
            except (OSError, http.client.HTTPException, ApiError) as error:
                last = error
            time.sleep(0.05)
        raise RuntimeError(
            f"kube-apiserver was not ready in {READY_LIMIT:.0f} s ({last}): "
            + self._tail("kube-apiserver")
        )

    def _tail(self, name):
        return (self.folder / f"{name}.log").read_text(errors="replace")[-2000:]


def main(arguments):
    if len(arguments) < 2 or arguments[0] != "--":
        print("usage: control_plane.py -- CMD...", file=sys.stderr)
        return 64
    try:
        plane = ControlPlane()
    except binaries.Missing as missing:
        print(f"control_plane: {missing}", file=sys.stderr)
        return 69
    with plane:
        environment = dict(os.environ, KUBECONFIG=str(plane.admin))
        return subprocess.call(arguments[1:], env=environment)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
