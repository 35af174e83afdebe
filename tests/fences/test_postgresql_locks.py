"""What PostgreSQL's own locks do where a fence would refuse."""

import store_server

store_server.need("postgresql", ["initdb", "postgres"], ["psycopg2"])

import own_lock  # noqa: E402
import postgresql_locks  # noqa: E402
import pytest  # noqa: E402
from postgresql_server import PostgresqlServer  # noqa: E402

KINDS = [
    postgresql_locks.ForUpdate,
    postgresql_locks.AdvisorySession,
    postgresql_locks.AdvisoryTransaction,
    postgresql_locks.AdvisoryTry,
]


@pytest.fixture(scope="module")
def url():
    with store_server.running(PostgresqlServer) as server:
        yield server.url


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_paused_holder_writes_where_its_lost_session_is_not_asked(url, kind):
    own_lock.check("postgresql", kind, url)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_without_an_idle_timeout_a_paused_holder_holds_on(url, kind):
    own_lock.check_never_taken(kind, url)
