"""Servers of the DynamoDB and S3 APIs of the test's own."""

import socket
import sys

from free_port import free_port
from store_server import SERVERS, StoreServer, find

DYNAMODB = SERVERS / "dynamodb-local"
MOTO = SERVERS / "moto"
MOTO_PYTHON = MOTO / "bin/python"
STARTS_SOON = ("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
# A large program, on a machine where others build.
PATIENT = 240.0
# moto compares an ETag and then stores, and other threads may come between (see
# test_s3). Here it serves one request after the other.
ONE_AT_A_TIME = """
import sys
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import run_simple
run_simple("127.0.0.1", int(sys.argv[1]),
           DomainDispatcherApplication(create_backend_app), threaded=False)
"""


def environment():
    """For adapters: boto3, and credentials that no server looks at."""
    here = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return {
        "PYTHONPATH": str(MOTO / "lib" / here / "site-packages"),
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": "/dev/null",
        "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
    }


class AwsServer(StoreServer):
    def __init__(self, folder, name, command):
        self.port = free_port()
        self.endpoint = f"http://127.0.0.1:{self.port}"
        command = [self.port if part == "PORT" else part for part in command]
        super().__init__(folder, name, command, environment())
        self.wait_until(self._listens, PATIENT)

    def _listens(self):
        socket.create_connection(("127.0.0.1", self.port), 5).close()
        return True


class DynamodbServer(AwsServer):
    def __init__(self, folder):
        super().__init__(
            folder,
            "dynamodb",
            [find("java"), *STARTS_SOON, f"-Djava.library.path={DYNAMODB}"]
            + ["-cp", f"{DYNAMODB}/*"]
            + ["com.amazonaws.services.dynamodbv2.local.main.ServerRunner"]
            + ["-inMemory", "-port", "PORT"],
        )
        self.url = f"dynamodb://127.0.0.1:{self.port}"


class S3Server(AwsServer):
    def __init__(self, folder):
        command = [MOTO_PYTHON, "-c", ONE_AT_A_TIME, "PORT"]
        super().__init__(folder, "s3", command)
        self.url = f"s3://127.0.0.1:{self.port}/fences"
