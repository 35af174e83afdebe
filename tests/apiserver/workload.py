"""What a pod has of Kubernetes: a namespace, a ServiceAccount with a minimal
Role, and a token, handed over as a kubeconfig or as an in-cluster mount."""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import time

RBAC = "/apis/rbac.authorization.k8s.io/v1/namespaces/{}"
ACCOUNT = "sidecar"


def write_kubeconfig(path, server, ca_file, user, namespace="default"):
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {
                "name": "test",
                "cluster": {"server": server, "certificate-authority": str(ca_file)},
            }
        ],
        "users": [{"name": "user", "user": user}],
        "contexts": [
            {
                "name": "test",
                "context": {"cluster": "test", "user": "user", "namespace": namespace},
            }
        ],
        "current-context": "test",
    }
    replace_file(path, json.dumps(document, indent=1))  # JSON is YAML
    return path


def credential_of(token):
    """How the audit log names it: audit.Event.credential."""
    claims = token.split(".")[1]
    padded = claims + "=" * (-len(claims) % 4)
    return "JTI=" + json.loads(base64.urlsafe_b64decode(padded))["jti"]


def replace_file(path, text):
    """As the kubelet does: a reader sees the old file or the new one."""
    path = pathlib.Path(path)
    fresh = path.with_name(f".{path.name}.new")
    fresh.write_text(text)
    fresh.chmod(0o644)
    os.replace(fresh, path)


class Workload:
    def __init__(self, plane, namespace, leases, verbs):
        self.plane = plane
        self.namespace = namespace
        self.leases = leases
        self.folder = plane.folder / namespace
        self.folder.mkdir()
        plane.request("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
        plane.request(
            "POST",
            f"/api/v1/namespaces/{namespace}/serviceaccounts",
            {"metadata": {"name": ACCOUNT}},
        )
        base = RBAC.format(namespace)
        self._role_path = f"{base}/roles/{ACCOUNT}"
        if verbs:
            plane.request("POST", f"{base}/roles", self._role(verbs))
            plane.request("POST", f"{base}/rolebindings", self._binding())
            self._wait_granted(verbs)

    @property
    def user(self):
        return f"system:serviceaccount:{self.namespace}:{ACCOUNT}"

    def set_verbs(self, verbs):
        """Replaces the Role's verbs and waits until that is in force."""
        self.plane.request("PUT", self._role_path, self._role(list(verbs)))
        self._wait_granted(verbs)

    def token(self, seconds=3600, bound_to=None):
        """From TokenRequest (at least 600 s). With `bound_to`, the name of a
        Secret made here: deleting it revokes the token, see revoke."""
        spec = {"expirationSeconds": seconds}
        if bound_to:
            secret = self.plane.request(
                "POST",
                f"/api/v1/namespaces/{self.namespace}/secrets",
                {"metadata": {"name": bound_to}},
            )
            spec["boundObjectRef"] = {
                "kind": "Secret",
                "apiVersion": "v1",
                "name": bound_to,
                "uid": secret["metadata"]["uid"],
            }
        answer = self.plane.request(
            "POST",
            f"/api/v1/namespaces/{self.namespace}/serviceaccounts/{ACCOUNT}/token",
            {
                "apiVersion": "authentication.k8s.io/v1",
                "kind": "TokenRequest",
                "spec": spec,
            },
        )
        return answer["status"]["token"]

    def revoke(self, bound_to):
        """In force within the API server's token cache, 10 s."""
        path = f"/api/v1/namespaces/{self.namespace}/secrets/{bound_to}"
        self.plane.request("DELETE", path)

    def short_token(self, seconds):
        """A token that is refused `seconds` from now. TokenRequest grants ten
        minutes at least, so it is signed here with the API server's own key;
        the server allows a minute of leeway beyond `exp`."""
        path = f"/api/v1/namespaces/{self.namespace}/serviceaccounts/{ACCOUNT}"
        uid = self.plane.request("GET", path)["metadata"]["uid"]
        now = int(time.time())
        claims = {
            "iss": "https://kubernetes.default.svc",
            "aud": ["https://kubernetes.default.svc"],
            "sub": self.user,
            "iat": now - 3600,
            "nbf": now - 3600,
            "exp": now + seconds - 60,
            "kubernetes.io": {
                "namespace": self.namespace,
                "serviceaccount": {"name": ACCOUNT, "uid": uid},
            },
        }
        parts = ({"alg": "RS256"}, claims)
        signed = ".".join(_base64(json.dumps(part)) for part in parts)
        signature = subprocess.run(
            ["openssl", "dgst", "-sha256", "-sign", self.plane.pki / "sa.key"],
            input=signed.encode(),
            capture_output=True,
            check=True,
        ).stdout
        return f"{signed}.{_base64(signature)}"

    def kubeconfig(self, name="kubeconfig", token=None, token_file=None):
        """A kubeconfig with the token inside, or with a tokenFile."""
        if token_file:
            user = {"tokenFile": str(token_file)}
        else:
            user = {"token": token or self.token()}
        path = self.folder / name
        return write_kubeconfig(
            path, self.plane.url, self.plane.ca_bundle, user, self.namespace
        )

    def mount(self, name="mount", token=None):
        """A folder as the kubelet mounts it: token, ca.crt, namespace."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        replace_file(folder / "token", token or self.token())
        replace_file(folder / "namespace", self.namespace)
        shutil.copyfile(self.plane.ca_bundle, folder / "ca.crt")
        return folder

    def in_cluster_environment(self):
        """What the kubelet adds to a container's environment."""
        return {
            "KUBERNETES_SERVICE_HOST": self.plane.host,
            "KUBERNETES_SERVICE_PORT": str(self.plane.port),
        }

    def _role(self, verbs):
        return {
            "metadata": {"name": ACCOUNT, "namespace": self.namespace},
            "rules": [
                {
                    "apiGroups": ["coordination.k8s.io"],
                    "resources": ["leases"],
                    "resourceNames": self.leases,
                    "verbs": list(verbs),
                }
            ],
        }

    def _binding(self):
        return {
            "metadata": {"name": ACCOUNT},
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io",
                "kind": "Role",
                "name": ACCOUNT,
            },
            "subjects": [
                {"kind": "ServiceAccount", "name": ACCOUNT, "namespace": self.namespace}
            ],
        }

    def _allowed(self, verb):
        review = {
            "spec": {
                "user": self.user,
                "resourceAttributes": {
                    "namespace": self.namespace,
                    "verb": verb,
                    "group": "coordination.k8s.io",
                    "resource": "leases",
                    "name": self.leases[0],
                },
            }
        }
        path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
        return self.plane.request("POST", path, review)["status"]["allowed"]

    def _wait_granted(self, verbs):
        deadline = time.monotonic() + 20.0
        every = ("get", "create", "update", "watch", "list")
        while any(self._allowed(verb) != (verb in verbs) for verb in every):
            if time.monotonic() > deadline:
                raise RuntimeError(f"RBAC of {self.user} did not become {verbs}")
            time.sleep(0.02)


def _base64(part):
    raw = part.encode() if isinstance(part, str) else part
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
