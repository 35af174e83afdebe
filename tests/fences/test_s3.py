"""examples/fences/object against moto's S3."""

import store_server

store_server.need("s3")

import concurrent.futures  # noqa: E402
import sys  # noqa: E402
import uuid  # noqa: E402

import aws_servers  # noqa: E402
import pytest  # noqa: E402
from adapter import Store  # noqa: E402
from fence_claims import DrillClaims, FenceClaims, RestoreClaims  # noqa: E402

store_server.need_files(
    "s3", [aws_servers.MOTO_PYTHON], "tests/fences/install_servers.sh moto"
)
# boto3 is there, not in Debian's Python.
sys.path.append(aws_servers.environment()["PYTHONPATH"])
import boto3  # noqa: E402
from botocore.exceptions import ClientError  # noqa: E402

RACERS, ROUNDS = 4, 25


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    server = aws_servers.S3Server(tmp_path_factory.mktemp("s3"))
    with pytest.MonkeyPatch.context() as patched:
        for name, value in aws_servers.environment().items():
            patched.setenv(name, value)
        yield Store("object", server.url)
    server.stop()


class TestS3(FenceClaims, RestoreClaims, DrillClaims):
    pass


@pytest.fixture
def bucket(store):
    endpoint = "http://" + store.url.split("/")[2]

    def connect():
        return boto3.client("s3", endpoint_url=endpoint)

    connect.name = f"b-{uuid.uuid4()}"
    connect().create_bucket(Bucket=connect.name)
    return connect


def put(client, bucket, body, token, **condition):
    """Whether the store took it."""
    try:
        client.put_object(
            Bucket=bucket.name, Key="k", Body=body.encode(),
            Metadata={"fencing-token": token}, **condition)
    except ClientError as error:
        assert error.response["Error"]["Code"] == "PreconditionFailed"
        return False
    return True


def test_with_the_token_in_the_metadata_alone_a_stale_write_lands(bucket):
    """Why the fence keeps it in the body: the ETag does not cover metadata."""
    one, two = bucket(), bucket()
    assert put(one, bucket, "content", "7", IfNoneMatch="*")
    before = one.get_object(Bucket=bucket.name, Key="k")["ETag"]
    # The new holder raises the token and leaves the content as it was.
    assert put(two, bucket, "content", "8", IfMatch=before)
    assert put(one, bucket, "stale", "7", IfMatch=before)


def test_the_server_lets_one_of_racing_conditional_puts_through(bucket):
    """Else the tests above would show nothing."""
    racers = [bucket() for _ in range(RACERS)]
    assert put(racers[0], bucket, "0", "1", IfNoneMatch="*")
    with concurrent.futures.ThreadPoolExecutor(RACERS) as pool:
        for n in range(ROUNDS):
            etag = racers[0].head_object(Bucket=bucket.name, Key="k")["ETag"]
            race = [
                pool.submit(put, racer, bucket, f"{n}/{i}", "1", IfMatch=etag)
                for i, racer in enumerate(racers)
            ]
            assert sum(each.result() for each in race) == 1
