"""DELETE of one and of many: preconditions, finalizers, dry runs."""

import pytest

from api_client import GROUP, expect


def test_a_deletion_says_whom(leases):
    made = leases.create("a")
    gone = leases.delete("a")
    assert gone.code == 200
    assert gone.body["kind"] == "Status" and gone.body["status"] == "Success"
    assert gone.body["details"] == {
        "name": "a",
        "group": GROUP,
        "kind": "leases",
        "uid": made.metadata["uid"],
    }
    expect(leases.get("a"), 404, "NotFound", name="a", kind="leases")
    expect(leases.delete("a"), 404, "NotFound", name="a", kind="leases")


def test_a_deletion_takes_a_version(leases):
    made = leases.create("a")
    leases.delete("a")
    assert int(leases.create("a").version) > int(made.version) + 1


@pytest.mark.parametrize("what", ["uid", "resourceVersion"])
def test_preconditions_guard(leases, what):
    made = leases.create("a")
    right = made.metadata[what]
    reply = leases.delete("a", {"preconditions": {what: "1"}})
    expect(reply, 409, "Conflict", name="a", kind="Lease")
    assert leases.delete("a", {"preconditions": {what: right}}).code == 200


def test_preconditions_may_come_in_the_query(leases):
    leases.create("a")
    expect(leases.delete("a", query="?resourceVersion=1"), 409, "Conflict")
    expect(leases.delete("a", query="?uid=x"), 409, "Conflict")


def test_a_dry_run_deletes_nothing(leases):
    leases.create("a")
    assert leases.delete("a", query="?dryRun=All").code == 200
    assert leases.delete("a", {"dryRun": ["All"]}).code == 200
    assert leases.get("a").code == 200


def test_bad_options(leases):
    leases.create("a")
    policy = "propagationPolicy"
    for reply in (
        leases.delete("a", {policy: "Foo"}),
        leases.delete("a", query=f"?{policy}=Foo"),
    ):
        expect(reply, 422, "Invalid", [(policy, "FieldValueNotSupported")])
    both = {policy: "Background", "orphanDependents": True}
    expect(leases.delete("a", both), 422, "Invalid", [(policy, "FieldValueInvalid")])
    expect(leases.delete("a", "{"), 400, "BadRequest")
    expect(leases.delete("a", {"kind": "Lease", "apiVersion": "v1"}), 400, "BadRequest")
    reply = leases.call("DELETE", f"{leases.path}/a", "x", "text/plain")
    expect(reply, 415, "UnsupportedMediaType")
    assert leases.delete("a", {policy: "Background"}).code == 200


def test_finalizers_hold_the_lease(leases):
    leases.create("a", finalizers=["tenure.dev/x"])
    marked = leases.delete("a")
    assert marked.code == 200 and marked.body["kind"] == "Lease"
    assert marked.metadata["deletionTimestamp"]
    assert marked.metadata["deletionGracePeriodSeconds"] == 0
    assert leases.delete("a").version == marked.version
    expect(leases.create("a"), 409, "AlreadyExists", name="a", kind="leases")
    more = {"metadata": {"finalizers": ["tenure.dev/x", "tenure.dev/y"]}}
    causes = [("metadata.finalizers", "FieldValueForbidden")]
    expect(leases.patch("a", more), 422, "Invalid", causes, "a", "Lease")
    held = leases.patch("a", {"spec": {"holderIdentity": "x"}})
    assert held.code == 200 and held.metadata["deletionTimestamp"]
    assert leases.patch("a", {"metadata": {"finalizers": None}}).code == 200
    assert leases.get("a").code == 404


def test_many_are_deleted_as_selected(leases):
    leases.create("a", labels={"k": "1"})
    leases.create("b", labels={"k": "2"})
    gone = leases.call("DELETE", leases.path + "?labelSelector=k%3D1")
    assert gone.code == 200 and gone.body["kind"] == "LeaseList"
    assert [item["metadata"]["name"] for item in gone.body["items"]] == ["a"]
    assert leases.get("a").code == 404 and leases.get("b").code == 200
    named = leases.call("DELETE", leases.path + "?fieldSelector=metadata.name%3Db")
    assert named.code == 200
    assert leases.list().body["items"] == []


def test_deletion_of_many_stays_in_its_namespace(leases, elsewhere):
    leases.create("a")
    elsewhere.create("a")
    assert leases.call("DELETE", leases.path).code == 200
    assert elsewhere.get("a").code == 200


def test_a_bad_selector_deletes_nothing(leases):
    leases.create("a")
    reply = leases.call("DELETE", leases.path + "?labelSelector=k%3D%3D%3D1")
    expect(reply, 400, "BadRequest")
    assert leases.get("a").code == 200
