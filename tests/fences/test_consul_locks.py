"""What Consul's own lock does where a fence would refuse."""

import store_server

store_server.need("consul")

import consul_locks  # noqa: E402
import own_lock  # noqa: E402
import pytest  # noqa: E402
from consul_server import PROGRAM, ConsulServer  # noqa: E402

store_server.need_files("consul", [PROGRAM], "tests/fences/install_servers.sh consul")


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    server = ConsulServer(tmp_path_factory.mktemp("consul"))
    yield server.url
    server.stop()


def test_a_paused_holder_is_refused_only_where_its_session_is_compared(url):
    own_lock.check("consul", consul_locks.Session, url)
