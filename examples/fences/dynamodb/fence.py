"""A fence in DynamoDB: one transaction of conditional writes.

Table `fences`, key (`fence`, `entry`), the first being the resource's name. The entry
`now` holds token, holder, content and writes; `done/ID` marks an operation as applied.
"""

import boto3
from botocore.config import Config

TABLE = "fences"
NOT_STALE = (
    "attribute_not_exists(#token) OR #token < :token"
    " OR (#token = :token AND holder = :holder)"
)
# `token` is a reserved word of the expressions.
NAMES = {"#token": "token"}
ATTEMPTS = 100  # each lost race means that another writer got through


def key(resource, entry="now"):
    return {"fence": {"S": resource}, "entry": {"S": entry}}


def mine(token, holder):
    return {":token": {"N": str(token)}, ":holder": {"S": holder}}


def token_in(item):
    return int(item.get("token", {}).get("N", 0))


class Fence:
    def __init__(self, endpoint):
        # One try: who repeats a write does so with its operation id.
        once = Config(retries={"total_max_attempts": 1}, connect_timeout=20,
                      read_timeout=20)
        self._client = boto3.client("dynamodb", endpoint_url=endpoint, config=once)

    def close(self):
        self._client.close()

    def _stored(self, resource):
        found = self._client.get_item(
            TableName=TABLE, Key=key(resource), ConsistentRead=True)
        return found.get("Item", {})

    def raise_token(self, resource, token, holder):
        """-> (accepted, the highest token that DynamoDB knows)."""
        try:
            self._client.update_item(
                TableName=TABLE, Key=key(resource),
                UpdateExpression="SET #token = :token, holder = :holder",
                ConditionExpression=NOT_STALE, ExpressionAttributeNames=NAMES,
                ExpressionAttributeValues=mine(token, holder))
        except self._client.exceptions.ConditionalCheckFailedException:
            return False, token_in(self._stored(resource))
        return True, token

    def write(self, resource, token, holder, id, value, fenced=True):
        put = {
            "TableName": TABLE, "Key": key(resource),
            "UpdateExpression": "SET content = :value ADD writes :one",
            "ExpressionAttributeValues": {":value": {"S": value}, ":one": {"N": "1"}},
        }
        if fenced:
            put["UpdateExpression"] = (
                "SET #token = :token, holder = :holder, content = :value"
                " ADD writes :one")
            put["ExpressionAttributeValues"] |= mine(token, holder)
            put["ConditionExpression"] = NOT_STALE
            put["ExpressionAttributeNames"] = NAMES
        mark = {
            "TableName": TABLE, "Item": key(resource, f"done/{id}"),
            "ConditionExpression": "attribute_not_exists(entry)",
        }
        for _ in range(ATTEMPTS):
            why = self._transact([{"Update": put}, {"Put": mark}])
            if not why:
                return True, token
            if why[1] == "ConditionalCheckFailed":
                # Applied before: the answer was lost.
                return True, token_in(self._stored(resource))
            if why[0] == "ConditionalCheckFailed":
                return False, token_in(self._stored(resource))
            if "TransactionConflict" not in why:
                raise OSError(f"DynamoDB cancelled the transaction: {why}")
        raise TimeoutError(f"lost {ATTEMPTS} races for {resource}")

    def _transact(self, items):
        """The reason of each item why nothing was written; [] if all was."""
        try:
            self._client.transact_write_items(TransactItems=items)
        except self._client.exceptions.TransactionCanceledException as error:
            return [each["Code"] for each in error.response["CancellationReasons"]]
        return []

    def read(self, resource):
        """-> (token, holder, value, writes)."""
        item = self._stored(resource)
        return (token_in(item), item.get("holder", {}).get("S", ""),
                item.get("content", {}).get("S", ""),
                int(item.get("writes", {}).get("N", 0)))

    def reset(self, resource):
        keys = {"fence": "HASH", "entry": "RANGE"}
        try:
            self._client.create_table(
                TableName=TABLE, BillingMode="PAY_PER_REQUEST",
                AttributeDefinitions=[
                    {"AttributeName": name, "AttributeType": "S"} for name in keys],
                KeySchema=[
                    {"AttributeName": name, "KeyType": kind}
                    for name, kind in keys.items()])
        except self._client.exceptions.ResourceInUseException:
            pass
        self._client.get_waiter("table_exists").wait(TableName=TABLE)
        pages = self._client.get_paginator("query").paginate(
            TableName=TABLE, KeyConditionExpression="fence = :name",
            ExpressionAttributeValues={":name": {"S": resource}})
        for item in (item for page in pages for item in page["Items"]):
            self._client.delete_item(
                TableName=TABLE, Key=key(resource, item["entry"]["S"]))
