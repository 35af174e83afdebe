"""PUT: compare-and-swap, preconditions, creation by update."""

import pytest

from api_client import expect


def test_the_current_version_is_replaced(leases):
    made = leases.create("a", {"holderIdentity": "x"})
    kept = leases.put("a", {"holderIdentity": "y"}, resourceVersion=made.version)
    assert kept.code == 200
    assert kept.spec == {"holderIdentity": "y"}
    assert int(kept.version) > int(made.version)
    assert kept.metadata["uid"] == made.metadata["uid"]
    assert kept.metadata["creationTimestamp"] == made.metadata["creationTimestamp"]
    assert leases.get("a").body == kept.body


def test_a_stale_version_is_a_conflict(leases):
    made = leases.create("a", {"holderIdentity": "x"})
    leases.put("a", {"holderIdentity": "y"}, resourceVersion=made.version)
    late = leases.put("a", {"holderIdentity": "z"}, resourceVersion=made.version)
    expect(late, 409, "Conflict", name="a", kind="leases")
    assert leases.get("a").spec == {"holderIdentity": "y"}


@pytest.mark.parametrize("version", ["", "0"])
def test_an_existing_lease_needs_a_version(leases, version):
    leases.create("a")
    causes = [("metadata.resourceVersion", "FieldValueInvalid")]
    reply = leases.put("a", {}, resourceVersion=version)
    expect(reply, 422, "Invalid", causes, "a", "leases")


def test_a_put_without_version_is_a_safe_create_if_absent(leases):
    first = leases.put("a", {"leaseDurationSeconds": 15})
    assert first.code == 201
    assert leases.put("a", {"leaseDurationSeconds": 16}).code == 422
    assert leases.get("a").body == first.body


def test_a_version_that_is_no_number_is_an_internal_error(leases):
    leases.create("a")
    expect(leases.put("a", {}, resourceVersion="abc"), 500)


def test_a_wrong_uid_is_a_conflict_even_with_the_right_version(leases):
    made = leases.create("a")
    wrong = "11111111-2222-3333-4444-555555555555"
    for more in ({"resourceVersion": made.version}, {}):
        reply = leases.put("a", {"leaseTransitions": 1}, uid=wrong, **more)
        expect(reply, 409, "Conflict", name="a", kind="leases")
        assert "Precondition failed" in reply.body["message"]


def test_a_deleted_lease_with_uid_is_not_recreated(leases):
    made = leases.create("a")
    leases.delete("a")
    uid, version = made.metadata["uid"], made.version
    expect(leases.put("a", {}, uid=uid, resourceVersion=version), 409, "Conflict")
    expect(leases.put("a", {}, uid=uid), 409, "Conflict")
    assert leases.get("a").code == 404


def test_a_recreated_lease_is_another_one(leases):
    made = leases.create("a")
    leases.delete("a")
    again = leases.create("a")
    assert again.metadata["uid"] != made.metadata["uid"]
    reply = leases.put(
        "a", {}, uid=made.metadata["uid"], resourceVersion=again.version
    )
    expect(reply, 409, "Conflict")


def test_a_deleted_lease_without_uid_is_silently_recreated(leases):
    made = leases.create("a")
    leases.delete("a")
    again = leases.put("a", {"holderIdentity": "x"}, resourceVersion=made.version)
    assert again.code == 201
    assert again.metadata["uid"] != made.metadata["uid"]
    assert int(again.version) > int(made.version) + 1  # the deletion took one


def test_the_name_must_be_the_one_of_the_url(leases):
    made = leases.create("a")
    path = f"{leases.path}/a"
    for metadata in ({"name": "b"}, {}, {"generateName": "a"}):
        body = {"metadata": {**metadata, "resourceVersion": made.version}}
        expect(leases.call("PUT", path, body), 400, "BadRequest")


def test_the_namespace_must_be_the_one_of_the_url(leases):
    made = leases.create("a")
    reply = leases.put("a", {}, namespace="other", resourceVersion=made.version)
    expect(reply, 400, "BadRequest")


def test_a_write_that_changes_nothing_takes_no_version(leases):
    made = leases.create("a", {"holderIdentity": "x"})
    same = leases.call("PUT", f"{leases.path}/a", made.body)
    assert same.code == 200 and same.version == made.version


def test_what_the_put_leaves_out_is_gone(leases):
    made = leases.create("a", {"holderIdentity": "x"}, labels={"k": "v"})
    kept = leases.put("a", {"leaseTransitions": 1}, resourceVersion=made.version)
    assert kept.spec == {"leaseTransitions": 1}
    assert "labels" not in kept.metadata


def test_creation_time_is_the_servers_own(leases):
    made = leases.create("a")
    kept = leases.put(
        "a",
        {"leaseTransitions": 1},
        resourceVersion=made.version,
        creationTimestamp="2001-01-01T00:00:00Z",
    )
    assert kept.code == 200
    assert kept.metadata["creationTimestamp"] == made.metadata["creationTimestamp"]


def test_a_put_cannot_mark_for_deletion(leases):
    made = leases.create("a")
    reply = leases.put(
        "a",
        {},
        resourceVersion=made.version,
        deletionTimestamp="2001-01-01T00:00:00Z",
    )
    causes = [("metadata.deletionTimestamp", "FieldValueInvalid")]
    expect(reply, 422, "Invalid", causes, "a", "Lease")


def test_metadata_generation_is_kept_as_created(leases):
    made = leases.create("a", generation=7)
    spec = {"leaseTransitions": 1}
    kept = leases.put("a", spec, resourceVersion=made.version, generation=9)
    assert kept.code == 200 and kept.metadata["generation"] == 7


def test_updates_are_validated(leases):
    made = leases.create("a")
    version = made.version
    reply = leases.put("a", {"leaseDurationSeconds": 0}, resourceVersion=version)
    causes = [("spec.leaseDurationSeconds", "FieldValueInvalid")]
    expect(reply, 422, "Invalid", causes, "a", "Lease")
    reply = leases.put("a", {"leaseTransitions": 2**31}, resourceVersion=version)
    expect(reply, 400, "BadRequest")
    reply = leases.put("a", {}, resourceVersion=version, labels={"a b": "c"})
    expect(reply, 422, "Invalid", [("metadata.labels", "FieldValueInvalid")])
    assert leases.get("a").body == made.body


def test_creation_by_update_is_validated(leases):
    reply = leases.put("a", {"leaseTransitions": -1})
    causes = [("spec.leaseTransitions", "FieldValueInvalid")]
    expect(reply, 422, "Invalid", causes, "a", "Lease")
    reply = leases.put("Bad_", {})
    expect(reply, 422, "Invalid", [("metadata.name", "FieldValueInvalid")])
    assert leases.get("a").code == 404


def test_strictness(leases):
    strict = "?fieldValidation=Strict"
    expect(leases.put("a", {"foo": 1}, strict), 400, "BadRequest")
    made = leases.put("a", {"foo": 1})
    assert made.code == 201 and made.spec == {}
    assert 'unknown field \\"spec.foo\\"' in made.header("Warning")[0]


def test_a_dry_run_checks_and_changes_nothing(leases):
    assert leases.put("a", {}, "?dryRun=All").code == 201
    assert leases.get("a").code == 404
    made = leases.create("a")
    spec = {"leaseTransitions": 1}
    dry = leases.put("a", spec, "?dryRun=All", resourceVersion=made.version)
    assert dry.code == 200 and dry.spec == spec
    stale = leases.put("a", spec, "?dryRun=All", resourceVersion="1")
    expect(stale, 409, "Conflict")
    assert leases.get("a").body == made.body


def test_labels_annotations_and_owners_are_kept_as_given(leases):
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u-1"}
    made = leases.create("a")
    kept = leases.put(
        "a",
        {},
        resourceVersion=made.version,
        labels={"a": ""},
        annotations={"tenure.dev/generation": "42"},
        ownerReferences=[owner],
        finalizers=["tenure.dev/x"],
    )
    assert kept.metadata["labels"] == {"a": ""}
    assert kept.metadata["annotations"] == {"tenure.dev/generation": "42"}
    assert kept.metadata["ownerReferences"] == [owner]
    assert kept.metadata["finalizers"] == ["tenure.dev/x"]
