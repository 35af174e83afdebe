"""A fence around one object of an S3-style store: conditional put.

The object's first line is the fence (token, holder, writes, the last operation
ids), the rest its content. It has to be in the body: an ETag is, as a rule, the
digest of the body alone, and does not change with the metadata. The token is
repeated in the metadata, where a HEAD shows it.
"""

import hashlib
import json

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

ATTEMPTS = 100  # each lost race means that another writer got through
REMEMBERED = 1000  # operation ids of the last writes
NEW = {"token": 0, "holder": "", "writes": 0, "done": []}


class Fence:
    def __init__(self, endpoint, bucket):
        # One try: who repeats a write does so with its operation id.
        once = Config(retries={"total_max_attempts": 1}, connect_timeout=20,
                      read_timeout=20)
        self._client = boto3.client("s3", endpoint_url=endpoint, config=once)
        self._bucket = bucket

    def close(self):
        self._client.close()

    def _get(self, name):
        """-> (fence, content, what a put of ours must be conditional on)."""
        try:
            found = self._client.get_object(Bucket=self._bucket, Key=name)
        except self._client.exceptions.NoSuchKey:
            return dict(NEW), "", {"IfNoneMatch": "*"}
        first, _, content = found["Body"].read().decode().partition("\n")
        return json.loads(first), content, {"IfMatch": found["ETag"]}

    def _put(self, name, fence, content, condition):
        """Whether it was still as we had read it."""
        try:
            self._client.put_object(
                Bucket=self._bucket, Key=name,
                Body=f"{json.dumps(fence)}\n{content}".encode(),
                Metadata={"fencing-token": str(fence["token"])}, **condition)
        except ClientError as error:
            # 412: it changed. 409: another conditional put was under way. 404:
            # it was deleted.
            status = error.response["ResponseMetadata"]["HTTPStatusCode"]
            if status in (404, 409, 412):
                return False
            raise
        return True

    def _commit(self, name, token, holder, fenced, write=None):
        """Reads, decides, and puts if nothing changed meanwhile."""
        for _ in range(ATTEMPTS):
            fence, content, condition = self._get(name)
            stored = fence["token"]
            if write and digest(write[0]) in fence["done"]:
                return True, stored  # applied before: the answer was lost
            if fenced:
                if not (token > stored or (token, holder) == (stored, fence["holder"])):
                    return False, stored
                fence |= {"token": token, "holder": holder}
            if write:
                content = write[1]
                fence["writes"] += 1
                fence["done"] = [*fence["done"], digest(write[0])][-REMEMBERED:]
            if self._put(name, fence, content, condition):
                return True, fence["token"]
        raise TimeoutError(f"lost {ATTEMPTS} races for {name}")

    def raise_token(self, resource, token, holder):
        """-> (accepted, the highest token that the object shows)."""
        return self._commit(resource, token, holder, fenced=True)

    def write(self, resource, token, holder, id, value, fenced=True):
        return self._commit(resource, token, holder, fenced, (id, value))

    def read(self, resource):
        """-> (token, holder, value, writes)."""
        fence, content, _ = self._get(resource)
        return fence["token"], fence["holder"], content, fence["writes"]

    def reset(self, resource):
        try:
            self._client.create_bucket(Bucket=self._bucket)
        except self._client.exceptions.BucketAlreadyOwnedByYou:
            pass
        self._client.delete_object(Bucket=self._bucket, Key=resource)


def digest(id):
    return hashlib.sha256(id.encode()).hexdigest()[:16]
