"""What MariaDB's own locks do where a fence would refuse."""

import store_server

store_server.need(
    "mariadb", ["mariadbd", "mariadb-install-db"], ["pymysql"], "more-stores"
)

import own_lock  # noqa: E402
import mariadb_locks  # noqa: E402
import pytest  # noqa: E402
from mariadb_server import MariadbServer  # noqa: E402

KINDS = [mariadb_locks.ForUpdate, mariadb_locks.GetLock]


@pytest.fixture(scope="module")
def url():
    with store_server.running(MariadbServer) as server:
        yield server.url


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_paused_holder_writes_where_its_lost_connection_is_not_asked(url, kind):
    own_lock.check("mariadb", kind, url)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_without_an_idle_timeout_a_paused_holder_holds_on(url, kind):
    own_lock.check_never_taken(kind, url)
