"""Certificates and tokens that change under a running sidecar, and those that
must never be accepted."""

import json
import os

import pytest
from certificates import CertificateAuthority
from sidecar import Sidecar
from tls_front import TlsFront
from waiting import eventually

NAMES = "IP:127.0.0.1,DNS:localhost"


def replace(path, text):
    """As the kubelet does: a reader sees the old file or the new one."""
    fresh = path.with_name(path.name + ".new")
    fresh.write_bytes(text if isinstance(text, bytes) else text.encode())
    os.replace(fresh, path)


class Secured:
    """A TLS front, the files that lead to it, and sidecars that use them."""

    def __init__(self, folder, dev, started):
        self.folder, self._started = folder, started
        self.ca = CertificateAuthority(folder / "ca-1")
        pair = self.ca.issue("server", "/CN=server", "serverAuth", NAMES)
        self.front = TlsFront(dev.address, *pair)
        self.front.tokens = {"first"}
        self.ca_file = folder / "ca.crt"
        self.token_file = folder / "token"
        replace(self.ca_file, self.ca.certificate.read_bytes())
        replace(self.token_file, "first\n")

    def kubeconfig(self, **cluster):
        fields = {
            "server": f"https://127.0.0.1:{self.front.port}",
            "certificate-authority": str(self.ca_file),
            **cluster,
        }
        document = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "c", "cluster": fields}],
            "users": [{"name": "u", "user": {"tokenFile": str(self.token_file)}}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
            "current-context": "x",
        }
        path = self.folder / "secured.kubeconfig"
        path.write_text(json.dumps(document))
        return str(path)

    def sidecar(self, kubeconfig=None):
        arguments = ["--lease", "job", "--absent-lease", "take"]
        arguments += ["--kubeconfig", kubeconfig or self.kubeconfig()]
        made = Sidecar(self.folder, "one", arguments)
        self._started.append(made)
        return made


@pytest.fixture
def secured(tmp_path, dev, started):
    made = Secured(tmp_path, dev, started)
    yield made
    made.front.stop()


def renewals(one):
    return one.status()["renewals"]


def goes_on_renewing(one):
    before = renewals(one)
    eventually(lambda: renewals(one) >= before + 3)


def test_a_rotated_token_is_picked_up_without_losing_the_term(secured):
    one = secured.sidecar()
    generation = one.wait("held")["generation"]
    replace(secured.token_file, "second\n")
    secured.front.tokens = {"second"}
    goes_on_renewing(one)
    assert one.status()["generation"] == generation


def test_a_token_refused_before_its_file_changes_is_read_again(secured):
    one = secured.sidecar()
    generation = one.wait("held")["generation"]
    secured.front.tokens = {"second"}
    eventually(lambda: secured.front.refused > 0)
    replace(secured.token_file, "second\n")
    goes_on_renewing(one)
    assert one.status()["generation"] == generation


def test_a_refused_token_ends_the_term_in_time(secured):
    one = secured.sidecar()
    one.wait("held")
    secured.front.tokens = set()
    one.wait("uncertain")
    assert one.get("/v1/generation").status == 503
    secured.front.tokens = {"first"}
    one.wait("held")


def test_a_rotated_ca_is_picked_up_without_losing_the_term(secured):
    one = secured.sidecar()
    generation = one.wait("held")["generation"]
    other = CertificateAuthority(secured.folder / "ca-2")
    pair = other.issue("server", "/CN=server", "serverAuth", NAMES)
    replace(secured.ca_file, other.certificate.read_bytes())
    secured.front.use(*pair)
    secured.front.cut()
    goes_on_renewing(one)
    assert one.status()["generation"] == generation


@pytest.mark.parametrize("wrong", ["authority", "name", "plain"])
def test_a_server_that_is_not_proven_is_never_talked_to(secured, wrong):
    fields = {}
    if wrong == "authority":
        other = CertificateAuthority(secured.folder / "ca-2")
        replace(secured.ca_file, other.certificate.read_bytes())
    elif wrong == "name":
        fields = {"tls-server-name": "elsewhere.example"}
    else:
        pair = secured.ca.issue("server", "/CN=127.0.0.1", "serverAuth")
        secured.front.use(*pair)  # the name is in the subject only, no SAN
    one = secured.sidecar(secured.kubeconfig(**fields))
    eventually(lambda: secured.front.handshakes_failed > 0)
    assert one.certainty() == "uncertain"
    assert secured.front.refused == 0  # no request, so no token, was sent
    eventually(lambda: "certificate" in one.process.stderr.lower())


def test_the_name_to_verify_can_be_given(secured):
    pair = secured.ca.issue("server", "/CN=x", "serverAuth", "DNS:api.example")
    secured.front.use(*pair)
    fields = {"tls-server-name": "api.example"}
    secured.sidecar(secured.kubeconfig(**fields)).wait("held")


def test_insecure_is_obeyed_and_said_aloud(secured):
    fields = {"insecure-skip-tls-verify": True, "tls-server-name": "x.example"}
    document = json.loads(open(secured.kubeconfig(**fields)).read())
    del document["clusters"][0]["cluster"]["certificate-authority"]
    path = secured.folder / "insecure.kubeconfig"
    path.write_text(json.dumps(document))
    one = secured.sidecar(str(path))
    one.wait("held")
    assert "insecure" in one.process.stderr


def test_a_handshake_without_an_answer_is_given_up_each_time(secured):
    one = secured.sidecar()
    one.wait("held")
    secured.front.silent = True
    secured.front.cut()
    one.wait("uncertain")
    eventually(lambda: not one.status()["remainingMs"]["toValidUntil"])
    secured.front.silent = False
    one.wait("held")  # the hung connections hold up no new one


def test_tokens_are_never_logged(secured):
    replace(secured.token_file, "very-secret-token\n")
    secured.front.tokens = {"very-secret-token"}
    one = secured.sidecar()
    one.wait("held")
    secured.front.tokens = set()
    one.wait("uncertain")
    one.stop()
    assert "very-secret-token" not in one.process.stderr + one.process.stdout
