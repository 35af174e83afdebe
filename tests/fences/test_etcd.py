"""examples/fences/etcd against a real etcd."""

import store_server

store_server.need("etcd", ["etcd"])

import pytest  # noqa: E402
from adapter import Store  # noqa: E402
from etcd_server import EtcdServer  # noqa: E402
from fence_claims import DrillClaims, FenceClaims, RestoreClaims  # noqa: E402


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    server = EtcdServer(tmp_path_factory.mktemp("etcd"))
    yield Store("etcd", server.url)
    server.stop()


class TestEtcd(FenceClaims, RestoreClaims, DrillClaims):
    pass
