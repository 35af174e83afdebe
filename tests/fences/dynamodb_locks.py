"""The lock that people build on DynamoDB: a conditional put, owner and expiry."""

import threading
import time
import urllib.parse
import uuid

import boto3

TABLE = "locks"
FREE = "attribute_not_exists(#name) OR expires < :now"
OURS = "#owner = :owner"


class ConditionalPut:
    """The expiry is each client's own wall clock, as in most that are published."""

    title = "conditional put, owner and expiry"
    lands = {"a plain write": True, "one that compares the owner": False}

    def __init__(self, url, name, ttl):
        endpoint = f"http://{urllib.parse.urlsplit(url).netloc}"
        self._client = boto3.client("dynamodb", endpoint_url=endpoint)
        self._failed = self._client.exceptions.ConditionalCheckFailedException
        self._make_table()
        self._name, self._ttl = name, ttl
        self._owner, self._held = str(uuid.uuid4()), threading.Event()
        threading.Thread(target=self._keep, daemon=True).start()
        self.ways = {
            "a plain write": self.write,
            "one that compares the owner": self.write_as_owner,
        }

    def _make_table(self):
        try:
            self._client.create_table(
                TableName=TABLE, BillingMode="PAY_PER_REQUEST",
                AttributeDefinitions=[{"AttributeName": "name", "AttributeType": "S"}],
                KeySchema=[{"AttributeName": "name", "KeyType": "HASH"}])
        except self._client.exceptions.ResourceInUseException:
            pass

    def _item(self):
        expires = str(round((time.time() + self._ttl) * 1000))
        return {"name": {"S": self._name}, "owner": {"S": self._owner},
                "expires": {"N": expires}}

    def acquire(self, seconds):
        deadline = time.monotonic() + seconds
        while not self._acquire_once():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.01)
        return True

    def _acquire_once(self):
        now = str(round(time.time() * 1000))
        try:
            self._client.put_item(
                TableName=TABLE, Item=self._item(), ConditionExpression=FREE,
                ExpressionAttributeNames={"#name": "name"},
                ExpressionAttributeValues={":now": {"N": now}})
        except self._failed:
            return False
        self._held.set()
        return True

    def _mine(self):
        return {"ConditionExpression": OURS,
                "ExpressionAttributeNames": {"#owner": "owner"},
                "ExpressionAttributeValues": {":owner": {"S": self._owner}}}

    def _keep(self):
        while self._held.wait():
            time.sleep(self._ttl / 3)
            try:
                self._client.put_item(
                    TableName=TABLE, Item=self._item(), **self._mine())
            except self._failed:
                self._held.clear()

    def release(self):
        self._held.clear()
        self._client.delete_item(
            TableName=TABLE, Key={"name": {"S": self._name}}, **self._mine())

    def _data(self, way, value):
        return {"TableName": TABLE, "Item": {
            "name": {"S": f"{self._name}/{way}"}, "content": {"S": value}}}

    def write(self, value):
        self._client.put_item(**self._data("a plain write", value))

    def write_as_owner(self, value):
        check = {"TableName": TABLE, "Key": {"name": {"S": self._name}}, **self._mine()}
        self._client.transact_write_items(TransactItems=[
            {"ConditionCheck": check},
            {"Put": self._data("one that compares the owner", value)},
        ])

    def read(self, way):
        key = {"name": {"S": f"{self._name}/{way}"}}
        found = self._client.get_item(TableName=TABLE, Key=key, ConsistentRead=True)
        return found["Item"]["content"]["S"] if "Item" in found else None
