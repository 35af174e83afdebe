"""examples/fences/mariadb against a real MariaDB."""

import store_server

store_server.need(
    "mariadb", ["mariadbd", "mariadb-install-db"], ["pymysql"], "more-stores"
)

import pytest  # noqa: E402
from adapter import Store  # noqa: E402
from fence_claims import DrillClaims, FenceClaims, RestoreClaims  # noqa: E402
from mariadb_server import MariadbServer  # noqa: E402


@pytest.fixture(scope="module")
def store():
    with store_server.running(MariadbServer) as server:
        yield Store("mariadb", server.url)


class TestMariadb(FenceClaims, RestoreClaims, DrillClaims):
    pass
