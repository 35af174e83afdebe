"""What a lock built on DynamoDB does where a fence would refuse."""

import sys

import store_server

store_server.need("dynamodb", ["java"])

import aws_servers  # noqa: E402
import own_lock  # noqa: E402
import pytest  # noqa: E402

store_server.need_files(
    "dynamodb", [aws_servers.DYNAMODB, aws_servers.MOTO_PYTHON],
    "tests/fences/install_servers.sh moto dynamodb",
)
# boto3 is there, not in Debian's Python.
sys.path.append(aws_servers.environment()["PYTHONPATH"])
import dynamodb_locks  # noqa: E402


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    server = aws_servers.DynamodbServer(tmp_path_factory.mktemp("dynamodb"))
    with pytest.MonkeyPatch.context() as patched:
        for name, value in aws_servers.environment().items():
            patched.setenv(name, value)
        yield server.url
    server.stop()


def test_a_paused_holder_is_refused_only_where_its_item_is_compared(url):
    own_lock.check("dynamodb", dynamodb_locks.ConditionalPut, url)
