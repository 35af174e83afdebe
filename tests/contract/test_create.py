"""POST: what the server fills in, and what it refuses."""

import re

import pytest

from api_client import JSON_PATCH, Leases, expect, lease

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
FULL = {
    "holderIdentity": "me",
    "leaseDurationSeconds": 15,
    "acquireTime": "2026-11-29T20:48:00.123456Z",
    "renewTime": "2026-11-29T20:48:01.000000Z",
    "leaseTransitions": 3,
}


def test_the_server_fills_what_it_owns(leases):
    made = leases.create("a", FULL, labels={"k": "v"}, annotations={"x/y": "z"})
    assert made.code == 201
    assert made.body["kind"] == "Lease"
    assert made.body["apiVersion"] == "coordination.k8s.io/v1"
    assert made.spec == FULL
    metadata = made.metadata
    assert metadata["name"] == "a" and metadata["namespace"] == leases.namespace
    assert metadata["labels"] == {"k": "v"}
    assert metadata["annotations"] == {"x/y": "z"}
    assert UUID.fullmatch(metadata["uid"])
    assert metadata["resourceVersion"].isdecimal()
    assert re.fullmatch(
        r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", metadata["creationTimestamp"]
    )
    assert "generation" not in metadata
    assert leases.get("a").body == made.body


def test_no_spec_is_an_empty_spec(leases):
    assert leases.create("a").spec == {}
    assert leases.create("b", {}).spec == {}


def test_what_only_the_server_may_set_is_ignored(leases):
    made = leases.create(
        "a",
        uid="mine",
        creationTimestamp="2001-01-01T00:00:00Z",
        deletionTimestamp="2001-01-01T00:00:00Z",
        deletionGracePeriodSeconds=4,
        selfLink="/x",
        generation=7,
    )
    assert made.code == 201
    assert UUID.fullmatch(made.metadata["uid"])
    assert not made.metadata["creationTimestamp"].startswith("2001")
    assert "deletionTimestamp" not in made.metadata
    assert made.metadata["generation"] == 7


def test_a_name_is_taken_once(leases):
    leases.create("a")
    expect(leases.create("a"), 409, "AlreadyExists", name="a", kind="leases")


def test_the_same_name_lives_in_two_namespaces(leases, elsewhere):
    assert leases.create("a").code == 201
    assert elsewhere.create("a").code == 201


def test_a_version_must_not_be_set(leases):
    expect(leases.create("a", resourceVersion="5"), 500)
    assert leases.create("b", resourceVersion="abc").code == 201


def test_versions_rise_by_the_write(leases):
    versions = [int(leases.create(name).version) for name in "abc"]
    assert versions == sorted(set(versions))


def test_a_name_can_be_generated(leases):
    body = {"metadata": {"generateName": "gen-"}}
    first = leases.call("POST", leases.path, body)
    second = leases.call("POST", leases.path, body)
    assert first.code == second.code == 201
    assert re.fullmatch(r"gen-[a-z0-9]{5}", first.metadata["name"])
    assert first.metadata["name"] != second.metadata["name"]


@pytest.mark.parametrize(
    "name", ["Upper", "a_b", "a..b", ".", "-a", "a-", "a/b", "a" * 254]
)
def test_bad_names_are_invalid(leases, name):
    causes = [("metadata.name", "FieldValueInvalid")]
    expect(leases.create(name), 422, "Invalid", causes, name, "Lease")


def test_a_name_is_required(leases):
    causes = [("metadata.name", "FieldValueRequired")]
    for body in ({"metadata": {}}, {}, "null"):
        reply = leases.call("POST", leases.path, body)
        expect(reply, 422, "Invalid", causes, kind="Lease")


@pytest.mark.parametrize(
    "metadata, field, reason",
    [
        ({"labels": {"a b": "x"}}, "labels", "Invalid"),
        ({"labels": {"a/b/c": "x"}}, "labels", "Invalid"),
        ({"labels": {"a": "x y"}}, "labels", "Invalid"),
        ({"labels": {"a": "x" * 64}}, "labels", "Invalid"),
        ({"annotations": {"a b": "x"}}, "annotations", "Invalid"),
        ({"annotations": {"a": "x" * 262144}}, "annotations", "TooLong"),
        ({"generation": -1}, "generation", "Invalid"),
        ({"finalizers": ["a b"]}, "finalizers", "Invalid"),
        (
            {
                "ownerReferences": [
                    {"apiVersion": "v1", "kind": "Pod", "name": "", "uid": "u"}
                ]
            },
            "ownerReferences[0].name",
            "Required",
        ),
        (
            {
                "ownerReferences": [
                    {"apiVersion": "a/b/c", "kind": "K", "name": "n", "uid": "u"}
                ]
            },
            "ownerReferences[0].apiVersion",
            "Invalid",
        ),
    ],
)
def test_bad_metadata_is_invalid(leases, metadata, field, reason):
    causes = [(f"metadata.{field}", f"FieldValue{reason}")]
    expect(leases.create("a", **metadata), 422, "Invalid", causes, "a", "Lease")


def test_annotation_keys_may_have_upper_case_and_values_may_be_empty(leases):
    kept = {"Tenure.dev/Generation": "", "tenure.dev/write": "x" * 1000}
    assert leases.create("a", annotations=kept).metadata["annotations"] == kept


def test_every_fault_is_told_at_once(leases):
    reply = leases.create("a", {"leaseDurationSeconds": 0, "leaseTransitions": -1})
    causes = [
        ("spec.leaseDurationSeconds", "FieldValueInvalid"),
        ("spec.leaseTransitions", "FieldValueInvalid"),
    ]
    expect(reply, 422, "Invalid", causes, "a", "Lease")


def test_the_namespace_must_be_the_one_of_the_url(leases):
    expect(leases.create("a", namespace="other"), 400, "BadRequest")
    assert leases.create("a", namespace=leases.namespace).code == 201


@pytest.mark.parametrize(
    "body",
    [
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}},
        {"apiVersion": "coordination.k8s.io/v1", "kind": "Leases"},
        {"apiVersion": "coordination.k8s.io/v1beta1", "kind": "Lease"},
        {"apiVersion": "coordination.k8s.io/v9", "kind": "Lease"},
        "[]",
        "5",
        "",
        '{"a":',
        '{"metadata":{"name":"a"}} x',
        {"metadata": "x"},
        {"metadata": {"name": 5}},
        {"metadata": {"name": "a", "labels": {"a": 5}}},
        {"metadata": {"name": "a", "finalizers": "x"}},
        {"metadata": {"name": "a", "generation": "1"}},
        {"metadata": {"name": "a", "creationTimestamp": "x"}},
        {"metadata": {"name": "a", "ownerReferences": "x"}},
        {"metadata": {"name": "a", "managedFields": "x"}},
        {"metadata": {"name": "a"}, "spec": "x"},
        {"metadata": {"name": "a"}, "spec": []},
    ],
)
def test_what_is_no_lease_is_a_bad_request(leases, body):
    expect(leases.call("POST", leases.path, body), 400, "BadRequest")


def test_kind_and_version_may_be_left_out(leases):
    for index, part in enumerate(({}, {"kind": "Lease"})):
        body = {**part, "metadata": {"name": f"a{index}"}}
        assert leases.call("POST", leases.path, body).code == 201


def test_null_means_absent(leases):
    made = leases.create(
        "a",
        {"holderIdentity": None, "renewTime": None, "leaseDurationSeconds": None},
        labels=None,
    )
    assert made.code == 201
    assert made.spec == {} and "labels" not in made.metadata


def test_unknown_fields_are_dropped_and_told(leases):
    made = leases.create("a", {"holderIdentity": "x", "foo": 1})
    assert made.code == 201 and made.spec == {"holderIdentity": "x"}
    assert made.header("Warning") == ['299 - "unknown field \\"spec.foo\\""']
    quiet = leases.create("b", {"foo": 1}, "?fieldValidation=Ignore")
    assert quiet.code == 201 and not quiet.header("Warning")
    strict = leases.create("c", {"foo": 1}, "?fieldValidation=Strict")
    expect(strict, 400, "BadRequest")
    assert 'unknown field "spec.foo"' in strict.body["message"]


def test_fields_are_told_apart_by_case(leases):
    assert leases.create("a", {"HolderIdentity": "x"}).spec == {}


def test_a_field_given_twice_counts_last_and_is_told(leases):
    body = '{"metadata":{"name":"a"},"spec":{"leaseTransitions":1,"leaseTransitions":2}}'
    made = leases.call("POST", leases.path, body)
    assert made.code == 201 and made.spec == {"leaseTransitions": 2}
    assert "duplicate field" in made.header("Warning")[0]
    again = leases.call("POST", leases.path + "?fieldValidation=Strict", body)
    expect(again, 400, "BadRequest")


def test_election_fields_are_dropped_in_silence(leases):
    spec = {"strategy": "OldestEmulationVersion", "preferredHolder": "x"}
    made = leases.create("a", spec, "?fieldValidation=Strict")
    assert made.code == 201 and made.spec == {}


def test_a_dry_run_leaves_nothing(leases):
    made = leases.create("a", {"holderIdentity": "x"}, "?dryRun=All")
    assert made.code == 201 and made.spec == {"holderIdentity": "x"}
    assert "resourceVersion" not in made.metadata
    expect(leases.get("a"), 404, "NotFound", name="a", kind="leases")
    leases.create("a")
    expect(leases.create("a", query="?dryRun=All"), 409, "AlreadyExists")


@pytest.mark.parametrize(
    "query, field, reason",
    [
        ("dryRun=Foo", "dryRun", "FieldValueNotSupported"),
        ("fieldValidation=Foo", "fieldValidation", "FieldValueNotSupported"),
        ("fieldManager=" + "x" * 129, "fieldManager", "FieldValueTooLong"),
    ],
)
def test_bad_options_are_invalid(leases, query, field, reason):
    reply = leases.create("a", query="?" + query)
    expect(reply, 422, "Invalid", [(field, reason)])


def test_media_types(leases):
    good = "application/json; charset=utf-8"
    assert leases.call("POST", leases.path, lease("a"), good).code == 201
    assert leases.call("POST", leases.path, lease("b"), None).code == 201
    for media in ("text/plain", JSON_PATCH):
        reply = leases.call("POST", leases.path, lease("c"), media)
        expect(reply, 415, "UnsupportedMediaType")


def test_a_body_has_an_end(leases):
    body = lease("a", annotations={"a": "x" * (3 * 1024 * 1024 + 10)})
    expect(leases.call("POST", leases.path, body), 413, "RequestEntityTooLarge")


def test_an_object_has_an_end(leases):
    expect(leases.create("a", {"holderIdentity": "x" * 1_600_000}), 500)


def test_creation_needs_a_namespace(leases):
    every = Leases(leases.server, leases.namespace)
    every.path = "/apis/coordination.k8s.io/v1/leases"
    expect(every.create("a"), 405, "MethodNotAllowed")
