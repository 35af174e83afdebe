"""examples/fences/zookeeper against a real ZooKeeper."""

import store_server

store_server.need("zookeeper", ["java"], ["kazoo"], "more-stores")

import pytest  # noqa: E402
from adapter import Store  # noqa: E402
from fence_claims import DrillClaims, FenceClaims, RestoreClaims  # noqa: E402
from zookeeper_server import JAR, ZookeeperServer  # noqa: E402

store_server.need_files("zookeeper", [JAR], "tools/install_packages.sh more-stores")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    server = ZookeeperServer(tmp_path_factory.mktemp("zookeeper"))
    yield Store("zookeeper", server.url)
    server.stop()


class TestZookeeper(FenceClaims, RestoreClaims, DrillClaims):
    pass
