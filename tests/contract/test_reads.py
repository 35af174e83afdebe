"""GET of one and of many: versions, selectors, pages, forms."""

import pytest

from api_client import TABLE, expect

FUTURE = 2**40
METADATA = "application/json;as=PartialObjectMetadata{};v=v1;g=meta.k8s.io"


def names(reply):
    assert reply.code == 200, reply.text
    return [item["metadata"]["name"] for item in reply.body["items"]]


@pytest.fixture
def three(leases):
    leases.create("a", {"holderIdentity": "x"}, labels={"k": "1"})
    leases.create("b", labels={"k": "2", "z": "1"})
    leases.create("c")


def test_an_absent_lease_is_not_found(leases):
    expect(leases.get("a"), 404, "NotFound", name="a", kind="leases")
    expect(leases.get("Bad_Name"), 404, "NotFound", name="Bad_Name", kind="leases")


def test_an_empty_list_has_items_and_a_version(leases):
    empty = leases.list().body
    assert empty["kind"] == "LeaseList" and empty["items"] == []
    assert int(empty["metadata"]["resourceVersion"]) > 0


def test_a_list_is_sorted_and_its_items_carry_no_kind(leases, three):
    listed = leases.list()
    assert names(listed) == ["a", "b", "c"]
    assert not any("kind" in item for item in listed.body["items"])
    assert int(listed.version) >= int(leases.get("c").version)


def test_all_namespaces_can_be_listed(leases, elsewhere, three):
    elsewhere.create("a")
    every = leases.call("GET", "/apis/coordination.k8s.io/v1/leases").body
    found = {
        (item["metadata"]["namespace"], item["metadata"]["name"])
        for item in every["items"]
    }
    ours = {(leases.namespace, name) for name in "abc"}
    assert ours | {(elsewhere.namespace, "a")} <= found
    assert names(leases.list()) == ["a", "b", "c"]


@pytest.mark.parametrize(
    "selector, expected",
    [
        ("fieldSelector=metadata.name%3Db", "b"),
        ("fieldSelector=metadata.name%3D%3Db", "b"),
        ("fieldSelector=metadata.name!%3Db", "ac"),
        ("fieldSelector=metadata.namespace%3Dnowhere", ""),
        ("fieldSelector=metadata.name%3Da,metadata.name%3Db", ""),
        ("labelSelector=k%3D1", "a"),
        ("labelSelector=k%3D%3D2,z%3D1", "b"),
        ("labelSelector=k!%3D1", "bc"),
        ("labelSelector=k", "ab"),
        ("labelSelector=!k", "c"),
        ("labelSelector=k%20in%20(1,2)", "ab"),
        ("labelSelector=k%20notin%20(1)", "bc"),
        ("labelSelector=k&fieldSelector=metadata.name%3Da", "a"),
    ],
)
def test_selectors(leases, three, selector, expected):
    assert names(leases.list("?" + selector)) == list(expected)


@pytest.mark.parametrize(
    "query",
    [
        "fieldSelector=spec.holderIdentity%3Dx",
        "fieldSelector=bogus",
        "labelSelector=k%3D%3D%3D1",
        "labelSelector=k%20in%201",
        "limit=abc",
        "timeoutSeconds=abc",
        "continue=abc",
        "resourceVersion=abc",
        "resourceVersion=-1",
        "timeout=abc",
        "timeout=5",
    ],
)
def test_bad_parameters_are_bad_requests(leases, query):
    expect(leases.list("?" + query), 400, "BadRequest")


@pytest.mark.parametrize(
    "query, reason",
    [
        ("resourceVersionMatch=Exact", "FieldValueForbidden"),
        ("resourceVersion=5&resourceVersionMatch=Foo", "FieldValueNotSupported"),
        ("resourceVersion=0&resourceVersionMatch=Exact", "FieldValueForbidden"),
    ],
)
def test_a_match_must_fit_its_version(leases, query, reason):
    causes = [("resourceVersionMatch", reason)]
    expect(leases.list("?" + query), 422, "Invalid", causes)


def test_a_list_cannot_ask_for_initial_events(leases):
    causes = [("sendInitialEvents", "FieldValueForbidden")]
    expect(leases.list("?sendInitialEvents=true"), 422, "Invalid", causes)


def test_an_old_version_is_a_floor(leases, three):
    version = leases.get("a").version
    for query in ("0", "1", version, f"{version}&resourceVersionMatch=NotOlderThan"):
        listed = leases.list(f"?resourceVersion={query}")
        assert names(listed) == ["a", "b", "c"]
    assert leases.get("a", f"?resourceVersion={version}").version == version


def test_an_exact_version_is_a_snapshot(leases, three):
    version = leases.get("b").version
    leases.delete("a")
    old = leases.list(f"?resourceVersion={version}&resourceVersionMatch=Exact")
    assert names(old) == ["a", "b"] and old.version == version


def test_a_version_from_the_future_is_not_answered_with_the_past(leases):
    leases.create("a")
    for reply in (
        leases.list(f"?resourceVersion={FUTURE}"),
        leases.get("a", f"?resourceVersion={FUTURE}"),
    ):
        assert reply.code == 504, reply.text
        assert reply.body["reason"] == "Timeout"
        causes = reply.body["details"]["causes"]
        assert causes[0]["reason"] == "ResourceVersionTooLarge"


def test_a_get_with_a_bad_version_is_an_internal_error(leases):
    leases.create("a")
    expect(leases.get("a", "?resourceVersion=abc"), 500)


def test_a_get_is_current_after_every_write(leases):
    made = leases.create("a", {"leaseTransitions": 0})
    for count in range(1, 30):
        patch = {"spec": {"leaseTransitions": count}}
        written = leases.patch("a", patch).version
        assert leases.get("a").version == written
    assert int(written) > int(made.version)


def test_pages_show_the_state_the_list_began_with(leases, three):
    first = leases.list("?limit=1")
    assert names(first) == ["a"]
    assert first.metadata["remainingItemCount"] == 2
    leases.create("aa")
    leases.delete("b")
    token = first.metadata["continue"]
    rest = leases.list(f"?limit=5&continue={token}")
    assert names(rest) == ["b", "c"]
    assert rest.version == first.version and "continue" not in rest.metadata
    reply = leases.list(f"?limit=5&continue={token}&resourceVersion=5")
    expect(reply, 400, "BadRequest")


def test_limits_without_effect(leases, three):
    for query in ("limit=0", "limit=-1", "limit=3", "limit=100"):
        listed = leases.list("?" + query)
        assert names(listed) == ["a", "b", "c"]
        assert "continue" not in listed.metadata


def test_unknown_parameters_are_ignored(leases, three):
    assert leases.get("a", "?foo=bar&fieldSelector=metadata.name%3Dzz").code == 200
    assert names(leases.list("?foo=bar")) == ["a", "b", "c"]


@pytest.mark.parametrize("timeout", ["5s", "1m30s", "0s", "-1s", "500h"])
def test_any_go_duration_is_a_timeout(leases, timeout):
    leases.create("a")
    assert leases.get("a", f"?timeout={timeout}").code == 200


def test_kubectl_gets_a_table(leases, three):
    table = leases.list(accept=TABLE).body
    assert table["kind"] == "Table" and table["apiVersion"] == "meta.k8s.io/v1"
    columns = [column["name"] for column in table["columnDefinitions"]]
    assert columns == ["Name", "Holder", "Age"]
    cells = [row["cells"] for row in table["rows"]]
    assert [cell[:2] for cell in cells] == [["a", "x"], ["b", ""], ["c", ""]]
    assert all(cell[2].endswith("s") for cell in cells)
    assert table["rows"][0]["object"]["kind"] == "PartialObjectMetadata"
    one = leases.get("a", "?includeObject=Object", accept=TABLE).body
    assert one["rows"][0]["object"]["kind"] == "Lease"
    none = leases.get("a", "?includeObject=None", accept=TABLE).body
    assert none["rows"][0]["object"] is None
    wrong = leases.get("a", "?includeObject=Foo", accept=TABLE)
    expect(wrong, 400, "BadRequest")
    expect(leases.get("zz", accept=TABLE), 404, "NotFound")


def test_metadata_can_be_had_alone(leases, three):
    one = leases.get("a", accept=METADATA.format("")).body
    assert one["kind"] == "PartialObjectMetadata" and "spec" not in one
    many = leases.list(accept=METADATA.format("List")).body
    assert many["kind"] == "PartialObjectMetadataList"
    assert [item["metadata"]["name"] for item in many["items"]] == ["a", "b", "c"]


def test_accept_is_negotiated(leases):
    leases.create("a")
    for accept in ("*/*", "application/json", "text/plain, */*"):
        assert leases.get("a", accept=accept).code == 200
    for accept in ("text/plain", "application/*", "text/html"):
        expect(leases.get("a", accept=accept), 406, "NotAcceptable")
