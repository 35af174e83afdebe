"""PATCH: merge, strategic merge, JSON patch."""

import pytest

from api_client import JSON_PATCH, MERGE, STRATEGIC, expect


@pytest.fixture
def made(leases):
    return leases.create("a", {"holderIdentity": "x", "leaseTransitions": 1})


@pytest.mark.parametrize("media", [MERGE, STRATEGIC])
def test_a_merge_changes_what_it_names(leases, made, media):
    kept = leases.patch("a", {"spec": {"holderIdentity": "y"}}, media)
    assert kept.code == 200
    assert kept.spec == {"holderIdentity": "y", "leaseTransitions": 1}
    assert int(kept.version) > int(made.version)


@pytest.mark.parametrize("media", [MERGE, STRATEGIC])
def test_null_removes(leases, made, media):
    kept = leases.patch("a", {"spec": {"holderIdentity": None}}, media)
    assert kept.spec == {"leaseTransitions": 1}


def test_labels_and_annotations_merge_key_by_key(leases):
    leases.create("a", labels={"k": "1", "m": "2"})
    kept = leases.patch(
        "a", {"metadata": {"labels": {"k": None, "n": "3"}, "annotations": {"x": "y"}}}
    )
    assert kept.metadata["labels"] == {"m": "2", "n": "3"}
    assert kept.metadata["annotations"] == {"x": "y"}


def test_a_patch_that_changes_nothing_takes_no_version(leases, made):
    for patch in ({"spec": {"holderIdentity": "x"}}, {}):
        kept = leases.patch("a", patch)
        assert kept.code == 200 and kept.version == made.version


def test_a_version_in_the_patch_compares_and_swaps(leases, made):
    patch = {
        "metadata": {"resourceVersion": made.version},
        "spec": {"leaseTransitions": 2},
    }
    assert leases.patch("a", patch).code == 200
    expect(leases.patch("a", patch), 409, "Conflict", name="a", kind="leases")


def test_a_version_cannot_be_patched_away(leases, made):
    causes = [("metadata.resourceVersion", "FieldValueInvalid")]
    reply = leases.patch("a", {"metadata": {"resourceVersion": None}})
    expect(reply, 422, "Invalid", causes, "a", "leases")
    expect(leases.patch("a", {"metadata": {"resourceVersion": "abc"}}), 500)


def test_a_wrong_uid_is_invalid(leases, made):
    causes = [("metadata.uid", "FieldValueInvalid")]
    reply = leases.patch("a", {"metadata": {"uid": "other"}})
    expect(reply, 422, "Invalid", causes, "a", "Lease")
    kept = leases.patch("a", {"metadata": {"uid": None}})
    assert kept.metadata["uid"] == made.metadata["uid"]


def test_a_patch_cannot_rename_or_move(leases, made):
    for key in ("name", "namespace"):
        reply = leases.patch("a", {"metadata": {key: "other"}})
        expect(reply, 400, "BadRequest")


def test_creation_time_is_the_servers_own(leases, made):
    kept = leases.patch("a", {"metadata": {"creationTimestamp": "2001-01-01T00:00:00Z"}})
    assert kept.code == 200 and kept.version == made.version


@pytest.mark.parametrize(
    "patch",
    [
        {"kind": "Pod"},
        {"apiVersion": "v1"},
        {"spec": {"leaseTransitions": "x"}},
        {"spec": {"leaseDurationSeconds": 2**31}},
        {"spec": {"renewTime": "2026-11-29T20:48:00.123Z"}},
    ],
)
def test_an_unreadable_outcome_is_invalid(leases, made, patch):
    expect(leases.patch("a", patch), 422, "Invalid", [("patch", "FieldValueInvalid")])
    assert leases.get("a").body == made.body


def test_the_outcome_is_validated(leases, made):
    causes = [("spec.leaseDurationSeconds", "FieldValueInvalid")]
    reply = leases.patch("a", {"spec": {"leaseDurationSeconds": 0}})
    expect(reply, 422, "Invalid", causes, "a", "Lease")


def test_strictness(leases, made):
    patch = {"spec": {"foo": 1}}
    kept = leases.patch("a", patch)
    assert kept.code == 200 and "foo" not in kept.spec
    assert 'unknown field \\"spec.foo\\"' in kept.header("Warning")[0]
    strict = leases.patch("a", patch, query="?fieldValidation=Strict")
    expect(strict, 422, "Invalid", [("patch", "FieldValueInvalid")])


@pytest.mark.parametrize("patch", ["", "{", "[]", "null", '"x"'])
def test_what_is_no_merge_patch_is_a_bad_request(leases, made, patch):
    expect(leases.patch("a", patch), 400, "BadRequest")


def test_a_patch_does_not_create(leases):
    expect(leases.patch("a", {}), 404, "NotFound", name="a", kind="leases")


def test_json_patch_applies_in_order(leases, made):
    kept = leases.patch(
        "a",
        [
            {"op": "test", "path": "/spec/holderIdentity", "value": "x"},
            {"op": "replace", "path": "/spec/holderIdentity", "value": "y"},
            {"op": "remove", "path": "/spec/leaseTransitions"},
            {"op": "add", "path": "/metadata/annotations", "value": {"a": "b"}},
        ],
        JSON_PATCH,
    )
    assert kept.code == 200
    assert kept.spec == {"holderIdentity": "y"}
    assert kept.metadata["annotations"] == {"a": "b"}


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "test", "path": "/spec/holderIdentity", "value": "nope"},
        {"op": "remove", "path": "/spec/foo"},
        {"op": "frob", "path": "/spec/foo"},
    ],
)
def test_json_patch_that_does_not_apply_is_invalid(leases, made, operation):
    expect(leases.patch("a", [operation], JSON_PATCH), 422, "Invalid")
    assert leases.get("a").body == made.body


def test_json_patch_compares_and_swaps_too(leases, made):
    stale = [{"op": "replace", "path": "/metadata/resourceVersion", "value": "1"}]
    expect(leases.patch("a", stale, JSON_PATCH), 409, "Conflict")


@pytest.mark.parametrize("patch", ["", "[", "{}"])
def test_what_is_no_json_patch_is_a_bad_request(leases, made, patch):
    expect(leases.patch("a", patch, JSON_PATCH), 400, "BadRequest")


def test_strategic_merge_knows_its_directives(leases, made):
    kept = leases.patch(
        "a", {"spec": {"$patch": "replace", "holderIdentity": "y"}}, STRATEGIC
    )
    assert kept.spec == {"holderIdentity": "y"}
    expect(leases.patch("a", {"spec": {"$patch": "frob"}}, STRATEGIC), 500)


def test_strategic_merge_merges_finalizers(leases):
    leases.create("a", finalizers=["tenure.dev/x"])
    kept = leases.patch("a", {"metadata": {"finalizers": ["tenure.dev/y"]}}, STRATEGIC)
    assert sorted(kept.metadata["finalizers"]) == ["tenure.dev/x", "tenure.dev/y"]
    kept = leases.patch("a", {"metadata": {"finalizers": ["tenure.dev/z"]}})
    assert kept.metadata["finalizers"] == ["tenure.dev/z"]


@pytest.mark.parametrize("media", ["application/json", "text/plain", None])
def test_other_media_types_are_refused(leases, made, media):
    expect(leases.patch("a", "{}", media), 415, "UnsupportedMediaType")


def test_a_dry_run_changes_nothing(leases, made):
    dry = leases.patch("a", {"spec": {"leaseTransitions": 2}}, query="?dryRun=All")
    assert dry.code == 200 and dry.spec["leaseTransitions"] == 2
    assert leases.get("a").body == made.body


def test_force_is_for_apply_only(leases, made):
    causes = [("force", "FieldValueForbidden")]
    expect(leases.patch("a", {}, query="?force=true"), 422, "Invalid", causes)
