"""Paths, methods, discovery: how clients find their way."""

import concurrent.futures

import pytest

from api_client import GROUP, ROOT, expect


def test_health(leases):
    for path in ("/healthz", "/livez", "/readyz"):
        reply = leases.call("GET", path)
        assert (reply.code, reply.text) == (200, "ok")


def test_the_version_is_told(leases):
    version = leases.call("GET", "/version").body
    assert version["major"] == "1" and version["minor"].isdecimal()
    assert version["gitVersion"].startswith("v1.")


def test_groups_are_discovered(leases):
    groups = leases.call("GET", "/apis").body
    assert groups["kind"] == "APIGroupList"
    ours = [group for group in groups["groups"] if group["name"] == GROUP]
    assert ours[0]["preferredVersion"] == {
        "groupVersion": f"{GROUP}/v1",
        "version": "v1",
    }
    assert leases.call("GET", f"/apis/{GROUP}").body["kind"] == "APIGroup"
    assert leases.call("GET", "/api").body["kind"] == "APIVersions"


def test_resources_are_discovered(leases):
    for path in (ROOT, ROOT + "/"):
        found = leases.call("GET", path).body
        assert found["kind"] == "APIResourceList"
        entry = [r for r in found["resources"] if r["name"] == "leases"][0]
        assert entry["kind"] == "Lease" and entry["namespaced"] is True
        assert entry["singularName"] == "lease"
        assert sorted(entry["verbs"]) == [
            "create",
            "delete",
            "deletecollection",
            "get",
            "list",
            "patch",
            "update",
            "watch",
        ]


@pytest.mark.parametrize(
    "method, path",
    [
        ("PUT", ""),
        ("PATCH", ""),
        ("POST", "/a"),
        ("HEAD", "/a"),
        ("OPTIONS", "/a"),
        ("FOO", "/a"),
    ],
)
def test_other_methods_are_not_allowed(leases, method, path):
    leases.create("a")
    reply = leases.call(method, leases.path + path)
    assert reply.code == 405
    if method != "HEAD":
        expect(reply, 405, "MethodNotAllowed")


def test_unknown_resources_are_not_found(leases):
    for path in (
        f"{ROOT}/namespaces/default/pods",
        f"{leases.path}/a/status",
        f"{leases.path}/a%2Fb",
    ):
        expect(leases.call("GET", path), 404, "NotFound")


def test_unknown_paths_are_not_found(leases):
    for path in ("/foo", "/apis/foo/v1"):
        reply = leases.call("GET", path)
        assert (reply.code, reply.text) == (404, "404 page not found\n")


def test_broken_escapes_are_bad_requests(leases):
    assert leases.call("GET", f"{leases.path}/a%zz").code == 400


def test_slashes_may_trail(leases):
    assert leases.call("GET", leases.path + "/").code == 200


def test_one_connection_serves_many_requests(leases):
    connection = leases.server.connect()
    headers = leases.server.headers()
    for _ in range(20):
        connection.request("GET", leases.path, headers=headers)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200 and not answer.will_close
    connection.close()


def test_of_many_at_once_one_wins_each_version(leases):
    """The compare-and-swap all safety rests on, with eight who want it."""
    leases.create("a", {"leaseTransitions": 0})

    def contend(who):
        won = 0
        while won < 5:
            seen = leases.get("a")
            spec = {
                "holderIdentity": who,
                "leaseTransitions": seen.spec["leaseTransitions"] + 1,
            }
            metadata = {
                "resourceVersion": seen.version,
                "uid": seen.metadata["uid"],
            }
            reply = leases.put("a", spec, **metadata)
            assert reply.code in (200, 409), reply.text
            won += reply.code == 200
        return won

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        wins = list(pool.map(contend, (f"holder-{n}" for n in range(8))))
    assert leases.get("a").spec["leaseTransitions"] == sum(wins) == 40


def test_of_many_creators_one_wins(leases):
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        codes = list(
            pool.map(
                lambda n: leases.put("a", {"holderIdentity": str(n)}).code, range(8)
            )
        )
    assert sorted(codes) == [201] + [422] * 7
