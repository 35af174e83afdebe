"""What ZooKeeper's own lock does where a fence would refuse."""

import store_server

store_server.need("zookeeper", ["java"], ["kazoo"], "more-stores")

import own_lock  # noqa: E402
import pytest  # noqa: E402
import zookeeper_locks  # noqa: E402
from zookeeper_server import JAR, ZookeeperServer  # noqa: E402

store_server.need_files("zookeeper", [JAR], "tools/install_packages.sh more-stores")


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    server = ZookeeperServer(tmp_path_factory.mktemp("zookeeper"))
    yield server.url
    server.stop()


def test_a_paused_holder_is_refused_only_where_its_node_is_compared(url):
    own_lock.check("zookeeper", zookeeper_locks.EphemeralQueue, url)
