"""watch: what is told, in which order, from where, and how it ends."""

import pytest

from api_client import TABLE, Watch, described, expect, timed

# Changes that a server must be allowed to forget.
MANY = 6000


def change_everything(leases):
    leases.patch("a", {"spec": {"leaseTransitions": 2}})
    leases.create("c")
    leases.patch("a", {"metadata": {"labels": {"k": "2"}}})
    leases.patch("a", {"metadata": {"labels": {"k": "1"}}})
    for name in "bac":
        leases.delete(name)


@pytest.fixture
def two(leases):
    leases.create("a", {"leaseTransitions": 1}, labels={"k": "1"})
    leases.create("b")


def test_without_a_version_it_begins_with_what_there_is(leases, two):
    with leases.watch() as watch:
        assert watch.code == 200
        events = watch.take(2)
    assert described(events) == ["ADDED a", "ADDED b"]
    assert events[0][1] == leases.get("a").body


def test_version_zero_means_any_state(leases, two):
    with leases.watch(resourceVersion=0) as watch:
        assert described(watch.take(2)) == ["ADDED a", "ADDED b"]


def test_every_change_is_told_once_and_in_order(leases, two):
    with leases.watch() as watch:
        watch.take(2)
        change_everything(leases)
        events = watch.take(7)
    assert described(events) == [
        "MODIFIED a",
        "ADDED c",
        "MODIFIED a",
        "MODIFIED a",
        "DELETED b",
        "DELETED a",
        "DELETED c",
    ]
    versions = [int(thing["metadata"]["resourceVersion"]) for _, thing in events]
    assert versions == sorted(set(versions))


def test_an_event_shows_what_the_writer_was_answered(leases, two):
    with leases.watch(fieldSelector="metadata.name=a") as watch:
        watch.next()
        written = leases.patch("a", {"spec": {"holderIdentity": "x"}})
        assert watch.next() == ("MODIFIED", written.body)


def test_a_deletion_shows_the_last_state_at_the_version_of_the_deletion(leases, two):
    last = leases.get("a")
    with leases.watch(fieldSelector="metadata.name=a") as watch:
        watch.next()
        leases.delete("a")
        kind, thing = watch.next()
    assert kind == "DELETED"
    assert thing["spec"] == last.spec
    assert thing["metadata"]["uid"] == last.metadata["uid"]
    assert int(thing["metadata"]["resourceVersion"]) > int(last.version)


def test_from_a_version_the_missed_is_repeated(leases, two):
    version = leases.get("b").version
    change_everything(leases)
    leases.create("d")
    with leases.watch(resourceVersion=version) as watch:
        events = watch.take(8)
        leases.create("e")
        assert described([watch.next()]) == ["ADDED e"]
    assert described(events)[:2] == ["MODIFIED a", "ADDED c"]
    assert described(events)[-1] == "ADDED d"


def test_from_the_version_of_a_list_nothing_is_repeated(leases, two):
    version = leases.list().version
    with leases.watch(resourceVersion=version) as watch:
        leases.create("c")
        assert described([watch.next()]) == ["ADDED c"]


def test_one_name_can_be_watched(leases, two):
    with leases.watch(fieldSelector="metadata.name=b") as watch:
        assert described([watch.next()]) == ["ADDED b"]
        change_everything(leases)
        assert described([watch.next()]) == ["DELETED b"]


def test_a_name_can_be_watched_before_it_exists(leases, two):
    with leases.watch(fieldSelector="metadata.name=new") as watch:
        leases.create("other")
        leases.create("new")
        assert described([watch.next()]) == ["ADDED new"]


def test_a_lease_comes_into_sight_and_leaves_it(leases, two):
    with leases.watch(labelSelector="k=1") as watch:
        assert described([watch.next()]) == ["ADDED a"]
        change_everything(leases)
        events = watch.take(4)
    assert described(events) == ["MODIFIED a", "DELETED a", "ADDED a", "DELETED a"]
    out_of_sight = events[1][1]
    assert out_of_sight["metadata"]["labels"] == {"k": "1"}


def test_a_write_that_changes_nothing_is_not_told(leases, two):
    with leases.watch(fieldSelector="metadata.name=a") as watch:
        watch.next()
        leases.patch("a", {"spec": {"leaseTransitions": 1}})
        leases.patch("a", {"spec": {"leaseTransitions": 5}})
        assert watch.next()[1]["spec"] == {"leaseTransitions": 5}


def test_other_namespaces_are_not_seen(leases, elsewhere, two):
    version = leases.list().version
    with leases.watch(resourceVersion=version) as watch:
        elsewhere.create("a")
        leases.create("c")
        kind, thing = watch.next()
        assert thing["metadata"]["namespace"] == leases.namespace


def test_finalizers_show_as_a_change_before_the_deletion(leases):
    leases.create("a", finalizers=["tenure.dev/x"])
    with leases.watch() as watch:
        watch.next()
        leases.delete("a")
        leases.patch("a", {"metadata": {"finalizers": None}})
        marked, gone = watch.take(2)
    assert (marked[0], gone[0]) == ("MODIFIED", "DELETED")
    assert marked[1]["metadata"]["deletionTimestamp"]


def test_it_ends_when_its_time_is_over(leases, two):
    with leases.watch(timeoutSeconds=1) as watch:
        events, seconds = timed(watch.rest)
    assert described(events) == ["ADDED a", "ADDED b"]
    assert seconds > 0.5


def test_a_negative_time_ends_at_once(leases, two):
    with leases.watch(timeoutSeconds=-1) as watch:
        assert watch.code == 200
        # kube-apiserver may say that the time is over before it ends.
        assert {kind for kind, _ in watch.rest()} <= {"ERROR"}


def test_bookmarks_name_a_version_and_nothing_else(leases, two):
    version = leases.list().version
    with leases.watch(
        resourceVersion=version,
        allowWatchBookmarks="true",
        timeoutSeconds=12,
        fieldSelector="metadata.name=a",
    ) as watch:
        events = watch.rest()
    assert events, "no bookmark came before the end"
    for kind, thing in events:
        assert kind == "BOOKMARK" and thing["kind"] == "Lease"
        assert int(thing["metadata"]["resourceVersion"]) >= int(version)
        assert "name" not in thing["metadata"]


def test_a_forgotten_version_is_gone(leases):
    oldest = leases.create("a", {"leaseTransitions": 0}).version
    with leases.watch(resourceVersion=1, timeoutSeconds=1) as watch:
        first = watch.next()
    if first is None or first[0] != "ERROR":
        # A server as young as its first version: make it forget.
        connection = leases.server.connect()
        for count in range(1, MANY):
            connection.request(
                "PATCH",
                f"{leases.path}/a",
                '{"spec":{"leaseTransitions":%d}}' % count,
                {"Content-Type": "application/merge-patch+json"},
            )
            connection.getresponse().read()
        connection.close()
        with leases.watch(resourceVersion=oldest, timeoutSeconds=1) as watch:
            first = watch.next()
            assert watch.next() is None
    kind, status = first
    assert kind == "ERROR"
    assert (status["kind"], status["code"]) == ("Status", 410)
    assert status["reason"] == "Expired"


def test_a_version_from_the_future_is_silent(leases, two):
    with leases.watch(resourceVersion=2**40, timeoutSeconds=2) as watch:
        assert watch.code == 200
        leases.create("c")
        assert watch.rest() == []


def test_initial_events_end_with_a_bookmark_that_says_so(leases, two):
    with leases.watch(
        sendInitialEvents="true",
        resourceVersionMatch="NotOlderThan",
        allowWatchBookmarks="true",
    ) as watch:
        events = watch.take(1)
        if events[0][0] == "ERROR" and "RequestWatchProgress" in events[0][1]["message"]:
            pytest.skip("this server's etcd is too old for initial events")
        events += watch.take(2)
    assert described(events) == ["ADDED a", "ADDED b", "BOOKMARK None"]
    annotations = events[-1][1]["metadata"]["annotations"]
    assert annotations["k8s.io/initial-events-end"] == "true"


def test_initial_events_can_be_declined(leases, two):
    with leases.watch(
        sendInitialEvents="false", resourceVersionMatch="NotOlderThan"
    ) as watch:
        leases.create("c")
        assert described([watch.next()]) == ["ADDED c"]


@pytest.mark.parametrize(
    "query, causes",
    [
        ("sendInitialEvents=true", ["FieldValueForbidden"]),
        (
            "resourceVersion=5&resourceVersionMatch=Exact",
            ["FieldValueForbidden", "FieldValueNotSupported"],
        ),
    ],
)
def test_a_match_must_fit(leases, query, causes):
    reply = leases.list(f"?watch=1&{query}")
    expected = [("resourceVersionMatch", cause) for cause in causes]
    expect(reply, 422, "Invalid", expected)


def test_bad_parameters_are_answered_before_the_stream(leases):
    expect(leases.list("?watch=1&resourceVersion=abc"), 500)
    expect(leases.list("?watch=1&fieldSelector=foo%3Dbar"), 400, "BadRequest")
    expect(leases.list("?watch=1&timeoutSeconds=abc"), 400, "BadRequest")
    expect(leases.list("?watch=1", accept="text/plain"), 406, "NotAcceptable")


def test_kubectl_watches_tables(leases, two):
    with Watch(leases, {"timeoutSeconds": 1}, accept=TABLE) as watch:
        events = watch.rest()
    assert [kind for kind, _ in events] == ["ADDED", "ADDED"]
    assert all(table["kind"] == "Table" for _, table in events)
    columns = [bool(table["columnDefinitions"]) for _, table in events]
    assert columns == [True, False]


def test_many_watches_hear_the_same(leases, two):
    watches = [leases.watch(fieldSelector="metadata.name=a") for _ in range(10)]
    try:
        for watch in watches:
            watch.next()
        written = leases.patch("a", {"spec": {"holderIdentity": "x"}})
        heard = [watch.next() for watch in watches]
        assert heard == [("MODIFIED", written.body)] * 10
    finally:
        for watch in watches:
            watch.__exit__()
