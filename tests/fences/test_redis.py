"""examples/fences/redis against a real redis-server."""

import store_server

store_server.need("redis", ["redis-server"], ["redis"])

import pytest  # noqa: E402
from adapter import Store  # noqa: E402
from fence_claims import DrillClaims, FenceClaims, RestoreClaims  # noqa: E402
from redis_server import RedisServer  # noqa: E402


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    yield Store("redis", server.url)
    server.stop()


class TestRedis(FenceClaims, RestoreClaims, DrillClaims):
    pass
