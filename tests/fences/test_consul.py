"""examples/fences/consul against a real Consul."""

import store_server

store_server.need("consul")

import pytest  # noqa: E402
from adapter import Store  # noqa: E402
from consul_server import PROGRAM, ConsulServer  # noqa: E402
from fence_claims import DrillClaims, FenceClaims, RestoreClaims  # noqa: E402

store_server.need_files("consul", [PROGRAM], "tests/fences/install_servers.sh consul")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    server = ConsulServer(tmp_path_factory.mktemp("consul"))
    yield Store("consul", server.url)
    server.stop()


class TestConsul(FenceClaims, RestoreClaims, DrillClaims):
    pass
