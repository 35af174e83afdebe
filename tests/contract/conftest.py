"""The servers the contract is held against. Each test runs once per server and
is reported once per server:

embedded        `tenure dev`, started here
kube-apiserver  a real one with etcd, started here; skipped, and counted as
                skipped, where there are neither its programs nor Go
named           TENURE_CONTRACT_URL, with TENURE_CONTRACT_CA and
                TENURE_CONTRACT_TOKEN (files), if set: it is the only one then

TENURE_CONTRACT_SERVERS leaves out one of the first two.
"""

import os
import pathlib
import secrets
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
APISERVER = HERE.parent / "apiserver"
sys.path[:0] = [str(HERE), str(APISERVER)]

import binaries  # noqa: E402
from api_client import Leases, Server  # noqa: E402
from control_plane import ControlPlane  # noqa: E402


def server_names():
    if os.environ.get("TENURE_CONTRACT_URL"):
        return ["named"]
    both = "embedded kube-apiserver"
    return os.environ.get("TENURE_CONTRACT_SERVERS", both).split()


def named_server():
    token = os.environ.get("TENURE_CONTRACT_TOKEN")
    return Server(
        "named",
        os.environ["TENURE_CONTRACT_URL"],
        ca=os.environ.get("TENURE_CONTRACT_CA"),
        token=pathlib.Path(token).read_text().strip() if token else None,
    )


@pytest.fixture(scope="session")
def embedded():
    binary = binaries.find_tenure()  # a missing one is a failure, not a skip
    process = subprocess.Popen(
        [binary, "dev", "--port", "0"], stdout=subprocess.PIPE, text=True
    )
    try:
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:"), f"tenure dev printed {url!r}"
        yield Server("embedded", url)
    finally:
        process.terminate()
        process.wait(30)


@pytest.fixture(scope="session")
def kube_apiserver():
    if shutil.which("go"):  # a quarter of an hour, once
        build = APISERVER / "build_binaries.sh"
        subprocess.run([build], check=True, stdout=subprocess.DEVNULL)
    try:
        for name in ("etcd", "kube-apiserver"):
            binaries.find(name)
    except binaries.Missing as missing:
        pytest.skip(f"THE CONTRACT WAS NOT HELD AGAINST kube-apiserver: {missing}")
    with ControlPlane() as plane:
        # Begun anew, its memory of changes no longer reaches back to version 1.
        plane.restart_apiserver()
        yield Server(
            "kube-apiserver",
            plane.url,
            ca=str(plane.ca_bundle),
            client=(str(plane.pki / "admin.crt"), str(plane.pki / "admin.key")),
        )


@pytest.fixture(scope="session", params=server_names())
def server(request):
    if request.param == "named":
        return named_server()
    return request.getfixturevalue(request.param.replace("-", "_"))


def make_namespace(server):
    """A namespace nobody else uses. The embedded server has none to make: there
    every namespace exists."""
    name = f"contract-{secrets.token_hex(4)}"
    leases = Leases(server, name)
    if leases.call("GET", "/api/v1/namespaces/default").code == 200:
        body = {"metadata": {"name": name}}
        assert leases.call("POST", "/api/v1/namespaces", body).code == 201
    return leases


@pytest.fixture
def leases(server):
    return make_namespace(server)


@pytest.fixture
def elsewhere(server):
    """A second namespace, for tests about what crosses the border."""
    return make_namespace(server)
