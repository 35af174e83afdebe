"""What etcd's own lock does where a fence would refuse."""

import os

import store_server

store_server.need("etcd", ["etcd"])

import etcd_locks  # noqa: E402
import own_lock  # noqa: E402
import pytest  # noqa: E402
from etcd_server import EtcdServer  # noqa: E402


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    server = EtcdServer(tmp_path_factory.mktemp("etcd"))
    yield server.url
    server.stop()


def test_a_paused_holder_of_the_mutex_is_refused_only_where_its_key_is_compared(url):
    own_lock.check("etcd", etcd_locks.LeaseMutex, url)


@pytest.mark.skipif(
    "all" not in os.environ.get("TENURE_STORES", ""),
    reason="ETCDCTL LOCK WAS NOT TRIED: only `make soak` runs it",
)
def test_a_paused_holder_of_etcdctl_lock_writes_over_its_successor(url):
    own_lock.check("etcd", etcd_locks.Etcdctl, url)
