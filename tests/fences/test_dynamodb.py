"""examples/fences/dynamodb against DynamoDB Local."""

import store_server

store_server.need("dynamodb", ["java"])

import aws_servers  # noqa: E402
import pytest  # noqa: E402
from adapter import Store  # noqa: E402
from fence_claims import DrillClaims, FenceClaims, RestoreClaims  # noqa: E402

store_server.need_files(
    "dynamodb", [aws_servers.DYNAMODB, aws_servers.MOTO_PYTHON],
    "tests/fences/install_servers.sh moto dynamodb",
)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    server = aws_servers.DynamodbServer(tmp_path_factory.mktemp("dynamodb"))
    with pytest.MonkeyPatch.context() as patched:
        for name, value in aws_servers.environment().items():
            patched.setenv(name, value)
        yield Store("dynamodb", server.url)
    server.stop()


class TestDynamodb(FenceClaims, RestoreClaims, DrillClaims):
    pass
