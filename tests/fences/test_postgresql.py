"""examples/fences/postgresql against a real PostgreSQL."""

import store_server

store_server.need("postgresql", ["initdb", "postgres"], ["psycopg2"])

import pytest  # noqa: E402
from adapter import Store  # noqa: E402
from fence_claims import DrillClaims, FenceClaims, RestoreClaims  # noqa: E402
from postgresql_server import PostgresqlServer  # noqa: E402


@pytest.fixture(scope="module")
def store():
    with store_server.running(PostgresqlServer) as server:
        yield Store("postgresql", server.url)


class TestPostgresql(FenceClaims, RestoreClaims, DrillClaims):
    pass
